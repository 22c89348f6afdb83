# word frequencies of a text of 50,000 lines
## group: macro
## n: 50000
## need: assoc dparen
## data: words 50000
## expect: 8000 400700
typeset -A c
t=0
while read -r line; do
    for w in $line; do
        (( c[$w] += 1 ))
    done
done <"$DATA"
for v in "${c[@]}"; do
    (( t += v ))
done
echo ${#c[@]} $t
