# quicksort of numbers in an indexed array
## group: macro
## n: 10000
## need: dparen array kshfunc
## expect: 10000 sorted
n=$1
typeset -a a
x=12345 i=0
while (( i < n )); do
    (( x = (x * 1103 + 12345) % 1000003 ))
    a[i]=$x
    (( i++ ))
done
function qs {
    typeset -i lo=$1 hi=$2 i j p t
    while (( lo < hi )); do
        (( i = lo, j = hi, p = a[(lo + hi) / 2] ))
        while (( i <= j )); do
            while (( a[i] < p )); do (( i++ )); done
            while (( a[j] > p )); do (( j-- )); done
            if (( i <= j )); then
                (( t = a[i], a[i] = a[j], a[j] = t, i++, j-- ))
            fi
        done
        if (( j - lo < hi - i )); then
            (( lo < j )) && qs $lo $j
            (( lo = i ))
        else
            (( i < hi )) && qs $i $hi
            (( hi = j ))
        fi
    done
}
qs 0 $(( n - 1 ))
r=sorted i=1
while (( i < n )); do
    (( a[i-1] <= a[i] )) || r=wrong
    (( i++ ))
done
echo ${#a[@]} $r
