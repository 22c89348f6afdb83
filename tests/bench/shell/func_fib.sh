# recursive Fibonacci, result in a global, POSIX syntax
## group: func
## n: 23
## expect: 28657
fib() {
    if [ $1 -lt 2 ]; then
        r=$1
        return
    fi
    fib $(($1 - 1))
    set -- $1 $r
    fib $(($1 - 2))
    r=$((r + $2))
}
fib $1
echo $r
