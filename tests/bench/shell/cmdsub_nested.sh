# $( $( $( ) ) )
## group: process
## n: 20000
## expect: a b c d
n=$1
i=0
while [ $i -lt $n ]; do
    x=$(echo a $(echo b $(echo c $(echo d))))
    i=$((i+1))
done
echo $x
