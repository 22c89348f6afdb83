# a 1,000 character string eaten from the front with ${s#?}
## group: string
## n: 1000
## expect: 100
n=$1
s=abcdefghij
while [ ${#s} -lt $n ]; do
    s=$s$s$s$s$s
done
while [ ${#s} -gt $n ]; do
    s=${s%??????????}
done
c=0
while [ -n "$s" ]; do
    r=${s#?}
    case ${s%"$r"} in
    c) c=$((c+1)) ;;
    esac
    s=$r
done
echo $c
