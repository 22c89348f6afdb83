# the same from a pipe (no seeking back)
## group: io
## n: 200000
## data: rand 200000
## expect: 200000
cat "$DATA" | {
    i=0
    while IFS= read -r line; do
        i=$((i+1))
    done
    echo $i
}
