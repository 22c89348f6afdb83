# ${s:o:l} ${s:o} ${#s}
## group: string
## n: 200000
## need: substr
## expect: quick brown fox 19
n=$1
i=0
s='the quick brown fox'
while [ $i -lt $n ]; do
    a=${s:4:5}
    b=${s:10}
    c=${#s}
    i=$((i+1))
done
echo $a $b $c
