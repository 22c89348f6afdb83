# set -- $line with IFS=:
## group: string
## n: 200000
## expect: 7 root /bin/sh
n=$1
line=root:x:0:0:root:/root:/bin/sh
i=0
IFS=:
while [ $i -lt $n ]; do
    set -- $line
    i=$((i+1))
done
IFS=' '
echo $# $1 $7
