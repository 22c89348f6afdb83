# 50 MB built by appending 10 kB pieces with +=
## group: string
## n: 5000
## runs: 2
## need: append dparen
## expect: 50000000
n=$1
piece=0123456789
piece=$piece$piece$piece$piece$piece$piece$piece$piece$piece$piece
piece=$piece$piece$piece$piece$piece$piece$piece$piece$piece$piece
piece=$piece$piece$piece$piece$piece$piece$piece$piece$piece$piece
s= i=0
while (( i < n )); do
    s+=$piece
    (( i++ ))
done
echo ${#s}
