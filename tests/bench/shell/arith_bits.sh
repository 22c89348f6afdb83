# shifts, masks and exclusive or within 31 bits
## group: arith
## n: 200000
## expect: 38023
n=$1
x=12345 i=0 acc=0
while [ $i -lt $n ]; do
    x=$(( (x ^ (x << 3)) & 0xffffff ))
    x=$(( x ^ (x >> 5) ))
    acc=$(( (acc + (x & 255)) & 0xffff | (i & 1) ))
    i=$((i + 1))
done
echo $acc
