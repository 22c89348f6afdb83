# a script of a few lines, file read included
## group: startup
## n: 300
## repeat: 300
PATH=/usr/bin:/bin
umask 022
name=${0##*/}
usage() { echo "usage: $name file"; }
if [ $# -gt 5 ]; then
    usage >&2
    exit 2
fi
for f in a b c; do
    : "$f"
done
