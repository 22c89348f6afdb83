# case with glob patterns
## group: match
## n: 150000
## expect: 50000 50000 50000
n=$1
i=0 c=0 h=0 o=0
set -- main.c util.h README.txt
while [ $i -lt $n ]; do
    case $1 in
    *.[ch]pp|*.cc) : ;;
    [A-M]*.c|lib*.c) : ;;
    *.c) c=$((c+1)) ;;
    *util.h) h=$((h+1)) ;;
    ?EAD*.t?t) o=$((o+1)) ;;
    *) : ;;
    esac
    set -- $2 $3 $1
    i=$((i+1))
done
echo $c $h $o
