# echo of a million lines to the null device
## group: io
## n: 1000000
## runs: 2
## expect: 1000000
n=$1
i=0
while [ $i -lt $n ]; do
    echo "line $i"
    i=$((i+1))
done >/dev/null
echo $i
