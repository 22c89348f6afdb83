# while read -r over lines of 200 bytes
## group: io
## n: 100000
## data: long 100000
## expect: 100000 199
i=0
while IFS= read -r line; do
    i=$((i+1))
done <"$DATA"
IFS= read -r line <"$DATA"
echo $i ${#line}
