# until test "$i" -ge "$n"; a body of two commands
## group: loop
## n: 500000
## expect: 500000
n=$1
i=0
until test "$i" -ge "$n"; do
    : "$i"
    i=$((i + 1))
done
echo $i
