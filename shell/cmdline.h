/* The shell's command line. */
#ifndef SHELL_CMDLINE_H
#define SHELL_CMDLINE_H

#include "shell/state/shell.h"

/* What the command line asks for, besides the options already set in the shell. */
struct cmdline {
    const char *command; /* -c: the text to run; NULL: none */
    const char *script;  /* file to run; NULL: standard input */
    const char *arg0;    /* $0 */
    size_t argc;         /* $1 ... */
    char *const *argv;
    bool from_stdin;    /* -s, or neither -c nor a script */
    bool restricted;    /* -r, or called r...: to be set once the profiles were read */
    bool wants_monitor; /* interactive, and neither -m nor +m was given */
    bool show_version, show_help;
    const char
        *list_options;  /* -o, +o without a name: the command that lists them; NULL: not asked */
    bool list_messages; /* -D: show the $"..." of the script, run nothing */
    const char *xref;   /* -R: the file for a cross reference of the script; NULL: not asked */
};

/* Reads ARGV: sets options of SH (also interactive and login, but not restricted) and fills *RET.
 * By the name it is called: sh is POSIX mode, r... restricted, -... a login shell. FLOW_ERROR
 * ERROR_USAGE, status 2. */
enum flow cmdline_parse(struct shell *sh, int argc, char *const *argv,
                        struct cmdline *ret) NODISCARD;
/* The text of --help, and of --version. */
void cmdline_help(struct str *s);
void cmdline_version(struct str *s);

#endif
