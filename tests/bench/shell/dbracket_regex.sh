# [[ $s =~ regex ]]
## group: match
## n: 100000
## need: regex dparen
## expect: 100000
n=$1
i=0 c=0
s=2013-04-17T10:22:33
re='^([0-9]{4})-([0-9]{2})-([0-9]{2})T[0-9:]+$'
while (( i < n )); do
    [[ $s =~ $re ]] && (( c++ ))
    (( i++ ))
done
echo $c
