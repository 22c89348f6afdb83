# while [ $i -lt $n ] with i=$((i+1))
## group: loop
## n: 1000000
## expect: 1000000
n=$1
i=0
while [ $i -lt $n ]; do
    i=$((i+1))
done
echo $i
