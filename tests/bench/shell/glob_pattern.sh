# patterns over a directory of 20,000 files
## group: glob
## n: 5
## dir: 20000
## expect: 6878 2000
n=$1
cd "$DATA" || exit
i=0
while [ $i -lt $n ]; do
    set -- *77*
    set -- *[02468]?.t*t
    set -- file?[0-4][!5]*9.txt
    set -- *9.txt
    i=$((i+1))
done
set -- *7*.txt
a=$#
set -- *9.txt
echo $a $#
