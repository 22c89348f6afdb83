n=0; set -o posix; trap "print t \$((n+=1)); [ \$n -lt 3 ] && kill -USR1 \$\$; print after \$n" USR1; kill -USR1 $$; print done $n
