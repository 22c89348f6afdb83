# a redirection opened for every echo
## group: io
## n: 50000
## expect: 50000
n=$1
i=0
while [ $i -lt $n ]; do
    echo "line $i" >/dev/null
    i=$((i+1))
done
echo $i
