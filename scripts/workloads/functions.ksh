#!/usr/bin/env memksh
# functions: calls, locals and recursion. Usage: functions.ksh [N]
function fib
{
    typeset -i n=$1 a b
    if ((n < 2)); then
        print $n
        return
    fi
    a=$(fib $((n - 1)))
    b=$(fib $((n - 2)))
    print $((a + b))
}
function add
{
    typeset -i x=$1 y=$2
    ((sum += x + y))
}
integer n=${1:-50000} i sum=0
for ((i = 0; i < n; i++)); do
    add i 1
done
print "sum $sum"
print "fib $(fib 15)"
