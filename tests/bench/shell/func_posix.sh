# f() called with two arguments
## group: func
## n: 300000
## expect: 300000 b
n=$1
f() { r=$2; }
i=0
while [ $i -lt $n ]; do
    f $i b
    i=$((i+1))
done
echo $i $r
