# builtin | external | external
## group: process
## n: 300
## expect: 300
n=$1
i=0
while [ $i -lt $n ]; do
    echo "x $i" | /bin/cat | /bin/cat >/dev/null
    i=$((i+1))
done
echo $i
