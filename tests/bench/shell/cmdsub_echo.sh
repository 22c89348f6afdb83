# x=$(echo word)
## group: process
## n: 100000
## expect: word99999
n=$1
i=0
while [ $i -lt $n ]; do
    x=$(echo word$i)
    i=$((i+1))
done
echo $x
