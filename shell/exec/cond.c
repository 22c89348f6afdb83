/*
 * [[ ]]: operands are expanded to one text each, without splitting; && and || stop early.
 *
 * A successful == or =~ leaves what it matched in .sh.match. Numbers are arithmetic expressions.
 * Each test starts with scratch as it found it.
 */
#include "shell/exec/exec.h"

#include <errno.h>
#include <string.h>

#include "shell/exec/exec_private.h"
#include "shell/exec/pattern_word.h"
#include "shell/state/option.h"
#include "shell/state/special.h"
#include "shell/syntax/unparse.h"

/* A command under way. */
struct run {
    const struct node *node;
    bool skip;    /* a DEBUG action asked to leave the rest out */
    bool negated; /* a ! stands before the present test; the result is turned by who calls */
};

static bool is_shown(struct shell *sh)
{
    return xtrace_on(sh) || exec_debug_wanted(sh);
}

/* One test, A OP B or OP B, is about to be made: for DEBUG actions and the trace. */
static enum flow show(struct shell *sh, struct run *run, const char *a, size_t a_len,
                      const char *op, const struct word *pattern, const char *b, size_t b_len)
{
    struct str s;
    enum flow flow = FLOW_NEXT;
    str_init(&s, sh->heap);
    str_append_z(&s, run->negated ? "[[ ! " : "[[ ");
    if (a) {
        text_quote(&s, a, a_len);
        str_putc(&s, ' ');
    }
    str_append_z(&s, op);
    str_putc(&s, ' ');
    if (pattern)
        unparse_word(&s, pattern);
    else
        text_quote(&s, b, b_len);
    str_append_z(&s, " ]]");
    if (exec_debug_wanted(sh))
        flow = exec_debug_slow(sh, run->node, str_text(&s), &run->skip);
    if (flow == FLOW_NEXT && !run->skip && xtrace_on(sh))
        xtrace_text(sh, str_text(&s), s.len);
    str_release(&s);
    return flow;
}

static const char *const op_names[] = {
    [COND_MATCH] = "=",   [COND_NO_MATCH] = "!=", [COND_REGEX] = "=~", [COND_LESS] = "<",
    [COND_GREATER] = ">", [COND_NT] = "-nt",      [COND_OT] = "-ot",   [COND_EF] = "-ef",
    [COND_EQ] = "-eq",    [COND_NE] = "-ne",      [COND_LT] = "-lt",   [COND_LE] = "-le",
    [COND_GT] = "-gt",    [COND_GE] = "-ge",
};

static enum flow match_test(struct shell *sh, const struct cond *cond, const char *text, size_t len,
                            bool *ret)
{
    bool regex = cond->op == COND_REGEX;
    struct match_span spans[MATCH_CAPTURE_MAX];
    size_t count = 0;
    if (!regex && cond->b->kind == WORD_LITERAL && !(cond->b->flags & WORD_HAS_GLOB)) {
        *ret = text_eq(cond->b->text, cond->b->len, text, len); /* no pattern: no .sh.match */
    } else {
        const struct pattern *pattern;
        TRY(pattern_word_compile(sh, cond->b, regex, &pattern));
        errno = 0;
        if (special_match_waits(pattern, len)) {
            *ret = regex ? pattern_search(pattern, text, len, 0, spans, 1) > 0
                         : pattern_matches(pattern, text, len);
            if (*ret)
                TRY(special_set_match_later(sh, text, len, pattern, regex));
            *ret ^= cond->op == COND_NO_MATCH;
            return FLOW_NEXT;
        }
        count = regex ? pattern_search(pattern, text, len, 0, spans, MATCH_CAPTURE_MAX)
                      : pattern_matches_spans(pattern, text, len, spans, MATCH_CAPTURE_MAX);
        if (count == 0 && errno == ENOMEM)
            return shell_fail_memory(sh, 0);
        *ret = count > 0;
    }
    if (count)
        TRY(special_set_match(sh, text, len, spans, count));
    if (cond->op == COND_NO_MATCH)
        *ret = !*ret;
    return FLOW_NEXT;
}

/* Text borrowed from a variable stays good while the other operand is expanded. */
static enum flow operand(struct shell *sh, const struct word *word, bool keep, const char **ret,
                         size_t *ret_len)
{
    TRY(expand_text(sh, word, ret, ret_len));
    if (!keep || word->kind == WORD_LITERAL || mem_region_of(*ret) != sh->heap)
        return FLOW_NEXT;
    *ret = scratch_dup(sh, *ret, *ret_len);
    return *ret ? FLOW_NEXT : shell_fail_memory(sh, *ret_len + 1);
}

static enum flow binary_test(struct shell *sh, const struct cond *cond, struct run *run, bool *ret)
{
    const char *a, *b;
    size_t a_len, b_len;
    bool is_match = cond->op == COND_MATCH || cond->op == COND_NO_MATCH || cond->op == COND_REGEX;
    bool b_is_fixed = !(cond->b->flags & WORD_HAS_EXPANSION);
    bool shown = __builtin_expect(is_shown(sh), 0);
    TRY(operand(sh, cond->a, shown || !b_is_fixed, &a, &a_len));
    if (is_match) {
        if (shown)
            TRY(show(sh, run, a, a_len, op_names[cond->op], cond->b, NULL, 0));
        if (run->skip)
            return FLOW_NEXT;
        return match_test(sh, cond, a, a_len, ret);
    }
    TRY(operand(sh, cond->b, shown, &b, &b_len));
    if (shown)
        TRY(show(sh, run, a, a_len, op_names[cond->op], NULL, b, b_len));
    if (run->skip)
        return FLOW_NEXT;
    if (cond->op == COND_LESS || cond->op == COND_GREATER) {
        int order = strcoll(a, b);
        *ret = cond->op == COND_LESS ? order < 0 : order > 0;
        return FLOW_NEXT;
    }
    if (cond->op == COND_NT || cond->op == COND_OT || cond->op == COND_EF)
        return test_file_compare(sh, cond->op, a, b, ret);
    enum flow flow = test_number_compare(sh, cond->op, a, a_len, b, b_len, ret);
    /* Text that is no expression fails the command and not the script. */
    if (flow == FLOW_ERROR && sh->err.kind == ERROR_EXPANSION && !option_on(sh, OPTION_NOUNSET))
        sh->err.kind = ERROR_BUILTIN;
    return flow;
}

static enum flow word_test(struct shell *sh, const struct cond *cond, struct run *run, bool *ret)
{
    const char *text;
    size_t len;
    char op = cond->op == COND_WORD ? 'n' : cond->op_char;
    bool shown = __builtin_expect(is_shown(sh), 0);
    TRY(operand(sh, cond->a, shown, &text, &len));
    if (shown) {
        char name[3] = { '-', op, '\0' };
        TRY(show(sh, run, NULL, 0, name, NULL, text, len));
    }
    return run->skip ? FLOW_NEXT : test_unary(sh, op, text, ret);
}

static enum flow cond_eval(struct shell *sh, const struct cond *cond, struct run *run, bool *ret)
{
    bool negated = run->negated;
    run->negated = cond->op == COND_NOT;
    switch ((enum cond_op)cond->op) {
    case COND_AND:
    case COND_OR:
        TRY(cond_eval(sh, cond->left, run, ret));
        if (run->skip || *ret == (cond->op == COND_OR))
            return FLOW_NEXT;
        run->negated = false;
        return cond_eval(sh, cond->right, run, ret);
    case COND_NOT:
        TRY(cond_eval(sh, cond->left, run, ret));
        *ret = !*ret;
        return FLOW_NEXT;
    case COND_WORD:
    case COND_UNARY:
        run->negated = negated;
        return word_test(sh, cond, run, ret);
    default:
        run->negated = negated;
        return binary_test(sh, cond, run, ret);
    }
}

enum flow exec_cond(struct shell *sh, const struct node_cond *node)
{
    struct run run = { .node = &node->node };
    struct mem_mark mark = mem_region_mark(sh->scratch);
    bool result = false;
    enum flow flow = cond_eval(sh, node->cond, &run, &result);
    mem_region_reset(sh->scratch, mark);
    if (flow == FLOW_NEXT && !run.skip)
        sh->status = !result;
    return flow;
}
