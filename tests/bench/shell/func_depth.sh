# recursion 400 deep, again and again
## group: func
## n: 250
## expect: 100000
n=$1
down() {
    if [ $1 -gt 0 ]; then
        c=$((c + 1))
        down $(($1 - 1))
    fi
}
c=0 i=0
while [ $i -lt $n ]; do
    down 400
    i=$((i + 1))
done
echo $c
