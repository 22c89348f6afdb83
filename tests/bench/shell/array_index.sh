# indexed array: fill, read by index, iterate
## group: array
## n: 100000
## need: dparen array
## expect: 100000 339632 100000
n=$1
typeset -a a
i=0
while (( i < n )); do
    a[i]=$i
    (( i++ ))
done
s=0 i=0
while (( i < n )); do
    (( s = (s + a[i]) & 0xffffff, i++ ))
done
c=0
for v in "${a[@]}"; do
    (( c++ ))
done
echo ${#a[@]} $s $c
