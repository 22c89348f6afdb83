# true-like external command found through PATH, with an assignment prefix
## group: process
## n: 500
## expect: 500
n=$1
i=0
while [ $i -lt $n ]; do
    VAR=$i env true
    i=$((i+1))
done
echo $i
