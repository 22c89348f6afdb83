# a script of 20,000 lines (function definitions) sourced ten times
## group: parse
## n: 10
## data: script 20000
## expect: 10
n=$1
i=0
while [ $i -lt $n ]; do
    . "$DATA"
    i=$((i+1))
done
echo $i
