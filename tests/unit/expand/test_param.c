/* Parameters and their operators. Answers are ksh93's. */
#include "expand_test.h"

static const char *const three[] = { "one", "two", "three", NULL };

static void test_at_and_star(void **state)
{
    (void)state;
    static const struct check none[] = {
        { "\"$@\"", "" },         { "\"$x$@\"", "" },
        { "\"$@$x\"", "" },       { "\"\"$@", "<>" },
        { "\"$@\"\"$@\"", "" },   { "$@ $*", "" },
        { "\"$*\"", "<>" },       { "x\"$@\"y", "<xy>" },
        { "\"${@:-}\"", "<>" },   { "${@:-}", "" },
        { "\"${@:-d}\"", "<d>" }, { "\"${@-d e}\"", "<d e>" },
        { "\"${@+d}\"", "" },     { "$#", "<0>" },
        { "${#@}", "<0>" },       { "\"${x-\"$@\"}\"", "<>" },
    };
    CHECK(none);
    static const char *const params[] = { "a", "", "b" };
    set_params(3, params);
    static const struct check some[] = {
        { "$@", "<a><b>" },
        { "$*", "<a><b>" },
        { "\"$@\"", "<a><><b>" },
        { "\"$*\"", "<a  b>" },
        { "x$@y", "<xa><by>" },
        { "\"x$@y\"", "<xa><><by>" },
        { "\"x $@ y\"", "<x a><><b y>" },
        { "x\"$*\"y", "<xa  by>" },
        { "$#", "<3>" },
        { "${#*}", "<3>" },
        { "\"$1$3\"", "<ab>" },
        { "\"${n:-$@}\"", "<a><><b>" },
        { "\"a${n:-$@}b\"", "<aa><><bb>" },
        { "${n:-\"$@\"}", "<a><><b>" },
        { "\"${n:-$*}\"", "<a  b>" },
        { "${1+\"$@\"}", "<a><><b>" },
    };
    CHECK(some);
    static const char *const empty[] = { "" };
    set_params(1, empty);
    static const struct check one[] = {
        { "\"$@\"", "<>" },
        { "$@", "" },
        { "\"${@:-d}\"", "<d>" },
        { "\"${@-d}\"", "<>" },
    };
    CHECK(one);
}

static void test_slices(void **state)
{
    (void)state;
    static const char *const params[] = { "a", "b", "c", "d", "e" };
    set_params(5, params);
    set("x", "hello");
    set("i", "1");
    set_array("a", three);
    static const char *const pairs[] = { "x", "1", "y", "2", "z", "3", NULL };
    set_assoc("A", pairs);
    static const struct check checks[] = {
        { "${@:1:2}", "<a><b>" },
        { "${@:4}", "<d><e>" },
        { "${@: -2}", "<d><e>" },
        { "${@: -2:1}", "<d>" },
        { "\"${@:7}\"", "" },
        { "${@:1:-1}", "" },
        { "\"${*:1:2}\"", "<a b>" },
        { "${a[@]:1:2}", "<two><three>" },
        { "${a[@]: -2:1}", "<two>" },
        { "\"${a[@]:9}\"", "" },
        { "\"${a[*]:0:2}\"", "<one two>" },
        { "${A[@]:1:2}", "<2><3>" },
        { "${a[@]: -9:1}", "<one>" },
        { "${x:1:3}", "<ell>" },
        { "${x: -2}", "<lo>" },
        { "\"${x:1:-1}\"", "<ell>" },
        { "\"${x:7}\"", "<>" },
        { "${x: -9:2}", "<he>" },
        { "${x: -3:2}", "<ll>" },
        { "${x:i:i+1}", "<el>" },
        { "${x:$i:$i}", "<e>" },
        { "${x:(-3):1}", "<l>" },
        { "${x:0}${x:5}", "<hello>" },
        { "${x:2:100}", "<llo>" },
    };
    CHECK(checks);
    if (!utf8_active)
        skip();
    set("u", "héllö");
    static const struct check wide[] = {
        { "${#u}", "<5>" },     { "${u:1:1}", "<é>" },  { "${u: -1}", "<ö>" },
        { "${u#h?}", "<llö>" }, { "${u%?}", "<héll>" },
    };
    CHECK(wide);
}

static void test_arrays(void **state)
{
    (void)state;
    set_array("a", three);
    static const char *const pairs[] = { "x y", "1", "k", "2", NULL };
    set_assoc("A", pairs);
    set("i", "1");
    set("k", "x y");
    set("s", "7");
    static const struct check checks[] = {
        { "$a", "<one>" },
        { "${a[1]}", "<two>" },
        { "${a[i]}", "<two>" },
        { "${a[$i]}", "<two>" },
        { "${a[i+1]}", "<three>" },
        { "${a[-1]}", "<three>" },
        { "${a[\"1\"]}", "<two>" },
        { "${a[$((0))]}", "<one>" },
        { "\"${a[@]}\"", "<one><two><three>" },
        { "\"${a[*]}\"", "<one two three>" },
        { "x\"${a[@]}\"y", "<xone><two><threey>" },
        { "${#a[@]} ${#a} ${#a[2]}", "<3><3><5>" },
        { "${!a[@]}", "<0><1><2>" },
        { "\"${!a[*]}\"", "<0 1 2>" },
        { "${A[x y]} ${A[$k]} ${A[\"$k\"]}", "<1><1><1>" },
        { "\"${!A[@]}\"", "<k><x y>" },
        { "\"${A[@]}\"", "<2><1>" },
        { "${a[@]#?}", "<ne><wo><hree>" },
        { "\"${a[@]/o/0}\"", "<0ne><tw0><three>" },
        { "\"${a[*]/o/0}\"", "<0ne tw0 three>" },
        { "\"${a[@]%e}\"", "<on><two><thre>" },
        { "\"${b[@]}\"", "" },
        { "\"x${b[@]}y\"", "<xy>" },
        { "\"${b[@]:-d}\"", "<d>" },
        { "${a[7]-none}", "<none>" },
        { "\"${b[*]}\"", "<>" },
        { "${#b[@]}", "<0>" },
        { "${s[0]} ${s[1]-no} ${s[@]} ${#s[@]} ${!s[@]}", "<7><no><7><1><0>" },
        { "${!a[1]} ${!s} ${!a}", "<a[1]><s><a>" },
    };
    CHECK(checks);
}

static void test_defaults(void **state)
{
    (void)state;
    set("e", "");
    set("x", "v");
    static const struct check checks[] = {
        { "${n:-\"a b\" c}", "<a b><c>" },
        { "${n:-a b}", "<a><b>" },
        { "\"${n:-a b}\"", "<a b>" },
        { "${n-'a b'}", "<a b>" },
        { "\"${n-'a b'}\"", "<'a b'>" },
        { "\"${n:-}\"", "<>" },
        { "${n:-}", "" },
        { "${e-d}", "" },
        { "${e:-d}", "<d>" },
        { "${x+y}${n+z}", "<y>" },
        { "${e+s}${e:+t}", "<s>" },
        { "${n:-${m:-${o:-deep}}}", "<deep>" },
        { "\"${x+quoted  $x}\"", "<quoted  v>" },
        { "${n:=set} $n", "<set><set>" },
        { "${n:=other}", "<set>" },
        { "${arr[2]:=el} ${arr[2]}", "<el><el>" },
        { "${q?}", "!q: parameter not set" },
        { "${e:?}", "!e: parameter null" },
        { "${q?msg here}", "!q: msg here" },
        { "${1?}", "!1: parameter not set" },
        { "${q[3]?}", "!q: parameter not set" },
        { "${1:=foo}", "!${1:=foo}: bad substitution" },
        { "${x@Z}", "!${x@Z}: bad substitution" },
        { "${@:?x}", "!@: x" },
    };
    CHECK(checks);
}

static void test_nounset(void **state)
{
    (void)state;
    set("x", "");
    assert_int_equal(option_set(sh, OPTION_NOUNSET, true), FLOW_NEXT);
    static const struct check checks[] = {
        { "$x", "" },
        { "$n", "!n: parameter not set" },
        { "\"$n\"", "!n: parameter not set" },
        { "${#n}", "!n: parameter not set" },
        { "${n%x}", "!n: parameter not set" },
        { "${n:1}", "!n: parameter not set" },
        { "${n/a/b}", "!n: parameter not set" },
        { "$1", "!1: parameter not set" },
        { "$@ $*", "" },
        { "\"${a[@]}\"", "" },
        { "${a[3]}", "!a[3]: parameter not set" },
        { "${n-d}${n+y}", "<d>" },
        { "$!", "!!: parameter not set" },
    };
    CHECK(checks);
}

static void test_trims(void **state)
{
    (void)state;
    set("p", "a/b/c.tar.gz");
    set("s", "a*b*c");
    set("y", "a*");
    static const struct check checks[] = {
        { "${p##*/} ${p#*/} ${p%/*} ${p%%/*}", "<c.tar.gz><b/c.tar.gz><a/b><a>" },
        { "${p%.@(gz|bz2)} ${p%%.*}", "<a/b/c.tar><a/b/c>" },
        { "\"${s#\"a*\"}\" \"${s#a*}\" \"${s##a*}\"", "<b*c><*b*c><>" },
        { "\"${s#$y}\" \"${s#\"$y\"}\" \"${s##*\"$y\"}\"", "<*b*c><b*c><b*c>" },
        { "${s#\\a\\*} \"${s%'c'}\"", "<b*c><a*b*>" },
        { "${p#nothing} ${n#x}", "<a/b/c.tar.gz>" },
        { "${p#~(i)A/}", "<b/c.tar.gz>" },
    };
    CHECK(checks);
}

static void test_substitution(void **state)
{
    (void)state;
    set("x", "abcabc");
    set("p", "?");
    set("y", "\\1");
    set("lines", "a\n\nb");
    static const struct check checks[] = {
        { "${x/b/X} ${x//b/X} ${x/#a/X} ${x/%c/X}", "<aXcabc><aXcaXc><Xbcabc><abcabX>" },
        { "${x/b} ${x//b} ${x//[ab]/<&>}", "<acabc><acac><<&><&>c<&><&>c>" },
        { "${x/b*/X} ${x//?/.} ${x//*/Z}", "<aX><......><Z>" },
        { "${x//} ${x/#/X} ${x/%/X} ${x///y}", "<abcabc><Xabcabc><abcabcX><abcabc>" },
        { "\"${x/@(b)@(c)/[\\2\\1]}\"", "<a[cb]abc>" },
        { "\"${x//@(?)/\\1\\1}\" \"${x/b/\\0\\0}\"", "<aabbccaabbcc><abbcabc>" },
        { "\"${x/b/\\\\1}\" \"${x/b/\"\\1\"}\" \"${x/b/\\n}\"", "<a\\1cabc><a\\1cabc><ancabc>" },
        { "${x/b/a b} \"${x/b/a b}\"", "<aa><bcabc><aa bcabc>" },
        { "${x/@(b)/$y} \"${x/@(b)/\"$y\"}\" ${x/@(b)/\\9}", "<abcabc><a\\1cabc><acabc>" },
        { "\"${x/$p/Z}\" \"${x/\"$p\"/Z}\"", "<Zbcabc><abcabc>" },
        { "\"${lines//$'\\n'/,}\"", "<a,,b>" },
        { "${x//@(a|c)/-} ${x//+(b|c)/-}", "<-b--b-><a-a->" },
        { "${x/%@(b)c/<\\1>}", "<abca<b>>" },
        { "\"${x/b/$(print q r)}\"", "<aq rcabc>" },
    };
    CHECK(checks);
}

static void test_large_substitution(void **state)
{
    (void)state;
    size_t len = 1 << 20;
    char *text = malloc(len + 1);
    memset(text, 'a', len);
    text[len] = '\0';
    set("big", text);
    struct program *program = parse_words("\"${big//a/bc}\" \"${big#a}\" \"${big:1000:5}\"");
    struct fields fields;
    fields_init(&fields);
    sh->program = program;
    for (uint32_t i = 1; i < 4; i++)
        assert_int_equal(expand_fields(sh, program_words(program)->args[i].word, &fields),
                         FLOW_NEXT);
    sh->program = NULL;
    assert_int_equal(strlen(fields.argv[0]), 2 * len);
    assert_int_equal(strlen(fields.argv[1]), len - 1);
    assert_string_equal(fields.argv[2], "aaaaa");
    program_release(program);
    free(text);
}

static void test_special(void **state)
{
    (void)state;
    sh->status = 42;
    set("xa", "1");
    set("xb", "2");
    static const struct check checks[] = {
        { "$? ${#?}", "<42><2>" },
        { "${!x@}", "<xa><xb>" },
        { "\"${!x*}\"", "<xa xb>" },
        { "\"${!nosuch@}\"", "" },
        { "\"${!nosuch*}\"", "<>" },
        { "$((1+2))x", "<3x>" },
        { "$(( 3 / 2. ))", "<1.5>" },
        { "\"$((xa++))$((xa))\"", "<12>" },
        { "`print a b` \"`print a b`\"", "<a><b><a b>" },
        { "${p.x}", "" },
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        set("xa", "1");
        assert_string_equal(fields_of(checks[i].words), checks[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_at_and_star, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nounset, setup, teardown),
        cmocka_unit_test_setup_teardown(test_trims, setup, teardown),
        cmocka_unit_test_setup_teardown(test_substitution, setup, teardown),
        cmocka_unit_test_setup_teardown(test_large_substitution, setup, teardown),
        cmocka_unit_test_setup_teardown(test_special, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
