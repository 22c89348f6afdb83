/*
 * nanosort_limit: what the machine allows for the nanosort function.
 *
 * Same meaning as
 *
 *   while read i; do key="$i$((k++))"; a["$key"]="$i"; done
 *   printf "%s\n" "${a[@]}"
 *
 * in a shell whose associative arrays list their values in the byte order of
 * their keys: blanks around a line are dropped, a backslash quotes the next
 * character (and joins lines), every key is built, hashed, looked up and
 * stored, the keys are sorted, the values written.  No interpreter: this is
 * the floor under any shell.  With -v the time of each phase goes to
 * standard error.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct entry {
    char *key, *val;
    uint32_t klen, vlen;
};

struct ref {
    uint64_t prefix;
    uint32_t id, pad;
};

static struct entry *ent;
static size_t nent, cent;
static uint32_t *slot, *tag; /* slot: entry number + 1, 0 is free */
static size_t mask;

static void *need(void *p)
{
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return p;
}

static uint64_t load(const char *p, size_t n)
{
    uint64_t x = 0;

    memcpy(&x, p, n);
    return x;
}

static uint64_t hash(const char *p, size_t n)
{
    uint64_t h = n * 0x9E3779B97F4A7C15ull;

    while (n >= 8) {
        h = (h ^ load(p, 8)) * 0xFF51AFD7ED558CCDull;
        h ^= h >> 32;
        p += 8;
        n -= 8;
    }
    h = (h ^ load(p, n)) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 32;
    return h * 0xC4CEB9FE1A85EC53ull;
}

static void grow(void)
{
    size_t n = mask ? (mask + 1) * 2 : 1024, i, j;
    uint32_t *s = need(calloc(n, sizeof *s)), *t = need(malloc(n * sizeof *t));

    for (i = 0; mask && i <= mask; i++)
        if (slot[i]) {
            /* the tag holds the hash bits the table is indexed by */
            for (j = tag[i] & (n - 1); s[j]; j = (j + 1) & (n - 1))
                ;
            s[j] = slot[i];
            t[j] = tag[i];
        }
    free(slot);
    free(tag);
    slot = s;
    tag = t;
    mask = n - 1;
}

static void put(char *key, size_t klen, char *val, size_t vlen)
{
    uint32_t h = (uint32_t)(hash(key, klen) >> 32);
    size_t j;

    if (nent * 2 >= mask)
        grow();
    for (j = h & mask; slot[j]; j = (j + 1) & mask) {
        struct entry *e = &ent[slot[j] - 1];

        if (tag[j] == h && e->klen == klen && !memcmp(e->key, key, klen)) {
            e->val = val;
            e->vlen = (uint32_t)vlen;
            return;
        }
    }
    if (nent == cent) {
        cent = cent ? cent * 2 : 1024;
        ent = need(realloc(ent, cent * sizeof *ent));
    }
    ent[nent].key = key;
    ent[nent].klen = (uint32_t)klen;
    ent[nent].val = val;
    ent[nent].vlen = (uint32_t)vlen;
    slot[j] = (uint32_t)++nent;
    tag[j] = h;
}

/* storage for the keys, in pieces */
static char *room(size_t n)
{
    static char *p;
    static size_t left;
    char *r;

    if (n > left) {
        left = n > (1u << 20) ? n : 1u << 20;
        p = need(malloc(left));
    }
    r = p;
    p += n;
    left -= n;
    return r;
}

static int rest(const void *a, const void *b)
{
    const struct entry *x = &ent[((const struct ref *)a)->id];
    const struct entry *y = &ent[((const struct ref *)b)->id];
    size_t n = x->klen < y->klen ? x->klen : y->klen;
    int c = n > 8 ? memcmp(x->key + 8, y->key + 8, n - 8) : 0;

    return c ? c : x->klen < y->klen ? -1 : x->klen > y->klen;
}

static struct ref *sorted(void)
{
    struct ref *a = need(malloc((nent + 1) * sizeof *a)), *b = need(malloc((nent + 1) * sizeof *b));
    static size_t count[8][256];
    size_t i, j;
    int pass;

    for (i = 0; i < nent; i++) {
        uint64_t x = load(ent[i].key, ent[i].klen < 8 ? ent[i].klen : 8);

        a[i].id = (uint32_t)i;
        a[i].prefix = x;
        for (pass = 0; pass < 8; pass++)
            count[pass][x >> (8 * pass) & 255]++;
    }
    for (pass = 7; pass >= 0; pass--) { /* last byte of the prefix first */
        size_t at[256], sum = 0;
        struct ref *t;

        for (i = 0; i < 256; i++) {
            at[i] = sum;
            sum += count[pass][i];
        }
        if (nent && count[pass][a[0].prefix >> (8 * pass) & 255] == nent)
            continue;
        for (i = 0; i < nent; i++)
            b[at[a[i].prefix >> (8 * pass) & 255]++] = a[i];
        t = a;
        a = b;
        b = t;
    }
    for (i = 0; i < nent; i = j) {
        for (j = i + 1; j < nent && a[j].prefix == a[i].prefix; j++)
            ;
        if (j - i > 1)
            qsort(a + i, j - i, sizeof *a, rest);
    }
    free(b);
    return a;
}

static double clock_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

/* The values in the order of their keys. */
static int write_all(const struct ref *order)
{
    const size_t limit = 1 << 20;
    char *out = need(malloc(limit));
    size_t outn = 0;

    for (size_t i = 0; i < nent; i++) {
        struct entry *e = &ent[order[i].id];

        if (outn + e->vlen + 1 > limit) {
            if (write(1, out, outn) < 0)
                return 0;
            outn = 0;
            if (e->vlen >= limit) {
                if (write(1, e->val, e->vlen) < 0 || write(1, "\n", 1) < 0)
                    return 0;
                continue;
            }
        }
        memcpy(out + outn, e->val, e->vlen);
        outn += e->vlen;
        out[outn++] = '\n';
    }
    return !outn || write(1, out, outn) >= 0;
}

int main(int argc, char **argv)
{
    size_t cap = 1 << 20, len = 0;
    char *in = need(malloc(cap + 8)), *p, *end;
    double t0 = clock_s(), t1, t2, t3, t4;
    long k = 0;
    ssize_t got;
    struct ref *order;

    while ((got = read(0, in + len, cap - len)) > 0) {
        len += (size_t)got;
        if (len == cap)
            in = need(realloc(in, (cap *= 2) + 8));
    }
    t1 = clock_s();
    for (p = in, end = in + len; p < end;) {
        char *nl = memchr(p, '\n', (size_t)(end - p)), *s, *e, *keep, *key, *d;
        char num[24];
        size_t n, m = 0;
        long c;

        if (!nl)
            break; /* read fails on an unfinished line */
        for (s = p; s < nl && (*s == ' ' || *s == '\t'); s++)
            ;
        keep = s; /* quoted blanks stay */
        if (s < nl && memchr(s, '\\', (size_t)(nl - s))) {
            char *from = s;

            for (e = s; from < end && *from != '\n';) {
                if (*from == '\\' && from + 1 < end) {
                    if (*++from == '\n') {
                        from++;
                        continue;
                    }
                    *e++ = *from++;
                    keep = e;
                } else
                    *e++ = *from++;
            }
            if (from == end)
                break;
            nl = from;
        } else
            e = nl;
        p = nl + 1;
        while (e > keep && (e[-1] == ' ' || e[-1] == '\t'))
            e--;
        n = (size_t)(e - s);
        c = k++;
        d = num + sizeof num;
        do {
            *--d = (char)('0' + c % 10);
            m++;
        } while ((c /= 10) != 0);
        key = room(n + m);
        memcpy(key, s, n);
        memcpy(key + n, d, m);
        put(key, n + m, s, n);
    }
    t2 = clock_s();
    order = sorted();
    t3 = clock_s();
    if (!write_all(order))
        return 1;
    t4 = clock_s();
    if (argc > 1 && !strcmp(argv[1], "-v"))
        fprintf(stderr, "read %.3f  insert %.3f  sort %.3f  write %.3f s\n", t1 - t0, t2 - t1,
                t3 - t2, t4 - t3);
    return 0;
}
