# output of a function captured
## group: process
## n: 50000
## expect: USR/BIN
n=$1
f() {
    t=${1%/}
    echo "${t##*/}/BIN"
}
i=0
while [ $i -lt $n ]; do
    x=$(f /local/USR/)
    i=$((i+1))
done
echo $x
