# floating point: partial sums of a series and a square root by Newton
## group: arith
## n: 300000
## need: float forarith
## expect: 3.14158932 1.41421356
n=$1
typeset -F 8 sum=0.0 sign=1.0 r=1.0
for (( i = 0; i < n; i++ )); do
    (( sum += sign / (2.0 * i + 1.0) ))
    (( sign = -sign ))
    (( i % 10 == 0 )) && (( r = (r + 2.0 / r) / 2.0 ))
done
(( sum *= 4.0 ))
echo $sum $r
