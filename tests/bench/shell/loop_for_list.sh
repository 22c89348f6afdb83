# nested for over the positional parameters, a million bodies
## group: loop
## n: 1000000
## expect: 10
set -- 0 1 2 3 4 5 6 7 8 9
for a in "$@"; do for b in "$@"; do for c in "$@"; do
for d in "$@"; do for e in "$@"; do for f in "$@"; do
    :
done; done; done; done; done; done
echo $#
