/*
 * mktemp: make a temporary file or folder of a name that nobody else has.
 *
 * The name is tried with O_EXCL, or mkdir, until one is new, so that what is printed is ours. Names
 * hold lower case letters and digits, and without a row of X fit into 8.3 characters, as those of
 * ksh93 do.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtins/builtin.h"
#include "builtins/mode.h"
#include "shell/base/sys.h"
#include "shell/state/fdtab.h"
#include "shell/state/var.h"

enum { BASE_MAX = 5, TRIES = 20000 };

struct request {
    bool folder, quiet, temporary, dry_run, has_mode;
    mode_t mode;
    const char *fallback; /* -p: where, if TMPDIR is unset */
    const char *command;
    uint64_t random; /* -R: state of the generator; 0: the system's numbers */
};

/* The name's parts: what stays, how many random characters, and where a dot goes in between; 0:
 * nowhere. */
struct shape {
    struct str head;
    size_t count, dot_at;
};

static uint64_t next_random(struct request *rq)
{
    if (!rq->random)
        return sys_random();
    rq->random ^= rq->random << 13; /* xorshift */
    rq->random ^= rq->random >> 7;
    rq->random ^= rq->random << 17;
    return rq->random * UINT64_C(0x2545f4914f6cdd1d);
}

static void shape_make(struct shape *shape, const char *folder, const char *prefix)
{
    const char *slash = strrchr(prefix, '/');
    const char *base = slash ? slash + 1 : prefix;
    size_t len = strlen(base), end = len;
    if (folder)
        str_printf(&shape->head, "%s%s", folder,
                   *folder && folder[strlen(folder) - 1] == '/' ? "" : "/");
    str_append(&shape->head, prefix, (size_t)(base - prefix));
    while (end > 0 && base[end - 1] == 'X')
        end--;
    shape->count = len - end;
    if (!shape->count) {
        end = len < BASE_MAX ? len : BASE_MAX;
        shape->dot_at = memchr(base, '.', end) ? 0 : 2;
        shape->count = 5 + !shape->dot_at;
    }
    str_append(&shape->head, base, end);
}

/* What was made and nobody will know of does not stay. */
static void take_back(const struct request *rq, const char *path)
{
    if (!rq->dry_run)
        (void)(rq->folder ? rmdir(path) : unlink(path));
}

/* Makes the file or folder PATH, a name for system calls; false: errno. */
static bool make(const struct request *rq, const char *path)
{
    struct stat st;
    if (rq->dry_run) {
        if (lstat(path, &st) == 0)
            errno = EEXIST;
        return errno == ENOENT;
    }
    int fd = rq->folder ? mkdir(path, 0700) : sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return false;
    bool ok = !rq->has_mode || (rq->folder ? chmod(path, rq->mode) : fchmod(fd, rq->mode)) == 0;
    int error = errno;
    if (!rq->folder)
        close(fd);
    if (!ok)
        take_back(rq, path);
    errno = error;
    return ok;
}

/* Prints PATH, the name of what was made at REAL. The shell itself reports that it cannot be
 * written. */
static void tell(struct shell *sh, const struct request *rq, const char *path, const char *real)
{
    out_printf(sh->out, "%s\n", path);
    if (!out_flush(sh->out))
        take_back(rq, real);
}

static enum flow make_new(struct shell *sh, struct request *rq, const struct shape *shape)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    struct str path;
    str_init(&path, sh->scratch);
    str_append(&path, shape->head.data, shape->head.len);
    for (int i = 0; i < TRIES; i++) {
        str_truncate(&path, shape->head.len);
        for (size_t k = 0; k < shape->count; k++) {
            if (shape->dot_at && k == shape->dot_at)
                str_putc(&path, '.');
            str_putc(&path, letters[next_random(rq) % (sizeof letters - 1)]);
        }
        if (!str_ok(&path) || !str_ok(&shape->head))
            return shell_fail_memory(sh, path.len);
        errno = 0;
        char buffer[FDTAB_PATH_SIZE];
        const char *real = fdtab_path(sh, str_text(&path), buffer);
        if (make(rq, real)) {
            tell(sh, rq, str_text(&path), real);
            return FLOW_NEXT;
        }
        if (errno != EEXIST)
            break;
    }
    int error = errno;
    sh->status = 1;
    if (rq->quiet)
        return FLOW_NEXT;
    return shell_fail(sh, ERROR_BUILTIN, 1, rq->command, "%s: cannot create: %s",
                      text_shown(sh->scratch, str_text(&path)), strerror(error));
}

static enum flow take_option(struct shell *sh, struct args *args, int option, struct request *rq)
{
    const char *text = args->option_argument;
    int64_t seed = 0;
    switch (option) {
    case 'd':
        rq->folder = true;
        break;
    case 'm':
        rq->has_mode = true;
        rq->mode = 0700;
        if (!mode_parse_octal(text, 07777, &rq->mode) && !mode_parse_symbolic(text, &rq->mode))
            return shell_fail(sh, ERROR_BUILTIN, 2, rq->command, "%s: no mode", text);
        break;
    case 'p':
        rq->fallback = text;
        rq->temporary = true;
        break;
    case 'q':
        rq->quiet = true;
        break;
    case 'R':
        if (!num_parse_int(text, strlen(text), &seed))
            return shell_fail(sh, ERROR_BUILTIN, 2, rq->command, "%s: no number", text);
        rq->random = seed ? (uint64_t)seed : 1;
        break;
    case 't':
        rq->temporary = true;
        break;
    default:
        rq->dry_run = true;
        break;
    }
    return FLOW_NEXT;
}

static enum flow mktemp_run(struct shell *sh, struct args *args)
{
    struct request rq = { .command = args->spec->name };
    struct shape shape = { 0 };
    enum flow flow = FLOW_NEXT;
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        TRY(take_option(sh, args, option, &rq));
    }
    if (args_left(args) > 1)
        return builtin_usage_error(sh, args, "too many operands");
    const char *prefix = args_peek(args, 0), *folder = NULL;
    if (!prefix)
        rq.temporary = true;
    if (rq.temporary && !(prefix && strchr(prefix, '/'))) {
        folder = var_text(sh, "TMPDIR");
        if (!folder || !*folder)
            folder = rq.fallback ? rq.fallback : "/tmp";
    }
    sh->status = 0;
    str_init(&shape.head, sh->scratch);
    shape_make(&shape, folder, prefix ? prefix : "tmp_");
    return make_new(sh, &rq, &shape);
}

static const struct builtin_option options[] = {
    { .letter = 'd', .long_name = "directory", .help = "make a directory" },
    { .letter = 'm',
      .argument = "mode",
      .long_name = "mode",
      .help =
          "give it this mode, octal or as chmod takes it, counted from u=rwx; without it nobody "
          "else may do anything" },
    { .letter = 'p',
      .argument = "directory",
      .long_name = "default",
      .help = "the directory to use if TMPDIR is unset; implies -t" },
    { .letter = 'q', .long_name = "quiet", .help = "do not say why nothing could be made" },
    { .letter = 'R',
      .argument = "seed",
      .long_name = "regress",
      .help = "take numbers that follow from seed, for tests" },
    { .letter = 't',
      .long_name = "tmp|temporary-directory",
      .help = "put it into TMPDIR or /tmp, unless prefix names a directory" },
    { .letter = 'u',
      .long_name = "unsafe|dry-run",
      .help = "make nothing; print a name that is not taken yet" },
    { 0 },
};

const struct builtin_spec mktemp_spec = {
    .name = "mktemp",
    .options = options,
    .usage = "[prefix]",
    .summary = "make a temporary file",
    .doc = "Makes an empty file of a name that is new, and prints the name. Each X at the end of "
           "prefix is replaced by a random letter or digit; when there is none, the first "
           "characters of prefix and some random ones are the name. Without prefix it is tmp_, and "
           "-t is implied.",
    .run = mktemp_run,
};
