# a report with printf, functions and case, POSIX only
## group: macro
## n: 50000
## need: printf
## data: csv 50000
## expect: 50000 203686 26189980
total=0 rows=0 north=0
money() {
    cents=$(($1 % 100))
    case $cents in ?) cents=0$cents ;; esac
    amount=$(($1 / 100)).$cents
}
while IFS=, read -r id region product qty price; do
    case $region in
    north*) north=$((north + qty)) ;;
    *) : ;;
    esac
    total=$((total + qty * (price / 100)))
    money $((qty * price))
    printf '%-8s %-10s %4d %10s\n' "$region" "${product#item}" "$qty" "$amount"
    rows=$((rows + 1))
done <"$DATA" >/dev/null
echo $rows $north $total
