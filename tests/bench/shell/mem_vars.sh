# 100,000 separate variables of 100 bytes made and unset, five times
## group: memory
## n: 100000
## runs: 1
## expect: 5
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
s=0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123
rss
echo "metric base_kb $R"
i=1
while [ $i -le 5 ]; do
    j=0
    while [ $j -lt $n ]; do
        eval "v$j=\$s\$j"
        j=$((j+1))
    done
    note fill
    j=0
    while [ $j -lt $n ]; do
        unset v$j
        j=$((j+1))
    done
    note unset
    i=$((i+1))
done
echo $((i - 1))
