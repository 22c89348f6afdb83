/*
 * text.c: numbers, tables and documents: how vmstat shows what it found.
 *
 * Tables and documents are put together in the region `vmstat`, so that the regions which are being
 * shown do not change on the way, and are released as soon as they are written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtins/vmstat/vmstat.h"
#include "shell/base/num.h"
#include "shell/base/sys.h"
#include "shell/base/utf8.h"
#include "shell/state/fdtab.h"
#include "shell/state/frame.h"
#include "shell/state/option.h"
#include "shell/state/var.h"

enum { WIDTH_DEFAULT = 80, WIDTH_MIN = 20, WIDTH_MAX = 500, TABLE_COLUMNS_MAX = 16 };

struct vmstat *vmstat_state(struct shell *sh)
{
    if (!sh->watch_region)
        sh->watch_region = mem_region_open("vmstat", MEM_BEST, 0);
    if (sh->watch_region && !sh->vmstat)
        sh->vmstat = mem_alloc_zeroed(sh->watch_region, sizeof *sh->vmstat);
    return sh->vmstat;
}

uint64_t vmstat_stamp(struct shell *sh)
{
    const struct frame *target = frame_target(sh, TARGET_GLOBAL);
    return target ? target->id : 0;
}

enum flow vmstat_record(struct shell *sh, void (*undo)(struct shell *sh, void *a, uintptr_t b),
                        void *a, uintptr_t b)
{
    return frame_record_call(sh, frame_target(sh, TARGET_GLOBAL), undo, a, b);
}

enum flow vmstat_fail(struct shell *sh, const struct request *rq, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return shell_fail(sh, ERROR_BUILTIN, 1, rq->command, "%s", text);
}

struct out *vmstat_report_out(struct shell *sh)
{
    (void)fdtab_flush(sh);
    return fdtab_out(sh, 2);
}

/* ---- numbers ---- */

const char *size_text(char *ret, uint64_t bytes, bool exact)
{
    static const char units[] = { 'B', 'K', 'M', 'G', 'T' };
    double shown = (double)bytes;
    size_t unit = 0;

    if (exact) {
        snprintf(ret, SIZE_TEXT, "%llu", (unsigned long long)bytes);
        return ret;
    }
    while (shown >= 1024 && unit + 1 < sizeof units) {
        shown /= 1024;
        unit++;
    }
    snprintf(ret, SIZE_TEXT, unit == 0 || shown >= 100 ? "%.0f%c" : "%.1f%c", shown, units[unit]);
    return ret;
}

const char *change_text(char *ret, int64_t bytes, bool exact)
{
    uint64_t size = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
    *ret = bytes < 0 ? '-' : '+';
    if (bytes == 0)
        return size_text(ret, 0, exact);
    (void)size_text(ret + 1, size, exact);
    return ret;
}

int percent_of(size_t part, size_t whole)
{
    return whole ? (int)((double)part * 100 / (double)whole) : 0;
}

const char *seconds_text(char *ret, int64_t ns)
{
    snprintf(ret, SIZE_TEXT, "%lld.%03lld", (long long)(ns / 1000000000),
             (long long)(ns / 1000000 % 1000));
    return ret;
}

/* ---- sorting ---- */

enum {
    INSERT_MAX = 12,
    DEPTH_MAX = 60
}; /* fewer items, and deeper parts, are sorted in other ways */

static void items_swap(char *a, char *b, size_t bytes)
{
    char piece[64];
    for (size_t done = 0; done < bytes; done += sizeof piece) {
        size_t part = bytes - done < sizeof piece ? bytes - done : sizeof piece;
        memcpy(piece, a + done, part);
        memcpy(a + done, b + done, part);
        memcpy(b + done, piece, part);
    }
}

/* Lets the item at ROOT sink in the heap of COUNT items. */
static void items_sink(char *items, size_t root, size_t count, size_t bytes, items_compare *compare)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare(items + child * bytes, items + (child + 1) * bytes) < 0)
            child++;
        if (compare(items + root * bytes, items + child * bytes) >= 0)
            return;
        items_swap(items + root * bytes, items + child * bytes, bytes);
    }
}

/* Whatever they are, and in no memory; but it jumps about, which is slow where there are many. */
static void items_heap_sort(char *items, size_t count, size_t bytes, items_compare *compare)
{
    for (size_t i = count / 2; i-- > 0;)
        items_sink(items, i, count, bytes, compare);
    for (size_t i = count; i-- > 1;) {
        items_swap(items, items + i * bytes, bytes);
        items_sink(items, 0, i, bytes, compare);
    }
}

static void items_insert_sort(char *items, size_t count, size_t bytes, items_compare *compare)
{
    for (size_t i = 1; i < count; i++)
        for (char *at = items + i * bytes; at > items && compare(at - bytes, at) > 0; at -= bytes)
            items_swap(at - bytes, at, bytes);
}

/* Puts items that are less than one of them before it, greater ones behind; returns its place. */
static size_t items_part(char *items, size_t count, size_t bytes, items_compare *compare)
{
    char *middle = items + count / 2 * bytes, *last = items + (count - 1) * bytes;
    size_t low = 0, high = count;

    if (compare(middle, last) > 0)
        items_swap(middle, last, bytes);
    if (compare(items, middle) < 0)
        items_swap(items, middle, bytes); /* the larger of both, if LAST is larger still */
    if (compare(items, last) > 0)
        items_swap(items, last, bytes);
    for (;;) {
        while (++low < count && compare(items + low * bytes, items) < 0)
            ;
        while (compare(items + --high * bytes, items) > 0)
            ;
        if (low >= high)
            break;
        items_swap(items + low * bytes, items + high * bytes, bytes);
    }
    items_swap(items, items + high * bytes, bytes);
    return high;
}

void items_sort(void *items, size_t count, size_t bytes, items_compare *compare)
{
    struct {
        char *items;
        size_t count;
        int depth;
    } todo[64] = { { items, count, 0 } };
    size_t left = 1; /* parts; of two the larger one waits, so they are few */

    while (left) {
        char *part = todo[--left].items;
        size_t n = todo[left].count;
        int depth = todo[left].depth;
        for (; n > INSERT_MAX && depth < DEPTH_MAX; depth++) {
            size_t at = items_part(part, n, bytes, compare);
            char *behind = part + (at + 1) * bytes;
            bool first = at > n - at - 1;
            todo[left].items = first ? part : behind;
            todo[left].count = first ? at : n - at - 1;
            todo[left++].depth = depth + 1;
            n = first ? n - at - 1 : at;
            part = first ? behind : part;
        }
        if (n > INSERT_MAX)
            items_heap_sort(part, n, bytes, compare);
        else
            items_insert_sort(part, n, bytes, compare);
    }
}

/* ---- terminals ---- */

bool out_is_terminal(const struct out *out)
{
    return out->fd >= 0 && isatty(out->fd);
}

size_t terminal_width(struct shell *sh, const struct out *out)
{
    const char *columns = var_text(sh, "COLUMNS");
    size_t rows, width = 0;
    int64_t n = 0;

    if (!columns || !num_parse_int(columns, strlen(columns), &n) || n < WIDTH_MIN)
        n = out->fd >= 0 && sys_terminal_size(out->fd, &rows, &width) ? (int64_t)width : 0;
    if (n < WIDTH_MIN)
        return WIDTH_DEFAULT;
    return n > WIDTH_MAX ? WIDTH_MAX : (size_t)n;
}

/* ---- tables ---- */

void table_init(struct table *table, struct mem_region *region, size_t columns, uint32_t left)
{
    str_init(&table->cells, region);
    table->columns = columns;
    table->left = left;
}

void table_put(struct table *table, const char *format, ...)
{
    size_t from = table->cells.len;
    va_list args;
    va_start(args, format);
    str_vprintf(&table->cells, format, args);
    va_end(args);
    for (size_t i = from; i < table->cells.len; i++) /* of a file's name: a row stays a row */
        if ((unsigned char)table->cells.data[i] < 0x20 || table->cells.data[i] == 0x7f)
            table->cells.data[i] = '?';
    str_putc(&table->cells, '\0');
}

void table_size(struct table *table, uint64_t bytes, bool exact)
{
    char text[SIZE_TEXT];
    table_put(table, "%s", size_text(text, bytes, exact));
}

void table_change(struct table *table, int64_t bytes, bool exact)
{
    char text[SIZE_TEXT];
    table_put(table, "%s", change_text(text, bytes, exact));
}

/* Columns that TEXT takes on a terminal, one for each character. */
static size_t cell_width(const char *text)
{
    return utf8_count(text, strlen(text));
}

static void table_print(const struct table *table, const size_t *widths, struct out *out)
{
    const char *cell = table->cells.data, *end = cell + table->cells.len;

    for (size_t i = 0; cell < end; i++, cell += strlen(cell) + 1) {
        size_t column = i % table->columns;
        size_t pad = widths[column] - cell_width(cell);
        bool left = table->left >> column & 1, last = column + 1 == table->columns;
        for (size_t k = 0; !left && k < pad; k++)
            out_putc(out, ' ');
        out_puts(out, cell);
        for (size_t k = 0; left && !last && k < pad; k++)
            out_putc(out, ' ');
        out_puts(out, last ? "\n" : "  ");
    }
}

enum flow table_end(struct shell *sh, struct table *table, struct out *out)
{
    size_t widths[TABLE_COLUMNS_MAX] = { 0 };
    const char *cell = table->cells.data, *end = cell + table->cells.len;
    bool whole = str_ok(&table->cells);

    for (size_t i = 0; whole && cell < end; i++, cell += strlen(cell) + 1)
        if (cell_width(cell) > widths[i % table->columns])
            widths[i % table->columns] = cell_width(cell);
    if (whole)
        table_print(table, widths, out);
    str_release(&table->cells);
    return whole ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

/* ---- documents ---- */

enum flow document_begin(struct shell *sh, struct document *document)
{
    if (!vmstat_state(sh))
        return shell_fail_memory(sh, 0);
    str_init(&document->text, sh->watch_region);
    out_init_sink(&document->out, &document->text);
    return FLOW_NEXT;
}

void document_release(struct document *document)
{
    out_release(&document->out);
    str_release(&document->text);
}

/* PATH names a descriptor of the script, such as /dev/stdout. */
static enum flow document_send(struct shell *sh, struct document *document, const char *command,
                               int fd)
{
    struct out *out = fdtab_out(sh, fd);
    int error = out ? 0 : EBADF;
    if (out) {
        out_write(out, document->text.data, document->text.len);
        if (!out_flush(out))
            error = out->error;
        out_clear_error(out);
    }
    document_release(document);
    return error ? shell_fail(sh, ERROR_BUILTIN, 1, command, "%d: cannot write: %s", fd,
                              strerror(error))
                 : FLOW_NEXT;
}

static enum flow path_fail(struct shell *sh, const char *command, const char *path, int error)
{
    return shell_fail(sh, ERROR_BUILTIN, 1, command, "%s: cannot write: %s", path, strerror(error));
}

enum flow document_check(struct shell *sh, const char *command, const char *path)
{
    if (fdtab_named(path) >= 0)
        return FLOW_NEXT;
    if (option_on(sh, OPTION_RESTRICTED))
        return shell_fail(sh, ERROR_BUILTIN, 1, command, "%s: restricted", path);
    struct stat st;
    int fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd >= 0)
        close(fd);
    else if (errno != EEXIST || access(path, W_OK) != 0)
        return path_fail(sh, command, path, errno);
    else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return path_fail(sh, command, path, EISDIR);
    return FLOW_NEXT;
}

enum flow document_write(struct shell *sh, struct document *document, const char *command,
                         const char *path)
{
    int fd = fdtab_named(path);
    if (str_ok(&document->text) && fd >= 0)
        return document_send(sh, document, command, fd);
    if (!str_ok(&document->text)) {
        document_release(document);
        return shell_fail_memory(sh, 0);
    }
    if (option_on(sh, OPTION_RESTRICTED)) {
        document_release(document);
        return shell_fail(sh, ERROR_BUILTIN, 1, command, "%s: restricted", path);
    }
    fd = sys_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool written = fd >= 0 && sys_write_all(fd, document->text.data, document->text.len);
    int error = errno;
    if (fd >= 0 && close(fd) != 0 && written) {
        error = errno;
        written = false;
    }
    document_release(document);
    return written ? FLOW_NEXT : path_fail(sh, command, path, error);
}

/* The length of the character at TEXT; what is none, a byte, is written as U+FFFD. */
static size_t out_character(struct out *out, const char *text, const char *end)
{
    size_t bytes = utf8_valid_bytes(text, end);
    if (bytes)
        out_write(out, text, bytes);
    else
        out_puts(out, "\xef\xbf\xbd");
    return bytes ? bytes : 1;
}

void out_json(struct out *out, const char *text, size_t len)
{
    const char *end = text + len;
    out_putc(out, '"');
    while (text < end) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            out_putc(out, '\\');
        if (c < 0x20 || c == 0x7f) {
            out_printf(out, "\\u%04x", c);
            text++;
        } else {
            text += out_character(out, text, end);
        }
    }
    out_putc(out, '"');
}

void out_xml(struct out *out, const char *text, size_t len)
{
    for (const char *end = text + len; text < end;) {
        unsigned char c = (unsigned char)*text;
        const char *entity = c == '<'               ? "&lt;"
                             : c == '>'             ? "&gt;"
                             : c == '&'             ? "&amp;"
                             : c == '"'             ? "&quot;"
                             : c < 0x20 || c == 127 ? "?"
                                                    : NULL;
        if (entity) {
            out_puts(out, entity);
            text++;
        } else {
            text += out_character(out, text, end);
        }
    }
}
