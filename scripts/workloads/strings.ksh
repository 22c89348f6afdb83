#!/usr/bin/env memksh
# strings: builds long strings by appending and takes them apart again. Usage: strings.ksh [N]
integer n=${1:-20000} i
typeset text= rest= field=
for ((i = 0; i < n; i++)); do
    text+="field$i,"
done
print "length ${#text}"
rest=${text:0:20000}
i=0
while [[ -n $rest ]]; do
    field=${rest%%,*}
    rest=${rest#"$field"}
    rest=${rest#,}
    ((i += ${#field}))
done
print "bytes $i"
print "replaced ${#text} ${text//field/f}" | { read -r a b c; print "$a $b ${#c}"; }
