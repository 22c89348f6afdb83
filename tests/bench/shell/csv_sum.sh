# totals by region and by product over a million records
## group: macro
## n: 1000000
## need: assoc dparen
## data: csv 1000000
## runs: 2
## expect: 50 2000 1000000 53000438155
typeset -A count total
while IFS=, read -r id region product qty price; do
    (( count[$region] += 1 ))
    (( total[$product] += qty * price ))
done <"$DATA"
sum=0 c=0
for v in "${total[@]}"; do
    (( sum += v ))
done
for v in "${count[@]}"; do
    (( c += v ))
done
echo ${#count[@]} ${#total[@]} $c $sum
