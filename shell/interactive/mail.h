/* Telling of new mail before a prompt. */
#ifndef SHELL_INTERACTIVE_MAIL_H
#define SHELL_INTERACTIVE_MAIL_H

#include "shell/base/map.h"
#include "shell/state/shell.h"

struct mail {
    int64_t checked_ns; /* 0: never */
    struct map seen;    /* file -> when it was changed last */
};

void mail_init(struct mail *mail, struct mem_region *region);
void mail_release(struct mail *mail);
/* Every MAILCHECK seconds: tells which files of MAILPATH, or else MAIL, have changed since the last
 * look. */
void mail_check(struct shell *sh, struct mail *mail);

#endif
