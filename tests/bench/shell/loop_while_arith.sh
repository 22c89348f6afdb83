# while (( i < n )) with (( i++ ))
## group: loop
## n: 1000000
## need: dparen
## expect: 1000000
n=$1
i=0
while (( i < n )); do
    (( i++ ))
done
echo $i
