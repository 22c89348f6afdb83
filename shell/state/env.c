/*
 * The environment: in at the start, out to every child.
 *
 * Owns sh->env_cache: the environment as last built, with the epoch of exports that it belongs to.
 * Strings that came in and are no shell variables are kept and go out again as they are.
 */
#include "shell/state/env.h"

#include <string.h>
#include <unistd.h>

#include "shell/base/cclass.h"
#include "shell/state/env_shape.h"
#include "shell/state/option.h"
#include "shell/state/scope.h"
#include "shell/state/special.h"
#include "shell/state/var_private.h"

/* the attributes of exported variables, for other shells of this kind: env_shape.h */
#define SHAPES_NAME "A__z"

struct env_cache {
    char *const *foreign; /* strings that are no variables: borrowed from the process */
    size_t foreign_count;
    char **built;     /* NULL-terminated, of texts in TEXTS; NULL: not built. The first place is for
                         `_` */
    struct str texts; /* heap: NAME=TEXT, each with its NUL */
    struct str underscore; /* heap: _=*PID*PATH */
    uint32_t epoch;        /* sh->export_epoch when it was built */
};

/* ---- in ---- */

static bool is_underscore(const char *name, size_t len)
{
    return len == 1 && *name == '_';
}

/* $_ at first: what the variable `_` of the environment says, without the mark of a shell that
 * started this one: `*PID*`. */
static void import_underscore(struct shell *sh, const char *text)
{
    if (*text == '*') {
        const char *end = text + 1 + strspn(text + 1, "0123456789");
        text = *end == '*' ? end + 1 : text;
    }
    str_clear(&sh->last_argument);
    str_append_z(&sh->last_argument, text);
}

/* SECONDS goes on from there; nothing from outside is evaluated. */
static enum flow import_seconds(struct shell *sh, const char *value)
{
    size_t digits = strspn(value, "0123456789");
    size_t len = digits + (value[digits] == '.');
    len += strspn(value + len, "0123456789");
    return digits > 0 && !value[len] ? var_set_text(sh, "SECONDS", value) : FLOW_NEXT;
}

/* Without telling the special ones: the locale is set once for all, and nothing else has been
 * derived yet. */
static enum flow import_one(struct shell *sh, const char *text, size_t name_len)
{
    struct name *name = name_intern(sh, text, name_len);
    if (!name)
        return shell_fail_memory(sh, name_len);
    struct var *var;
    TRY(scope_global(sh, name, &var));
    const char *value = text + name_len + 1;
    var->attrs |= VAR_EXPORT;
    if (name->special && name->special->flags & SPECIAL_OWN)
        return strcmp(name->text, "SECONDS") == 0 ? import_seconds(sh, value) : FLOW_NEXT;
    return value_set_text(sh->heap, &var->value, value, strlen(value))
               ? FLOW_NEXT
               : shell_fail_memory(sh, strlen(value));
}

static enum flow import_all(struct shell *sh, char *const *envp)
{
    struct env_cache *cache = sh->env_cache;
    size_t foreign = 0;
    const char *shapes = NULL;
    for (size_t i = 0; envp[i]; i++) {
        const char *equals = strchr(envp[i], '=');
        size_t len = equals ? (size_t)(equals - envp[i]) : 0;
        if (text_eq(envp[i], len, SHAPES_NAME, strlen(SHAPES_NAME))) {
            shapes = equals + 1;
        } else if (len > 0 && text_is_name(envp[i], len)) {
            if (is_underscore(envp[i], len))
                import_underscore(sh, equals + 1);
            else
                TRY(import_one(sh, envp[i], len));
        } else {
            foreign++;
        }
    }
    if (shapes && !option_on(sh, OPTION_POSIX))
        TRY(env_shape_import(sh, shapes));
    if (foreign == 0)
        return FLOW_NEXT;
    char **list = mem_alloc(sh->heap, foreign * sizeof *list);
    if (!list)
        return shell_fail_memory(sh, foreign * sizeof *list);
    for (size_t i = 0; envp[i]; i++) {
        const char *equals = strchr(envp[i], '=');
        if (!equals || equals == envp[i] || !text_is_name(envp[i], (size_t)(equals - envp[i])))
            list[cache->foreign_count++] = envp[i];
    }
    cache->foreign = list;
    return FLOW_NEXT;
}

/* ---- what a shell starts with ---- */

static enum flow declare_int(struct shell *sh, const char *text, int64_t n)
{
    struct name *name = name_intern(sh, text, strlen(text));
    if (!name)
        return shell_fail_memory(sh, strlen(text));
    struct var_change change = { .set = VAR_INTEGER, .base = -1, .width = -1 };
    TRY(var_declare(sh, name, &change));
    const struct var_ref ref = var_ref_name(name);
    return name->cur && value_is_set(&name->cur->value)
               ? FLOW_NEXT
               : var_set_num(sh, &ref, num_int(n), ASSIGN_FORCE);
}

static enum flow default_text(struct shell *sh, const char *name, const char *text)
{
    return var_text(sh, name) ? FLOW_NEXT : var_set_text(sh, name, text);
}

/* SHLVL from the environment plus one, exported. */
static enum flow raise_shlvl(struct shell *sh)
{
    const char *text = var_text(sh, "SHLVL");
    int64_t level = 0;
    if (!text || !num_parse_int(text, strlen(text), &level) || level < 0 || level > 1000000)
        level = 0;
    struct name *name = name_intern(sh, "SHLVL", strlen("SHLVL"));
    if (!name)
        return shell_fail_memory(sh, 0);
    const struct var_ref ref = var_ref_name(name);
    TRY(var_unset(sh, &ref, true));
    struct var_change change = { .set = VAR_INTEGER | VAR_EXPORT, .base = -1, .width = -1 };
    TRY(var_declare(sh, name, &change));
    return var_set_int(sh, "SHLVL", level + 1);
}

static enum flow set_defaults(struct shell *sh)
{
    static const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        { "HISTCMD", 0 }, { "JOBMAX", 0 }, { "MAILCHECK", 600 }, { "OPTIND", 1 }, { "TMOUT", 0 }
    };
    static const char *const texts[][2] = {
        { "IFS", " \t\n" }, { "PS2", "> " }, { "PS3", "#? " }, { "PS4", "+ " }, { "FCEDIT", "ed" }
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        TRY(default_text(sh, texts[i][0], texts[i][1]));
    if (sh->interactive)
        TRY(default_text(sh, "PS1", geteuid() == 0 ? "# " : "$ "));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct name *name = name_find(sh, numbers[i].name, strlen(numbers[i].name));
        if (!(name && name->cur && value_is_set(&name->cur->value)))
            TRY(declare_int(sh, numbers[i].name, numbers[i].value));
    }
    TRY(raise_shlvl(sh));
    struct name *name = name_intern(sh, "KSH_VERSION", strlen("KSH_VERSION"));
    struct name *target = name_find(sh, ".sh.version", strlen(".sh.version"));
    if (!name)
        return shell_fail_memory(sh, 0);
    struct var_change change = {
        .set = VAR_NAMEREF, .base = -1, .width = -1, .nameref_target = target
    };
    return name->cur && value_is_set(&name->cur->value) ? FLOW_NEXT
                                                        : var_declare(sh, name, &change);
}

enum flow env_import(struct shell *sh, char *const *envp)
{
    TRY(import_all(sh, envp));
    special_locale(sh);
    TRY(special_editor(sh));
    TRY(set_defaults(sh));
    sh->export_epoch++;
    return FLOW_NEXT;
}

/* ---- out ---- */

struct builder {
    size_t count;             /* texts so far */
    struct str *texts;        /* NAME=TEXT, each with its NUL */
    const struct frame *only; /* only the variables of this frame; NULL: all there are */
};

static void add_string(struct builder *b, const char *name, size_t name_len, const char *text,
                       size_t len)
{
    if (!str_reserve(b->texts, name_len + len + 2))
        return;
    char *to = b->texts->data + b->texts->len;
    memcpy(to, name, name_len);
    to[name_len] = '=';
    memcpy(to + name_len + 1, text, len);
    to[name_len + 1 + len] = '\0';
    b->texts->len += name_len + len + 2;
    b->count++;
}

/* One variable. */
static enum flow build_one(struct shell *sh, struct name *name, struct builder *b)
{
    const char *text = NULL;
    size_t len = 0;
    TRY(var_get_name(sh, name, &text, &len));
    if (!text)
        return FLOW_NEXT;
    if (memchr(text, '\0', len))
        len = strlen(text);
    add_string(b, name->text, name->len, text, len);
    return FLOW_NEXT;
}

static enum flow build_texts(struct shell *sh, struct builder *b)
{
    size_t cursor = 0;
    bool shapes = !option_on(sh, OPTION_POSIX) && !b->only;
    struct str shape;
    str_init(&shape, sh->scratch);
    for (struct map_slot *slot; (slot = map_next(&sh->names, &cursor)) != NULL;) {
        struct name *name = slot->value;
        const struct var *var = name->cur;
        if (!var || (var->attrs & (VAR_EXPORT | VAR_NAMEREF)) != VAR_EXPORT || name->dotted ||
            (var->value.bits & VALUE_COMPOUND)) /* set -a marked it */
            continue;
        if ((var->attrs & VAR_ASSOC) || (b->only && var->owner != b->only) ||
            (!b->only && is_underscore(name->text, name->len)))
            continue;
        TRY(build_one(sh, name, b));
        if (shapes)
            env_shape_append(&shape, var);
    }
    if (shape.len)
        add_string(b, SHAPES_NAME, strlen(SHAPES_NAME), str_text(&shape), shape.len);
    return str_ok(&shape) && str_ok(b->texts) ? FLOW_NEXT
                                              : shell_fail_memory(sh, b->texts->len + shape.len);
}

/* LIST from FIRST on: the texts, then NULL. */
static void list_fill(const struct builder *b, char **list, size_t first)
{
    char *text = b->texts->data;
    for (size_t i = 0; i < b->count; i++, text += strlen(text) + 1)
        list[first + i] = text;
    list[first + b->count] = NULL;
}

static enum flow rebuild(struct shell *sh, struct env_cache *cache)
{
    struct str texts; /* not those of CACHE: a discipline may start programs too */
    struct builder b = { .texts = &texts };
    size_t first = 1 + cache->foreign_count; /* after `_` and what are no variables */
    str_init(&texts, sh->heap);
    str_reserve(&texts, cache->texts.len);
    enum flow flow = build_texts(sh, &b);
    size_t bytes = (first + b.count + 1) * sizeof(char *);
    char **list = flow == FLOW_NEXT ? mem_alloc(sh->heap, bytes) : NULL;
    if (!list) {
        str_release(&texts);
        return flow == FLOW_NEXT ? shell_fail_memory(sh, bytes) : flow;
    }
    if (cache->foreign_count)
        memcpy(list + 1, cache->foreign, cache->foreign_count * sizeof *list);
    list_fill(&b, list, first);
    mem_free(cache->built);
    str_release(&cache->texts);
    cache->texts = texts;
    cache->built = list;
    cache->epoch = sh->export_epoch;
    return FLOW_NEXT;
}

enum flow env_build(struct shell *sh, const char *path, char *const **ret_envp)
{
    struct env_cache *cache = sh->env_cache;
    if (!cache->built || cache->epoch != sh->export_epoch)
        TRY(rebuild(sh, cache));
    *ret_envp = cache->built + 1;
    if (!path)
        return FLOW_NEXT;
    struct str *s = &cache->underscore;
    str_clear(s);
    str_append_z(s, "_=*");
    str_append_int(s, getpid());
    str_putc(s, '*');
    str_append_z(s, path);
    if (!str_ok(s))
        return shell_fail_memory(sh, s->len);
    cache->built[0] = s->data;
    *ret_envp = cache->built;
    return FLOW_NEXT;
}

enum flow env_build_temporary(struct shell *sh, char *const **ret_envp)
{
    static char *const none[] = { NULL };
    const struct frame *frame = sh->frame;
    *ret_envp = none;
    if (frame->kind != FRAME_CMD)
        return FLOW_NEXT;
    struct str texts;
    struct builder b = { .only = frame, .texts = &texts };
    str_init(&texts, sh->scratch);
    TRY(build_texts(sh, &b));
    char **list = scratch_alloc(sh, (b.count + 1) * sizeof *list);
    if (!list)
        return shell_fail_memory(sh, (b.count + 1) * sizeof *list);
    list_fill(&b, list, 0);
    *ret_envp = list;
    return FLOW_NEXT;
}

enum flow env_init(struct shell *sh)
{
    sh->env_cache = mem_alloc_zeroed(sh->heap, sizeof *sh->env_cache);
    if (!sh->env_cache)
        return shell_fail_memory(sh, sizeof *sh->env_cache);
    str_init(&sh->env_cache->texts, sh->heap);
    str_init(&sh->env_cache->underscore, sh->heap);
    return FLOW_NEXT;
}

void env_release(struct shell *sh)
{
    if (!sh->env_cache)
        return;
    mem_free((void *)sh->env_cache->foreign);
    mem_free(sh->env_cache->built);
    str_release(&sh->env_cache->texts);
    str_release(&sh->env_cache->underscore);
    mem_free(sh->env_cache);
    sh->env_cache = NULL;
}
