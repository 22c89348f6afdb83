/*
 * jobs, fg, bg, wait, disown: background work.
 *
 * A job is named by %N %+ %- %string %?string or by the id of one of its processes; exec/jobs owns
 * the table. fg and bg need job control.
 */
#include <string.h>

#include "builtins/builtin.h"
#include "shell/base/num.h"
#include "shell/exec/jobs.h"
#include "shell/exec/trap.h"
#include "shell/state/fdtab.h"
#include "shell/state/option.h"

/* The job that OPERAND names; NULL after a message. */
static struct job *find_job(struct shell *sh, const struct args *args, const char *operand)
{
    struct job *job = job_find(sh, operand);
    if (!job) {
        shell_warn(sh, args->argv[0], "%s: no such job", operand);
        sh->status = 1;
    }
    return job;
}

static enum flow jobs_run(struct shell *sh, struct args *args)
{
    char flag = 0;
    enum flow flow = FLOW_NEXT;

    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        flag = (char)option;
    }
    sh->status = 0;
    jobs_poll(sh);
    if (args_left(args)) {
        for (size_t i = 0; i < args_left(args); i++) {
            struct job *job = find_job(sh, args, args_peek(args, i));
            if (job)
                job_print(sh, job, flag, sh->out);
        }
        return FLOW_NEXT;
    }
    for (struct job *job = job_first(sh), *next; job; job = next) {
        next = job->next;
        if (!job_is_listed(job))
            continue;
        if (flag == 'n' && (job->notified || job->state == JOB_RUNNING))
            continue;
        job_print(sh, job, flag, sh->out);
        if (job->state == JOB_DONE)
            job->notified = true;
    }
    return FLOW_NEXT;
}

static enum flow continue_jobs(struct shell *sh, struct args *args, bool foreground)
{
    enum flow flow = FLOW_NEXT;

    if (args_option(sh, args, &flow) != 0)
        return flow;
    if (!option_on(sh, OPTION_MONITOR))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "No job control");
    sh->status = 0;
    jobs_refresh(sh);
    if (!args_left(args)) {
        struct job *job = job_current(sh);
        if (!job)
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "no current job");
        return job_continue(sh, job, foreground);
    }
    for (size_t i = 0; i < args_left(args); i++) {
        struct job *job = find_job(sh, args, args_peek(args, i));
        if (job)
            TRY(job_continue(sh, job, foreground));
    }
    return FLOW_NEXT;
}

static enum flow fg_run(struct shell *sh, struct args *args)
{
    return continue_jobs(sh, args, true);
}

static enum flow bg_run(struct shell *sh, struct args *args)
{
    return continue_jobs(sh, args, false);
}

static enum flow disown_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;

    if (args_option(sh, args, &flow) != 0)
        return flow;
    if (!option_on(sh, OPTION_MONITOR))
        return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "No job control");
    sh->status = 0;
    if (!args_left(args))
        for (struct job *job = job_first(sh); job; job = job->next)
            job->disowned = true;
    for (size_t i = 0; i < args_left(args); i++) {
        struct job *job = find_job(sh, args, args_peek(args, i));
        if (job)
            job->disowned = true;
    }
    return FLOW_NEXT;
}

/* wait -n: the first of the given jobs, or of all, to end. */
static enum flow wait_next(struct shell *sh, const struct args *args)
{
    size_t count = args_left(args), known = 0;
    int64_t pid;
    int status = 127;
    struct job **jobs = scratch_alloc(sh, (count + 1) * sizeof *jobs);
    if (!jobs)
        return shell_fail_memory(sh, (count + 1) * sizeof *jobs);
    for (size_t i = 0; i < count; i++) {
        const char *operand = args_peek(args, i);
        struct job *job = NULL;
        if (*operand == '%')
            job = job_find(sh, operand);
        else if (num_parse_int(operand, strlen(operand), &pid) && pid > 0 && pid <= INT32_MAX)
            job = job_of_pid(sh, (pid_t)pid);
        if (job)
            jobs[known++] = job;
        else
            shell_warn(sh, args->argv[0], "%s: no such job", operand);
    }
    if (!count || known)
        TRY(job_wait_next(sh, jobs, known, &status));
    sh->status = status;
    return FLOW_NEXT;
}

static enum flow wait_run(struct shell *sh, struct args *args)
{
    enum flow flow = FLOW_NEXT;
    int status = 0;
    bool next = false;

    for (int option; (option = args_option(sh, args, &flow)) != 0;) {
        if (option < 0)
            return flow;
        next = true;
    }
    (void)fdtab_flush(sh);
    if (next)
        return wait_next(sh, args);
    if (!args_left(args))
        return job_wait_all(sh);
    for (size_t i = 0; i < args_left(args); i++) {
        const char *operand = args_peek(args, i);
        int64_t pid;
        if (*operand == '%') {
            struct job *job = job_find(sh, operand);
            status = 127;
            if (job)
                TRY(job_wait_job(sh, job, &status));
            else
                shell_warn(sh, args->argv[0], "%s: no such job", operand);
        } else if (num_parse_int(operand, strlen(operand), &pid) && pid > 0 && pid <= INT32_MAX) {
            TRY(job_wait_pid(sh, (pid_t)pid, &status));
        } else {
            return shell_fail(sh, ERROR_BUILTIN, 1, args->argv[0], "%s: invalid process ID",
                              operand);
        }
    }
    sh->status = status;
    return FLOW_NEXT;
}

static const struct builtin_option jobs_options[] = {
    { .letter = 'l', .help = "show process ids too" },
    { .letter = 'n', .help = "show only jobs whose state changed" },
    { .letter = 'p', .help = "show only the ids of the process groups" },
    { 0 },
};

const struct builtin_spec jobs_spec = {
    .name = "jobs",
    .options = jobs_options,
    .usage = "[job ...]",
    .summary = "show jobs",
    .doc = "Shows the given jobs, by default all that run in the background or are stopped.",
    .run = jobs_run,
};

const struct builtin_spec fg_spec = {
    .name = "fg",
    .flags = BUILTIN_TTY,
    .usage = "[job ...]",
    .summary = "continue jobs in the foreground",
    .doc = "Brings each job, by default the current one, to the foreground and waits for it.",
    .run = fg_run,
};

const struct builtin_spec bg_spec = {
    .name = "bg",
    .flags = BUILTIN_TTY,
    .usage = "[job ...]",
    .summary = "continue jobs in the background",
    .doc = "Lets each stopped job, by default the current one, go on in the background.",
    .run = bg_run,
};

const struct builtin_spec disown_spec = {
    .name = "disown",
    .usage = "[job ...]",
    .summary = "spare jobs the hangup signal",
    .doc = "The given jobs, by default all, get no HUP when the shell ends.",
    .run = disown_run,
};

static const struct builtin_option wait_options[] = {
    { .letter = 'n', .help = "wait only for the next one to end" },
    { 0 },
};

const struct builtin_spec wait_spec = {
    .name = "wait",
    .options = wait_options,
    .usage = "[job | pid ...]",
    .summary = "wait for background work",
    .doc = "Waits for the given jobs and processes and takes the status of the last; 127 when it "
           "is not "
           "known. Without operands it waits for all of them, process substitutions too. A trapped "
           "signal ends the wait.",
    .run = wait_run,
};
