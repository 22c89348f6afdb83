/*
 * The shell's command line: memksh [options] [-c text | file] [argument ...].
 *
 * Options are those of option.def, by letter or by name, and -c -s -i -l -r. `-` or `--` ends them.
 * What the shell is called counts too. Nothing is run here and nothing printed.
 */
#include "shell/cmdline.h"

#include <string.h>
#include <unistd.h>

#include "shell/base/sys.h"
#include "shell/state/option.h"

struct parser {
    struct shell *sh;
    struct cmdline *cmdline;
    char *const *argv;
    int argc, next;
    bool takes_command; /* -c was given */
    bool rc_given;      /* -E or +E was given */
    bool monitor_given; /* -m or +m was given */
};

static enum flow usage_error(struct shell *sh, const char *what, const char *why)
{
    return shell_fail(sh, ERROR_USAGE, 2, what,
                      "%s\nUsage: memksh [-abefhiklmnprstuvxBCDEGH] [-R file] [-o option] "
                      "[-c command | file] [argument ...]\n"
                      " Help: memksh --help",
                      why);
}

static enum flow set_option(struct parser *p, enum option option, bool on)
{
    struct shell *sh = p->sh;
    if (option == OPTION_INTERACTIVE)
        sh->interactive = on;
    else if (option == OPTION_LOGIN_SHELL)
        sh->login = on;
    else if (option == OPTION_RC)
        p->rc_given = true;
    else if (option == OPTION_MONITOR)
        p->monitor_given = true;
    if (option == OPTION_RESTRICTED) {
        p->cmdline->restricted = on;
        return FLOW_NEXT;
    }
    return option_set(sh, option, on);
}

/* WORD: what the command line has for NAME. */
static enum flow set_named(struct parser *p, const char *name, const char *word, bool on)
{
    enum option option;
    bool inverted = false;
    if (!option_parse_name(name, &option, &inverted))
        return usage_error(p->sh, word, "unknown option");
    return set_option(p, option, on != inverted);
}

/* --name */
static enum flow long_option(struct parser *p, const char *word)
{
    const char *name = word + 2;
    if (strcmp(name, "version") == 0)
        p->cmdline->show_version = true;
    else if (strcmp(name, "help") == 0 || strcmp(name, "man") == 0)
        p->cmdline->show_help = true;
    else
        return set_named(p, name, word, true);
    return FLOW_NEXT;
}

/* One word of letters after - or +. */
static enum flow letters(struct parser *p, const char *word)
{
    bool on = *word == '-';
    for (const char *c = word + 1; *c; c++) {
        enum option option;
        if (*c == 'c' && on) {
            p->takes_command = p->sh->takes_command = true;
        } else if (*c == 'D' && on) {
            p->cmdline->list_messages = true;
        } else if (*c == 'R' && on) {
            p->cmdline->xref = c[1] ? c + 1 : p->next < p->argc ? p->argv[p->next++] : NULL;
            if (!p->cmdline->xref)
                return usage_error(p->sh, "-R", "requires argument");
            return set_option(p, OPTION_NOEXEC, true);
        } else if (*c == 's') {
            p->cmdline->from_stdin = on;
            TRY(set_option(p, OPTION_STDIN, on));
        } else if (*c == 'o') {
            const char *name = c[1] ? c + 1 : p->next < p->argc ? p->argv[p->next++] : NULL;
            if (!name) {
                p->cmdline->list_options = on ? "set -o" : "set +o";
                return FLOW_NEXT;
            }
            TRY(set_named(p, name, name, on));
            if (c[1])
                return FLOW_NEXT;
        } else if (option_parse_letter(*c, &option)) {
            TRY(set_option(p, option, on));
        } else {
            char what[3] = { *word, *c, '\0' };
            return usage_error(p->sh, what, "unknown option");
        }
    }
    return FLOW_NEXT;
}

static enum flow options(struct parser *p)
{
    while (p->next < p->argc) {
        const char *word = p->argv[p->next];
        if ((*word != '-' && *word != '+') || strcmp(word, "+") == 0)
            return FLOW_NEXT;
        p->next++;
        if (strcmp(word, "-") == 0 || strcmp(word, "--") == 0)
            return FLOW_NEXT;
        if (strncmp(word, "--", 2) == 0)
            TRY(long_option(p, word));
        else
            TRY(letters(p, word));
    }
    return FLOW_NEXT;
}

static bool is_restricted_name(const char *name)
{
    static const char *const names[] = { "rsh", "rksh", "krsh", "rmemksh" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static enum flow invoked_as(struct parser *p, const char *arg0)
{
    struct shell *sh = p->sh;
    const char *slash = strrchr(arg0, '/');
    const char *name = slash ? slash + 1 : arg0;
    if (*name == '-') {
        name++;
        TRY(set_option(p, OPTION_LOGIN_SHELL, true));
    }
    if (is_restricted_name(name))
        TRY(set_option(p, OPTION_RESTRICTED, true));
    TRY(option_set(sh, OPTION_TRACKALL, true));
    if (strcmp(name, "sh") == 0 || strcmp(name, "rsh") == 0) {
        TRY(option_set(sh, OPTION_POSIX, true));
        return option_set(sh, OPTION_BRACEEXPAND, false);
    }
    return option_set(sh, OPTION_BRACEEXPAND, true);
}

static enum flow operands(struct parser *p, const char *arg0)
{
    struct cmdline *cmdline = p->cmdline;
    struct shell *sh = p->sh;
    cmdline->arg0 = arg0;
    if (p->takes_command) {
        if (p->next >= p->argc)
            return usage_error(sh, "-c", "requires argument");
        cmdline->command = p->argv[p->next++];
        if (p->next < p->argc && !cmdline->from_stdin) {
            cmdline->arg0 = p->argv[p->next++];
            sh->command_named = true;
        }
    } else if (p->next < p->argc && !cmdline->from_stdin) {
        cmdline->script = p->argv[p->next++];
        cmdline->arg0 = cmdline->script;
    } else {
        cmdline->from_stdin = true;
    }
    if (cmdline->xref && !cmdline->script)
        return usage_error(sh, "-R", "requires a script");
    cmdline->argc = (size_t)(p->argc - p->next);
    cmdline->argv = p->argv + p->next;
    if (cmdline->from_stdin && !cmdline->command)
        TRY(option_set(sh, OPTION_STDIN, true));
    if (cmdline->from_stdin && !cmdline->command && isatty(0) && isatty(2))
        TRY(set_option(p, OPTION_INTERACTIVE, true));
    if (sh->interactive && !p->rc_given)
        TRY(option_set(sh, OPTION_RC, true));
    cmdline->wants_monitor = sh->interactive && !p->monitor_given;
    return FLOW_NEXT;
}

enum flow cmdline_parse(struct shell *sh, int argc, char *const *argv, struct cmdline *ret)
{
    struct parser p = { .sh = sh, .cmdline = ret, .argv = argv, .argc = argc, .next = 1 };
    const char *arg0 = argc > 0 ? argv[0] : "memksh";
    *ret = (struct cmdline){ .arg0 = arg0 };
    TRY(invoked_as(&p, arg0));
    if (sys_is_privileged())
        TRY(option_set(sh, OPTION_PRIVILEGED, true));
    TRY(options(&p));
    return operands(&p, arg0);
}

void cmdline_version(struct str *s)
{
    str_append_z(s, "memksh " SHELL_VERSION
                    " (a shell of the ksh93 language on the libmem allocator)\n");
}

void cmdline_help(struct str *s)
{
    str_append_z(s, "Usage: memksh [options] [-c command | file] [argument ...]\n"
                    "  -c          run the first operand as commands; the next is $0\n"
                    "  -s          read commands from standard input\n"
                    "  -D          list the $\"...\" strings of the script instead of running it\n"
                    "  -R FILE     write a cross reference of the script to FILE, run nothing\n"
                    "  -i          interactive\n"
                    "  -l          login shell: reads /etc/profile and ~/.profile\n"
                    "  -r          restricted\n"
                    "  -o OPTION   set an option by name (+o: unset it)\n"
                    "  --version   show the version\n"
                    "  --help      show this\n"
                    "Options by letter and name:\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_info *info = option_info((enum option)i);
        if (info->letter)
            str_printf(s, "  -%c  %s\n", info->letter, info->name);
        else
            str_printf(s, "      %s\n", info->name);
    }
}
