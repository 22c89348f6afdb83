# a JSON tokenizer in POSIX shell, line by line
## group: macro
## n: 1500
## data: json 1500
## expect: 3000 37501 13500 6000 6000 3000
q='"'
obj=0 punct=0 str=0 num=0 key=0 word=0
while read -r s; do
    while [ -n "$s" ]; do
        case $s in
        ' '*)
            s=${s#?} ;;
        '{'*)
            obj=$((obj+1)) punct=$((punct+1)) s=${s#?} ;;
        '['*|']'*|'}'*|:*|,*)
            punct=$((punct+1)) s=${s#?} ;;
        "$q"*)
            s=${s#?}
            t=${s%%"$q"*}
            s=${s#*"$q"}
            case $s in
            :*) key=$((key+1)) ;;
            *) str=$((str+1)) ;;
            esac ;;
        [-0-9]*)
            t=${s%%[!-+.eE0-9]*}
            s=${s#"$t"}
            num=$((num+1)) ;;
        [a-z]*)
            t=${s%%[!a-z]*}
            s=${s#"$t"}
            case $t in
            true|false|null) word=$((word+1)) ;;
            *) echo "bad word $t" ;;
            esac ;;
        *)
            echo "bad text $s"
            exit 1 ;;
        esac
    done
done <"$DATA"
echo $obj $punct $key $num $str $word
