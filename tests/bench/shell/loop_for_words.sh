# for over 400,000 words made by splitting one variable
## group: loop
## n: 400000
## expect: 400000
n=$1
s='alpha beta gamma delta '
while [ ${#s} -lt 2300000 ]; do
    s=$s$s$s$s$s$s$s$s$s$s
done
i=0
for w in $s; do
    i=$((i+1))
done
echo $i
