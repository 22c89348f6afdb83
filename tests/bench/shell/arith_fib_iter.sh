# Fibonacci modulo a constant, one long $(( )) expression a step
## group: arith
## n: 500000
## expect: 6765
n=$1
a=0 b=1 i=0
while [ $i -lt $n ]; do
    t=$(( (a + b) % 100003 ))
    a=$b b=$t
    i=$((i + 1))
done
echo $a
