/*
 * New mail: MAILPATH, a list of FILE[?MESSAGE] between colons, or MAIL, one file.
 *
 * A file has mail when it is not empty and was changed after the last look, and later than it was
 * read. Nothing is remembered of each file, so that the list may change at any time. A message is
 * expanded with _ as the file's name.
 */
#include "shell/interactive/mail.h"

#include <string.h>
#include <sys/stat.h>

#include "shell/base/num.h"
#include "shell/base/sys.h"
#include "shell/state/fdtab.h"
#include "shell/state/var.h"

enum { MAILCHECK_SECONDS = 600, NS_PER_SECOND = 1000000000 };

/* What is known of a file. */
struct seen {
    struct timespec changed;
    char file[];
};

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

void mail_init(struct mail *mail, struct mem_region *region)
{
    *mail = (struct mail){ 0 };
    map_init(&mail->seen, region);
}

void mail_release(struct mail *mail)
{
    for (size_t i = 0; i < mail->seen.cap; i++)
        mem_free(mail->seen.slots[i].value);
    map_release(&mail->seen);
}

static void tell(struct shell *sh, const char *file, const char *message, size_t len)
{
    const char *text = message;
    size_t text_len = len;
    int status = sh->status;
    if (var_set_text(sh, "_", file) != FLOW_NEXT ||
        sh->hooks.expand_text(sh, message, len, &text, &text_len) != FLOW_NEXT)
        shell_print_error(sh);
    sh->status = status;
    fdtab_message(sh, text, text_len);
}

/* Whether FILE has changed since the last look, which this is the next one of. */
static bool has_changed(struct shell *sh, struct mail *mail, const char *file)
{
    struct stat st = { 0 };
    size_t len = strlen(file);
    struct seen *seen = map_get(&mail->seen, file, len);
    bool there = stat(file, &st) == 0, first = !seen;
    if (first) {
        seen = mem_alloc_zeroed(sh->heap, sizeof *seen + len + 1);
        if (seen)
            memcpy(seen->file, file, len);
        if (!seen || !map_put(&mail->seen, seen->file, len, seen)) {
            mem_free(seen);
            return false;
        }
    }
    bool changed = there && !same_time(&st.st_mtim, &seen->changed);
    if (there)
        seen->changed = st.st_mtim;
    bool read = st.st_atim.tv_sec > st.st_mtim.tv_sec;
    return changed && !first && st.st_size > 0 && !read;
}

/* ENTRY of LEN bytes: a file, and perhaps a message. */
static void entry_check(struct shell *sh, struct mail *mail, const char *entry, size_t len)
{
    static const char plain[] = "you have mail in $_";
    const char *mark = memchr(entry, '?', len);
    const char *file = scratch_dup(sh, entry, mark ? (size_t)(mark - entry) : len);
    if (!file || !has_changed(sh, mail, file))
        return;
    if (mark)
        tell(sh, file, mark + 1, (size_t)(entry + len - mark - 1));
    else
        tell(sh, file, plain, sizeof plain - 1);
}

void mail_check(struct shell *sh, struct mail *mail)
{
    const char *path = var_text(sh, "MAILPATH"), *pause = var_text(sh, "MAILCHECK");
    int64_t now = sys_monotonic_ns(), seconds = MAILCHECK_SECONDS;
    bool one = !path;
    if (one)
        path = var_text(sh, "MAIL");
    if (!path || !*path)
        return;
    if (pause)
        (void)num_parse_int(pause, strlen(pause), &seconds);
    if (mail->checked_ns && (now - mail->checked_ns) / NS_PER_SECOND < seconds)
        return;
    mail->checked_ns = now;
    struct mem_mark mark = mem_region_mark(sh->scratch);
    path = scratch_dup(sh, path, strlen(path)); /* an expansion may assign to it */
    for (size_t len; path && *path; path += len + (path[len] == ':')) {
        len = one ? strlen(path) : strcspn(path, ":");
        entry_check(sh, mail, path, len);
    }
    mem_region_reset(sh->scratch, mark);
}
