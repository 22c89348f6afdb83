# a subshell that changes variables and the directory
## group: process
## n: 10000
## expect: 10000 old
n=$1
x=old
i=0
while [ $i -lt $n ]; do
    ( x=new; y=$x$i; cd /; : "$y" )
    i=$((i+1))
done
echo $i $x
