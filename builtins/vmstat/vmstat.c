/*
 * vmstat, vmstate: the memory of the shell, watched and explained.
 *
 * Owns the options and the choice of what is done; each action is a file of this folder. One call
 * does one thing: an option that says what to do (the table below) excludes the others, save for
 * those that only say more about it.
 *
 * A first operand that is a number is meant for the system's own vmstat(8), which is run instead,
 * so that scripts which sample the system keep working.
 */
#include "builtins/vmstat/vmstat.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/exec/jobs.h"
#include "shell/exec/spawn.h"
#include "shell/state/cmdhash.h"
#include "shell/state/site.h"

/* What the letters of options that say what to do lead to, and which others go with them. */
static const struct action {
    char letter;
    const char *with;
    bool operands;
    enum flow (*run)(struct shell *sh, const struct request *rq);
} actions[] = {
    { 0, "bfr", false, vmstat_table },     { 'x', "bOnw", true, vmstat_measure },
    { 'O', "bxn", true, vmstat_compare },  { 'm', "br", true, vmstat_map },
    { 'H', "br", true, vmstat_histogram }, { 'w', "", true, vmstat_timeline },
    { 'j', "", false, vmstat_json },       { 'C', "", false, vmstat_fill },
    { 'o', "", true, vmstat_options },     { 'c', "", false, vmstat_check },
    { 'T', "b", false, vmstat_trim },      { 'v', "bn", true, vmstat_variables },
    { 's', "w", true, vmstat_save },       { 'd', "bnr", true, vmstat_diff },
    { 'p', "", false, vmstat_sites },      { 'l', "bn", false, vmstat_lines },
    { 'k', "b", false, vmstat_kinds },     { 't', "bn", false, vmstat_tree },
    { 'F', "", false, vmstat_folded },     { 'g', "", false, vmstat_flame },
    { 'L', "bn", true, vmstat_leaks },     { 'a', "", false, vmstat_advice },
    { 'P', "", false, vmstat_page },
};

static const struct action *action_find(char letter)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (actions[i].letter == letter)
            return &actions[i];
    return NULL;
}

/* Runs the system's vmstat with the same arguments and waits for it. */
static enum flow run_system(struct shell *sh, const struct args *args)
{
    const struct spawn_plan plan = { .in = -1, .out = -1, .group = -1 };
    const char *path = cmdhash_find(sh, args->argv[0], false);
    struct job *job;
    pid_t pid;

    if (!path)
        return shell_fail(sh, ERROR_COMMAND, 127, args->argv[0],
                          "the system's own vmstat is not installed");
    TRY(spawn_external(sh, args->argv[0], path, args->argv, &plan, &pid));
    TRY(job_add(sh, &pid, 1, -1, args->argv[0], false, &job));
    return job_wait_foreground(sh, job);
}

static enum flow clash(struct shell *sh, const struct args *args, char a, char b)
{
    char why[64];
    snprintf(why, sizeof why, "-%c and -%c do not go together", a, b);
    return builtin_usage_error(sh, args, why);
}

/* The action of RQ is LETTER's, unless it has another one that LETTER only says more about. */
static enum flow request_act(struct shell *sh, struct request *rq, char letter,
                             const char *argument)
{
    const struct action *now = action_find(rq->action);
    if (rq->action == letter || (rq->action && strchr(now->with, letter)))
        return FLOW_NEXT;
    if (rq->action && !strchr(action_find(letter)->with, rq->action))
        return clash(sh, rq->args, rq->action, letter);
    rq->action = letter;
    rq->argument = argument;
    return FLOW_NEXT;
}

static enum flow request_option(struct shell *sh, struct request *rq, char letter,
                                const char *argument)
{
    switch (letter) {
    case 'b':
        rq->exact = true;
        return FLOW_NEXT;
    case 'f':
        rq->format = argument;
        return FLOW_NEXT;
    case 'n':
        rq->count = strtoul(argument, NULL, 10);
        return rq->count ? FLOW_NEXT
                         : builtin_usage_error(sh, rq->args, "-n: a count from 1 is needed");
    case 'r':
        if (rq->input_count == sizeof rq->inputs / sizeof *rq->inputs)
            return builtin_usage_error(sh, rq->args, "-r: given too often");
        rq->inputs[rq->input_count++] = argument;
        return FLOW_NEXT;
    case 'O':
        if (rq->set_count == REQUEST_SETS_MAX)
            return builtin_usage_error(sh, rq->args, "-O: given too often");
        rq->sets[rq->set_count++] = argument;
        break;
    case 'w':
        rq->write = argument;
        break;
    default:
        break;
    }
    return request_act(sh, rq, letter, argument);
}

/* Were options given that the action does not know? */
static enum flow request_check(struct shell *sh, const struct request *rq)
{
    const struct action *action = action_find(rq->action);
    const struct {
        bool given;
        char letter;
    } more[] = {
        { rq->exact, 'b' },
        { rq->format != NULL, 'f' },
        { rq->count != 0, 'n' },
        { rq->input_count != 0, 'r' },
    };

    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (!more[i].given || strchr(action->with, more[i].letter))
            continue;
        if (rq->action)
            return clash(sh, rq->args, rq->action, more[i].letter);
        char why[32];
        snprintf(why, sizeof why, "-%c: nothing to use it for", more[i].letter);
        return builtin_usage_error(sh, rq->args, why);
    }
    if (rq->input_count > 1 && rq->action != 'd')
        return builtin_usage_error(sh, rq->args, "-r: one region is enough");
    if (rq->action == 'x' && rq->count)
        return builtin_usage_error(sh, rq->args, "-n: of runs to be compared by -O");
    if (!action->operands && args_left(rq->args))
        return builtin_usage_error(sh, rq->args, "takes no operands here");
    if (rq->args->body && rq->action != 'x' && rq->action != 'O')
        return builtin_usage_error(sh, rq->args, "a command is measured by -x");
    return FLOW_NEXT;
}

static enum flow vmstat_run(struct shell *sh, struct args *args)
{
    struct request rq = {
        .args = args,
        .command = args->argv[0],
        .original = strcmp(args->spec->name, "vmstate") == 0,
    };
    enum flow flow = FLOW_NEXT;

    if (args->count > 1 && isdigit((unsigned char)args->argv[1][0]))
        return run_system(sh, args);
    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option == -2)
            return flow;
        if (option == -1)
            return FLOW_NEXT;
        TRY(request_option(sh, &rq, (char)option, args->option_argument));
    }
    TRY(request_check(sh, &rq));
    mem_site = 0; /* what vmstat takes is the shell's own */
    site_look(sh);
    sh->status = 0;
    TRY(action_find(rq.action)->run(sh, &rq));
    if (sh->out->fd >= 0) /* a pipe that was closed is found out now, not by a later command */
        (void)out_flush(sh->out);
    return FLOW_NEXT;
}

static const struct builtin_option vmstat_option_list[] = {
    { .letter = 'a', .long_name = "advice", .help = "say what stands out and what would help" },
    { .letter = 'b', .long_name = "bytes", .help = "show all sizes in bytes" },
    { .letter = 'c',
      .long_name = "check",
      .help = "check all regions; status 1 and the first bad block" },
    { .letter = 'C',
      .argument = "array",
      .long_name = "fill",
      .help = "fill an associative array with all figures" },
    { .letter = 'd',
      .long_name = "diff",
      .help = "show what changed from a snapshot to another one, or to now" },
    { .letter = 'f',
      .argument = "format",
      .long_name = "format",
      .help = "print one record a region in this format" },
    { .letter = 'F',
      .argument = "file",
      .long_name = "folded",
      .help = "write live bytes by stacks of calls, for flame graph programs" },
    { .letter = 'g',
      .argument = "file",
      .long_name = "flame",
      .help = "draw a flame graph of live bytes as SVG" },
    { .letter = 'H',
      .long_name = "histogram",
      .help = "show how many blocks of which size there are, or draw that as SVG into the file" },
    { .letter = 'j', .long_name = "json", .help = "print all figures as JSON" },
    { .letter = 'k', .long_name = "kinds", .help = "list what memory is used for (needs sites)" },
    { .letter = 'l',
      .long_name = "lines",
      .help = "list the lines that got what lives, most bytes first (needs sites)" },
    { .letter = 'L',
      .long_name = "leaks",
      .help = "list lost blocks; with a snapshot, what lived then already and no variable owns" },
    { .letter = 'm',
      .long_name = "map",
      .help = "draw how the segments are used, or draw that as SVG into the file" },
    { .letter = 'n',
      .argument = "count",
      .long_name = "count",
      .numeric = true,
      .help = "-O: runs of each set; listings: no more lines than this" },
    { .letter = 'o',
      .long_name = "options",
      .help = "show the options of the allocator, or change them" },
    { .letter = 'O',
      .argument = "set",
      .long_name = "compare",
      .help = "run the command under this set of options, in a child; given for each set" },
    { .letter = 'p',
      .argument = "on|off|reset",
      .long_name = "sites",
      .help = "attribute memory to lines from now on, no more, or forget the past" },
    { .letter = 'P',
      .argument = "file",
      .long_name = "page",
      .help = "write one HTML page with all of it" },
    { .letter = 'r',
      .argument = "name",
      .long_name = "region",
      .help = "only this region; with -d: read a snapshot from this file" },
    { .letter = 's',
      .long_name = "save",
      .help = "keep a snapshot under a name, or with -w in a file; alone: list their names" },
    { .letter = 't',
      .long_name = "tree",
      .help = "show live bytes as a tree of calls (needs sites)" },
    { .letter = 'T', .long_name = "trim", .help = "give free memory back to the system now" },
    { .letter = 'v', .long_name = "variables", .help = "list variables, the largest first" },
    { .letter = 'w',
      .argument = "ms",
      .long_name = "watch",
      .help = "take a sample each so many milliseconds; 0 ends that and draws them; with -s: the "
              "file" },
    { .letter = 'x',
      .long_name = "measure",
      .help = "run a command and report what it took: time, memory, system calls" },
    { 0 },
};

static const struct builtin_option vmstate_option_list[] = {
    { .letter = 'b', .long_name = "bytes", .help = "show all sizes in bytes" },
    { .letter = 'f',
      .argument = "format",
      .long_name = "format",
      .help = "print one record a region in this format" },
    { .letter = 'r', .argument = "region", .long_name = "region", .help = "show only this region" },
    { 0 },
};

#define FORMAT_DOC                                                                                 \
    "A format holds %[-+][width[.precision[.base]]](id)char, where char is d, u, o, x, X, p or "   \
    "s, and a newline follows each record. The ids are region, name, method, flags, format, and "  \
    "the figures size, segments, packs, busy_size, busy_blocks, busy_max, free_size, "             \
    "free_blocks, free_max, cache_size, cache_blocks, given_size, lazy_size, retaken_size, peak, " \
    "allocs, "                                                                                     \
    "frees and resizes."

const struct builtin_spec vmstat_spec = {
    .name = "vmstat",
    .flags = BUILTIN_TAKES_COMMAND | BUILTIN_OWN,
    .options = vmstat_option_list,
    .usage = "\n"
             "-x [-b] [-w ms] command [arg ...]\n"
             "-O set ... [-b] [-n runs] command [arg ...]\n"
             "-v [-b] [-n count] [pattern]\n"
             "-p on|off|reset\n"
             "-l|-k|-t [-b] [-n count]\n"
             "-F|-g|-P file\n"
             "-s [name | -w file]\n"
             "-d [-b] [-n count] [-r file] [-r file2] [name [name2]]\n"
             "-L [-b] [-n count] [name]\n"
             "-m|-H [-b] [-r region] [file.svg]\n"
             "-w ms [file.svg]\n"
             "-j|-C array|-a|-c|-T\n"
             "-o [name=value ...]",
    .summary = "show the memory of the shell, and where it goes",
    .doc =
        "Without an option that says what to do it prints one line for each region of the "
        "allocator: its name and method, the bytes it holds in how many segments and packs, busy "
        "bytes and blocks, free bytes, the largest free block and the highest number of busy bytes "
        "so far; then the totals, the resident size of the process and its page faults. With a "
        "number as its first operand it runs the system's vmstat instead. The manual page "
        "vmstat(1) explains each option.\n\n" FORMAT_DOC,
    .run = vmstat_run,
};

const struct builtin_spec vmstate_spec = {
    .name = "vmstate",
    .flags = BUILTIN_OWN,
    .options = vmstate_option_list,
    .usage = "",
    .summary = "show the memory of the shell in the original's format",
    .doc =
        "As vmstat, but prints one record a region in the format of the original command of this "
        "name.\n\n" FORMAT_DOC,
    .run = vmstat_run,
};
