# 11 MB captured from cat, five times
## group: process
## n: 5
## data: rand 1000000
## expect: 10999999
n=$1
i=0
while [ $i -lt $n ]; do
    x=$(cat "$DATA")
    i=$((i+1))
done
echo ${#x}
