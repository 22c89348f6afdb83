# while [[ i -lt n && ... ]]
## group: loop
## n: 500000
## need: dbracket
## expect: 500000
n=$1
i=0 s=go
while [[ $i -lt $n && $s != stop ]]; do
    i=$((i+1))
done
echo $i
