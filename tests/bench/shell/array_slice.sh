# "${a[@]:o:l}" of an array of 1,000
## group: array
## n: 50000
## need: dparen array arrayslice
## expect: 10 w49
n=$1
typeset -a a
i=0
while (( i < 1000 )); do
    a[i]=w$i
    (( i++ ))
done
i=0
while (( i < n )); do
    set -- "${a[@]:40:10}"
    (( i++ ))
done
echo $# ${10}
