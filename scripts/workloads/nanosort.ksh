#!/usr/bin/env memksh
# nanosort: sorts the lines of standard input by reading them into an associative array, whose keys are
# listed in byte order. The script of the 2013 regression report.
function nanosort { typeset -A a ; integer k=0; while read i ; do key="$i$((k++))" ; a["$key"]="$i" ; done ; printf "%s\n" "${a[@]}" ; }
nanosort
