# ${x:-w} ${x-w} ${x:+w} ${x:=w}
## group: string
## n: 300000
## expect: def val yes set
n=$1
i=0 v=val
unset u
while [ $i -lt $n ]; do
    a=${u:-def}
    b=${v-other}
    c=${v:+yes}
    d=${w:=set}
    i=$((i+1))
done
echo $a $b $c $d
