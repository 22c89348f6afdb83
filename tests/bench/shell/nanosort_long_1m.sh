# the 2013 nanosort function, 1000000 lines of 'long' input on standard input
## group: headline
## n: 1000000
## set: full
## timeout: 400
## need: assoc kshfunc
## stdin: long 1000000
## check: permutation
command -v integer >/dev/null 2>&1 || alias integer='typeset -i'
case ${BASH_VERSION:-} in ?*) shopt -s expand_aliases;; esac
function nanosort { typeset -A a ; integer k=0; while read i ; do key="$i$((k++))" ; a["$key"]="$i" ; done ; printf "%s\n" "${a[@]}" ; }
nanosort
