/* What may complete a word. */
#ifndef SHELL_INTERACTIVE_CANDIDATES_H
#define SHELL_INTERACTIVE_CANDIDATES_H

#include "shell/interactive/context.h"
#include "shell/state/shell.h"

struct candidates {
    const char **items; /* sorted, each once; scratch */
    size_t count, room;
    bool failed;
    bool paths;     /* they end in a slash where they are directories */
    bool variables; /* they are names after a dollar */
    bool hosts;     /* those that end in a colon are hosts, and a path follows */
};

/* Finds what begins as the word of C does, or as the part of it behind its last slash: names of
 * variables after a dollar; commands, functions, builtins and aliases where a command stands; what
 * the function .sh.complete prints; options of builtins, jobs, hosts, users, variables and
 * functions where a command takes them; else paths. */
void candidates_find(struct shell *sh, const struct context *c, const char *line,
                     struct candidates *ret);

/* The word of C as a path, with ~ and variables expanded. */
void candidates_path(struct shell *sh, const struct context *c, struct str *ret);

#endif
