/*
 * The shell struct: making and freeing it, errors, scratch text.
 *
 * Owns the regions of named lifetimes and the base frame. The modules of this layer are started and
 * ended here, in an order that lets each use those before it; what the layers above hang on the
 * struct they release themselves.
 */
#include "shell/state/shell.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/base/diag.h"
#include "shell/base/kind.h"
#include "shell/state/alias.h"
#include "shell/state/cache.h"
#include "shell/state/cmdhash.h"
#include "shell/state/env.h"
#include "shell/state/fdtab.h"
#include "shell/state/frame.h"
#include "shell/state/func.h"
#include "shell/state/history.h"
#include "shell/state/option.h"
#include "shell/state/param.h"
#include "shell/state/site.h"
#include "shell/state/special.h"
#include "shell/state/type.h"
#include "shell/state/var_private.h"
#include "shell/state/where.h"

/* ---- errors ---- */

/* Writes where the running line is and WHAT into TEXT; returns the length. */
static size_t message_start(const struct shell *sh, char *text, size_t bytes, const char *what,
                            uint32_t *ret_line)
{
    size_t len = where_describe(sh, text, bytes, ret_line);
    if (!what)
        return len;
    int n = snprintf(text + len, bytes - len, "%s: ", what);
    len += n < 0 ? 0 : (size_t)n;
    return len < bytes ? len : bytes - 1;
}

enum flow shell_fail(struct shell *sh, enum error_kind kind, int status, const char *what,
                     const char *format, ...)
{
    struct error *err = &sh->err;
    size_t len;
    err->kind = kind;
    sh->memory_failures += kind == ERROR_MEMORY;
    err->status = status;
    err->file = sh->file;
    err->printed = false;
    len = message_start(sh, err->text, sizeof err->text, what, &err->line);
    va_list args;
    va_start(args, format);
    vsnprintf(err->text + len, sizeof err->text - len, format, args);
    va_end(args);
    return FLOW_ERROR;
}

enum flow shell_fail_memory(struct shell *sh, size_t bytes)
{
    size_t failed = mem_failed_take();
    if (failed)
        bytes = failed;
    if (bytes == 0)
        return shell_fail(sh, ERROR_MEMORY, 1, NULL, "cannot allocate memory");
    return shell_fail(sh, ERROR_MEMORY, 1, NULL, "cannot allocate %zu bytes", bytes);
}

/* TEXT with control characters shown as ^X, except the newlines of usage lines: script text must
 * not drive the terminal. */
static void append_visible(struct str *s, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t') {
            str_putc(s, *text);
        } else {
            str_putc(s, '^');
            str_putc(s, (char)(c ^ 0x40));
        }
    }
}

/* The same message without any memory: on descriptor 2 of the process, and perhaps cut. */
static void print_cut(const char *file, uint32_t line, const char *text)
{
    char message[1024];
    int len = snprintf(message, sizeof message, "%s: %s%s", diag_program, file ? file : "",
                       file ? ": " : "");
    size_t used = len < 0 ? 0 : (size_t)len;
    if (line > 0 && used < sizeof message) {
        len = snprintf(message + used, sizeof message - used, "line %u: ", line);
        used += len < 0 ? 0 : (size_t)len;
    }
    if (used < sizeof message)
        snprintf(message + used, sizeof message - used, "%s", text);
    diag_line(message, strlen(message));
}

/* `memksh: FILE: line N: TEXT`, leaving out what is unknown, on descriptor 2 of the script. */
static void print_message(struct shell *sh, const char *file, uint32_t line, const char *text)
{
    struct str s;
    str_init(&s, mem_region_malloc());
    str_printf(&s, "%s: ", diag_program);
    if (file)
        str_printf(&s, "%s: ", file);
    if (line > 0)
        str_printf(&s, "line %u: ", line);
    append_visible(&s, text);
    if (!str_ok(&s))
        print_cut(file, line, text);
    else if (!sh->fdtab)
        diag_line(str_text(&s), s.len);
    else
        fdtab_message(sh, s.data, s.len);
    str_release(&s);
}

void shell_print_error(struct shell *sh)
{
    struct error *err = &sh->err;
    sh->status = err->status;
    if (err->printed)
        return;
    err->printed = true;
    print_message(sh, err->file, err->line, err->text);
}

void shell_warn(struct shell *sh, const char *what, const char *format, ...)
{
    char text[1024];
    uint32_t line;
    size_t len = message_start(sh, text, sizeof text, what, &line);
    va_list args;
    va_start(args, format);
    vsnprintf(text + len, sizeof text - len, format, args);
    va_end(args);
    print_message(sh, sh->file, line, text);
}

char *scratch_dup(struct shell *sh, const char *text, size_t len)
{
    return text_dup_n(sh->scratch, text, len);
}

/* ---- life ---- */

static bool open_regions(struct shell *sh)
{
    sh->heap = mem_region_open("heap", MEM_BEST, 0);
    sh->nodes = mem_region_open("nodes", MEM_BEST, 0);
    sh->scratch = mem_region_open("scratch", MEM_LAST, 0);
    sh->program_region = mem_region_open("program", MEM_BEST, 0);
    if (!sh->heap || !sh->nodes || !sh->scratch || !sh->program_region)
        return false;
    mem_region_start_small(sh->nodes);
    mem_region_start_small(sh->program_region);
    mem_region_kind_set(sh->nodes, KIND_UNDO);
    mem_region_kind_set(sh->scratch, KIND_BUFFER);
    mem_region_kind_set(sh->program_region, KIND_TREE);
    return true;
}

static enum flow start(struct shell *sh)
{
    sh->base_frame = mem_alloc_zeroed(sh->nodes, sizeof *sh->base_frame);
    if (!sh->base_frame)
        return shell_fail_memory(sh, sizeof *sh->base_frame);
    map_init(&sh->names, sh->heap);
    map_init(&sh->aliases, sh->heap);
    map_init(&sh->cmdhash, sh->heap);
    map_init(&sh->builtins_bound, sh->heap);
    map_init(&sh->types, sh->heap);
    map_init(&sh->script_paths, sh->heap);
    str_init(&sh->last_argument, sh->heap);
    if (!str_reserve(&sh->last_argument, 1))
        return shell_fail_memory(sh, 0);
    cache_init();
    site_init();
    site_look(sh);
    frame_push(sh, sh->base_frame, FRAME_BASE);
    sh->options = option_defaults();
    sh->pid = getpid();
    sh->ppid = getppid();
    sh->umask = umask(0);
    umask(sh->umask);
    TRY(special_init(sh));
    TRY(env_init(sh));
    TRY(param_init(sh));
    sh->fdtab = fdtab_new(sh->heap);
    if (!sh->fdtab)
        return shell_fail_memory(sh, 0);
    sh->out = fdtab_stdout(sh); /* never NULL: a closed one fails on writing */
    return FLOW_NEXT;
}

struct shell *shell_new(void)
{
    struct shell *sh = mem_alloc_zeroed(mem_region_malloc(), sizeof *sh);
    if (!sh)
        return NULL;
    if (!open_regions(sh) || start(sh) != FLOW_NEXT) {
        shell_free_counted(sh);
        return NULL;
    }
    return sh;
}

static void free_names(struct shell *sh)
{
    size_t cursor = 0;
    for (struct map_slot *slot; (slot = map_next(&sh->names, &cursor)) != NULL;) {
        struct name *name = slot->value;
        for (struct var *var = name->cur, *outer; var; var = outer) {
            outer = var->outer;
            var_free(sh, var);
        }
        mem_free_sized(sh->nodes, name, sizeof *name + name->len + 1);
    }
    map_release(&sh->names);
}

static size_t close_region(struct mem_region *region, bool count)
{
    struct mem_stats stats = { 0 };
    if (!region)
        return 0;
    mem_region_stats(region, &stats);
    mem_region_close(region);
    return count ? stats.busy_count : 0;
}

size_t shell_free_counted(struct shell *sh)
{
    if (!sh)
        return 0;
    if (sh->base_frame) {
        while (sh->frame)
            frame_pop(sh, sh->frame);
        func_free_all(sh);
        alias_free_all(sh);
        cmdhash_clear(sh);
        if (sh->fdtab)
            fdtab_free(sh->fdtab);
        param_release(sh);
        env_release(sh);
        history_free(sh);
        special_release(sh);
        free_names(sh);
        type_free_all(sh);
        where_release(sh);
        str_release(&sh->last_argument);
        mem_free(sh->cwd);
        mem_free(sh->base_frame);
    }
    size_t leaked = close_region(sh->heap, true);
    leaked += close_region(sh->nodes, true);
    leaked += close_region(sh->program_region, true);
    close_region(sh->scratch, false);
    close_region(sh->watch_region, false);
    mem_free(sh);
    return leaked;
}

void shell_free(struct shell *sh)
{
    size_t leaked = shell_free_counted(sh);
    (void)leaked;
    ASSERT(leaked == 0);
}
