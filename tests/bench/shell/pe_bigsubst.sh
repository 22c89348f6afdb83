# ${s//x/yy} over a string of 256 kB, ten times
## group: string
## n: 10
## need: subst dparen
## expect: 278527
n=$1
s='abcdefghijklmnop'
while (( ${#s} < 262144 )); do
    s=$s$s
done
i=0
while (( i < n )); do
    t=${s//abc/wxyz}
    t=${t//mnop/---}
    t=${t//e/ee}
    t=${t/#w/}
    (( i++ ))
done
echo ${#t}
