# s+=x, one character at a time
## group: string
## n: 300000
## need: append dparen
## expect: 300000
n=$1
s= i=0
while (( i < n )); do
    s+=x
    (( i++ ))
done
echo ${#s}
