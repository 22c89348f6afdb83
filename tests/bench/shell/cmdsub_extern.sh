# output of an external command captured
## group: process
## n: 1000
## expect: word
n=$1
i=0
while [ $i -lt $n ]; do
    x=$(/bin/echo word)
    i=$((i+1))
done
echo $x
