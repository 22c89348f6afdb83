# case with many literal words, the last ones wanted
## group: match
## n: 200000
## expect: 100000 100000
n=$1
i=0 a=0 b=0
set -- status version
while [ $i -lt $n ]; do
    case $1 in
    add) : ;; branch) : ;; clone) : ;; commit) : ;; diff) : ;; fetch) : ;;
    grep) : ;; init) : ;; log) : ;; merge) : ;; mv) : ;; pull) : ;;
    push) : ;; rebase) : ;; reset) : ;; restore) : ;; rm) : ;; show) : ;;
    status) a=$((a+1)) ;;
    tag) : ;;
    version) b=$((b+1)) ;;
    esac
    set -- $2 $1
    i=$((i+1))
done
echo $a $b
