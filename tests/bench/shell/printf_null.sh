# printf '%s %d %5s|%x\n' of 300,000 lines to the null device
## group: io
## n: 300000
## need: printf
## expect: 300000
n=$1
i=0
while [ $i -lt $n ]; do
    printf '%s %d %5s|%x\n' word $i ab $i
    i=$((i+1))
done >/dev/null
echo $i
