# eval of a short text
## group: parse
## n: 200000
## expect: 199999 1000
n=$1
i=0
while [ $i -lt $n ]; do
    eval "v$((i % 1000))=\$i; if [ -z \"\$i\" ]; then echo no; fi"
    i=$((i+1))
done
eval "x=\$v999"
echo $x $((i / (n / 1000)))
