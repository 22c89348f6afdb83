# function f with two local variables
## group: func
## n: 200000
## need: kshfunc dparen
## expect: 200000 400000
n=$1
function f {
    typeset x=$1
    typeset -i y
    (( y = x + x ))
    r=$y
}
i=0 r=0
while (( i < n )); do
    (( i++ ))
    f $i
done
echo $i $r
