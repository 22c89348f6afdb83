/* What the tests of the expander share: a shell without the executor. Texts are parsed for real;
 * command substitution is a stand-in that gives the literal arguments of `print`. Results are shown
 * as <field><field>, errors as !message. */
#ifndef TEST_EXPAND_TEST_H
#define TEST_EXPAND_TEST_H

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/arith/arith.h"
#include "shell/base/utf8.h"
#include "shell/expand/expand.h"
#include "shell/state/cache.h"
#include "shell/state/option.h"
#include "shell/state/param.h"
#include "shell/syntax/parse.h"

struct check {
    const char *words, *want;
};

static struct shell *sh;
static struct parse_hooks hooks;
static char shown[65536];

static struct name *hook_intern(void *ctx, const char *text, size_t len)
{
    return name_intern(ctx, text, len);
}

static const char *hook_alias(void *ctx, const char *name, size_t len)
{
    (void)ctx, (void)name, (void)len;
    return NULL;
}

static unsigned hook_traits(void *ctx, const char *name, size_t len)
{
    (void)ctx, (void)name, (void)len;
    return 0;
}

static enum flow hook_capture(struct shell *s, const struct command_sub *sub, struct str *ret)
{
    struct mem_mark mark = mem_region_mark(s->scratch);
    const struct node_simple *node = (const struct node_simple *)sub->body->items[0].node;
    for (uint32_t i = 1; i < node->arg_count; i++) {
        const char *text;
        size_t len;
        TRY(expand_text(s, node->args[i].word, &text, &len));
        if (i > 1)
            str_putc(ret, ' ');
        str_append(ret, text, len);
    }
    mem_region_reset(s->scratch, mark);
    return FLOW_NEXT;
}

static int setup(void **state)
{
    (void)state;
    sh = shell_new();
    if (!sh)
        return -1;
    setlocale(LC_ALL, "C.UTF-8");
    utf8_refresh();
    hooks = (struct parse_hooks){ .ctx = sh,
                                  .intern = hook_intern,
                                  .alias = hook_alias,
                                  .command_traits = hook_traits,
                                  .region = sh->program_region,
                                  .scratch_region = sh->heap,
                                  .brace_expand = true,
                                  .depth_max = 1000 };
    sh->parse_hooks = &hooks;
    sh->hooks.capture = hook_capture;
    sh->hooks.arith_text = arith_eval;
    sh->hooks.resolve_ref = expand_ref_foreign;
    sh->hooks.expand_text = expand_string;
    cache_init();
    if (!sh->arith_cache)
        sh->arith_cache = arith_cache_new(sh->heap);
    return option_set(sh, OPTION_BRACEEXPAND, true) == FLOW_NEXT ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    expand_cache_free(sh);
    arith_cache_free(sh->arith_cache);
    sh->arith_cache = NULL;
    shell_free(sh);
    return 0;
}

static inline void set(const char *name, const char *text)
{
    assert_int_equal(var_set_text(sh, name, text), FLOW_NEXT);
}

static inline void unset(const char *name)
{
    struct var_ref ref = var_ref_name(name_intern(sh, name, strlen(name)));
    assert_int_equal(var_unset(sh, &ref, true), FLOW_NEXT);
}

static inline void set_array(const char *name, const char *const *values)
{
    struct var_ref ref = { .name = name_intern(sh, name, strlen(name)), .kind = REF_INDEX };
    int64_t next;
    assert_int_equal(var_begin_array(sh, ref.name, VAR_INDEXED, 0, &next), FLOW_NEXT);
    for (; *values; values++, ref.index++)
        assert_int_equal(var_set(sh, &ref, *values, strlen(*values), 0), FLOW_NEXT);
}

static inline void set_assoc(const char *name, const char *const *pairs)
{
    struct var_ref ref = { .name = name_intern(sh, name, strlen(name)), .kind = REF_KEY };
    int64_t next;
    assert_int_equal(var_begin_array(sh, ref.name, VAR_ASSOC, 0, &next), FLOW_NEXT);
    for (; *pairs; pairs += 2) {
        ref.key = pairs[0];
        ref.key_len = strlen(pairs[0]);
        assert_int_equal(var_set(sh, &ref, pairs[1], strlen(pairs[1]), 0), FLOW_NEXT);
    }
}

static inline void set_params(size_t count, const char *const *argv)
{
    assert_int_equal(param_set(sh, count, argv), FLOW_NEXT);
}

/* The words of TEXT as a program; the caller releases it. */
static inline struct program *parse_words(const char *text)
{
    struct str line;
    struct source source;
    struct program *program = NULL;
    struct parse_error error = { .line = 0 };
    str_init(&line, sh->heap);
    str_append_z(&line, "words ");
    str_append_z(&line, text);
    source_init_text(&source, "test", str_text(&line), line.len);
    enum parse_result result = parse_all(&hooks, &source, &program, &error);
    source_release(&source);
    str_release(&line);
    if (result != PARSE_OK) {
        fprintf(stderr, "%s: %s\n", text, error.why);
        fail();
    }
    return program;
}

static inline const struct node_simple *program_words(const struct program *program)
{
    return (const struct node_simple *)program->body->items[0].node;
}

/* The fields of TEXT, as <a><b>. */
static inline const char *fields_of(const char *text)
{
    struct program *program = parse_words(text);
    const struct node_simple *node = program_words(program);
    struct mem_mark mark = mem_region_mark(sh->scratch);
    struct fields fields;
    enum flow flow = FLOW_NEXT;
    fields_init(&fields);
    sh->program = program;
    for (uint32_t i = 1; i < node->arg_count && flow == FLOW_NEXT; i++)
        flow = expand_fields(sh, node->args[i].word, &fields);
    sh->program = NULL;
    size_t used = 0;
    shown[0] = '\0';
    if (flow != FLOW_NEXT) {
        snprintf(shown, sizeof shown, "!%s", sh->err.text);
    } else {
        for (size_t i = 0; i < fields.count; i++)
            used += (size_t)snprintf(shown + used, sizeof shown - used, "<%s>", fields.argv[i]);
        if (fields.argv)
            assert_null(fields.argv[fields.count]);
    }
    mem_region_reset(sh->scratch, mark);
    program_release(program);
    return shown;
}

/* Each check twice: the second time through warm caches, and once without the fast paths. */
static inline void check_fields(const struct check *checks, size_t count)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        for (int turn = 0; turn < 2; turn++) {
            sh->debug_no_fastpath = turn == 1;
            if (strcmp(fields_of(checks[i].words), checks[i].want) == 0)
                continue;
            wrong++;
            fprintf(stderr, "%s gave %s, want %s%s\n", checks[i].words, shown, checks[i].want,
                    turn ? " (no fast paths)" : "");
        }
    }
    sh->debug_no_fastpath = false;
    assert_int_equal(wrong, 0);
}
#define CHECK(checks) check_fields(checks, sizeof checks / sizeof checks[0])

#endif
