/*
 * Fuzzer of the pattern matcher. The first byte chooses: patterns made from the other bytes against
 * the slow matcher; or the bytes themselves as a pattern and a text, which must not crash or hang.
 */
#include <locale.h>
#include <stdlib.h>

#include "shell/base/utf8.h"
#include "tests/fuzz/slow_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_raw(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 300)
        return;
    unsigned flags = data[0] & 15u;
    size_t len = data[1] % (size - 1);
    const char *pattern = (const char *)data + 2, *text = pattern + len;
    size_t text_len = size - 2 - len;
    struct pattern *p = pattern_compile(mem_region_malloc(), pattern, len, flags);
    if (!p)
        return;
    struct match_span spans[MATCH_CAPTURE_MAX];
    bool whole = pattern_matches(p, text, text_len);
    if ((pattern_matches_spans(p, text, text_len, spans, MATCH_CAPTURE_MAX) > 0) != whole)
        abort();
    ptrdiff_t shortest = pattern_prefix(p, text, text_len, false);
    if (shortest > pattern_prefix(p, text, text_len, true))
        abort();
    if (pattern_suffix(p, text, text_len, false) < pattern_suffix(p, text, text_len, true))
        abort();
    pattern_search(p, text, text_len, 0, spans, 3);
    pattern_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    bool utf8 = data[0] & 1;
    setlocale(LC_ALL, utf8 ? "C.UTF-8" : "C");
    utf8_refresh();
    if (data[0] & 2) {
        try_raw(data + 1, size - 1);
        return 0;
    }
    struct choices c = { .bytes = data + 1, .left = size - 1, .state = size };
    char pattern[1000];
    if (slow_compare(&c, utf8_active, pattern))
        abort();
    return 0;
}
