# IFS=, read of five fields
## group: io
## n: 200000
## data: csv 200000
## expect: 200000 2099257
i=0 t=0
while IFS=, read -r id region product qty price; do
    i=$((i+1))
    t=$((t+qty))
done <"$DATA"
echo $i $t
