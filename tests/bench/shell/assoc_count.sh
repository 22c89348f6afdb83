# (( count[key] += 1 )) over few keys
## group: array
## n: 200000
## need: assoc dparen
## expect: 100 2000
n=$1
typeset -A count
i=0
while (( i < n )); do
    k=k$(( i % 100 ))
    (( count[$k] += 1 ))
    (( i++ ))
done
echo ${#count[@]} ${count[k42]}
