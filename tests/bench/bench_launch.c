/*
 * bench_launch: starts a command some times, one after the other, and prints what it took.
 *
 *   bench_launch SECONDS TIMES STDIN STDOUT STDERR COMMAND [ARGUMENT...]
 *
 * prints `STATUS WALL-SECONDS CPU-SECONDS PEAK-KIB`: the exit status, 128 + the signal, or
 * `timeout`. It is a program of its own because a process counts the memory of the one that started
 * it as its own peak: this one is small.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t running;
static volatile sig_atomic_t late;

static void too_late(int signal)
{
    (void)signal;
    late = 1;
    if (running > 0)
        kill(-running, SIGKILL);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* The command is a process group of its own, which ^C does not reach. */
static void given_up(int signal)
{
    if (running > 0)
        kill(-running, SIGKILL);
    _exit(128 + signal);
}

static void child(char **argv)
{
    const int flags[] = { O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_TRUNC };
    setpgid(0, 0);
    for (int fd = 0; fd < 3; fd++) {
        int got = open(argv[3 + fd], flags[fd], 0600);
        if (got < 0)
            _exit(125);
        dup2(got, fd);
        close(got);
    }
    execvp(argv[6], argv + 6);
    _exit(errno == ENOENT ? 127 : 126);
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fputs("usage: bench_launch SECONDS TIMES STDIN STDOUT STDERR COMMAND [ARGUMENT...]\n",
              stderr);
        return 2;
    }
    double limit = strtod(argv[1], NULL), cpu = 0, begin = now();
    long times = strtol(argv[2], NULL, 10), peak = 0;
    int status = 0;
    signal(SIGALRM, too_late);
    signal(SIGINT, given_up);
    signal(SIGTERM, given_up);
    alarm((unsigned)(limit + 0.999));
    for (long i = 0; i < times && status == 0 && !late; i++) {
        struct rusage usage;
        sigset_t stops, before;
        sigemptyset(&stops);
        sigaddset(&stops, SIGINT);
        sigaddset(&stops, SIGTERM);
        sigprocmask(SIG_BLOCK, &stops, &before); /* until it is known what to stop */
        running = fork();
        if (running < 0)
            return 1;
        if (running == 0) {
            signal(SIGINT, SIG_DFL);
            signal(SIGTERM, SIG_DFL);
            sigprocmask(SIG_SETMASK, &before, NULL);
            child(argv);
        }
        setpgid(running, running);
        sigprocmask(SIG_SETMASK, &before, NULL);
        while (wait4(running, &status, 0, &usage) < 0 && errno == EINTR)
            ;
        cpu += seconds(usage.ru_utime) + seconds(usage.ru_stime);
        if (usage.ru_maxrss > peak)
            peak = usage.ru_maxrss;
    }
    double wall = now() - begin;
    if (late)
        printf("timeout");
    else
        printf("%d", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    printf(" %.6f %.6f %ld\n", wall, cpu, peak);
    return 0;
}
