/*
 * print: write arguments, to a descriptor, the coprocess or the history.
 *
 * Escapes are made unless -r or -R is given; a \c ends the output there. With -v and -C the
 * arguments name variables; they differ in how arrays are laid out.
 */
#include "builtins/print.h"

#include <errno.h>
#include <string.h>

#include "builtins/escape.h"
#include "builtins/operand.h"
#include "shell/exec/jobs.h"
#include "shell/state/fdtab.h"

struct print_options {
    bool raw, no_newline, history, variables, one_line;
    char between, end; /* each word, all of them */
    const char *format;
    struct out *out;
};

/* -R: as echo; only a -n may follow. */
static void take_echo_option(struct args *args, struct print_options *options)
{
    args->cluster = NULL;
    options->raw = true;
    const char *next = args_peek(args, 0);
    if (next && strcmp(next, "-n") == 0) {
        options->no_newline = true;
        args->next++;
    }
}

static enum flow use_descriptor(struct shell *sh, const struct args *args, const char *text,
                                struct print_options *options)
{
    int fd;
    TRY(operand_fd(sh, args, text, coproc_write_fd(sh), &fd));
    if (!fdtab_is_writable(sh, fd))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "bad file unit number [%s]",
                          strerror(EBADF));
    options->out = fdtab_out(sh, fd);
    if (!options->out)
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: %s", text, strerror(errno));
    return FLOW_NEXT;
}

/* *RET_DONE: help was shown. */
static enum flow parse(struct shell *sh, struct args *args, struct print_options *options,
                       bool *ret_done)
{
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        switch (option) {
        case 'e':
            options->raw = false;
            break;
        case 'n':
            options->no_newline = true;
            break;
        case 'l':
            options->between = options->end = '\n';
            break;
        case 'N':
            options->between = options->end = '\0';
            break;
        case 'r':
            options->raw = true;
            break;
        case 's':
            options->history = true;
            break;
        case 'v':
        case 'C':
            options->variables = true;
            options->one_line = option == 'C';
            break;
        case 'f':
            options->format = args->option_argument;
            break;
        case 'p':
            TRY(use_descriptor(sh, args, "p", options));
            break;
        case 'u':
            TRY(use_descriptor(sh, args, args->option_argument, options));
            break;
        case 'R':
            take_echo_option(args, options);
            return FLOW_NEXT;
        default:
            *ret_done = option == -1;
            return flow;
        }
    }
    const char *first = args_peek(args, 0);
    if (first && strcmp(first, "-") == 0 && strcmp(args->argv[args->next - 1], "--") != 0)
        args->next++; /* the old way to end the options */
    return FLOW_NEXT;
}

/* The arguments with their escapes made; false: a \c ended them. */
static bool append_words(struct str *s, const struct args *args,
                         const struct print_options *options)
{
    for (size_t i = args->next; i < args->count; i++) {
        const char *word = args->argv[i];
        if (i > args->next)
            str_putc(s, options->between);
        if (options->raw)
            str_append_z(s, word);
        else if (!escape_print(s, word, strlen(word)))
            return false;
    }
    return true;
}

static enum flow append_variables(struct shell *sh, const struct args *args, bool lines,
                                  struct str *s)
{
    for (size_t i = args->next; i < args->count; i++) {
        if (i > args->next)
            str_putc(s, '\n');
        TRY(quote_variable(sh, args->argv[0], args->argv[i], lines, s));
    }
    return FLOW_NEXT;
}

static void write_words(const struct print_options *options, const struct args *args)
{
    struct out *out = options->out;
    for (size_t i = args->next; i < args->count; i++) {
        const char *word = args->argv[i];
        out_write(out, word, strlen(word));
        if (i + 1 < args->count)
            out_putc(out, options->between);
    }
    if (!options->no_newline)
        out_putc(out, options->end);
}

static bool has_backslash(const struct args *args)
{
    for (size_t i = args->next; i < args->count; i++) {
        if (strchr(args->argv[i], '\\'))
            return true;
    }
    return false;
}

static enum flow print_run(struct shell *sh, struct args *args)
{
    struct print_options options = { .out = sh->out, .between = ' ', .end = '\n' };
    bool done = false;
    enum flow flow = parse(sh, args, &options, &done);
    if (flow != FLOW_NEXT || done)
        return flow;
    if (options.format && options.variables)
        return builtin_usage_error(sh, args, "-f cannot be used with -v or -C");
    int status = 0;
    if (options.format) {
        TRY(printf_format(sh, options.out, args->argv[0], options.format, args->argv + args->next,
                          args_left(args), &status));
        sh->status = status;
    } else if (!options.variables && !options.history && (options.raw || !has_backslash(args))) {
        write_words(&options, args);
        sh->status = 0;
    } else {
        struct str text;
        str_init(&text, sh->scratch);
        bool newline = !options.no_newline && (!options.variables || args_left(args));
        if (options.variables)
            TRY(append_variables(sh, args, !options.one_line, &text));
        else
            newline = append_words(&text, args, &options) && newline;
        if (newline)
            str_putc(&text, options.end);
        if (!str_ok(&text))
            return shell_fail_memory(sh, text.len);
        if (options.history) {
            if (sh->hooks.history_add)
                sh->hooks.history_add(sh, str_text(&text), text.len);
        } else {
            out_write(options.out, str_text(&text), text.len);
        }
        sh->status = 0;
    }
    return FLOW_NEXT;
}

static const struct builtin_option print_options[] = {
    { .letter = 'e', .help = "make escapes; the default" },
    { .letter = 'l', .help = "each argument on a line of its own" },
    { .letter = 'n', .help = "leave out the newline" },
    { .letter = 'N', .help = "a NUL byte ends each argument" },
    { .letter = 'p', .help = "write to the coprocess" },
    { .letter = 'r', .help = "do not make escapes" },
    { .letter = 's', .help = "write to the history instead" },
    { .letter = 'v', .help = "the arguments are names of variables; write their values as %B" },
    { .letter = 'C', .help = "the arguments are names of variables; write their values as %#B" },
    { .letter = 'R', .help = "as -r, and only -n is an option after it" },
    { .letter = 'f', .argument = "format", .help = "write as printf does, by this format" },
    { .letter = 'u', .argument = "fd", .help = "write to this descriptor" },
    { 0 },
};

const struct builtin_spec print_spec = {
    .name = "print",
    .flags = BUILTIN_WRITER,
    .options = print_options,
    .usage = "[string ...]",
    .summary = "write arguments",
    .doc = "Writes its arguments, separated by blanks, and a newline. Unless -r or -R is given "
           "these escapes "
           "are made: \\a alert, \\b backspace, \\c end of the output, \\f form feed, \\n newline, "
           "\\r return, "
           "\\t tab, \\v vertical tab, \\E escape, \\\\ backslash, \\0n the byte with the octal "
           "number n.",
    .run = print_run,
};
