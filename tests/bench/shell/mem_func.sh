# 3,847 functions of 26 lines defined and unset, ten times
## group: memory
## n: 10
## runs: 1
## data: script 100000
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
while [ $i -le $n ]; do
    . "$DATA"
    note fill
    j=0
    while [ $j -lt 3847 ]; do
        unset -f step_$j
        j=$((j+1))
    done
    note unset
    i=$((i+1))
done
echo $((i - 1))
