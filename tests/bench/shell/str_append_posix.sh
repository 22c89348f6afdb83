# s=${s}x
## group: string
## n: 20000
## expect: 20000
n=$1
s= i=0
while [ $i -lt $n ]; do
    s=${s}x
    i=$((i+1))
done
echo ${#s}
