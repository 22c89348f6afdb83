/*
 * read: take a line, or some characters, from a descriptor into variables.
 *
 * A plain `read x` neither copies the line nor allocates: the variable is assigned from the input's
 * buffer (read_usual). A line with backslashes (without -r) is copied, with a bit for each byte
 * that a backslash protects from splitting. NUL bytes are dropped. What is read past the line stays
 * in the input (fdtab.h).
 */
#include "builtins/builtin.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "builtins/operand.h"
#include "builtins/print.h"
#include "shell/base/base64.h"
#include "shell/base/sys.h"
#include "shell/base/utf8.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap.h"
#include "shell/expand/expand.h"
#include "shell/expand/split.h"
#include "shell/state/fdtab.h"

enum { SIGNAL_STATUS = 256 };

struct reader {
    struct shell *sh;
    const struct args *args;
    struct input *in;
    int fd;
    char delimiter;
    bool raw, array, csv, history, coproc, compound;
    bool exactly;        /* -N */
    int64_t characters;  /* -n, -N; -1: a line */
    int64_t deadline_ns; /* -t; -1: none */
    size_t taken;        /* bytes that came within it */
    const char *prompt;
    /* what was read */
    const char *text;
    size_t len;
    const uint8_t *escaped; /* for split.h; NULL: none */
    struct str copy, bits;  /* scratch */
    bool at_end;            /* end of file came before the delimiter */
    bool timed_out;
    int signal; /* that ended it; 0: none */
};

/* ---- input ---------------------------------------------------------------------------------- */

/* What is there is read also when the time is over, but input without end does not count as that.
 */
enum { ENDLESS_BYTES = 64 << 10 };

static bool out_of_time(struct reader *r)
{
    if (r->deadline_ns < 0)
        return false;
    int64_t left = r->deadline_ns - sys_monotonic_ns();
    if (left < 0 && r->taken > ENDLESS_BYTES) {
        r->timed_out = true;
        return true;
    }
    if (input_wait(r->in, left > 0 ? left : 0))
        return false;
    r->timed_out = errno != EINTR;
    return r->timed_out;
}

/* After a call failed because of a signal: one with an action, but CHLD, ends the read; what came
 * of the line waits for the next one. */
static enum flow interrupted(struct reader *r)
{
    if (errno == ENOMEM)
        return shell_fail_memory(r->sh, 0);
    if (errno != EINTR)
        return shell_fail(r->sh, ERROR_BUILTIN, 1, r->args->argv[0], "%s", strerror(errno));
    return trap_interrupt(r->sh, &r->signal);
}

/* The next byte; -1 at the end of input or time. */
static enum flow next_byte(struct reader *r, int *ret_byte)
{
    for (;;) {
        errno = 0;
        if (out_of_time(r)) {
            *ret_byte = -1;
            return FLOW_NEXT;
        }
        *ret_byte = errno == EINTR ? -2 : input_getc(r->in);
        r->taken++;
        if (*ret_byte != -2)
            return FLOW_NEXT;
        TRY(interrupted(r));
        if (r->signal) {
            *ret_byte = -1;
            return FLOW_NEXT;
        }
    }
}

/* One line, without its delimiter, borrowed from the input or (with a time limit) in scratch. */
static enum flow next_line(struct reader *r, const char **ret_text, size_t *ret_len)
{
    r->sh->stats.lines_read++;
    if (r->deadline_ns >= 0) {
        struct str line;
        int byte;
        str_init(&line, r->sh->scratch);
        for (;;) {
            TRY(next_byte(r, &byte));
            if (byte < 0 || byte == (unsigned char)r->delimiter || !str_ok(&line))
                break;
            str_putc(&line, (char)byte);
        }
        r->at_end = byte < 0;
        *ret_text = str_text(&line);
        *ret_len = line.len;
        return str_ok(&line) ? FLOW_NEXT : shell_fail_memory(r->sh, line.len);
    }
    for (;;) {
        int found = input_line(r->in, r->delimiter, ret_text, ret_len);
        if (found >= 0) {
            r->at_end = found == 0;
            *ret_len -= (size_t)found;
            return FLOW_NEXT;
        }
        TRY(interrupted(r));
        if (r->signal) {
            *ret_text = "";
            *ret_len = 0;
            r->at_end = true;
            return FLOW_NEXT;
        }
    }
}

static void append_byte(struct reader *r, char c, bool escaped)
{
    size_t at = r->copy.len;
    if (c == '\0')
        return;
    str_putc(&r->copy, c);
    if (at / 8 >= r->bits.len)
        str_putc(&r->bits, '\0');
    if (escaped && str_ok(&r->bits)) {
        r->bits.data[at / 8] = (char)(r->bits.data[at / 8] | 1 << at % 8);
        r->escaped = (const uint8_t *)r->bits.data;
    }
}

static enum flow use_copy(struct reader *r)
{
    if (!str_ok(&r->copy) || !str_ok(&r->bits))
        return shell_fail_memory(r->sh, r->copy.len);
    r->text = str_text(&r->copy);
    r->len = r->copy.len;
    if (r->escaped)
        r->escaped = (const uint8_t *)r->bits.data;
    return FLOW_NEXT;
}

/* A line with backslashes: one before the delimiter joins the next line. */
static enum flow unescape_lines(struct reader *r, const char *text, size_t len)
{
    for (;;) {
        bool joined = false;
        for (size_t i = 0; i < len; i++) {
            bool escape = text[i] == '\\';
            if (escape && ++i == len)
                joined = !r->at_end;
            else if (!escape || text[i] != '\n')
                append_byte(r, text[i], escape);
        }
        if (!joined || !str_ok(&r->copy))
            return use_copy(r);
        TRY(next_line(r, &text, &len));
    }
}

/* The text without its NUL bytes. */
static enum flow drop_nul(struct reader *r)
{
    for (size_t i = 0; i < r->len; i++)
        append_byte(r, r->text[i], false);
    return use_copy(r);
}

/* With -S a field may hold newlines: reads on while a quote is open. Outside of quotes a backslash
 * means what it does in other lines. */
static enum flow complete_csv(struct reader *r)
{
    const char *text = r->text;
    size_t len = r->len;
    bool quoted = false;
    for (;;) {
        bool joined = false;
        for (size_t i = 0; i < len; i++) {
            bool escape = text[i] == '\\' && !quoted && !r->raw;
            if (escape && ++i == len) {
                joined = !r->at_end;
                break;
            }
            quoted ^= text[i] == '"' && !escape;
            append_byte(r, text[i], escape);
        }
        if (!(quoted || joined) || r->at_end || !str_ok(&r->copy))
            return use_copy(r);
        if (!joined)
            append_byte(r, r->delimiter, false);
        TRY(next_line(r, &text, &len));
    }
}

static enum flow read_line(struct reader *r)
{
    TRY(next_line(r, &r->text, &r->len));
    if (r->csv)
        return complete_csv(r);
    if (!r->raw && memchr(r->text, '\\', r->len))
        return unescape_lines(r, r->text, r->len);
    if (r->len && memchr(r->text, '\0', r->len))
        return drop_nul(r);
    return FLOW_NEXT;
}

/* How many more bytes the character that starts with BYTE has. */
static int continuation_bytes(int byte)
{
    if (!utf8_active || byte < 0xc2 || byte > 0xf4)
        return 0;
    return byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
}

static enum flow read_characters(struct reader *r)
{
    int64_t count = 0;
    int more = 0, byte = 0;
    while (count < r->characters || more > 0) {
        TRY(next_byte(r, &byte));
        if (byte < 0 || !str_ok(&r->copy))
            break;
        if (more > 0 && (byte & 0xc0) == 0x80) {
            more--;
            append_byte(r, (char)byte, false);
            continue;
        }
        if (more > 0 && count >= r->characters) { /* the character was cut short */
            input_unread(r->in, 1);
            break;
        }
        if (!r->exactly && byte == (unsigned char)r->delimiter)
            break;
        count++;
        more = continuation_bytes(byte);
        append_byte(r, (char)byte, false);
    }
    r->at_end = byte < 0 && (r->exactly || count == 0);
    return use_copy(r);
}

/* The same at a terminal: without waiting for a whole line. */
static enum flow read_terminal_characters(struct reader *r, int real)
{
    struct termios old, raw;
    if (tcgetattr(real, &old) != 0)
        return read_characters(r);
    raw = old;
    raw.c_lflag &= ~(tcflag_t)ICANON;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(real, TCSADRAIN, &raw);
    enum flow flow = read_characters(r);
    tcsetattr(real, TCSADRAIN, &old);
    return flow;
}

/* ---- fields --------------------------------------------------------------------------------- */

static enum flow assign(struct reader *r, const char *name, const char *text, size_t len)
{
    struct var_ref ref;
    TRY(operand_ref(r->sh, r->args, name, strlen(name), &ref));
    if (ref.kind == REF_SCALAR)
        return var_set_name(r->sh, ref.name, text, len, 0);
    return var_set(r->sh, &ref, text, len, 0);
}

/* -n and -N: one variable gets it all; one of binary data its base64 form. */
static enum flow assign_characters(struct reader *r, const char *name)
{
    struct var_ref ref;
    struct var *var;
    TRY(operand_ref(r->sh, r->args, name, strlen(name), &ref));
    TRY(var_resolve(r->sh, &ref, &var));
    if (!var || !(var->attrs & VAR_BINARY))
        return var_set(r->sh, &ref, r->text, r->len, 0);
    struct str encoded;
    str_init(&encoded, r->sh->scratch);
    base64_encode(&encoded, r->text, r->len);
    if (!str_ok(&encoded))
        return shell_fail_memory(r->sh, encoded.len);
    return var_set(r->sh, &ref, str_text(&encoded), encoded.len, 0);
}

/* The next field: by IFS, or (-S) up to the next separator outside of "..", in *RET_TEXT. */
static bool next_field(struct reader *r, size_t *pos, const char **ret_text, size_t *ret_len)
{
    size_t start, end;
    if (!r->csv) {
        if (!split_next(r->sh->ifs, r->text, r->len, r->escaped, pos, &start, &end))
            return false;
        *ret_text = r->text + start;
        *ret_len = end - start;
        return true;
    }
    if (*pos >= r->len)
        return false;
    struct str field;
    str_init(&field, r->sh->scratch);
    bool quoted = false;
    size_t i = *pos;
    for (; i < r->len; i++) {
        char c = r->text[i];
        if (r->escaped && r->escaped[i / 8] >> i % 8 & 1)
            str_putc(&field, c);
        else if (c == '"' && quoted && i + 1 < r->len && r->text[i + 1] == '"')
            str_putc(&field, r->text[i++]);
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && r->sh->ifs->classes[(unsigned char)c] != IFS_NONE)
            break;
        else
            str_putc(&field, c);
    }
    *pos = i + 1;
    *ret_text = str_text(&field);
    *ret_len = field.len;
    return true;
}

static enum flow assign_array(struct reader *r, const char *name)
{
    struct var_ref array, ref;
    size_t pos = 0, len;
    int64_t index;
    const char *text;
    TRY(operand_ref(r->sh, r->args, name, strlen(name), &array));
    TRY(var_begin_array_in(r->sh, &array, VAR_INDEXED, 0, &index));
    bool any = false;
    while (next_field(r, &pos, &text, &len) || !any) {
        if (!any && pos == 0)
            text = "", len = 0;
        any = true;
        ref = array;
        TRY(ref_push(r->sh, &ref, &(struct ref_step){ .kind = REF_INDEX, .index = index++ }));
        TRY(var_set(r->sh, &ref, text, len, 0));
    }
    return FLOW_NEXT;
}

static enum flow assign_fields(struct reader *r, const char *const *names, size_t count)
{
    size_t pos = 0, len, start, end;
    const char *text;
    if (r->characters >= 0 && (r->exactly || count == 1)) /* one variable gets them as they are */
        return assign_characters(r, names[0]);
    for (size_t i = 0; i + 1 < count; i++) {
        if (!next_field(r, &pos, &text, &len))
            text = "", len = 0;
        TRY(assign(r, names[i], text, len));
    }
    if (r->csv && pos < r->len && r->text[pos] == '"') { /* a quoted field is not the rest */
        (void)next_field(r, &pos, &text, &len);
        return assign(r, names[count - 1], text, len);
    }
    if (pos > r->len)
        pos = r->len;
    split_rest(r->sh->ifs, r->text, r->len, r->escaped, pos, &start, &end);
    return assign(r, names[count - 1], r->text + start, end - start);
}

static enum flow take_input(struct reader *r)
{
    r->in = fdtab_in(r->sh, r->fd);
    if (!r->in)
        return shell_fail(r->sh, ERROR_BUILTIN, 1, r->args->argv[0], "%d: %s", r->fd,
                          strerror(errno));
    return FLOW_NEXT;
}

/* ---- compound variables (-C) ---------------------------------------------------------------- */

/* Where in the text of a compound value a scan is. */
struct nesting {
    size_t pos, depth;
    char quote; /* the quote that is open, `$` for $'..'; 0: none */
    bool done;  /* past the parenthesis that closes the first */
};

/* Goes on to the closing parenthesis, or to the end of what there is of TEXT. */
static void scan_nesting(struct nesting *n, const char *text, size_t len)
{
    for (; n->pos < len && !n->done; n->pos++) {
        char c = text[n->pos], before = n->pos ? text[n->pos - 1] : ' ';
        if (c == '\\' && n->quote != '\'') {
            n->pos++;
        } else if (n->quote) {
            if (c == (n->quote == '$' ? '\'' : n->quote))
                n->quote = 0;
        } else if (c == '\'' || c == '"') {
            n->quote = c == '\'' && before == '$' ? '$' : c;
        } else if (c == '#' && strchr(" \t\n;(", before)) {
            while (n->pos + 1 < len && text[n->pos + 1] != '\n')
                n->pos++;
        } else if (c == '(') {
            n->depth++;
        } else if (c == ')' && n->depth > 0) {
            n->done = --n->depth == 0;
        }
    }
}

/* Reads ( ... ), of any number of lines, and assigns it to NAME. */
static enum flow read_compound(struct reader *r, const char *name)
{
    struct shell *sh = r->sh;
    struct nesting nesting = { 0 };
    struct str text;
    const char *line;
    size_t len, start;
    TRY(take_input(r));
    str_init(&text, sh->scratch);
    str_printf(&text, "%s=", name);
    start = nesting.pos = text.len;
    for (;;) {
        TRY(next_line(r, &line, &len));
        if (text.len == start) {
            while (len > 0 && (*line == ' ' || *line == '\t'))
                line++, len--;
            if (len == 0 && !r->at_end)
                continue;
            if (len == 0 || *line != '(')
                break;
        }
        str_append(&text, line, len);
        str_putc(&text, '\n');
        if (!str_ok(&text))
            return shell_fail_memory(sh, text.len);
        scan_nesting(&nesting, text.data, text.len);
        if (nesting.done || r->at_end)
            break;
    }
    if (text.len == start && len == 0) {
        sh->status = 1; /* nothing more to read */
        return FLOW_NEXT;
    }
    if (!nesting.done)
        return shell_fail(sh, ERROR_BUILTIN, 1, r->args->argv[0], "%s: no compound value", name);
    str_truncate(&text, nesting.pos);
    return sh->hooks.run_text(sh, r->args->argv[0], str_text(&text), text.len);
}

/* ---- the command ---------------------------------------------------------------------------- */

static enum flow parse_timeout(struct reader *r, const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds >= 0))
        return shell_fail(r->sh, ERROR_BUILTIN, 1, r->args->argv[0], "%s: bad number", text);
    if (seconds < 1e9)
        r->deadline_ns = sys_monotonic_ns() + (int64_t)(seconds * 1e9);
    return FLOW_NEXT;
}

static enum flow parse_count(struct reader *r, const char *text, bool exactly)
{
    if (!num_parse_int(text, strlen(text), &r->characters) || r->characters < 0)
        return shell_fail(r->sh, ERROR_BUILTIN, 1, r->args->argv[0], "%s: bad number", text);
    r->exactly = exactly;
    return FLOW_NEXT;
}

/* *RET_DONE: help was shown. */
static enum flow parse(struct reader *r, struct args *args, bool *ret_done)
{
    enum flow flow = FLOW_NEXT;
    const char *descriptor = NULL;
    for (int option; (option = args_option(r->sh, args, &flow)) != 0;) {
        switch (option) {
        case 'r':
            r->raw = true;
            break;
        case 'A':
        case 'a':
            r->array = true;
            break;
        case 'd':
            r->delimiter = args->option_argument[0];
            break;
        case 'n':
            TRY(parse_count(r, args->option_argument, false));
            break;
        case 'N':
            TRY(parse_count(r, args->option_argument, true));
            break;
        case 'p':
            descriptor = "p";
            break;
        case 'u':
            descriptor = args->option_argument;
            break;
        case 's':
            r->history = true;
            break;
        case 'S':
            r->csv = true;
            break;
        case 't':
            TRY(parse_timeout(r, args->option_argument));
            break;
        case 'v':
            break; /* a default to edit: only line editing could show it */
        case 'C':
            r->compound = true;
            break;
        default:
            *ret_done = option == -1;
            return flow;
        }
    }
    if (descriptor) {
        r->coproc = strcmp(descriptor, "p") == 0;
        TRY(operand_fd(r->sh, args, descriptor, coproc_read_fd(r->sh), &r->fd));
    }
    return FLOW_NEXT;
}

/* The names to assign to; the first may be name?prompt. *RET_NAMES in scratch or borrowed from
 * ARGS. */
static enum flow take_names(struct reader *r, const struct args *args,
                            const char *const **ret_names, size_t *ret_count)
{
    static const char *const reply[] = { "REPLY", NULL };
    const char *const *names = args->argv + args->next;
    size_t count = args_left(args);
    const char *mark = count ? strchr(names[0], '?') : NULL;
    if (mark) {
        const char **copy = scratch_alloc(r->sh, count * sizeof *copy);
        char *first = scratch_dup(r->sh, names[0], (size_t)(mark - names[0]));
        if (!copy || !first)
            return shell_fail_memory(r->sh, 0);
        memcpy(copy, names, count * sizeof *copy);
        copy[0] = *first ? first : reply[0];
        names = copy;
        r->prompt = mark + 1;
    }
    *ret_names = count ? names : reply;
    *ret_count = count ? count : 1;
    struct var_ref ref;
    for (size_t i = 0; i < *ret_count; i++) {
        if (!text_is_name((*ret_names)[i], strlen((*ret_names)[i])))
            TRY(operand_ref(r->sh, args, (*ret_names)[i], strlen((*ret_names)[i]), &ref));
    }
    return FLOW_NEXT;
}

static enum flow read_input(struct reader *r)
{
    int64_t limit = r->deadline_ns < 0 ? r->sh->terminal_limit_ns : 0;
    int real = r->prompt || r->characters >= 0 || limit ? fdtab_real(r->sh, r->fd) : -1;
    bool terminal = real >= 0 && isatty(real);
    if (terminal && limit)
        r->deadline_ns = sys_monotonic_ns() + limit;
    if (terminal && r->prompt) {
        struct out *err = fdtab_out(r->sh, 2);
        if (err) {
            out_puts(err, r->prompt);
            out_flush(err);
        }
    }
    TRY(take_input(r));
    if (r->characters >= 0)
        return terminal ? read_terminal_characters(r, real) : read_characters(r);
    return read_line(r);
}

/* What loops do: `read x` and `read -r x` of a line that is in the buffer and has nothing to be
 * joined, unquoted or dropped. *RET_DONE false: it is not so, and nothing was done. */
static enum flow read_usual(struct shell *sh, const struct args *args, bool *ret_done)
{
    bool raw = args->count == 3 && strcmp(args->argv[1], "-r") == 0, plain;
    const char *text;
    size_t len, start, end;
    *ret_done = false;
    if (args->count != 2u + raw || sh->debug_no_fastpath)
        return FLOW_NEXT;
    struct name *name = name_of_operand(sh, args->argv[1 + raw]);
    struct input *in = name ? fdtab_in(sh, 0) : NULL;
    if (!in || !input_buffered_line(in, '\n', &text, &len, &plain))
        return FLOW_NEXT;
    if (!plain && ((!raw && memchr(text, '\\', len)) || memchr(text, '\0', len))) {
        input_unread(in, len + 1);
        return FLOW_NEXT;
    }
    *ret_done = true;
    sh->stats.lines_read++;
    split_whole(sh->ifs, text, len, &start, &end);
    struct var *var = var_plain(sh, name, 0);
    TRY(var ? var_plain_set(sh, var, text + start, end - start, 0)
            : var_set_name(sh, name, text + start, end - start, 0));
    sh->status = 0;
    return FLOW_NEXT;
}

static enum flow read_any(struct shell *sh, struct args *args)
{
    struct reader r = {
        .sh = sh, .args = args, .delimiter = '\n', .characters = -1, .deadline_ns = -1
    };
    const char *const *names = NULL;
    size_t count = 0;
    bool done = false;
    TRY(parse(&r, args, &done));
    if (done)
        return FLOW_NEXT;
    TRY(take_names(&r, args, &names, &count));
    if (r.compound)
        return read_compound(&r, names[0]);
    str_init(&r.copy, sh->scratch);
    str_init(&r.bits, sh->scratch);
    pid_t holder = jobs_read_begin(sh, fdtab_real(sh, r.fd));
    enum flow flow = read_input(&r);
    jobs_read_end(sh, holder);
    TRY(flow);
    bool nothing = r.timed_out && r.len == 0;
    if (r.array && !(r.characters >= 0 && r.exactly) && !nothing)
        TRY(assign_array(&r, names[0]));
    else if (!nothing)
        TRY(assign_fields(&r, names, count));
    if (r.history && sh->hooks.history_add)
        sh->hooks.history_add(sh, r.text, r.len);
    if (r.coproc && r.at_end && !r.timed_out && !r.signal)
        coproc_close_read(sh);
    sh->status = r.signal ? SIGNAL_STATUS + r.signal : r.at_end;
    return FLOW_NEXT;
}

static enum flow read_run(struct shell *sh, struct args *args)
{
    bool done;
    TRY(read_usual(sh, args, &done));
    return done ? FLOW_NEXT : read_any(sh, args);
}

static const struct builtin_option read_options[] = {
    { .letter = 'A', .help = "assign the fields to the indexed array name" },
    { .letter = 'a', .help = "the same as -A" },
    { .letter = 'C', .help = "read a compound variable" },
    { .letter = 'p', .help = "read from the coprocess" },
    { .letter = 'r', .help = "a backslash is an ordinary character" },
    { .letter = 's', .help = "add the line to the history too" },
    { .letter = 'S', .help = "fields may be quoted as in csv files" },
    { .letter = 'v', .help = "offer the present value for editing" },
    { .letter = 'd',
      .argument = "delim",
      .help = "read up to this character instead of a newline" },
    { .letter = 'n',
      .argument = "count",
      .numeric = true,
      .help = "read at most this many characters" },
    { .letter = 'N',
      .argument = "count",
      .numeric = true,
      .help = "read exactly this many characters" },
    { .letter = 't', .argument = "timeout", .help = "give up after this many seconds" },
    { .letter = 'u', .argument = "fd", .help = "read from this descriptor" },
    { 0 },
};

const struct builtin_spec read_spec = {
    .name = "read",
    .options = read_options,
    .usage = "[var?prompt] [var ...]",
    .summary = "read a line into variables",
    .doc = "Reads a line and splits it by IFS into the variables; the last gets what is left, and "
           "REPLY all of it "
           "when none is named. Without -r a backslash protects the next character and joins "
           "lines. The prompt is "
           "shown when the input is a terminal.\n\nReturns 1 at the end of the input, also when it "
           "comes "
           "before the delimiter, and when the time is over.",
    .run = read_run,
};
