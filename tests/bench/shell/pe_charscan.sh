# every character of a 10,000 character string with ${s:$i:1}
## group: string
## n: 10000
## need: substr dparen dbracket
## expect: 1000
n=$1
s=abcdefghij
while (( ${#s} < n )); do
    s=$s$s
done
s=${s:0:$n}
i=0 c=0
while (( i < n )); do
    [[ ${s:$i:1} == c ]] && (( c++ ))
    (( i++ ))
done
echo $c
