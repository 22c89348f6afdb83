# read from a here-string
## group: io
## n: 20000
## need: herestring dparen
## expect: 20000 value 19999
n=$1
i=0
while (( i < n )); do
    read -r a b <<<"value $i"
    (( i++ ))
done
echo $i $a $b
