#!/usr/bin/env memksh
# arrays: fills, slices, sorts out and unsets indexed and associative arrays. Usage: arrays.ksh [N]
integer n=${1:-20000} i round total=0
typeset -a list
typeset -A map
for ((round = 0; round < 3; round++)); do
    for ((i = 0; i < n; i++)); do
        list[i]="value $i"
        map[k$((i % 1000))]=$i
    done
    ((total += ${#list[@]} + ${#map[@]}))
    set -- "${list[@]:10:100}"
    ((total += $#))
    for ((i = 0; i < n; i += 2)); do
        unset "list[$i]"
    done
    ((total += ${#list[@]}))
    unset list map
    typeset -a list
    typeset -A map
done
print "total $total"
