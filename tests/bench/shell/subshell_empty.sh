# ( : )
## group: process
## n: 20000
## expect: 20000
n=$1
i=0
while [ $i -lt $n ]; do
    ( : )
    i=$((i+1))
done
echo $i
