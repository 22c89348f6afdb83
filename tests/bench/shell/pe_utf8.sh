# length, substring, trim and replace on a string with multibyte letters
## group: string
## n: 50000
## need: substr subst utf8
## expect: 23 kärk naïve façade—Zürich kärki
n=$1
i=0
s='naïve façade—Zürich kärki'
s=${s%?}
s=${s#?}
s=n${s}i
while [ $i -lt $n ]; do
    a=${#s}
    b=${s:20:4}
    c=${s// /_}
    d=${s%%ç*}
    e=${s##*—}
    i=$((i+1))
done
echo $((a - 2)) $b ${c%%_*} ${s#* }
