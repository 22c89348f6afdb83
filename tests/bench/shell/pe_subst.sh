# ${s/x/y} ${s//x/y} ${s/#x/y} ${s/%x/y}
## group: string
## n: 100000
## need: subst dparen
## expect: the-quick brown fox the-quick-brown-fox a quick brown fox the quick brown box
n=$1
i=0
s='the quick brown fox'
while (( i < n )); do
    a=${s/ /-}
    b=${s// /-}
    c=${s/#the/a}
    d=${s/%fox/box}
    (( i++ ))
done
echo $a $b $c $d
