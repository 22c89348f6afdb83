# 64 MB built by doubling, then its length
## group: string
## n: 67108864
## expect: 67108864
s=0123456789abcdef i=0
while [ $i -lt 22 ]; do
    s=$s$s
    i=$((i+1))
done
echo ${#s}
