# * in a directory of 20,000 files, ten times
## group: glob
## n: 10
## dir: 20000
## expect: 20000
n=$1
cd "$DATA" || exit
i=0
while [ $i -lt $n ]; do
    set -- *
    i=$((i+1))
done
echo $#
