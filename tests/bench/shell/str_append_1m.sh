# s+=x, a million times: linear or quadratic?
## group: string
## n: 1000000
## set: full
## runs: 1
## timeout: 120
## need: append dparen
## expect: 1000000
n=$1
s= i=0
while (( i < n )); do
    s+=x
    (( i++ ))
done
echo ${#s}
