# associative array: insert, look up, change, iterate, delete
## group: array
## n: 100000
## need: assoc dparen
## expect: 100000 100000 100000 50000
n=$1
typeset -A a
i=0
while (( i < n )); do
    a[key$i]=$i
    (( i++ ))
done
i=0 hit=0
while (( i < n )); do
    [[ ${a[key$i]} == "$i" ]] && (( hit++ ))
    a[key$i]=x$i
    (( i++ ))
done
c=0
for v in "${a[@]}"; do
    (( c++ ))
done
all=${#a[@]}
i=0
while (( i < n )); do
    unset "a[key$i]"
    (( i += 2 ))
done
echo $all $hit $c ${#a[@]}
