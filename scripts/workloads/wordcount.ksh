#!/usr/bin/env memksh
# wordcount: counts the words of standard input and prints the ten most frequent: field splitting and an
# associative array of integers.
typeset -A count
while read -r line; do
    for word in $line; do
        ((count[$word]++))
    done
done
for word in "${!count[@]}"; do
    printf '%7d %s\n' "${count[$word]}" "$word"
done | sort -k1,1nr -k2 | head -n 10
