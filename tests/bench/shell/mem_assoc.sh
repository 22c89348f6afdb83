# associative array of 100,000 entries filled and unset, ten times
## group: memory
## n: 100000
## runs: 1
## need: assoc forarith
## expect: 10
n=$1

rss() {
    while read -r K V U; do
        case $K in
        Rss:) R=$V; break ;;
        esac
    done </proc/$$/smaps_rollup
}
note() {
    rss
    case $i in
    1|2|5|10) echo "metric $1${i}_kb $R" ;;
    esac
}
rss
echo "metric base_kb $R"
for (( i = 1; i <= 10; i++ )); do
    typeset -A a
    for (( j = 0; j < n; j++ )); do
        a[key_number_$j]="value $j"
    done
    note fill
    unset a
    note unset
done
echo $(( i - 1 ))
