/*
 * Private to builtins/vmstat: what was asked for, and what its files offer each other.
 *
 * vmstat must not disturb what it measures: figures are taken first, into the C stack or fixed
 * tables; what has to be kept (snapshots, samples) or put together (tables, pictures) lives in a
 * region of its own, `vmstat`, opened when it is first needed.
 */
#ifndef BUILTINS_VMSTAT_VMSTAT_H
#define BUILTINS_VMSTAT_VMSTAT_H

#include "builtins/builtin.h"
#include "shell/base/out.h"
#include "shell/state/figure.h"
#include "shell/state/shell.h"

enum { REQUEST_SETS_MAX = 16, REGION_MAX = 64, SIZE_TEXT = 32, NAME_TEXT = 32 };

/* One call of the command. */
struct request {
    struct args *args;     /* the operands are left in it */
    const char *command;   /* its name, for messages */
    char action;           /* the option that says what to do; 0: the table */
    const char *argument;  /* of that option, or NULL */
    bool exact;            /* -b: all digits */
    bool original;         /* vmstate */
    const char *format;    /* -f */
    const char *inputs[2]; /* -r: a region, or files of snapshots */
    size_t input_count;
    const char *write;                  /* -w: milliseconds, or the file of a snapshot */
    const char *sets[REQUEST_SETS_MAX]; /* -O */
    size_t set_count;
    size_t count; /* -n; 0: not given */
};

/* What is kept between calls; in sh->watch_region. */
struct vmstat {
    struct saved *snapshots;   /* snapshot.c */
    struct timeline *timeline; /* timeline.c: samples are being taken */
};
/* Opens the region `vmstat` at the first call; NULL: no memory. */
struct vmstat *vmstat_state(struct shell *sh);

/* What a subshell changes here ends with it: its id, 0 outside of any ... */
uint64_t vmstat_stamp(struct shell *sh);
/* ... and UNDO is called with A and B at its end; outside never. */
enum flow vmstat_record(struct shell *sh, void (*undo)(struct shell *sh, void *a, uintptr_t b),
                        void *a, uintptr_t b) NODISCARD;

/* ---- text.c: numbers as people read them ---- */

/* BYTES in 4 digits at most and a unit, or, EXACT, all digits. RET holds SIZE_TEXT bytes. */
const char *size_text(char *ret, uint64_t bytes, bool exact);
/* The same with a sign, of a difference. */
const char *change_text(char *ret, int64_t bytes, bool exact);
int percent_of(size_t part, size_t whole);
const char *seconds_text(char *ret, int64_t ns);

/* Is there a terminal behind OUT, and does it show UTF-8? */
bool out_is_terminal(const struct out *out);
/* Columns of the terminal: COLUMNS, the terminal itself, or 80. */
size_t terminal_width(struct shell *sh, const struct out *out);

/* Sorts in place; unlike qsort it never allocates. */
typedef int items_compare(const void *, const void *);
void items_sort(void *items, size_t count, size_t bytes, items_compare *compare);

/* Rows of cells, shown in columns that are as wide as need be. */
struct table {
    struct str cells; /* each ends with a NUL */
    size_t columns;
    uint32_t left; /* bit per column that begins at the left */
};
void table_init(struct table *table, struct mem_region *region, size_t columns, uint32_t left);
void table_put(struct table *table, const char *format, ...) PRINTF_LIKE(2, 3);
void table_size(struct table *table, uint64_t bytes, bool exact);
void table_change(struct table *table, int64_t bytes, bool exact);
/* Prints and releases it. FLOW_ERROR when there was no memory for it. */
enum flow table_end(struct shell *sh, struct table *table, struct out *out) NODISCARD;

/* Text for a file, put together in the region `vmstat`, then written by one call. */
struct document {
    struct str text;
    struct out out;
};
enum flow document_begin(struct shell *sh, struct document *document) NODISCARD;
/* Writes it to PATH and releases it; FLOW_ERROR, status 1, when that fails. */
enum flow document_write(struct shell *sh, struct document *document, const char *command,
                         const char *path) NODISCARD;
void document_release(struct document *document);
/* An error when document_write could not write PATH; makes the file, but changes none. */
enum flow document_check(struct shell *sh, const char *command, const char *path) NODISCARD;
/* TEXT within quotes of JSON, or as text of XML; bytes that are no UTF-8 become U+FFFD. */
void out_json(struct out *out, const char *text, size_t len);
void out_xml(struct out *out, const char *text, size_t len);
/* One line about what cannot be done: status 1. */
enum flow vmstat_fail(struct shell *sh, const struct request *rq, const char *format, ...)
    PRINTF_LIKE(3, 4) NODISCARD;
/* The writer of descriptor 2 after what is buffered for 1; NULL: closed. */
struct out *vmstat_report_out(struct shell *sh);

/* ---- format.c ---- */

struct format_record {
    struct mem_region *region;
    const struct mem_stats *stats;
};
/* The format of the original command. */
extern const char vmstat_default_format[];
/* An error when FORMAT has an identifier that does not exist. */
enum flow vmstat_format_check(struct shell *sh, const struct request *rq,
                              const char *format) NODISCARD;
/* Writes RECORD to OUT as FORMAT, which was checked, says, and a newline. */
void vmstat_format(struct out *out, const char *format, const struct format_record *record);

/* ---- the actions, a file each ---- */

struct regions { /* the figures of all regions at one moment */
    size_t count;
    struct mem_region *regions[REGION_MAX];
    struct mem_stats stats[REGION_MAX];
};
/* Of all regions, or of the one called ONLY. */
void regions_take(struct regions *regions, const char *only);
enum flow vmstat_table(struct shell *sh, const struct request *rq) NODISCARD;   /* regions.c */
enum flow vmstat_measure(struct shell *sh, const struct request *rq) NODISCARD; /* measure.c */
enum flow vmstat_compare(struct shell *sh, const struct request *rq) NODISCARD; /* compare.c */
enum flow vmstat_map(struct shell *sh, const struct request *rq) NODISCARD;     /* map.c */
enum flow vmstat_histogram(struct shell *sh, const struct request *rq) NODISCARD;
enum flow vmstat_timeline(struct shell *sh, const struct request *rq) NODISCARD;
enum flow vmstat_json(struct shell *sh, const struct request *rq) NODISCARD;    /* json.c */
enum flow vmstat_fill(struct shell *sh, const struct request *rq) NODISCARD;    /* json.c */
enum flow vmstat_options(struct shell *sh, const struct request *rq) NODISCARD; /* act.c */
enum flow vmstat_check(struct shell *sh, const struct request *rq) NODISCARD;   /* act.c */
enum flow vmstat_trim(struct shell *sh, const struct request *rq) NODISCARD;    /* act.c */
enum flow vmstat_variables(struct shell *sh, const struct request *rq) NODISCARD;
enum flow vmstat_save(struct shell *sh, const struct request *rq) NODISCARD;   /* snapshot.c */
enum flow vmstat_diff(struct shell *sh, const struct request *rq) NODISCARD;   /* diff.c */
enum flow vmstat_advice(struct shell *sh, const struct request *rq) NODISCARD; /* advice.c */
enum flow vmstat_page(struct shell *sh, const struct request *rq) NODISCARD;   /* page.c */

enum flow vmstat_sites(struct shell *sh, const struct request *rq) NODISCARD;  /* sites.c: -p */
enum flow vmstat_lines(struct shell *sh, const struct request *rq) NODISCARD;  /* -l */
enum flow vmstat_kinds(struct shell *sh, const struct request *rq) NODISCARD;  /* -k */
enum flow vmstat_tree(struct shell *sh, const struct request *rq) NODISCARD;   /* -t */
enum flow vmstat_folded(struct shell *sh, const struct request *rq) NODISCARD; /* -F */
enum flow vmstat_flame(struct shell *sh, const struct request *rq) NODISCARD;  /* flame.c */
enum flow vmstat_leaks(struct shell *sh, const struct request *rq) NODISCARD;  /* leak.c */

/* The command that the operands of RQ name, or its compound command. measure.c */
enum flow request_run(struct shell *sh, const struct request *rq) NODISCARD;
bool request_has_command(const struct request *rq);
/* Changes options of the allocator; returns the first complaint, and then nothing has changed;
 * NULL: none. Borrowed until the next call. act.c */
const char *options_change(const char *text);
/* Samples are taken from here, each RQ->write milliseconds ... */
enum flow timeline_begin(struct shell *sh, const struct request *rq) NODISCARD;
/* ... to here, where they are drawn on OUT (NULL: not). They stay when their file cannot be
 * written. */
enum flow timeline_end(struct shell *sh, struct out *out) NODISCARD;
/* Pictures for the page: SVG elements, in OUT. */
void map_draw(struct out *out);
void histogram_draw(struct shell *sh, struct out *out);
bool timeline_draw(struct shell *sh, struct out *out); /* false: there are no samples */

#endif
