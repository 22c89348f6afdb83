# longest Collatz chain below n, $(( )) and [ ]
## group: arith
## n: 5000
## expect: 3711 238
n=$1
best=0 arg=0 i=1
while [ $i -lt $n ]; do
    x=$i len=1
    while [ $x -ne 1 ]; do
        if [ $((x & 1)) -eq 0 ]; then
            x=$((x / 2))
        else
            x=$((3 * x + 1))
        fi
        len=$((len + 1))
    done
    if [ $len -gt $best ]; then
        best=$len arg=$i
    fi
    i=$((i + 1))
done
echo $arg $best
