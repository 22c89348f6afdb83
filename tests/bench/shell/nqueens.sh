# the queens on a board of n, backtracking over indexed arrays
## group: macro
## n: 8
## need: dparen array kshfunc
## expect: 92
n=$1
typeset -a col up down
i=0
while (( i < 2 * n )); do
    (( col[i] = 0, up[i] = 0, down[i] = 0, i++ ))
done
found=0
function place {
    typeset -i r=$1 c=0
    if (( r == n )); then
        (( found++ ))
        return
    fi
    while (( c < n )); do
        if (( ! col[c] && ! up[r + c] && ! down[r - c + n - 1] )); then
            (( col[c] = up[r + c] = down[r - c + n - 1] = 1 ))
            place $(( r + 1 ))
            (( col[c] = up[r + c] = down[r - c + n - 1] = 0 ))
        fi
        (( c++ ))
    done
}
place 0
echo $found
