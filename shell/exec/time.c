/*
 * The time keyword: elapsed, user and system time of a pipeline, of the shell and the children it
 * waited for.
 *
 * The report goes to descriptor 2 after the command, whatever way it ended short of leaving the
 * shell, in the form of TIMEFORMAT (%[digits][l]R U S, %P, %%), of POSIX under -p, or ksh93's
 * default. Without a command the times are those of the shell itself.
 */
#include <string.h>
#include <sys/resource.h>

#include "shell/base/sys.h"
#include "shell/exec/exec_private.h"
#include "shell/state/fdtab.h"

struct times {
    int64_t real_ns, user_ns, sys_ns;
};

static int64_t timeval_ns(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

static struct times times_now(void)
{
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    return (struct times){
        .real_ns = sys_monotonic_ns(),
        .user_ns = timeval_ns(self.ru_utime) + timeval_ns(children.ru_utime),
        .sys_ns = timeval_ns(self.ru_stime) + timeval_ns(children.ru_stime),
    };
}

/* SECONDS with DIGITS decimals, cut, not rounded; LONG_FORM: 1m02.50s, with two digits for the
 * seconds. */
static void append_time(struct str *s, int64_t ns, int digits, bool long_form)
{
    int64_t seconds = ns / 1000000000, fraction = ns % 1000000000;
    for (int i = digits; i < 9; i++)
        fraction /= 10;
    if (long_form)
        str_printf(s, "%lldm%02lld", (long long)(seconds / 60), (long long)(seconds % 60));
    else
        str_printf(s, "%lld", (long long)seconds);
    if (digits)
        str_printf(s, ".%0*lld", digits, (long long)fraction);
    if (long_form)
        str_putc(s, 's');
}

/* One % directive at P, just after the %; returns where to go on, NULL when it is not one. */
static const char *append_directive(struct str *s, const char *p, const struct times *t)
{
    int digits = 3;
    bool long_form = false;
    if (*p == '%') {
        str_putc(s, '%');
        return p + 1;
    }
    if (*p == 'P') {
        int64_t busy = t->user_ns + t->sys_ns;
        str_printf(s, "%.3f", t->real_ns ? 100.0 * (double)busy / (double)t->real_ns : 0.0);
        return p + 1;
    }
    if (*p >= '0' && *p <= '9')
        digits = *p++ - '0';
    if (digits > 9)
        digits = 9;
    if (*p == 'l') {
        long_form = true;
        p++;
    }
    int64_t ns = *p == 'R' ? t->real_ns : *p == 'U' ? t->user_ns : t->sys_ns;
    if (*p != 'R' && *p != 'U' && *p != 'S')
        return NULL;
    append_time(s, ns, digits, long_form);
    return p + 1;
}

/* The letter of the directive at P, just after the %. */
static char directive_letter(const char *p)
{
    p += strspn(p, "0123456789");
    p += *p == 'l';
    return *p;
}

/* Nothing is appended, and a message says why, when FORMAT has a directive that is none. */
static void append_format(struct shell *sh, struct str *s, const char *format,
                          const struct times *t)
{
    while (*format) {
        if (*format != '%' || !format[1]) {
            str_putc(s, *format++);
            continue;
        }
        const char *after = append_directive(s, format + 1, t);
        if (!after) {
            shell_warn(sh, NULL, "%c: bad format character in time format",
                       directive_letter(format + 1));
            str_clear(s);
            return;
        }
        format = after;
    }
    str_putc(s, '\n');
}

static void append_default(struct str *s, const struct times *t, bool with_real)
{
    if (with_real) {
        str_append_z(s, "\nreal\t");
        append_time(s, t->real_ns, 2, true);
        str_putc(s, '\n');
    }
    str_append_z(s, "user\t");
    append_time(s, t->user_ns, 2, true);
    str_append_z(s, "\nsys\t");
    append_time(s, t->sys_ns, 2, true);
    str_putc(s, '\n');
}

static void report(struct shell *sh, const struct node_time *node, const struct times *t)
{
    struct str s;
    str_init(&s, sh->heap);
    const char *format = var_text(sh, "TIMEFORMAT");
    if (node->posix)
        append_format(sh, &s, "real %2R\nuser %2U\nsys %2S", t);
    else if (!node->command)
        append_default(&s, t, false);
    else if (!format)
        append_default(&s, t, true);
    else if (*format)
        append_format(sh, &s, format, t);
    (void)fdtab_flush(sh);
    struct out *out = fdtab_out(sh, 2);
    if (out && str_ok(&s)) {
        out_write(out, str_text(&s), s.len);
        (void)out_flush(out);
    }
    str_release(&s);
}

enum flow exec_time(struct shell *sh, const struct node_time *node)
{
    struct times before = { 0 };
    enum flow flow = FLOW_NEXT;
    if (node->command) {
        before = times_now();
        flow = exec_node(sh, node->command);
    } else {
        sh->status = 0;
    }
    struct times t = times_now();
    t.real_ns -= before.real_ns;
    t.user_ns -= before.user_ns;
    t.sys_ns -= before.sys_ns;
    report(sh, node, &t);
    return flow;
}
