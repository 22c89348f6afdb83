/*
 * fuzz_parse: the parser takes any bytes, and what it accepts can be written out and read back.
 *
 * The input is parsed as a whole (with aliases), written, parsed and written again: both texts must
 * be equal. It is also fed line by line to parse_command, as a script on standard input is. The
 * first byte chooses the depth limit, so that small inputs reach it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/syntax/parse_fixture.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct lines {
    const char *text, *end;
};

static ptrdiff_t read_line(void *ctx, bool continuation, const char **ret_text)
{
    struct lines *lines = ctx;
    (void)continuation;
    if (lines->text == lines->end)
        return 0;
    const char *start = lines->text;
    const char *newline = memchr(start, '\n', (size_t)(lines->end - start));
    lines->text = newline ? newline + 1 : lines->end;
    *ret_text = start;
    return lines->text - start;
}

static void parse_by_line(struct fixture *f, const char *text, size_t len)
{
    struct lines lines = { text, text + len };
    struct source source;
    struct parse_error error;
    source_init_reader(&source, "fuzz", read_line, &lines, f->region);
    for (;;) {
        struct program *program = NULL;
        enum parse_result result = parse_command(&f->hooks, &source, &program, &error);
        if (result == PARSE_OK)
            program_release(program);
        else if (result != PARSE_ERROR)
            break;
    }
    source_release(&source);
}

static void check_stable(struct fixture *f, const char *text, size_t len)
{
    if (memchr(text, '\0', len))
        return; /* is dropped, and what it kept apart may come together */
    struct str first, second;
    struct parse_error error;
    str_init(&first, f->region);
    str_init(&second, f->region);
    f->aliases = true;
    if (fixture_rewrite(f, text, len, &first, &error) && first.len > 0) {
        f->aliases = false;
        f->hooks.depth_max = 5000;
        if (!fixture_rewrite(f, first.data, first.len, &second, &error)) {
            fprintf(stderr, "not read back: line %u: %s\n%s", error.line, error.why, first.data);
            abort();
        }
        if (strcmp(first.data, str_text(&second)) != 0) {
            fprintf(stderr, "not stable:\n%s---\n%s", first.data, second.data);
            abort();
        }
    }
    str_release(&first);
    str_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct fixture f;
    fixture_init(&f);
    f.hooks.depth_max = data[0] & 1 ? 500 : 12;
    char *text = malloc(size); /* its own block, so that reading past the end is caught */
    if (!text)
        abort();
    memcpy(text, data + 1, size - 1);
    f.aliases = true;
    parse_by_line(&f, text, size - 1);
    check_stable(&f, text, size - 1);
    free(text);
    fixture_release(&f);
    return 0;
}
