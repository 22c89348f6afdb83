/*
 * parse_fixture: see the header. Linked with each test of this folder, included by the fuzzer.
 */
#include "parse_fixture.h"

#include <string.h>

struct name {
    struct name *next;
    size_t len;
    char text[];
};

static const char *fixture_name_text(const struct name *name)
{
    return name->text;
}

static struct name *fixture_intern(void *ctx, const char *text, size_t len)
{
    struct fixture *f = ctx;
    struct name **bucket = &f->buckets[text_hash(text, len) & 255];
    for (struct name *name = *bucket; name; name = name->next) {
        if (text_eq(name->text, name->len, text, len))
            return name;
    }
    struct name *name = mem_alloc(f->names, sizeof *name + len + 1);
    if (!name)
        return NULL;
    memcpy(name->text, text, len);
    name->text[len] = '\0';
    name->len = len;
    name->next = *bucket;
    *bucket = name;
    return name;
}

static const char *fixture_alias(void *ctx, const char *name, size_t len)
{
    static const char *const aliases[][2] = {
        { "ll", "ls -l" }, { "ls", "ls -F" },    { "sudo", "sudo " },  { "iff", "if true; then" },
        { "two", "a\nb" }, { "empty", "" },      { "blank", "  " },    { "quote", "echo \"x" },
        { "paren", "(" },  { "loop1", "loop2" }, { "loop2", "loop1" }, { "here", "cat <<E" },
        { "end", "fi" },   { "assign", "x=1 " }, { "cut", "echo \\" }, { "dollar", "echo $" },
    };
    const struct fixture *f = ctx;
    for (size_t i = 0; f->aliases && i < sizeof aliases / sizeof *aliases; i++) {
        if (text_eq(aliases[i][0], strlen(aliases[i][0]), name, len))
            return aliases[i][1];
    }
    return NULL;
}

/* The usual declaration commands, and `measure`, which takes a command. */
static unsigned fixture_traits(void *ctx, const char *name, size_t len)
{
    static const char *const names[] = { "typeset", "export", "readonly", "integer", "compound" };
    (void)ctx;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_eq(names[i], strlen(names[i]), name, len))
            return COMMAND_DECLARES;
    }
    return text_eq("measure", 7, name, len) ? COMMAND_TAKES_COMMAND : 0;
}

/* Option -n of `measure` takes the next word. */
static bool fixture_option_takes_word(void *ctx, const char *name, size_t len, const char *option)
{
    (void)ctx, (void)name, (void)len;
    return strcmp(option, "-n") == 0;
}

static void fixture_warn(void *ctx, uint32_t line, const char *text)
{
    struct fixture *f = ctx;
    (void)line;
    (void)text;
    f->warnings++;
}

void fixture_init(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->region = mem_region_open("parse", MEM_BEST, 0);
    f->names = mem_region_open("names", MEM_LAST, 0);
    f->hooks = (struct parse_hooks){ .ctx = f,
                                     .intern = fixture_intern,
                                     .alias = fixture_alias,
                                     .command_traits = fixture_traits,
                                     .option_takes_word = fixture_option_takes_word,
                                     .region = f->region,
                                     .scratch_region = f->region,
                                     .brace_expand = true,
                                     .depth_max = 1000,
                                     .warn = fixture_warn };
    program_name_text = fixture_name_text;
}

size_t fixture_release(struct fixture *f)
{
    struct mem_stats stats;
    mem_region_stats(f->region, &stats);
    mem_region_close(f->region);
    mem_region_close(f->names);
    return stats.busy_count;
}

enum parse_result fixture_parse(struct fixture *f, const char *text, size_t len,
                                struct program **ret_program, struct parse_error *ret_error)
{
    struct source source;
    source_init_text(&source, "test", text, len);
    return parse_all(&f->hooks, &source, ret_program, ret_error);
}

bool fixture_rewrite(struct fixture *f, const char *text, size_t len, struct str *s,
                     struct parse_error *ret_error)
{
    struct program *program = NULL;
    enum parse_result result = fixture_parse(f, text, len, &program, ret_error);
    if (result == PARSE_END)
        return true;
    if (result != PARSE_OK)
        return false;
    unparse_list(s, program->body, 0);
    program_release(program);
    return true;
}
