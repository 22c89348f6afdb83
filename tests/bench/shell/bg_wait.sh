# : & wait
## group: process
## n: 2000
## expect: 2000
n=$1
i=0
while [ $i -lt $n ]; do
    : &
    wait
    i=$((i+1))
done
echo $i
