# indexed array of 300,000 short strings filled and unset, ten times
## group: memory
## n: 300000
## runs: 1
## need: array dparen
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
i=1
while (( i <= 10 )); do
    j=0
    while (( j < n )); do
        a[j]="element number $j"
        (( j++ ))
    done
    note fill
    unset a
    note unset
    (( i++ ))
done
echo $(( i - 1 ))
