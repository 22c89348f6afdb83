# while read -r over a file, lines of 11 bytes
## group: io
## n: 500000
## data: rand 500000
## expect: 500000
i=0
while IFS= read -r line; do
    i=$((i+1))
done <"$DATA"
echo $i
