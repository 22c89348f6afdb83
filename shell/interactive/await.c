/*
 * Waiting for what is typed: the one place where an interactive shell sleeps at its prompt.
 *
 * Acts on nothing that happens; callers do.
 */
#include "shell/interactive/await.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "shell/exec/trap.h"

enum await await_input(struct shell *sh, long seconds)
{
    sigset_t all, mask;
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    struct timespec timeout = { .tv_sec = seconds };
    enum await result = AWAIT_SIGNAL;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    if (!(sh->pending & ~(int)PENDING_SAMPLE)) { /* a sample can wait for the next command */
        int got = ppoll(&input, 1, seconds > 0 ? &timeout : NULL, &mask);
        if (got == 0)
            result = AWAIT_TIMEOUT;
        else if (got > 0 || errno != EINTR)
            result = AWAIT_INPUT; /* an error too: reading tells which */
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return result;
}

bool await_gives_up(const struct shell *sh)
{
    return trap_pending_now(sh) == SIGINT || trap_pending_fatal(sh);
}
