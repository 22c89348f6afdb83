# /bin/true with a small heap
## group: process
## n: 2000
## expect: 2000
n=$1
i=0
while [ $i -lt $n ]; do
    /bin/true
    i=$((i+1))
done
echo $i
