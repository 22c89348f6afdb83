# [[ $s == pattern ]] and [[ $s != pattern ]]
## group: match
## n: 200000
## need: dbracket dparen
## expect: 200000
n=$1
i=0 c=0
s=/usr/lib/libfoo.so.6
while (( i < n )); do
    [[ $s == *.so* ]] && [[ $s != *.a ]] && [[ $s == /usr/*/lib[a-g]*.[0-9] ]] && (( c++ ))
    (( i++ ))
done
echo $c
