# read from a here-document with expansions
## group: io
## n: 20000
## expect: 20000 value 19999
n=$1
i=0
while [ $i -lt $n ]; do
    read -r a b <<EOT
value $i
second line
EOT
    i=$((i+1))
done
echo $i $a $b
