/*
 * param_case: ${x^} ${x^^} ${x,} ${x,,} with an optional pattern, and ${x@Q} ${x@U} ${x@u} ${x@L}.
 *
 * Not of ksh93, but of bash (and @Q of mksh): scripts that use them run here. Letters are those of
 * the locale. Nothing here looks at variables.
 */
#include "shell/base/utf8.h"
#include "shell/expand/build.h"

/* Appends the character at TEXT, BYTES long, in the other case; what is no valid character stays.
 */
static void put_changed(struct buf *ret, const char *text, size_t bytes, bool upper)
{
    char encoded[8];
    uint32_t cp;
    utf8_decode(text, text + bytes, &cp);
    uint32_t changed = upper ? utf8_to_upper(cp) : utf8_to_lower(cp);
    if (changed == cp) {
        buf_append(ret, text, bytes);
    } else if (utf8_active) {
        buf_append(ret, encoded, utf8_encode(changed, encoded));
    } else {
        buf_putc(ret, (char)changed);
    }
}

/* The first character, or ALL, that USE (NULL: anything) matches changes its case. */
static void change_case(const struct pattern_use *use, const char *text, size_t len, bool upper,
                        bool all, struct buf *ret)
{
    const char *end = text + len;
    for (const char *p = text; p < end;) {
        size_t bytes = utf8_char_bytes(p, end);
        if ((p == text || all) && (!use || pattern_use_matches(use, p, bytes)))
            put_changed(ret, p, bytes, upper);
        else
            buf_append(ret, p, bytes);
        p += bytes;
    }
}

/* Can TEXT stand between single quotes, if each of its own is written as '\''? */
static bool is_printable(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return false;
    return true;
}

/* ${x@Q}: as other shells write it where $'..' is not needed. */
static enum flow quote(struct shell *sh, const char *text, size_t len, struct buf *ret)
{
    struct str s;
    str_init(&s, sh->heap);
    if (memchr(text, '\'', len) && is_printable(text, len))
        text_quote_single(&s, text, len);
    else
        text_quote(&s, text, len);
    bool ok = str_ok(&s);
    if (ok)
        buf_append(ret, s.data, s.len);
    str_release(&s);
    return ok ? FLOW_NEXT : shell_fail_memory(sh, len);
}

bool param_changes_text(const struct param *param)
{
    if (param->op == OP_TRANSFORM)
        return strchr("QULu", param->transform) != NULL;
    return param->op >= OP_UPPER_FIRST && param->op <= OP_LOWER_ALL;
}

enum flow param_change_text(struct shell *sh, const struct param *param,
                            const struct pattern_use *use, const char *text, size_t len,
                            struct buf *ret)
{
    if (!param->arg)
        use = NULL;
    switch ((enum param_op)param->op) {
    case OP_UPPER_FIRST:
    case OP_UPPER_ALL:
        change_case(use, text, len, true, param->op == OP_UPPER_ALL, ret);
        return FLOW_NEXT;
    case OP_LOWER_FIRST:
    case OP_LOWER_ALL:
        change_case(use, text, len, false, param->op == OP_LOWER_ALL, ret);
        return FLOW_NEXT;
    default:
        break;
    }
    if (param->transform == 'Q')
        return quote(sh, text, len, ret);
    change_case(NULL, text, len, param->transform != 'L', param->transform != 'u', ret);
    return FLOW_NEXT;
}
