# ${p##*/} ${p%/*} ${p#*.} ${p%%.*}
## group: string
## n: 100000
## expect: archive.tar.gz /usr/share/doc/pkg tar.gz archive
n=$1
i=0
p=/usr/share/doc/pkg/archive.tar.gz
while [ $i -lt $n ]; do
    b=${p##*/}
    d=${p%/*}
    e=${b#*.}
    r=${b%%.*}
    i=$((i+1))
done
echo $b $d $e $r
