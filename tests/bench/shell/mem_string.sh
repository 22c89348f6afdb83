# a string of 64 MB built by doubling and unset, ten times
## group: memory
## n: 67108864
## runs: 1
## expect: 10

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
while [ $i -le 10 ]; do
    s=0123456789abcdef j=0
    while [ $j -lt 22 ]; do
        s=$s$s
        j=$((j+1))
    done
    note fill
    unset s
    note unset
    i=$((i+1))
done
echo $((i - 1))
