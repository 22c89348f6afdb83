# x=$(echo word) after 500 variables of 1 MB (time of the loop alone)
## group: bigheap
## n: 1000
## expect: word
n=$1

big() {
    s=0123456789abcdef j=0
    while [ $j -lt 16 ]; do
        s=$s$s
        j=$((j+1))
    done
    j=0
    while [ $j -lt 500 ]; do
        eval "keep$j=\$j\$s"
        j=$((j+1))
    done
    s=
}

big
echo "metric inner0 $(date +%s%N)"
i=0
while [ $i -lt $n ]; do
    x=$(echo word)
    i=$((i+1))
done
echo "metric inner1 $(date +%s%N)"
echo $x
