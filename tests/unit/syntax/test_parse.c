/*
 * test_parse: what is read, seen through what is written.
 *
 * Each row of the table is a text and how its tree is written; the written text must be read back
 * the same. Besides, aliases, and how much of its source parse_command takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "parse_fixture.h"

struct row {
    const char *text, *written;
};

static const struct row rows[] = {
    { "echo a b c", "echo a b c" },
    { "echo 'a b' \"c d\" \\e f\\ g", "echo 'a b' 'c d' 'e' f\\ g" },
    { "echo \"a $x b\" \"${x}y\" ${x}y $x\"y\" \"$x\"y",
      "echo \"a $x b\" \"${x}y\" ${x}y $x'y' \"$x\"y" },
    { "echo a\\\nb \"c\\\nd\" 'e\\\nf'", "echo ab 'cd' 'e\\\nf'" },
    { "echo a#b #c", "echo a#b" },
    { "echo `ls \"a b\" \\`date\\`` \"`echo \\\"x\\\"`\"",
      "echo $(ls 'a b' $(date)) \"$(echo 'x')\"" },
    { "echo $(ls; date) $(<file) $( (a) ) $()", "echo $(ls; date) $(<file) $( (a)) $()" },
    { "echo ${ ls; date;} ${| REPLY=1;}", "echo ${ ls; date; } ${| REPLY=1; }" },
    { "echo $((1+2)) $(( x * (y+1) )) \"$((a[1]))\" $(((1)+(2)))",
      "echo $((1+2)) $(( x * (y+1) )) \"$((a[1]))\" $(((1)+(2)))" },
    { "echo $((ls); date)", "echo $( (ls); date)" },
    { "((a)); ((a=(b+1)*2)); ((ls);date)", "((a))\n((a=(b+1)*2))\n(\n\t(\n\t\tls\n\t)\n\tdate\n)" },
    { "echo ${x} ${#x} ${!x} ${@x} ${x[1]} ${x[a b]} ${#x[@]} ${!x[@]} ${!x*} ${!x@} ${x.y} "
      "${.sh.version} ${x[1].y[2]} ${x[1][2]}",
      "echo $x ${#x} ${!x} ${@x} ${x[1]} ${x[a b]} ${#x[@]} ${!x[@]} ${!x*} ${!x@} ${x.y} "
      "${.sh.version} ${x[1].y[2]} ${x[1][2]}" },
    { "echo ${x-a} ${x:-a b} ${x:=$y} ${x:?\"no way\"} ${x:+'q'} \"${x:-'a'}\" \"${x:-\"b c\"}\" "
      "\"${x:-a}b}\" \"${x:-{a}}\"",
      "echo ${x-a} ${x:-a b} ${x:=$y} ${x:?'no way'} ${x:+'q'} \"${x:-'a'}\" \"${x:-b c}\" "
      "\"${x:-a}b}\" \"${x:-\"{a\"}}\"" },
    { "echo ${x#a} ${x##*/} ${x%.c} ${x%%.*} \"${x#'a'}\" \"${x%\"$y\"}\"",
      "echo ${x#a} ${x##*/} ${x%.c} ${x%%.*} \"${x#'a'}\" \"${x%\"$y\"}\"" },
    { "echo ${x:1} ${x:1:2} ${x: -1} ${x:(-1)} ${x:a?1:2:3} ${@:2} ${*:1:2} ${x[@]:1:2}",
      "echo ${x:1} ${x:1:2} ${x: -1} ${x:(-1)} ${x:a?1:2:3} ${@:2} ${*:1:2} ${x[@]:1:2}" },
    { "echo ${x/a/b} ${x//a/b} ${x/#a/b} ${x/%a/b} ${x/a} ${x//[ab]/'c'} \"${x/a/\"b\"}\" "
      "${x/\\//-} \"${x//\\}/y}\"",
      "echo ${x/a/b} ${x//a/b} ${x/#a/b} ${x/%a/b} ${x/a} ${x//[ab]/'c'} \"${x/a/'b'}\" ${x/\\//-} "
      "\"${x//\\}/y}\"" },
    { "echo ${x^} ${x^^} ${x,} ${x,,[a-c]} ${x@Q}", "echo ${x^} ${x^^} ${x,} ${x,,[a-c]} ${x@Q}" },
    { "echo $1 ${10} $@ $* $# $? $- $$ $! \"$@\" \"$*\" ${#} ${##} ${#@} ${#*} ${#1} ${#-} ${#:-x}",
      "echo $1 ${10} $@ $* $# $? $- $$ $! \"$@\" \"$*\" $# ${##} ${#@} ${#*} ${#1} ${#-} ${#:-x}" },
    { "echo $'a\\n\\x41\\u41\\101\\'' $\"hello $x\" $'' $",
      "echo \"a\nAAA'\" \"hello $x\" '' \\$" },
    { "echo ~ ~/a ~user ~+ a~ \"~\" \\~ ~\"x\"", "echo ~ ~/a ~user ~+ a~ \\~ \\~ ~'x'" },
    { "x=~:~/b:c y=a~ typeset z=~", "x=~:~/b:c y=a~ typeset z=~" },
    { "export p=~/x:~/y q=\"a b\" r", "export p=~/x:~/y q='a b' r" },
    { "x=1 y= z+=2 a[1]=x a[i+1]+=y b[$k]=z c[\"a b\"]=1",
      "x=1 y= z+=2 a[1]=x a[i+1]+=y b[$k]=z c['a b']=1" },
    { "x=1 cmd y=2", "x=1 cmd y=2" },
    { "a=(1 2 3) b=() c=([0]=a [1]=b) d=([k]+=v) e=((1 2) (3 4)) f=(* {a,b} \"$@\")",
      "a=(1 2 3) b=() c=([0]=a [1]=b) d=([k]+=v) e=((1 2) (3 4)) f=(* {a,b} \"$@\")" },
    { "a=(\n one # comment\n two\n)", "a=(one two)" },
    { "p=(x=1 y=2)", "p=(\n\tx=1 y=2\n)" },
    { "p=(\ntypeset -i x=1\ny=(z=2)\nfunction f { echo; }\n)",
      "p=(\n\ttypeset -i x=1\n\ty=(\n\t\tz=2\n\t)\n\tfunction f {\n\t\techo\n\t}\n)" },
    { "typeset -a x=(a=1 b) y=(2); typeset -A m=([a b]=c); typeset -C c=(a=1); compound d=(x=1)",
      "typeset -a x=(a=1 b) y=(2)\ntypeset -A m=([a b]=c)\ntypeset -C c=(\n\ta=1\n)\ncompound "
      "d=(\n\tx=1\n)" },
    { "command typeset x=~", "command typeset x=~" },
    { "a.b=1 a.b[2].c=3", "a.b=1 a.b[2].c=3" },
    { "ls -l | wc | cat", "ls -l | wc | cat" },
    { "a && b || c && d", "a && b || c && d" },
    { "a; b & c", "a\nb &\nc" },
    { "a |& b", "a |&\nb" },
    { "! a | b", "! a | b" },
    { "a | ! b | ! { c; }", "a | ! b | ! {\n\tc\n}" },
    { "! ! a", "! ! a" },
    { "time a | b", "time a | b" },
    { "time -p a", "time -p a" },
    { "time", "time" },
    { "( a; b ) && { c; d; }", "(\n\ta\n\tb\n) && {\n\tc\n\td\n}" },
    { "if a; then b; fi", "if a; then\n\tb\nfi" },
    { "if a; then b; elif c; then d; else e; fi",
      "if a; then\n\tb\nelif c; then\n\td\nelse\n\te\nfi" },
    { "while a; do b; done", "while a; do\n\tb\ndone" },
    { "until a; b; do c; done", "until a; b; do\n\tc\ndone" },
    { "for x in a b \"$@\"; do echo $x; done", "for x in a b \"$@\"; do\n\techo $x\ndone" },
    { "for x; do a; done", "for x; do\n\ta\ndone" },
    { "for x do a; done", "for x; do\n\ta\ndone" },
    { "for x\nin a b\ndo c\ndone", "for x in a b; do\n\tc\ndone" },
    { "for x in; do a; done", "for x in; do\n\ta\ndone" },
    { "for ((i=0; i<3; i++)); do a; done", "for ((i=0; i<3; i++)); do\n\ta\ndone" },
    { "for ((;;)) { a; }", "for ((;;)); do\n\ta\ndone" },
    { "for x in a; { b; }", "for x in a; do\n\tb\ndone" },
    { "select x in a b; do c; done", "select x in a b; do\n\tc\ndone" },
    { "case x in a) b;; (c|d) e;& *) f;;& esac",
      "case x in\na)\n\tb\n\t;;\nc | d)\n\te\n\t;&\n*)\n\tf\n\t;;&\nesac" },
    { "case $x in esac", "case $x in\nesac" },
    { "case x in\na|b)\n ;;\nc) d\nesac", "case x in\na | b)\n\t;;\nc)\n\td\n\t;;\nesac" },
    { "case x { a) b;; }", "case x in\na)\n\tb\n\t;;\nesac" },
    { "case x in (esac) a;; [a-c]*) b;; \"q r\") c;; a\\ b) d;; @(x|y z)) e; esac",
      "case x in\n(esac)\n\ta\n\t;;\n[a-c]*)\n\tb\n\t;;\n'q r')\n\tc\n\t;;\na\\ "
      "b)\n\td\n\t;;\n@(x|y z))\n\te\n\t;;\nesac" },
    { "f() { a; }", "f() {\n\ta\n}" },
    { "f () ( a )", "f() (\n\ta\n)" },
    { "f()\n{\n a\n} >x 2>&1", "f() {\n\ta\n} >x 2>&1" },
    { "function f { a; }", "function f {\n\ta\n}" },
    { "function f() { a; }", "function f {\n\ta\n}" },
    { "function a.b { c; }", "function a.b {\n\tc\n}" },
    { "function .sh.math.g x y { .sh.value=x; }", "function .sh.math.g x y {\n\t.sh.value=x\n}" },
    { "f() if a; then b; fi", "f() if a; then\n\tb\nfi" },
    { "f() echo hi", "f() echo hi" },
    { "namespace n { x=1; }", "namespace n {\n\tx=1\n}" },
    { "[[ a ]]", "[[ a ]]" },
    { "[[ -f a && ! -d b || ( c == d ) ]]", "[[ -f a && ! -d b || c == d ]]" },
    { "[[ a = b* ]]; [[ a != \"b*\" ]]; [[ a < b ]]; [[ a > b ]]; [[ a<b ]]",
      "[[ a == b* ]]\n[[ a != 'b*' ]]\n[[ a < b ]]\n[[ a > b ]]\n[[ a < b ]]" },
    { "[[ x -eq 1 && y -nt z ]]; [[ -v a[1] ]]; [[ x == @(a b|c) ]]",
      "[[ x -eq 1 && y -nt z ]]\n[[ -v a[1] ]]\n[[ x == @(a b|c) ]]" },
    { "[[\na\n&&\nb\n]]", "[[ a && b ]]" },
    { "a <x >y 2>&1 >>z <>w >|v 3<&- 4>&- <&p >;t <>;u &>b &>>c {fd}>d {a[1]}<e",
      "a <x >y 2>&1 >>z <>w >|v 3<&- 4>&- <&p >;t <>;u &>b &>>c {fd}>d {a[1]}<e" },
    { "a <<<x <<<\"$y z\"", "a <<<x <<<\"$y z\"" },
    { "a <#((x+1)) >#((2)) <#pat <##*x", "a <#((x+1)) >#((2)) <#pat <##*x" },
    { "cat <<EOF\na $x `b` $(c) \\$ \\\\ \"q\" 'r'\nEOF",
      "cat <<EOF\na $x $(b) $(c) \\$ \\\\ \"q\" 'r'\nEOF" },
    { "cat <<'EOF' | cat <<-X; echo b\na $x\nEOF\n\ttab\n\tX",
      "cat <<'EOF' | cat <<X\na $x\nEOF\ntab\nX\necho b" },
    { "cat <<#E\n    a\n      b\n    E", "cat <<E\na\n  b\nE" },
    { "echo $(cat <<E\nx\nE\n) y", "echo $(cat <<E\nx\nE\n) y" },
    { "if a; then cat <<E; fi\nbody\nE", "if a; then\n\tcat <<E\nbody\nE\nfi" },
    { "diff <(a) >(b) x=<(c)", "diff <(a) >(b) x= <(c)" },
    { "echo {a,b} {1..3} a{b,c}d {a} \"{a,b}\" \\{a,b}",
      "echo {a,b} {1..3} a{b,c}d {a} '{a,b}' \\{a,b}" },
    { "echo @(a|b) !(c) *(d|*.e) +(f)g ?(h) ~(i:x) {2}(j) {1,2}(k) %(l)",
      "echo @(a|b) !(c) *(d|*.e) +(f)g ?(h) ~(i:x) {2}(j) {1,2}(k) %(l)" },
    { "echo a[b] [c] [ d ] a*b ?", "echo a[b] [c] [ d ] a*b ?" },
    { "echo $(case x in a) b;; esac) $(case x in (a) b;; esac)",
      "echo $(case x in a) b ;; esac) $(case x in a) b ;; esac)" },
    { "echo $(# comment )\nb)", "echo $(b)" },
    { "echo \"a `b \"c\"` d\" \"$(e \"f $(g)\")\" \"${x:-$(h)}\"",
      "echo \"a $(b 'c') d\" \"$(e \"f $(g)\")\" \"${x:-$(h)}\"" },
    { "a &&\necho $'\\x414' $'\\u00e9\\U0001F600\\cA\\e\\E\\q\\1012a\\0dropped' $'\\'\\\"\\\\'",
      "a && echo 'Д' 'é😀\001\033\033qA2a' \"'\\\"\\\\\"" },
    { "echo $(echo $(echo $(echo `echo a`)))", "echo $(echo $(echo $(echo $(echo a))))" },
    { "x=$(cat <<A; cat <<B\na\nA\nb\nB\n)", "x=$(cat <<A\na\nA\ncat <<B\nb\nB\n)" },
    { "if a\nthen b # comment\nfi", "if a; then\n\tb\nfi" },
    { "{ a; b & } | c |&", "{\n\ta\n\tb &\n} | c |&" },
    { "a && {\nb; } || ( c\n)", "a && {\n\tb\n} || (\n\tc\n)" },
    { "while a\ndo b\ndone <x | c", "while a; do\n\tb\ndone <x | c" },
    { "case a in\n# comment\n(a) # another\nb ;; # third\nesac", "case a in\na)\n\tb\n\t;;\nesac" },
    { "for i in a \\\nb; do c; done", "for i in a b; do\n\tc\ndone" },
    { "a\\\nb=c d\\\n\"e\\\nf\"", "ab=c d'ef'" },
    { "i\\\nf a; then b; f\\\ni", "if a; then\n\tb\nfi" },
    { "a &\\\n& b |\\\n| c", "a && b || c" },
    { "echo $x\\\ny ${x\\\ny} $\\\n{z} $\\\n(w)", "echo $xy $xy $z $(w)" },
};

static const struct row alias_rows[] = {
    { "ll", "ls -F -l" },
    { "ll() { a; }", "ll() {\n\ta\n}" },
    { "'ll' \\ll \"ll\"", "'ll' 'l'l 'll'" },
    { "x=1 ll", "x=1 ls -F -l" },
    { "echo ll", "echo ll" },
    { "sudo ll", "sudo ls -F -l" },
    { "sudo sudo ll", "sudo sudo ls -F -l" },
    { "sudo x ll", "sudo x ll" },
    { "iff a; end", "if true; then\n\ta\nfi" },
    { "two", "a\nb" },
    { "two && c", "a\nb && c" },
    { "empty && a", ": && a" },
    { "empty empty a", "a" },
    { "blank ll", "ls -F -l" },
    { "quote y\"", "echo 'x y'" },
    { "paren a)", "(\n\ta\n)" },
    { "loop1 x", "loop1 x" },
    { "here\nbody\nE", "cat <<E\nbody\nE" },
    { "assign ll", "x=1 ls -F -l" },
    { "cut a", "echo \\ a" },
    { "a | ll && ll; $(ll)", "a | ls -F -l && ls -F -l\n$(ls -F -l)" },
    { "if ll; then ll; fi", "if ls -F -l; then\n\tls -F -l\nfi" },
    { ">x ll", "ls -F -l >x" },
};

static void check_row(struct fixture *f, const struct row *row, bool aliases)
{
    struct str first, second;
    struct parse_error error = { 0 };
    str_init(&first, f->region);
    str_init(&second, f->region);
    f->aliases = aliases;
    if (!fixture_rewrite(f, row->text, strlen(row->text), &first, &error))
        fail_msg("%s\n%s", row->text, error.why);
    f->aliases = false;
    if (!fixture_rewrite(f, str_text(&first), first.len, &second, &error))
        fail_msg("%s\n%s", str_text(&first), error.why);
    assert_string_equal(str_text(&first), str_text(&second));
    assert_true(first.len > 0);
    str_truncate(&first, first.len - 1); /* the final newline */
    assert_string_equal(str_text(&first), row->written);
    str_release(&first);
    str_release(&second);
}

static void test_rows(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&f, &rows[i], false);
    assert_int_equal(fixture_release(&f), 0);
}

static void test_aliases(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof alias_rows / sizeof *alias_rows; i++)
        check_row(&f, &alias_rows[i], true);
    assert_int_equal(fixture_release(&f), 0);
}

/* A source that gives one line at a time and counts how often it was asked. */
struct lines {
    const char *const *text;
    unsigned taken, continuations;
};

static ptrdiff_t read_line(void *ctx, bool continuation, const char **ret_text)
{
    struct lines *lines = ctx;
    *ret_text = lines->text[lines->taken];
    if (!*ret_text)
        return 0;
    lines->taken++;
    lines->continuations += continuation;
    return (ptrdiff_t)strlen(*ret_text);
}

static void test_by_line(void **state)
{
    (void)state;
    static const char *const text[] = {
        "a; b\n", "\n",  "# comment\n", "if c\n", "then d\n", "fi\n", "cat <<E; e\n", "x\n", "E\n",
        "f &&\n", "g\n", "echo 'h\n",   "i'\n",   "last",     NULL
    };
    /* the lines taken after each command, how many of those as a continuation, and its line number
     */
    static const struct {
        unsigned taken, continuations, line;
        const char *written;
    } steps[] = {
        { 1, 0, 1, "a\nb\n" },
        { 2, 0, 0, NULL },
        { 3, 0, 0, NULL },
        { 6, 2, 4, "if c; then\n\td\nfi\n" },
        { 9, 4, 7, "cat <<E\nx\nE\ne\n" },
        { 11, 5, 10, "f && g\n" },
        { 13, 6, 12, "echo 'h\ni'\n" },
        { 14, 6, 14, "last\n" },
    };
    struct fixture f;
    fixture_init(&f);
    struct lines lines = { text, 0, 0 };
    struct source source;
    struct parse_error error;
    source_init_reader(&source, "test", read_line, &lines, f.region);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct program *program = NULL;
        assert_int_equal(parse_command(&f.hooks, &source, &program, &error), PARSE_OK);
        assert_int_equal(lines.taken, steps[i].taken);
        assert_int_equal(lines.continuations, steps[i].continuations);
        assert_int_equal(program->body != NULL, steps[i].written != NULL);
        if (program->body) {
            struct str s;
            str_init(&s, f.region);
            unparse_list(&s, program->body, 0);
            assert_string_equal(str_text(&s), steps[i].written);
            assert_int_equal(program->body->items[0].node->line, steps[i].line);
            str_release(&s);
        }
        program_release(program);
    }
    struct program *program = NULL;
    assert_int_equal(parse_command(&f.hooks, &source, &program, &error), PARSE_END);
    source_release(&source);
    assert_int_equal(fixture_release(&f), 0);
}

/* A text source gives one complete command at a time, and goes on after an error. */
static void test_commands_of_text(void **state)
{
    (void)state;
    static const char text[] = "\n# first\na\nb; c\n)\nd\n";
    static const enum parse_result results[] = { PARSE_OK, PARSE_OK, PARSE_ERROR, PARSE_OK,
                                                 PARSE_END };
    struct fixture f;
    fixture_init(&f);
    struct source source;
    struct parse_error error;
    source_init_text(&source, "test", text, sizeof text - 1);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        struct program *program = NULL;
        assert_int_equal(parse_command(&f.hooks, &source, &program, &error), results[i]);
        if (results[i] == PARSE_ERROR)
            assert_int_equal(error.line, 5);
        program_release(program);
    }
    assert_int_equal(fixture_release(&f), 0);
}

static void test_name_ref(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        uint32_t steps;
        char all;
    } refs[] = {
        { "a", true, 0, 0 },      { "a[1]", true, 0, 0 },       { "a[@]", true, 0, '@' },
        { "a[*]", true, 0, '*' }, { "a[1][2]", true, 1, 0 },    { "p.x[2].y", true, 1, 0 },
        { ".sh.x", true, 0, 0 },  { "1a", false, 0, 0 },        { "a b", false, 0, 0 },
        { "a[1", false, 0, 0 },   { "a[1]x", false, 0, 0 },     { "", false, 0, 0 },
        { "a-b", false, 0, 0 },   { "a[\"x y\"]", true, 0, 0 }, { "a[$(b)]", true, 0, 0 },
        { "a.", false, 0, 0 },    { "a[1]=", false, 0, 0 },
    };
    struct fixture f;
    fixture_init(&f);
    for (size_t i = 0; i < sizeof refs / sizeof *refs; i++) {
        struct program *program = NULL;
        struct name_ref ref;
        bool ok = parse_name_ref(&f.hooks, refs[i].text, strlen(refs[i].text), &program, &ref);
        if (ok != refs[i].ok)
            fail_msg("%s", refs[i].text);
        if (ok) {
            assert_int_equal(ref.step_count, refs[i].steps);
            assert_int_equal(ref.subscript_all, refs[i].all);
        }
        program_release(program);
    }
    assert_int_equal(fixture_release(&f), 0);
}

static unsigned caches_freed;

static void count_caches(struct program *program)
{
    (void)program;
    caches_freed++;
}

static void test_program_life(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct program *program = NULL;
    struct parse_error error;
    assert_int_equal(fixture_parse(&f, "a", 1, &program, &error), PARSE_OK);
    program_caches_free = count_caches;
    program->caches = &f;
    assert_ptr_equal(program_hold(program), program);
    program_release(program);
    assert_int_equal(caches_freed, 0);
    program_release(program);
    assert_int_equal(caches_freed, 1);
    program_release(NULL);
    assert_null(program_hold(NULL));
    assert_int_equal(fixture_release(&f), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_by_line),  cmocka_unit_test(test_commands_of_text),
        cmocka_unit_test(test_name_ref), cmocka_unit_test(test_program_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
