/*
 * resolve: says what a finished word is, so that the executor need not look again.
 *
 * Owns the classification: the flags for globbing and braces, and the kinds LITERAL and VAR_QUOTED,
 * which are the executor's fast paths. Works on parts only; parses nothing.
 */
#include <string.h>

#include "shell/syntax/parser.h"

/* Progress in recognizing { .. , or .. .. } and [ .. ] over the unquoted text of a word. */
struct scan {
    unsigned brace_depth;
    bool brace_separator, brace;
    bool bracket, glob;
};

/* Bytes that scan_text() asks about. */
static const bool scanned[256] = {
    ['{'] = true, [','] = true, ['.'] = true, ['}'] = true,
    ['*'] = true, ['?'] = true, ['['] = true, [']'] = true,
};

static void scan_text(struct scan *s, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!scanned[(unsigned char)text[i]])
            continue;
        switch (text[i]) {
        case '{':
            s->brace_depth++;
            break;
        case ',':
            s->brace_separator |= s->brace_depth > 0;
            break;
        case '.':
            s->brace_separator |= s->brace_depth > 0 && i + 1 < len && text[i + 1] == '.';
            break;
        case '}':
            s->brace |= s->brace_depth > 0 && s->brace_separator;
            break;
        case '*':
        case '?':
            s->glob = true;
            break;
        case '[':
            s->bracket = true;
            break;
        case ']':
            s->glob |= s->bracket;
            break;
        default:
            break;
        }
    }
}

static void scan_flags(struct parser *p, struct word *word, enum word_mode mode)
{
    struct scan s = { 0 };
    for (uint32_t i = 0; i < word->part_count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_LITERAL && !part->quoted)
            scan_text(&s, part->literal.text, part->literal.len);
        else if (part->kind != PART_LITERAL)
            s.glob |= s.bracket;
    }
    if (s.glob)
        word->flags |= WORD_HAS_GLOB;
    if (s.brace && p->hooks->brace_expand && (mode == WORD_NORMAL || mode == WORD_ARG))
        word->flags |= WORD_HAS_BRACE;
}

static bool param_is_plain(const struct param *param)
{
    return param->form == PARAM_NAME && param->prefix == PARAM_PLAIN && param->op == OP_NONE &&
           !param->ref.subscript && !param->ref.subscript_all && param->ref.step_count == 0;
}

/* Says of each parameter whether it is plain, and returns whether one is all of WORD. */
static bool mark_plain(const struct word *word)
{
    bool plain = false;
    for (uint32_t i = 0; i < word->part_count; i++) {
        struct part *part = &word->parts[i];
        plain = part->kind == PART_PARAM && param_is_plain(part->param);
        if (plain)
            part->param->plain = true;
    }
    return plain && word->part_count == 1;
}

/* TEXT of a word of literals only. */
static void join_literals(struct parser *p, struct word *word)
{
    if (word->part_count == 1) {
        word->text = word->parts[0].literal.text;
        word->len = word->parts[0].literal.len;
        return;
    }
    size_t len = 0;
    for (uint32_t i = 0; i < word->part_count; i++)
        len += word->parts[i].literal.len;
    char *text = parser_alloc(p, len + 1);
    if (!text)
        return;
    word->text = text;
    word->len = len;
    for (uint32_t i = 0; i < word->part_count; i++) {
        memcpy(text, word->parts[i].literal.text, word->parts[i].literal.len);
        text += word->parts[i].literal.len;
    }
}

/* Words that are compiled, which is kept with them. */
static bool mode_is_compiled(enum word_mode mode)
{
    return mode == WORD_PATTERN || mode == WORD_REGEX || mode == WORD_ARITH || mode == WORD_TRIM ||
           mode == WORD_SUBST || mode == WORD_SUBSCRIPT;
}

void resolve_word(struct parser *p, struct word *word, enum word_mode mode)
{
    scan_flags(p, word, mode);
    unsigned active = WORD_HAS_EXPANSION | WORD_HAS_TILDE;
    if (mode == WORD_NORMAL || mode == WORD_PATTERN || (mode >= WORD_ARG && mode <= WORD_SUBST))
        active |= WORD_HAS_GLOB | WORD_HAS_BRACE;
    bool regex = mode == WORD_REGEX && word->part_count > 0 &&
                 !(word->part_count == 1 && word->parts[0].quoted);
    if (!(word->flags & active) && !regex) {
        word->kind = WORD_LITERAL;
        join_literals(p, word);
    } else {
        bool variable = mark_plain(word);
        word->kind = variable && word->parts[0].dquoted ? WORD_VAR_QUOTED : WORD_GENERAL;
        if (variable)
            word->flags |= WORD_IS_VARIABLE;
    }
    if (mode_is_compiled(mode))
        word->cache = parser_cache(p);
}

void resolve_literal(struct parser *p, struct word *word, enum word_mode mode)
{
    word->kind = WORD_LITERAL;
    word->text = word->parts[0].literal.text;
    word->len = word->parts[0].literal.len;
    if (mode_is_compiled(mode))
        word->cache = parser_cache(p);
}
