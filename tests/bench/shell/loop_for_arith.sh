# for (( ; ; )) with an empty body
## group: loop
## n: 1000000
## need: forarith
## expect: 1000000
n=$1
for (( i = 0; i < n; i++ )); do
    :
done
echo $i
