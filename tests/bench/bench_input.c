/*
 * bench_input: deterministic inputs for the workloads of scripts/bench shell.
 *
 *   bench_input KIND N
 *
 *   rand     N lines of 10 letters and digits (11 bytes with the newline)
 *   sorted   the same lines in byte order
 *   reverse  the same lines in reverse byte order
 *   long     N lines of 199 letters and digits (200 bytes)
 *   csv      N records: id,region,product,quantity,price
 *   words    N lines of 4 to 12 words, few of them frequent
 *   json     N records of JSON, one value per line
 *   script   a shell script of about N lines: function definitions only
 *
 * The same KIND and N always give the same bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 0x9E3779B97F4A7C15ull;

static uint64_t next(void)
{
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static unsigned below(unsigned n)
{
    return (unsigned)(((next() >> 32) * n) >> 32);
}

/* small numbers are much more frequent than large ones */
static unsigned skewed(unsigned n)
{
    double u = (next() >> 11) / 9007199254740992.0;

    return (unsigned)(u * u * u * n);
}

static void alnum(char *p, int n)
{
    static const char set[] = "0123456789abcdefghijklmnopqrstuvwxyz";

    while (n-- > 0)
        *p++ = set[below(36)];
}

static int up(const void *a, const void *b)
{
    return memcmp(a, b, 10);
}
static int down(const void *a, const void *b)
{
    return memcmp(b, a, 10);
}

static void lines(long n, int (*order)(const void *, const void *))
{
    char *all = malloc((size_t)n * 11 + 1);
    long i;

    if (!all)
        exit(1);
    for (i = 0; i < n; i++) {
        alnum(all + i * 11, 10);
        all[i * 11 + 10] = '\n';
    }
    if (order)
        qsort(all, (size_t)n, 11, order);
    fwrite(all, 11, (size_t)n, stdout);
    free(all);
}

static void longlines(long n)
{
    char b[200];
    long i;

    b[199] = '\n';
    for (i = 0; i < n; i++) {
        alnum(b, 199);
        fwrite(b, 200, 1, stdout);
    }
}

static void csv(long n)
{
    static const char *const side[] = { "north", "south", "east", "west", "mid" };
    long i;

    for (i = 1; i <= n; i++) {
        unsigned r = skewed(50), p = skewed(2000);
        unsigned q = 1 + below(20), price = 100 + below(9900);

        printf("%ld,%s%u,item%04u,%u,%u\n", i, side[r % 5], r / 5, p, q, price);
    }
}

static void word(char *w, unsigned id)
{
    static const char c[] = "bcdfghklmnprstvz", v[] = "aeiou";
    int k = 0;

    do {
        w[k++] = c[id & 15];
        id >>= 4;
        w[k++] = v[id % 5];
        id /= 5;
    } while (id);
    w[k] = 0;
}

static void words(long n)
{
    char w[32];
    long i;

    for (i = 0; i < n; i++) {
        int k = 4 + (int)below(9), j;

        for (j = 0; j < k; j++) {
            word(w, skewed(8000));
            printf("%s%s", j ? " " : "", w);
        }
        putchar('\n');
    }
}

static void json(long n)
{
    char w[32];
    long i;

    puts("[");
    for (i = 0; i < n; i++) {
        unsigned v[9], j;

        word(w, skewed(8000));
        for (j = 0; j < 9; j++) /* one call a statement: fixed order */
            v[j] = below(26 * 25);
        printf("  {\"id\": %ld, \"name\": \"%s\", \"tags\": [\"%c\", \"%c%u\", \"x\"],\n", i, w,
               'a' + v[0] % 26, 'a' + v[1] % 26, v[2]);
        printf("   \"price\": %u.%02u, \"active\": %s, \"parent\": null,\n", v[3], v[4] % 100,
               v[5] & 1 ? "true" : "false");
        printf("   \"size\": {\"w\": %u, \"h\": -%u}}%s\n", v[6], v[7], i + 1 < n ? "," : "");
    }
    puts("]");
}

static void script(long n)
{
    long made = 0;
    int f = 0;

    while (made < n) {
        char w[32];

        word(w, skewed(8000));
        printf("# step %d: look at %s\n", f, w);
        printf("step_%d() {\n", f);
        printf("    name=${1:-%s} count=0 rest=\n", w);
        printf("    if [ \"$#\" -gt 2 ] && test -n \"$name\"; then\n");
        printf("        shift; rest=\"$*\"\n");
        printf("    elif [ -z \"$name\" ]; then\n");
        printf("        echo \"usage: step_%d name [arg...]\" >&2; return %u\n", f, 1 + below(9));
        f++;
        printf(
            "    else\n        rest=$(printf '%%s' \"$name\" | tr a-z A-Z) || return 1\n    fi\n");
        printf("    for item in \"$@\" %s '%u items' \"$HOME\"/*.c; do\n", w, below(100));
        printf("        case $item in\n");
        printf("            *.c|*.h) count=$((count + %u)) ;;\n", 1 + below(20));
        printf("            [a-m]*) name=${item%%.*}; name=${name##*/} ;;\n");
        printf("            *) : \"${name:=%s}\" ;;\n        esac\n    done\n", w);
        printf("    while [ \"$count\" -gt %u ]; do\n", below(50));
        printf("        count=$(( (count * 3 + %u) / 7 ))\n    done\n", below(50));
        printf("    { echo \"$name: $count\"; echo \"$rest\"; } | sort -u >/dev/null 2>&1\n");
        printf("    cat <<EOT\nreport for $name (%u)\ntotal: $((count + 1)) `echo done`\nEOT\n}\n",
               below(1000));
        made += 26;
    }
}

int main(int argc, char **argv)
{
    const char *kind = argc == 3 ? argv[1] : "";
    long n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    static char buf[1 << 16];

    setvbuf(stdout, buf, _IOFBF, sizeof buf);
    if (!strcmp(kind, "rand"))
        lines(n, NULL);
    else if (!strcmp(kind, "sorted"))
        lines(n, up);
    else if (!strcmp(kind, "reverse"))
        lines(n, down);
    else if (!strcmp(kind, "long"))
        longlines(n);
    else if (!strcmp(kind, "csv"))
        csv(n);
    else if (!strcmp(kind, "words"))
        words(n);
    else if (!strcmp(kind, "json"))
        json(n);
    else if (!strcmp(kind, "script"))
        script(n);
    else {
        fprintf(stderr, "usage: bench_input rand|sorted|reverse|long|csv|words|json|script N\n");
        return 2;
    }
    return fflush(stdout) ? 1 : 0;
}
