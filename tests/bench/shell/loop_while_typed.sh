# while (( )) on a declared integer variable
## group: loop
## n: 1000000
## need: dparen typeset
## expect: 1000000
n=$1
typeset -i i=0
while (( i < n )); do
    i=i+1
done
echo $i
