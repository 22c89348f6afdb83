# getopts over seven arguments
## group: macro
## n: 30000
## expect: 30000 60000 30000 rest
n=$1
i=0 a=0 b=0 c=0
while [ $i -lt $n ]; do
    set -- -a -b foo -b bar -xc rest more
    OPTIND=1
    while getopts ab:cx o; do
        case $o in
        a) a=$((a+1)) ;;
        b) b=$((b+1)) ;;
        c) c=$((c+1)) ;;
        x) : ;;
        *) echo "bad $o" ;;
        esac
    done
    shift $((OPTIND - 1))
    i=$((i+1))
done
echo $a $b $c $1
