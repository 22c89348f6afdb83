# two arrays grown in turn, one unset, the other kept with larger values, ten times
## group: memory
## n: 100000
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
pad=
i=1
while (( i <= 10 )); do
    pad=${pad}xxxxxxx j=0
    while (( j < n )); do
        a[j]="$pad $j"
        b[j]="$j $pad"
        (( j++ ))
    done
    note fill
    unset a
    note unset
    (( i++ ))
done
unset b
rss
echo "metric end_kb $R"
echo $(( i - 1 ))
