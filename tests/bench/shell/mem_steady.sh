# a long loop of everyday operations: the size must not grow
## group: memory
## n: 20000
## runs: 1
## expect: 20000
n=$1
rss() {
    while read -r K V U; do
        case $K in
        Rss:) R=$V; break ;;
        esac
    done </proc/$$/smaps_rollup
}
work() {
    x=$1
    y=${x%?}-${x#?}
    set -- $y one two
    case $3 in
    t*) z=$(echo "$2 $y") ;;
    *) z=$y ;;
    esac
    eval "w$((x & 1))=\$z"
    read -r p q <<EOT
$z $w0 $w1
EOT
}
i=0
while [ $i -lt $n ]; do
    work $((i % 1000 + 10))
    i=$((i+1))
    case $i in
    200|2000|10000|20000) rss; echo "metric at${i}_kb $R" ;;
    esac
done
echo $i
