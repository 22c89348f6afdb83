# a+=(word)
## group: array
## n: 50000
## need: dparen arrayappend
## expect: 50000
n=$1
i=0
typeset -a a
while (( i < n )); do
    a+=("word $i")
    (( i++ ))
done
echo ${#a[@]}
