/*
 * param_op: the operators of ${x...}: defaults, trims, slices, substitution.
 *
 * Operands are expanded first, the value is fetched after, because running the one may change the
 * other. Trims and slices are views into the value; only substitution builds a text. Lists apply an
 * operator to each element.
 */
#include "shell/base/utf8.h"
#include "shell/expand/build.h"

/* A trim or a substitution, ready to be applied to texts. */
struct text_op {
    enum param_op op;
    const struct param *param;
    struct pattern_use pattern;
    bool constant;           /* the replacement is the same for each match */
    bool have_replacement;   /* made at the first match */
    bool replacement_groups; /* it has backslashes: \N or escapes */
    bool record;             /* set .sh.match; not while its own value is being changed */
    struct buf replacement;
    struct buf result;
    struct buf held; /* copy of a text while the replacement is made */
    struct buf rows; /* of OP_SUBST_ALL: the spans of all matches, for .sh.match */
};

/* True when expanding WORD runs nothing, so that it gives the same text for each match: literals
 * and plain variables. */
static bool is_constant(const struct word *word)
{
    for (uint32_t i = 0; word && i < word->part_count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_LITERAL)
            continue;
        if (part->kind != PART_PARAM || !part->param->plain)
            return false;
        const struct name *name = part->param->ref.name;
        if (name->special || name->parent ||
            (name->cur && name->cur->attrs & (VAR_DISCIPLINE | VAR_NAMEREF)))
            return false;
    }
    return true;
}

static enum flow text_op_init(struct shell *sh, const struct param *param, struct text_op *op)
{
    op->op = param->op;
    op->param = param;
    op->have_replacement = false;
    op->record = true;
    op->constant = is_constant(param->arg2);
    buf_init(&op->replacement, sh);
    buf_init(&op->result, sh);
    buf_init(&op->held, sh);
    buf_init(&op->rows, sh);
    return pattern_use_word(sh, param->arg, &op->pattern);
}

static void text_op_release(struct text_op *op)
{
    pattern_use_release(&op->pattern);
    buf_release(&op->replacement);
    buf_release(&op->result);
    buf_release(&op->held);
    buf_release(&op->rows);
}

static enum flow record(struct shell *sh, const struct text_op *op, const char *text,
                        ptrdiff_t start, ptrdiff_t end)
{
    return op->record ? pattern_use_record(sh, &op->pattern, text, start, end) : FLOW_NEXT;
}

/* ---- trims ---- */

static enum flow trim(struct shell *sh, struct text_op *op, const char **text, size_t *len)
{
    bool longest = op->op == OP_TRIM_PREFIX_LONG || op->op == OP_TRIM_SUFFIX_LONG;
    if (op->op == OP_TRIM_PREFIX || op->op == OP_TRIM_PREFIX_LONG) {
        ptrdiff_t end = pattern_use_prefix(&op->pattern, *text, *len, longest);
        TRY(record(sh, op, *text, end < 0 ? -1 : 0, end));
        if (end > 0) {
            *text += end;
            *len -= (size_t)end;
        }
    } else {
        ptrdiff_t start = pattern_use_suffix(&op->pattern, *text, *len, longest);
        TRY(record(sh, op, *text, start, (ptrdiff_t)*len));
        if (start >= 0)
            *len = (size_t)start;
    }
    return FLOW_NEXT;
}

/* ---- substitution ---- */

/* Makes the replacement: at the first match, or when it may differ at each one. */
static enum flow make_replacement(struct shell *sh, struct text_op *op)
{
    op->have_replacement = op->constant;
    op->replacement.len = 0;
    op->replacement_groups = false;
    if (!op->param->arg2)
        return FLOW_NEXT;
    TRY(build_word_text(sh, op->param->arg2, BUILD_REPLACEMENT, &op->replacement));
    op->replacement_groups = memchr(op->replacement.data, '\\', op->replacement.len) != NULL;
    return FLOW_NEXT;
}

/* Appends the replacement for one match. */
static void put_replacement(struct text_op *op, const char *text, const struct match_span *spans,
                            size_t count)
{
    const struct buf *r = &op->replacement;
    if (!op->replacement_groups) {
        buf_append(&op->result, r->data, r->len);
        return;
    }
    for (size_t i = 0; i < r->len; i++) {
        char c = r->data[i];
        if (c != '\\' || i + 1 == r->len) {
            buf_putc(&op->result, c);
            continue;
        }
        c = r->data[++i];
        if (c < '0' || c > '9') {
            if (c != '\\')
                buf_putc(&op->result, '\\');
            buf_putc(&op->result, c);
            continue;
        }
        size_t group = (size_t)(c - '0');
        if (group < count && spans[group].start >= 0)
            buf_append(&op->result, text + spans[group].start,
                       (size_t)(spans[group].end - spans[group].start));
    }
}

/* The first match at or after START, as the operator anchors it. */
static size_t find_match(struct text_op *op, const char *text, size_t len, size_t start,
                         struct match_span *spans, size_t span_max)
{
    const struct pattern_use *use = &op->pattern;
    if (op->op == OP_SUBST || op->op == OP_SUBST_ALL)
        return pattern_use_search(use, text, len, start, spans, span_max);
    ptrdiff_t from = 0, to = (ptrdiff_t)len;
    if (op->op == OP_SUBST_PREFIX)
        to = pattern_use_prefix(use, text, len, true);
    else
        from = pattern_use_suffix(use, text, len, true);
    if (from < 0 || to < 0)
        return 0;
    size_t count = 1;
    if (use->pattern && span_max > 1) {
        count =
            pattern_matches_spans(use->pattern, text + from, (size_t)(to - from), spans, span_max);
        for (size_t i = 1; i < count; i++)
            if (spans[i].start >= 0) {
                spans[i].start += from;
                spans[i].end += from;
            }
    }
    spans[0] = (struct match_span){ from, to };
    return count ? count : 1;
}

/* Remembers one of all matches; beyond a number that no script looks at they are left out. */
static void add_row(struct text_op *op, const struct match_span *spans, size_t count)
{
    enum { ROWS_MAX = 1 << 12 };
    if (op->rows.len < ROWS_MAX * count * sizeof *spans)
        buf_append(&op->rows, (const char *)spans, count * sizeof *spans);
}

/* All matches in TEXT, COUNT spans each, become .sh.match. */
static enum flow record_rows(struct shell *sh, struct text_op *op, const char *text, size_t count)
{
    if (op->rows.failed)
        return shell_fail_memory(sh, op->rows.len);
    size_t row = count * sizeof(struct match_span);
    struct match_span last;
    memcpy(&last, op->rows.data + op->rows.len - row, sizeof last);
    return special_set_matches(sh, text, (size_t)last.end, op->rows.data, count,
                               op->rows.len / row);
}

/* One match: .sh.match is set for the replacement to use, which is made if need be and appended. */
static enum flow replace_match(struct shell *sh, struct text_op *op, const char *text,
                               const struct match_span *spans, size_t count)
{
    bool all = op->op == OP_SUBST_ALL;
    if (!all || !op->constant)
        TRY(record(sh, op, text, spans[0].start, spans[0].end));
    if (all && op->record)
        add_row(op, spans, count);
    if (!op->have_replacement)
        TRY(make_replacement(sh, op));
    put_replacement(op, text, spans, count);
    return FLOW_NEXT;
}

/* Replaces the match in SPANS and with OP_SUBST_ALL all after it. An empty match right after
 * another one does not count. */
static enum flow replace_matches(struct shell *sh, struct text_op *op, const char *text, size_t len,
                                 struct match_span *spans, size_t count, size_t span_max)
{
    size_t done = 0; /* bytes of TEXT dealt with */
    size_t row = count;
    bool adjacent = false;
    op->result.len = op->rows.len = 0;
    while (count > 0) {
        size_t start = (size_t)spans[0].start, end = (size_t)spans[0].end, next = end;
        buf_append(&op->result, text + done, start - done);
        if (start < end || !adjacent || start > done)
            TRY(replace_match(sh, op, text, spans, count));
        done = end;
        adjacent = true;
        if (start == end && end < len) {
            next += utf8_char_bytes(text + end, text + len);
            buf_append(&op->result, text + end, next - end);
            done = next;
            adjacent = false;
        }
        if (op->op != OP_SUBST_ALL || (start == end && end == len))
            break;
        count = find_match(op, text, len, next, spans, span_max);
    }
    buf_append(&op->result, text + done, len - done);
    return op->rows.len ? record_rows(sh, op, text, row) : FLOW_NEXT;
}

static enum flow substitute(struct shell *sh, struct text_op *op, const char **text, size_t *len)
{
    struct match_span spans[10];
    const struct pattern_use *use = &op->pattern;
    /* An empty pattern without an anchor matches nothing but an empty text. */
    if (!use->pattern && !use->never && use->literal_len == 0 && *len > 0 &&
        (op->op == OP_SUBST || op->op == OP_SUBST_ALL))
        return FLOW_NEXT;
    size_t span_max = use->has_groups ? 10 : 1;
    size_t count = find_match(op, *text, *len, 0, spans, span_max);
    if (count == 0)
        return record(sh, op, *text, -1, -1);
    if (!op->constant) {
        /* Making it may change the variable whose text this is. */
        op->held.len = 0;
        buf_append(&op->held, *text, *len);
        TRY(buf_text(sh, &op->held, text, len));
    }
    TRY(replace_matches(sh, op, *text, *len, spans, count, span_max));
    return buf_text(sh, &op->result, text, len);
}

static enum flow change(struct shell *sh, struct text_op *op, const char **text, size_t *len)
{
    op->result.len = 0;
    TRY(param_change_text(sh, op->param, &op->pattern, *text, *len, &op->result));
    return buf_text(sh, &op->result, text, len);
}

enum flow text_op_apply(struct shell *sh, struct text_op *op, const char **text, size_t *len)
{
    if (op->op >= OP_UPPER_FIRST)
        return change(sh, op, text, len);
    return op->op >= OP_SUBST ? substitute(sh, op, text, len) : trim(sh, op, text, len);
}

static enum flow param_text_op(struct builder *b, const struct part *part, struct subject *s)
{
    struct shell *sh = b->sh;
    struct text_op op;
    enum flow flow;
    TRY(text_op_init(sh, part->param, &op));
    op.record =
        !s->is_var || !(s->ref.name->special && s->ref.name->special->flags & SPECIAL_ARRAY);
    flow = subject_fetch(sh, s);
    if (flow == FLOW_NEXT && s->all) {
        if (!op.constant)
            flow = elements_keep(sh, &s->elements);
        if (flow == FLOW_NEXT)
            flow = param_list(b, part, s, &op);
    } else if (flow == FLOW_NEXT) {
        flow = subject_check(sh, part->param, s);
        const char *text = s->text ? s->text : "";
        size_t len = s->len;
        if (flow == FLOW_NEXT && (s->text || op.op != OP_TRANSFORM))
            flow = text_op_apply(sh, &op, &text, &len);
        if (flow == FLOW_NEXT)
            flow = build_result(b, part->quoted, text, len);
    }
    text_op_release(&op);
    return flow;
}

/* ---- slices ---- */

/* ${x:OFFSET:COUNT}; without COUNT everything. */
static enum flow slice_operands(struct shell *sh, const struct param *param, int64_t *ret_offset,
                                int64_t *ret_count)
{
    struct num n = num_int(0);
    if (param->arg)
        TRY(expand_arith(sh, param->arg, &n));
    *ret_offset = num_to_int(n);
    *ret_count = INT64_MAX;
    if (param->arg2) {
        TRY(expand_arith(sh, param->arg2, &n));
        *ret_count = num_to_int(n);
    }
    return FLOW_NEXT;
}

static enum flow slice_text(struct builder *b, const struct part *part, struct subject *s,
                            int64_t offset, int64_t count)
{
    TRY(subject_check(b->sh, part->param, s));
    const char *text = s->text;
    size_t len = s->len;
    if (count < 0) { /* as in bash: the end is counted from behind */
        count += (int64_t)utf8_count(text, len);
        len = count > 0 ? utf8_offset(text, len, (size_t)count) : 0;
        count = INT64_MAX;
    }
    if (offset < 0) {
        offset += (int64_t)utf8_count(text, s->len);
        if (offset < 0)
            offset = 0;
    }
    size_t start = (uint64_t)offset < len ? utf8_offset(text, len, (size_t)offset) : len;
    text += start;
    len -= start;
    if ((uint64_t)count < len)
        len = utf8_offset(text, len, (size_t)count);
    return build_result(b, part->quoted, text, len);
}

/* Indexed (END: its highest index + 1) or associative (END: its elements)? */
static enum flow array_shape(struct shell *sh, const struct elements *e, bool *ret_indexed,
                             int64_t *ret_end)
{
    struct var_ref ref = var_ref_name(e->name);
    bool key;
    if (e->inner) {
        ref = *e->inner;
        ref.step_count--;
    }
    TRY(var_is_assoc(sh, &ref, &key));
    *ret_indexed = !key;
    if (key)
        *ret_end = (int64_t)elements_count(sh, e);
    else
        *ret_end = e->inner ? var_next_index_in(sh, e->inner) : var_next_index(sh, e->name);
    return FLOW_NEXT;
}

static enum flow slice_list(struct builder *b, const struct part *part, struct subject *s,
                            int64_t offset, int64_t count)
{
    struct elements *e = &s->elements;
    struct shell *sh = b->sh;
    if (e->name) {
        bool indexed;
        int64_t end;
        TRY(array_shape(sh, e, &indexed, &end));
        if (offset < 0)
            offset += end;
        if (offset < 0)
            offset = 0;
        e->from_index = offset > e->from_index ? offset : e->from_index;
        e->skip = indexed ? 0 : (size_t)offset;
    } else {
        if (offset < 0)
            offset += (int64_t)e->count + 1;
        if (offset < 0)
            offset = 0;
        e->zero_first = offset == 0;
        e->next = offset == 0 ? 0 : (uint64_t)offset - 1 < e->count ? (size_t)offset - 1 : e->count;
    }
    e->left = count > 0 ? (size_t)count : 0;
    return param_list(b, part, s, NULL);
}

static enum flow param_slice(struct builder *b, const struct part *part, struct subject *s)
{
    int64_t offset, count;
    TRY(slice_operands(b->sh, part->param, &offset, &count));
    TRY(subject_fetch(b->sh, s));
    return s->all ? slice_list(b, part, s, offset, count) : slice_text(b, part, s, offset, count);
}

/* ---- defaults ---- */

/* Is the subject set (and with COLON not empty)? */
static enum flow is_present(struct shell *sh, const struct param *param, struct subject *s,
                            bool *ret_set, bool *ret_present)
{
    if (!s->all && s->is_var && param->op == OP_ALT && !param->colon) {
        *ret_set = *ret_present = var_is_set(sh, &s->ref);
        return FLOW_NEXT;
    }
    if (!s->all) {
        TRY(subject_fetch(sh, s));
        *ret_set = s->text != NULL;
        *ret_present = s->text && (!param->colon || s->len > 0);
        return FLOW_NEXT;
    }
    struct elements e = s->elements;
    const char *text;
    size_t len;
    *ret_set = *ret_present = false;
    while (!*ret_present && elements_next(sh, &e, &text, &len)) {
        *ret_set = true;
        *ret_present = !param->colon || len > 0;
    }
    return FLOW_NEXT;
}

static enum flow put_subject(struct builder *b, const struct part *part, struct subject *s)
{
    if (s->all)
        return param_list(b, part, s, NULL);
    return build_result(b, part->quoted, s->text, s->len);
}

/* The operand in place of the value. */
static enum flow put_operand(struct builder *b, const struct part *part)
{
    if (part->quoted)
        b->soft = true;
    bool sole = b->sole, empty_at = b->empty_at;
    const struct word *word = part->param->arg;
    b->sole = sole && word && word->part_count == 1;
    enum flow flow = word ? build_parts(b, word, true) : FLOW_NEXT;
    b->sole = sole;
    if (part->quoted)
        b->empty_at = empty_at;
    return flow;
}

static enum flow assign_default(struct builder *b, const struct part *part, struct subject *s)
{
    struct shell *sh = b->sh;
    if (!s->is_var)
        return param_bad(sh, part);
    struct buf value;
    const char *text;
    size_t len;
    buf_init(&value, sh);
    enum flow flow = build_word_text(sh, part->param->arg, BUILD_TEXT, &value);
    if (flow == FLOW_NEXT)
        flow = buf_text(sh, &value, &text, &len);
    struct var_ref ref = s->all ? var_ref_name(s->ref.name) : s->ref;
    if (flow == FLOW_NEXT)
        flow = var_set(sh, &ref, text, len, 0);
    buf_release(&value);
    TRY(flow);
    TRY(subject_fetch(sh, s));
    return put_subject(b, part, s);
}

static enum flow fail_unset(struct shell *sh, const struct part *part, const struct subject *s,
                            bool set)
{
    struct buf why;
    struct str name;
    const char *why_text;
    size_t len;
    str_init(&name, sh->heap);
    buf_init(&why, sh);
    if (s->is_var)
        str_append(&name, s->ref.name->text, s->ref.name->len);
    else
        subject_name(part->param, s, &name);
    enum flow flow = build_word_text(sh, part->param->arg, BUILD_TEXT, &why);
    if (flow == FLOW_NEXT && why.len == 0)
        buf_append(&why, set ? "parameter null" : "parameter not set", set ? 14 : 17);
    if (flow == FLOW_NEXT)
        flow = buf_text(sh, &why, &why_text, &len);
    if (flow == FLOW_NEXT)
        flow = shell_fail(sh, ERROR_EXPANSION, 1, str_text(&name), "%s", why_text);
    str_release(&name);
    buf_release(&why);
    return flow;
}

static enum flow param_default(struct builder *b, const struct part *part, struct subject *s)
{
    bool set, present;
    TRY(is_present(b->sh, part->param, s, &set, &present));
    switch ((enum param_op)part->param->op) {
    case OP_ALT:
        if (present)
            return put_operand(b, part);
        if (s->all == '@' && part->quoted && !set)
            b->empty_at = true;
        return build_result(b, part->quoted, "", 0);
    case OP_DEFAULT:
        return present ? put_subject(b, part, s) : put_operand(b, part);
    case OP_ASSIGN:
        return present ? put_subject(b, part, s) : assign_default(b, part, s);
    default:
        return present ? put_subject(b, part, s) : fail_unset(b->sh, part, s, set);
    }
}

enum flow param_op(struct builder *b, const struct part *part, struct subject *s)
{
    switch ((enum param_op)part->param->op) {
    case OP_DEFAULT:
    case OP_ASSIGN:
    case OP_ERROR:
    case OP_ALT:
        return param_default(b, part, s);
    case OP_SLICE:
        return param_slice(b, part, s);
    case OP_TRIM_PREFIX:
    case OP_TRIM_PREFIX_LONG:
    case OP_TRIM_SUFFIX:
    case OP_TRIM_SUFFIX_LONG:
    case OP_SUBST:
    case OP_SUBST_ALL:
    case OP_SUBST_PREFIX:
    case OP_SUBST_SUFFIX:
        return param_text_op(b, part, s);
    default:
        return param_changes_text(part->param) ? param_text_op(b, part, s) : param_bad(b->sh, part);
    }
}
