/*
 * What typeset, export and readonly print: variables with their values, or their attributes in
 * words, and functions.
 *
 * Each line is made whole in a string before it is written. Must not change a variable.
 */
#include <string.h>

#include "builtins/decl.h"
#include "builtins/operand.h"
#include "shell/state/members.h"
#include "shell/state/type.h"
#include "shell/syntax/unparse.h"

static enum flow write_line(struct shell *sh, struct str *line)
{
    if (!str_ok(line))
        return shell_fail_memory(sh, line->len);
    if (line->len) {
        str_putc(line, '\n');
        out_write(sh->out, str_text(line), line->len);
    }
    str_clear(line);
    return FLOW_NEXT;
}

/* The attributes of VAR in words, as plain typeset shows them, each followed by a blank. */
static void append_attr_words(struct str *s, const struct var *var)
{
    static const struct {
        uint32_t attr;
        const char *word;
    } words[] = {
        { VAR_EXPORT, "export" },
        { VAR_READONLY, "readonly" },
        { VAR_ASSOC, "associative array" },
        { VAR_INDEXED, "indexed array" },
        { VAR_TAG, "tagged" },
        { VAR_NAMEREF, "nameref" },
        { VAR_LONG, "long" },
        { VAR_SHORT, "short" },
        { VAR_UNSIGNED, "unsigned" },
        { VAR_INTEGER, "integer" },
        { VAR_FIXED, "float" },
        { VAR_EXPONENT, "exponential" },
        { VAR_HEXFLOAT, "hexfloat" },
        { VAR_LOWER, "tolower" },
        { VAR_UPPER, "toupper" },
        { VAR_ZERO, "zerofill" },
        { VAR_LEFT, "leftjust" },
        { VAR_RIGHT, "rightjust" },
        { VAR_BINARY, "binary" },
        { VAR_HOST, "filename" },
    };
    if (var->attrs & VAR_TYPED)
        str_printf(s, "%s ", var->type->name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(var->attrs & words[i].attr))
            continue;
        str_printf(s, "%s ", words[i].word);
        if (words[i].attr == VAR_INTEGER && var->base && var->base != 10)
            str_printf(s, "base %d ", var->base);
        else if (words[i].attr & VAR_FLOATING && var->width >= 0)
            str_printf(s, "precision %d ", var->width);
        else if (words[i].attr == VAR_HEXFLOAT)
            str_append_z(s, "precision 32 ");
        else if (words[i].attr & VAR_JUSTIFY)
            str_printf(s, "%d ", var->width);
    }
}

/* A name reference shows what it points to, not the value there. */
static void append_target(struct str *s, const struct var *var)
{
    if (!var->target)
        return;
    str_append(s, var->target->text, var->target->len);
    if (var->target_rest)
        str_append_z(s, var->target_rest);
}

static enum flow append_variable(struct shell *sh, const struct decl *decl, struct name *name,
                                 struct str *line)
{
    struct var_ref ref = var_ref_name(name);
    struct var *var = var_seen(name->cur);
    if (name->parent)
        TRY(var_resolve(sh, &ref, &var));
    if (!var)
        return FLOW_NEXT;
    if (decl->print && decl->names_only && !decl->word) /* typeset +p */
        return var_print_head(sh, name, line);
    if (decl->names_only) {
        str_append(line, name->text, name->len);
        return FLOW_NEXT;
    }
    if (decl->print && !decl->word)
        return var_print(sh, name, line, true);
    if (var->attrs & VAR_NOTHING && !decl->word) {
        if (var->attrs & VAR_ARRAY)
            str_append(line, name->text, name->len);
        return FLOW_NEXT;
    }
    if (decl->print && decl->word)
        str_printf(line, "%s ", decl->word);
    str_append(line, name->text, name->len);
    if (var->attrs & VAR_NOTHING)
        return FLOW_NEXT;
    str_putc(line, '=');
    if (var->attrs & VAR_NAMEREF) {
        append_target(line, var);
        return FLOW_NEXT;
    }
    return var_print_value(sh, name, line);
}

/* The line of NAME, whose variable VAR has the attributes that are asked for. */
static enum flow list_variable(struct shell *sh, const struct decl *decl, struct name *name,
                               const struct var *var, struct str *line)
{
    if (decl->any_option) {
        TRY(append_variable(sh, decl, name, line));
    } else {
        append_attr_words(line, var);
        if (line->len)
            str_append(line, name->text, name->len);
    }
    return write_line(sh, line);
}

/* The members of NAME that have all attributes WANTED, but not what belongs to a type. */
static enum flow list_members(struct shell *sh, const struct decl *decl, struct name *name,
                              uint32_t wanted, struct str *line)
{
    const struct var_ref whole = var_ref_name(name);
    const char **texts;
    size_t count;
    TRY(var_member_names(sh, &whole, &texts, &count));
    for (size_t i = 0; i < count; i++) {
        struct var *var;
        struct name *member =
            strchr(texts[i], '[') ? NULL : name_intern(sh, texts[i], strlen(texts[i]));
        if (!member)
            continue; /* inside of an element */
        struct var_ref ref = var_ref_name(member);
        TRY(var_resolve(sh, &ref, &var));
        if (var && (var->attrs & wanted) == wanted && !(var->in && var->in->type))
            TRY(list_variable(sh, decl, member, var, line));
    }
    return FLOW_NEXT;
}

/* .sh and what is below it is not listed. */
static bool is_own(const struct name *name)
{
    return strncmp(name->text, ".sh", 3) == 0 && (!name->text[3] || name->text[3] == '.');
}

enum flow decl_list(struct shell *sh, const struct decl *decl)
{
    struct name **names;
    size_t count;
    struct str line;
    uint32_t wanted = decl->change.set | decl->change.clear;
    if ((wanted & VAR_NUMERIC) && (wanted & VAR_LOWER))
        wanted = (wanted & ~(uint32_t)VAR_LOWER) | VAR_LONG;
    const uint32_t whole = VAR_ENUM | VAR_TYPED | VAR_COMPOUND | VAR_NAMEREF | VAR_EXPORT;
    bool with_members = !decl->word && !(wanted & whole) && (wanted || !decl->any_option);
    TRY(var_list(sh, with_members ? 0 : wanted, &names, &count));
    str_init(&line, sh->heap);
    enum flow flow = FLOW_NEXT;
    for (size_t i = 0; i < count && flow == FLOW_NEXT; i++) {
        const struct var *var = var_seen(names[i]->cur);
        if (!var || is_own(names[i]))
            continue;
        if (wanted & (VAR_ENUM | VAR_TYPED) && var->type != decl->change.type)
            continue;
        if (wanted & VAR_COMPOUND && var->attrs & (VAR_ARRAY | VAR_TYPED))
            continue;
        if ((var->attrs & wanted) == wanted)
            flow = list_variable(sh, decl, names[i], var, &line);
        if (flow == FLOW_NEXT && with_members &&
            (var->attrs & (VAR_COMPOUND | VAR_TYPED)) == VAR_COMPOUND)
            flow = list_members(sh, decl, names[i], wanted, &line);
    }
    str_release(&line);
    sh->status = 0;
    return flow;
}

/* -p NAME[SUBSCRIPT] shows one element. */
static enum flow append_element(struct shell *sh, const struct args *args, const char *operand,
                                struct str *line)
{
    struct var_ref ref;
    const char *text;
    size_t len;
    bool is_array;
    TRY(operand_ref(sh, args, operand, strlen(operand), &ref));
    TRY(var_print_element(sh, &ref, operand, line, &is_array));
    if (is_array)
        return FLOW_NEXT;
    TRY(var_get(sh, &ref, &text, &len));
    if (text) {
        str_printf(line, "%s=", operand);
        text_quote(line, text, len);
    }
    return FLOW_NEXT;
}

enum flow decl_print(struct shell *sh, const struct decl *decl, const struct args *args)
{
    struct str line;
    enum flow flow = FLOW_NEXT;
    str_init(&line, sh->heap);
    for (size_t i = args->next; i < args->count && flow == FLOW_NEXT; i++) {
        const char *operand = args->argv[i];
        size_t len = strlen(operand);
        if (memchr(operand, '[', len)) {
            flow = append_element(sh, args, operand, &line);
        } else if (!text_is_dotted_name(operand, len)) {
            flow = shell_fail(sh, ERROR_BUILTIN, 1, decl->command, "%s: invalid variable name",
                              operand);
        } else {
            bool dotted = memchr(operand, '.', len) != NULL;
            struct name *name =
                dotted ? name_intern(sh, operand, len) : name_find(sh, operand, len);
            if (name && (name->cur || name->parent))
                flow = append_variable(sh, decl, name, &line);
        }
        if (flow == FLOW_NEXT)
            flow = write_line(sh, &line);
    }
    str_release(&line);
    sh->status = 0;
    return flow;
}

/* ---- functions ------------------------------------------------------------------------------ */

/* The definition NODE, as written but with the full NAME: functions of name spaces and of compound
 * variables are written without what they belong to. */
static void append_definition(struct shell *sh, const struct node_function *node, const char *name,
                              struct str *s)
{
    struct str own;
    str_init(&own, sh->heap);
    if (!node->source)
        unparse_function(&own, node);
    const char *text = node->source ? node->source : str_text(&own);
    size_t len = node->source ? node->source_len : own.len;
    size_t before = node->ksh_style ? strlen("function") : 0;
    const char *at = len > before ? strstr(text + before, node->text) : NULL;
    if (at && str_ok(&own) && strcmp(node->text, name) != 0) {
        str_append(s, text, (size_t)(at - text));
        str_append_z(s, name);
        len -= (size_t)(at - text) + strlen(node->text);
        text = at + strlen(node->text);
    }
    str_append(s, text, len);
    str_release(&own);
}

/* NAME: as it was asked for. */
static enum flow print_function(struct shell *sh, const struct decl *decl, const struct func *func,
                                const char *name)
{
    struct str text;
    str_init(&text, sh->heap);
    if (decl->names_only)
        str_printf(&text, func->ksh_style || !func->node ? "%s\n" : "%s()\n", name);
    else if (!func->node)
        str_printf(&text, "typeset -fu %s\n", name);
    else
        append_definition(sh, func->node, name, &text);
    if (text.len && text.data[text.len - 1] != '\n')
        str_putc(&text, '\n');
    bool ok = str_ok(&text);
    if (ok)
        out_write(sh->out, str_text(&text), text.len);
    str_release(&text);
    return ok ? FLOW_NEXT : shell_fail_memory(sh, 0);
}

static enum flow list_functions(struct shell *sh, const struct decl *decl)
{
    struct func **funcs;
    size_t count;
    TRY(func_list(sh, &funcs, &count));
    for (size_t i = 0; i < count; i++) {
        if (strncmp(funcs[i]->name->text, ".sh.type.", 9) == 0) /* typeset -T shows them */
            continue;
        if ((!decl->undefined || !funcs[i]->node) && (!decl->traced || funcs[i]->traced))
            TRY(print_function(sh, decl, funcs[i], funcs[i]->name->text));
    }
    return FLOW_NEXT;
}

enum flow decl_functions(struct shell *sh, const struct decl *decl, struct args *args)
{
    sh->status = 0;
    if (args_left(args) == 0)
        return list_functions(sh, decl);
    for (const char *name; (name = args_peek(args, 0)); args->next++) {
        size_t len = strlen(name);
        struct func *func = func_find_visible(sh, name, len);
        if (decl->undefined && !decl->names_only) {
            struct name *interned =
                text_is_dotted_name(name, len) ? name_intern(sh, name, len) : NULL;
            if (!interned)
                return shell_fail(sh, ERROR_BUILTIN, 1, decl->command, "%s: invalid function name",
                                  name);
            if (!func)
                TRY(func_declare_autoload(sh, interned));
        } else if (!func) {
            sh->status = 1;
        } else if (decl->traced) {
            func->traced = !decl->names_only;
        } else if (!(decl->change.set & VAR_EXPORT)) { /* -fx: functions are never exported */
            TRY(print_function(sh, decl, func, name));
        }
    }
    return FLOW_NEXT;
}
