/*
 * option_file.c: the options that name files: trace, leak and warn.
 *
 * Keeps the names as they were given, for mem_options_get, and the descriptor of warn; those of
 * trace and leak belong to trace.c and leak.c. The same assignment again leaves a file as it is.
 */
#include "libmem/option_word.h"

static char trace_name[MEM_FILE_BYTES], warn_name[MEM_FILE_BYTES], leak_name[MEM_FILE_BYTES];
static bool leak_on;
static int warn_fd = -1;

enum verdict option_trace(struct word value, bool off)
{
    if (off) {
        trace_stop();
        trace_name[0] = '\0';
        return value.text ? BAD : GOOD;
    }
    if (value.text && trace_is_on() && option_word_is(value, trace_name))
        return GOOD; /* the same assignment again must not cut the file */
    trace_stop();
    int fd = option_word_open(value, trace_name);
    if (fd < 0) {
        trace_name[0] = '\0';
        return value.text ? UNWRITABLE : BAD;
    }
    size_t length = strlen(trace_name);
    trace_start(fd, length > 4 && strcmp(trace_name + length - 4, ".bin") == 0, options_restoring);
    return GOOD;
}

enum verdict option_leak(struct word value, bool off)
{
    leak_name[0] = '\0';
    leak_to(-1);
    leak_on = !off;
    if (off || !value.text) {
        if (!off)
            leak_to(STDERR_FILENO);
        return value.text ? BAD : GOOD;
    }
    int fd = option_word_open(value, leak_name);
    leak_on = fd >= 0;
    if (fd < 0)
        leak_name[0] = '\0';
    leak_to(fd);
    return fd < 0 ? UNWRITABLE : GOOD;
}

enum verdict option_warn(struct word value, bool off)
{
    if (!off && value.text && warn_fd >= 0 && option_word_is(value, warn_name))
        return GOOD;
    if (warn_fd >= 0)
        (void)close(warn_fd);
    warn_fd = -1;
    warn_name[0] = '\0';
    debug_warn_to(STDERR_FILENO);
    if (off)
        return value.text ? BAD : GOOD;
    int fd = option_word_open(value, warn_name);
    if (fd < 0) {
        warn_name[0] = '\0';
        return value.text ? UNWRITABLE : BAD;
    }
    warn_fd = fd;
    debug_warn_to(fd); /* watch= writes there, too, whatever the method */
    return GOOD;
}

static void get_file(struct mem_line *line, const char *name, const char *file)
{
    line_str(line, file[0] ? "," : ",no");
    line_str(line, name);
    if (file[0]) {
        line_str(line, "=");
        line_str(line, file);
    }
}

void option_files_get(struct mem_line *line)
{
    line_str(line, leak_on ? ",leak" : ",noleak");
    if (leak_name[0]) {
        line_str(line, "=");
        line_str(line, leak_name);
    }
    get_file(line, "trace", trace_name);
    if (mem_settings.debug_method || warn_name[0])
        get_file(line, "warn", warn_name);
}
