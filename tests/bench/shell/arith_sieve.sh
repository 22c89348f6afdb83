# sieve of Eratosthenes with an indexed array and (( ))
## group: arith
## n: 100000
## need: dparen array
## expect: 9592
n=$1
typeset -a composite
count=0
i=0
while (( i <= n )); do
    composite[i]=0
    (( i++ ))
done
i=2
while (( i * i <= n )); do
    if (( ! composite[i] )); then
        (( j = i * i ))
        while (( j <= n )); do
            (( composite[j] = 1, j += i ))
        done
    fi
    (( i++ ))
done
i=2
while (( i <= n )); do
    (( composite[i] )) || (( count++ ))
    (( i++ ))
done
echo $count
