/*
 * Variables with a meaning of their own: what reading them gives, and what assigning them does.
 *
 * The rows are in special.def; name->special points to a name's row and VAR_SPECIAL marks the
 * variables for which it counts, so that an unset RANDOM stays an ordinary variable. Reading makes
 * text in scratch; `changed` functions derive state (field separators, locale, seeds) and are
 * called again when a scope ends, so they must do with what they are given, and must not write
 * variables.
 */
#include "shell/state/special.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/base/utf8.h"
#include "shell/state/cmdhash.h"
#include "shell/state/cwd.h"
#include "shell/state/figure.h"
#include "shell/state/func.h"
#include "shell/state/option.h"
#include "shell/state/scope.h"
#include "shell/state/site.h"
#include "shell/state/var_private.h"
#include "shell/state/view.h"
#include "shell/state/where.h"
#include "shell/syntax/unparse.h"

/* The number of the version is its date, too: scripts compare that. */
#define VERSION_DATE "2026-12-01"
#define VERSION_TEXT "Version AJM 93u+m/memksh " SHELL_VERSION " " VERSION_DATE

enum { NS_PER_SECOND = 1000000000, SECONDS_DECIMALS = 3 };

/* ---- reading ---- */

/* A number as NAME's variable shows it. */
static enum flow show_number(struct shell *sh, struct name *name, long double n,
                             const char **ret_text, size_t *ret_len)
{
    struct value value = { 0 };
    if (name->cur->attrs & VAR_FLOATING)
        value_set_float(&value, n);
    else
        value_set_int(&value, (int64_t)n);
    return attr_show(sh, name->cur, &value, ret_text, ret_len);
}

static enum flow show_text(const char *text, const char **ret_text, size_t *ret_len)
{
    *ret_text = text ? text : "";
    *ret_len = strlen(*ret_text);
    return FLOW_NEXT;
}

/* The variable is unset now. */
static enum flow show_nothing(const char **ret_text, size_t *ret_len)
{
    *ret_text = NULL;
    *ret_len = 0;
    return FLOW_NEXT;
}

static enum flow get_random(struct shell *sh, struct name *name, const char **ret_text,
                            size_t *ret_len)
{
    uint64_t stamp = sh->random_stamp;
    TRY(special_save(sh, name));
    if (sh->random_stamp != stamp) /* a subshell has numbers of its own, and uses up no others */
        sh->random_state ^= sys_random();
    uint64_t z = sh->random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return show_number(sh, name, (long double)(z >> 49), ret_text, ret_len);
}

static enum flow get_srandom(struct shell *sh, struct name *name, const char **ret_text,
                             size_t *ret_len)
{
    uint32_t bound = sh->srandom_bound;
    uint64_t random = (uint32_t)sys_random();

    return show_number(sh, name, (long double)(bound ? random * bound >> 32 : random), ret_text,
                       ret_len);
}

static enum flow get_seconds(struct shell *sh, struct name *name, const char **ret_text,
                             size_t *ret_len)
{
    long double elapsed = (long double)(sys_monotonic_ns() - sh->seconds_base_ns) / NS_PER_SECOND;
    return show_number(sh, name, elapsed, ret_text, ret_len);
}

static enum flow get_epoch(struct shell *sh, struct name *name, const char **ret_text,
                           size_t *ret_len)
{
    return show_number(sh, name, sys_realtime_ns() / NS_PER_SECOND, ret_text, ret_len);
}

/* With six decimals always. */
static enum flow get_epoch_real(struct shell *sh, struct name *name, const char **ret_text,
                                size_t *ret_len)
{
    (void)name;
    int64_t us = sys_realtime_ns() / 1000;
    struct str text;
    str_init(&text, sh->scratch);
    str_printf(&text, "%" PRId64 ".%06d", us / 1000000, (int)(us % 1000000));
    if (!str_ok(&text))
        return shell_fail_memory(sh, text.len);
    *ret_text = text.data;
    *ret_len = text.len;
    return FLOW_NEXT;
}

static enum flow get_lineno(struct shell *sh, struct name *name, const char **ret_text,
                            size_t *ret_len)
{
    return show_number(sh, name, where_line(sh, sh->line), ret_text, ret_len);
}

static enum flow get_shell_ppid(struct shell *sh, struct name *name, const char **ret_text,
                                size_t *ret_len)
{
    return show_number(sh, name, sh->ppid, ret_text, ret_len);
}

static enum flow get_optind(struct shell *sh, struct name *name, const char **ret_text,
                            size_t *ret_len)
{
    if (sh->getopts.unset)
        return show_nothing(ret_text, ret_len);
    return show_number(sh, name, sh->getopts.index, ret_text, ret_len);
}

static enum flow get_underscore(struct shell *sh, struct name *name, const char **ret_text,
                                size_t *ret_len)
{
    (void)name;
    *ret_text = str_text(&sh->last_argument);
    *ret_len = sh->last_argument.len;
    return FLOW_NEXT;
}

static enum flow get_dollar(struct shell *sh, struct name *name, const char **ret_text,
                            size_t *ret_len)
{
    return show_number(sh, name, sh->pid, ret_text, ret_len);
}

static enum flow get_pid(struct shell *sh, struct name *name, const char **ret_text,
                         size_t *ret_len)
{
    return show_number(sh, name, getpid(), ret_text, ret_len);
}

/* Who asks may send it signals, which must not reach more than the subshell. */
static enum flow get_own_pid(struct shell *sh, struct name *name, const char **ret_text,
                             size_t *ret_len)
{
    if (sh->hooks.own_process)
        TRY(sh->hooks.own_process(sh));
    return get_pid(sh, name, ret_text, ret_len);
}

static enum flow get_ppid(struct shell *sh, struct name *name, const char **ret_text,
                          size_t *ret_len)
{
    return show_number(sh, name, getppid(), ret_text, ret_len);
}

static enum flow get_pwdfd(struct shell *sh, struct name *name, const char **ret_text,
                           size_t *ret_len)
{
    int fd;
    TRY(cwd_descriptor(sh, &fd));
    return show_number(sh, name, fd, ret_text, ret_len);
}

static enum flow get_subshell(struct shell *sh, struct name *name, const char **ret_text,
                              size_t *ret_len)
{
    return show_number(sh, name, sh->subshell_level, ret_text, ret_len);
}

static enum flow get_version(struct shell *sh, struct name *name, const char **ret_text,
                             size_t *ret_len)
{
    (void)sh;
    (void)name;
    return show_text(VERSION_TEXT, ret_text, ret_len);
}

int64_t special_version_number(void)
{
    int64_t number = 0;
    for (const char *p = VERSION_DATE; *p; p++)
        if (*p != '-')
            number = number * 10 + (*p - '0');
    return number;
}

/* The names of the functions .sh.math.NAME, without that prefix. */
static enum flow get_math(struct shell *sh, struct name *name, const char **ret_text,
                          size_t *ret_len)
{
    struct func **funcs;
    size_t count;
    struct str s;
    (void)name;
    TRY(func_list(sh, &funcs, &count));
    str_init(&s, sh->scratch);
    for (size_t i = 0; i < count; i++) {
        if (func_is_math(funcs[i]))
            str_printf(&s, s.len ? " %s" : "%s", funcs[i]->name->text + strlen(MATH_PREFIX));
    }
    if (!str_ok(&s))
        return shell_fail_memory(sh, s.len);
    *ret_text = str_text(&s);
    *ret_len = s.len;
    return FLOW_NEXT;
}

/* The names of all types. */
static enum flow get_type(struct shell *sh, struct name *name, const char **ret_text,
                          size_t *ret_len)
{
    size_t count = 0;
    struct map_slot **slots = map_sorted(&sh->types, sh->scratch, &count);
    struct str s;
    (void)name;
    if (!slots && sh->types.count > 0)
        return shell_fail_memory(sh, sh->types.count * sizeof *slots);
    str_init(&s, sh->scratch);
    for (size_t i = 0; i < count; i++) {
        const struct type *type = slots[i]->value;
        str_printf(&s, s.len ? " %s" : "%s", type->name);
    }
    if (!str_ok(&s))
        return shell_fail_memory(sh, s.len);
    *ret_text = str_text(&s);
    *ret_len = s.len;
    return FLOW_NEXT;
}

static enum flow get_file(struct shell *sh, struct name *name, const char **ret_text,
                          size_t *ret_len)
{
    (void)name;
    return show_text(where_script_path(sh, sh->file), ret_text, ret_len);
}

static enum flow get_fun(struct shell *sh, struct name *name, const char **ret_text,
                         size_t *ret_len)
{
    (void)name;
    const struct frame *frame = sh->frame;
    if (sh->view && sh->view->level < sh->view->depth)
        frame = sh->view->at;
    if (!frame || !frame->function_name)
        return show_nothing(ret_text, ret_len);
    /* A function of a name space is called without that. */
    const char *text = frame->function_name;
    if (*text == '.' && strncmp(text, ".sh.", 4) != 0)
        text = strrchr(text, '.') + 1;
    return show_text(text, ret_text, ret_len);
}

/* How many functions and dot scripts are running. */
static enum flow get_level(struct shell *sh, struct name *name, const char **ret_text,
                           size_t *ret_len)
{
    unsigned level = sh->view ? sh->view->level : view_depth(sh->frame);
    return show_number(sh, name, level, ret_text, ret_len);
}

/* The line that called the running function; 0 outside. */
static enum flow get_caller_lineno(struct shell *sh, struct name *name, const char **ret_text,
                                   size_t *ret_len)
{
    const struct frame *frame = sh->frame;
    if (sh->view)
        return show_number(sh, name, where_line(sh, sh->view->at_line), ret_text, ret_len);
    while (frame && frame->kind != FRAME_FUNC && frame->kind != FRAME_DOT)
        frame = frame->outer;
    return show_number(sh, name, frame ? where_line(sh, frame->line) : 0, ret_text, ret_len);
}

static enum flow get_command(struct shell *sh, struct name *name, const char **ret_text,
                             size_t *ret_len)
{
    (void)name;
    struct str s;
    if (!sh->debug_command)
        return show_nothing(ret_text, ret_len);
    str_init(&s, sh->scratch);
    if (sh->debug_text)
        str_append_z(&s, sh->debug_text);
    else
        unparse_summary(&s, sh->debug_command, SIZE_MAX / 2);
    if (!str_ok(&s))
        return shell_fail_memory(sh, 0);
    *ret_text = str_text(&s);
    *ret_len = s.len;
    return FLOW_NEXT;
}

/* .sh: the names below it, sorted. */
static enum flow get_tree(struct shell *sh, struct name *name, const char **ret_text,
                          size_t *ret_len)
{
    static const char names[] =
        "command edchar edcol edmode edtext file fun level lineno match math "
        "name pid ppid pwdfd stats subscript subshell tilde type value version";
    (void)sh;
    (void)name;
    return show_text(names, ret_text, ret_len);
}

/* ---- assigning ---- */

static enum flow set_random(struct shell *sh, struct name *name, const char *text, size_t len)
{
    int64_t seed = 0;
    (void)name;
    if (text && num_parse_int(text, len, &seed))
        sh->random_state = (uint64_t)seed;
    return FLOW_NEXT;
}

/* A number makes later values smaller than itself; 0 and what does not fit lifts that. */
static enum flow set_srandom(struct shell *sh, struct name *name, const char *text, size_t len)
{
    int64_t bound = 0;
    (void)name;
    if (text && num_parse_int(text, len, &bound))
        sh->srandom_bound = bound > 0 && bound <= UINT32_MAX ? (uint32_t)bound : 0;
    return FLOW_NEXT;
}

static enum flow set_seconds(struct shell *sh, struct name *name, const char *text, size_t len)
{
    struct num n = num_int(0);
    (void)name;
    if (text)
        TRY(attr_parse_num(sh, text, len, &n));
    const int64_t limit_ns = INT64_MAX / 2; /* a century and a half, either way */
    long double seconds = n.is_float ? n.f : (long double)n.i;
    int64_t ns = num_to_int(num_float(seconds * NS_PER_SECOND));
    ns = ns > limit_ns ? limit_ns : ns < -limit_ns ? -limit_ns : ns;
    sh->seconds_base_ns = sys_monotonic_ns() - ns;
    return FLOW_NEXT;
}

static enum flow set_tmout(struct shell *sh, struct name *name, const char *text, size_t len)
{
    enum { SECONDS_MAX = 1 << 30 };
    int64_t seconds;
    (void)name;
    if (!text || !num_parse_int(text, len, &seconds) || seconds < 0)
        seconds = 0;
    sh->terminal_limit_ns = (seconds < SECONDS_MAX ? seconds : SECONDS_MAX) * NS_PER_SECOND;
    return FLOW_NEXT;
}

/* The next line has the number that is assigned. */
static enum flow set_lineno(struct shell *sh, struct name *name, const char *text, size_t len)
{
    struct num n = num_int(0);
    (void)name;
    if (!text)
        return FLOW_NEXT;
    TRY(attr_parse_num(sh, text, len, &n));
    const int64_t limit = INT32_MAX / 2;
    int64_t line = num_to_int(n);
    line = line > limit ? limit : line < -limit ? -limit : line;
    sh->line_shift = (int32_t)(line - sh->line - 1);
    return FLOW_NEXT;
}

/* Any assignment makes getopts start anew, at the argument that it names. */
static enum flow set_optind(struct shell *sh, struct name *name, const char *text, size_t len)
{
    int64_t index = 1;
    (void)name;
    if (text && (!num_parse_int(text, len, &index) || index < 0))
        index = 1;
    sh->getopts = (struct getopts_state){ .index = index, .unset = !text };
    return FLOW_NEXT;
}

static enum flow set_level(struct shell *sh, struct name *name, const char *text, size_t len)
{
    int64_t level = -1;
    (void)name;
    if (!text)
        return FLOW_NEXT;
    if (!num_parse_int(text, len, &level))
        level = -1;
    return view_set(sh, level);
}

static enum flow set_underscore(struct shell *sh, struct name *name, const char *text, size_t len)
{
    (void)name;
    str_clear(&sh->last_argument);
    str_append(&sh->last_argument, text ? text : "", len);
    return FLOW_NEXT;
}

static void restore_random(struct shell *sh, void *a, uintptr_t stamp)
{
    sh->random_state = (uint64_t)(uintptr_t)a;
    sh->random_stamp = stamp;
}

static void restore_srandom(struct shell *sh, void *a, uintptr_t stamp)
{
    sh->srandom_bound = (uint32_t)(uintptr_t)a;
    sh->srandom_stamp = stamp;
}

static void restore_seconds(struct shell *sh, void *a, uintptr_t stamp)
{
    sh->seconds_base_ns = (int64_t)(intptr_t)a;
    sh->seconds_stamp = stamp;
}

static void restore_lineno(struct shell *sh, void *a, uintptr_t stamp)
{
    sh->line_shift = (int32_t)(intptr_t)a;
    sh->line_stamp = stamp;
}

enum flow special_save(struct shell *sh, const struct name *name)
{
    struct frame *target = frame_target(sh, TARGET_GLOBAL);
    if (!name->special || !target)
        return FLOW_NEXT;
    if (name->special->changed == set_random && frame_should_record(target, sh->random_stamp)) {
        TRY(frame_record_call(sh, target, restore_random, (void *)(uintptr_t)sh->random_state,
                              sh->random_stamp));
        sh->random_stamp = target->id;
    }
    if (name->special->changed == set_srandom && frame_should_record(target, sh->srandom_stamp)) {
        TRY(frame_record_call(sh, target, restore_srandom, (void *)(uintptr_t)sh->srandom_bound,
                              sh->srandom_stamp));
        sh->srandom_stamp = target->id;
    }
    if (name->special->changed == set_seconds && frame_should_record(target, sh->seconds_stamp)) {
        TRY(frame_record_call(sh, target, restore_seconds, (void *)(intptr_t)sh->seconds_base_ns,
                              sh->seconds_stamp));
        sh->seconds_stamp = target->id;
    }
    if (name->special->changed == set_lineno && frame_should_record(target, sh->line_stamp)) {
        TRY(frame_record_call(sh, target, restore_lineno, (void *)(intptr_t)sh->line_shift,
                              sh->line_stamp));
        sh->line_stamp = target->id;
    }
    return FLOW_NEXT;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static enum flow set_ifs(struct shell *sh, struct name *name, const char *text, size_t len)
{
    static const char default_text[] = " \t\n";
    struct ifs_table *ifs = sh->ifs;
    /* ksh93: a doubled blank separates like any other byte. */
    bool is_posix = option_on(sh, OPTION_POSIX);
    (void)name;
    if (!text) {
        text = default_text;
        len = strlen(default_text);
    }
    memset(ifs->classes, IFS_NONE, sizeof ifs->classes);
    ifs->multibyte = false;
    ifs->only_space = true;
    for (const char *p = text, *end = text + len; p < end;) {
        size_t bytes = utf8_char_bytes(p, end);
        unsigned char c = (unsigned char)*p;
        if (bytes > 1)
            ifs->multibyte = true;
        else if (is_white(*p) && (is_posix || !(p + 1 < end && p[1] == *p)))
            ifs->classes[c] = ifs->classes[c] == IFS_OTHER ? IFS_OTHER : IFS_SPACE;
        else
            ifs->classes[c] = IFS_OTHER;
        ifs->only_space &= bytes == 1 && ifs->classes[c] == IFS_SPACE;
        p += bytes;
    }
    ifs->text = text;
    ifs->len = len;
    ifs->first = text;
    ifs->first_len = len > 0 ? utf8_char_bytes(text, text + len) : 0;
    ifs->is_default = text_eq(text, len, default_text, strlen(default_text));
    return FLOW_NEXT;
}

void special_ifs_rebuild(struct shell *sh)
{
    (void)set_ifs(sh, NULL, sh->ifs->text, sh->ifs->len);
}

static enum flow set_path(struct shell *sh, struct name *name, const char *text, size_t len)
{
    (void)name;
    (void)text;
    (void)len;
    cmdhash_clear(sh);
    sh->command_epoch++;
    if (sh->hooks.path_changed)
        sh->hooks.path_changed(sh);
    return FLOW_NEXT;
}

static enum flow set_vmalloc_options(struct shell *sh, struct name *name, const char *text,
                                     size_t len)
{
    /* An assignment before a command is for that command's process. */
    const struct var *var = name->cur;
    (void)len;
    if (text && !(var && var->owner && var->owner->kind == FRAME_CMD)) {
        mem_options_apply(text);
        site_look(sh);
    }
    return FLOW_NEXT;
}

enum flow special_editor(struct shell *sh)
{
    const char *editor = var_text(sh, "VISUAL");
    if (!editor)
        editor = var_text(sh, "EDITOR");
    if (!editor)
        return FLOW_NEXT;
    if (strstr(editor, "vi") || strstr(editor, "VI") || strstr(editor, "Vi") ||
        strstr(editor, "vI"))
        return option_set(sh, OPTION_VI, true);
    if (strstr(editor, "gmacs"))
        return option_set(sh, OPTION_GMACS, true);
    return strstr(editor, "macs") ? option_set(sh, OPTION_EMACS, true) : FLOW_NEXT;
}

static enum flow set_editor(struct shell *sh, struct name *name, const char *text, size_t len)
{
    (void)name;
    (void)len;
    return text ? special_editor(sh) : FLOW_NEXT;
}

/* ---- .sh.mem: one name for each figure, made when it is first written ---- */

static const char mem_prefix[] = ".sh.mem.";
enum { MEM_PREFIX = sizeof mem_prefix - 1 };

static enum flow get_mem(struct shell *sh, struct name *name, const char **ret_text,
                         size_t *ret_len)
{
    uint64_t n = figure_read(sh, name->text + MEM_PREFIX, name->len - MEM_PREFIX);
    return show_number(sh, name, (long double)n, ret_text, ret_len);
}

static const struct special mem_row = {
    .name = mem_prefix,
    .get = get_mem,
    .flags = SPECIAL_INTEGER | SPECIAL_EXISTS | SPECIAL_READONLY,
};

/* ---- the table ---- */

enum { LATE_FLAGS = SPECIAL_LOSABLE | SPECIAL_EXISTS | SPECIAL_YIELDS | SPECIAL_OWN };

static const struct special rows[] = {
#define SPECIAL(name, get, changed, flags) { name, get, changed, flags },
#include "shell/state/special.def"
#undef SPECIAL
};

/* Those that cost nothing as long as no script names them. */
static const struct special late_rows[] = {
    { "BASHPID", get_own_pid, NULL, LATE_FLAGS },
    { "EPOCHSECONDS", get_epoch, NULL, LATE_FLAGS },
    { "EPOCHREALTIME", get_epoch_real, NULL, LATE_FLAGS },
};

uint32_t special_attrs(const struct name *name)
{
    return name->special && !(name->special->flags & SPECIAL_LOSABLE) ? VAR_SPECIAL : 0;
}

void special_refresh(struct shell *sh, struct name *name)
{
    const struct special *special = name->special;
    if (special->changed == special_set_locale) { /* nothing that was not warned of before */
        special_locale(sh);
        return;
    }
    if (!special->changed || special->get) /* what GET shows is not in the variable */
        return;
    const char *text = NULL;
    size_t len = 0;
    const struct var *var = name->cur;
    if (var && !(var->attrs & VAR_ARRAY) && (var->value.bits & VALUE_TEXT))
        text = value_text(&var->value, &len);
    if (special->changed == set_vmalloc_options && text) { /* as before: files go on */
        mem_options_restore(text);
        site_look(sh);
    } else if (special->changed(sh, name, text, len) != FLOW_NEXT) {
        sh->err.kind = ERROR_NONE;
    }
}

static enum flow init_name(struct shell *sh, struct name *name, const struct special *row)
{
    name->special = row;
    if (!(row->flags & SPECIAL_EXISTS))
        return FLOW_NEXT;
    struct var *var;
    TRY(scope_lasting(sh, name, &var));
    var->attrs = VAR_SPECIAL;
    if (row->flags & SPECIAL_INTEGER)
        var->attrs |= VAR_INTEGER;
    if (row->flags & SPECIAL_FLOAT) {
        var->attrs |= VAR_FIXED;
        var->width = SECONDS_DECIMALS;
    }
    if (row->flags & SPECIAL_READONLY)
        var->attrs |= VAR_READONLY;
    return FLOW_NEXT;
}

static enum flow init_row(struct shell *sh, const struct special *row)
{
    struct name *name = name_intern(sh, row->name, strlen(row->name));
    return name ? init_name(sh, name, row) : shell_fail_memory(sh, sizeof *name);
}

bool special_intern_late(struct shell *sh, struct name *name)
{
    for (size_t i = 0; i < sizeof late_rows / sizeof *late_rows; i++) {
        const char *text = late_rows[i].name;
        if (text_eq(name->text, name->len, text, strlen(text)))
            return init_name(sh, name, &late_rows[i]) == FLOW_NEXT;
    }
    return true;
}

bool special_intern(struct shell *sh, struct name *name)
{
    const struct process_figure *process;
    const struct figure *figure;
    size_t region_len;
    if (name->len <= MEM_PREFIX || memcmp(name->text, mem_prefix, MEM_PREFIX) != 0 ||
        !figure_path(name->text + MEM_PREFIX, name->len - MEM_PREFIX, &process, &figure,
                     &region_len))
        return true;
    return init_name(sh, name, &mem_row) == FLOW_NEXT;
}

enum flow special_init(struct shell *sh)
{
    sh->ifs = mem_alloc_zeroed(sh->heap, sizeof *sh->ifs);
    if (!sh->ifs)
        return shell_fail_memory(sh, sizeof *sh->ifs);
    TRY(set_ifs(sh, NULL, NULL, 0));
    sh->random_state = sys_random();
    sh->getopts.index = 1;
    sh->seconds_base_ns = sys_monotonic_ns();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        TRY(init_row(sh, &rows[i]));
    return FLOW_NEXT;
}

void special_release(struct shell *sh)
{
    special_match_release(sh);
    mem_free(sh->ifs);
    sh->ifs = NULL;
}
