# kill -USR1 $$ with a trap
## group: macro
## n: 1000
## need: killbuiltin
## expect: 1000 1000
n=$1
i=0 c=0
trap 'c=$((c+1))' USR1
while [ $i -lt $n ]; do
    kill -USR1 $$
    i=$((i+1))
done
echo $i $c
