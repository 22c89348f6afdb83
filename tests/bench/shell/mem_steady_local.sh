# a long loop over function-local arrays and associative arrays
## group: memory
## n: 20000
## runs: 1
## need: array assoc forarith kshfunc
## expect: 20000 24
n=$1
rss() {
    while read -r K V U; do
        case $K in
        Rss:) R=$V; break ;;
        esac
    done </proc/$$/smaps_rollup
}
function work {
    typeset -a a
    typeset -A m
    typeset -i k
    for (( k = 0; k < 8; k++ )); do
        a[k]="item $k of $1"
        m[$1.$k]=${a[k]}
    done
    unset "m[$1.3]"
    set -- "${a[@]}" "${m[@]}" "${a[@]}" x
    r=$#
}
for (( i = 1; i <= n; i++ )); do
    work $i
    case $i in
    200|2000|10000|20000) rss; echo "metric at${i}_kb $R" ;;
    esac
done
echo $(( i - 1 )) $r
