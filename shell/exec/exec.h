/* Running programs. All functions return how control goes on (enum flow) and leave the exit status
 * in sh->status. */
#ifndef SHELL_EXEC_EXEC_H
#define SHELL_EXEC_EXEC_H

#include "shell/expand/expand.h"
#include "shell/state/frame.h"
#include "shell/state/func.h"
#include "shell/state/shell.h"
#include "shell/syntax/ast.h"
#include "shell/syntax/parse.h"

/* A list: each item in turn; background items as jobs. NULL: empty, status unchanged (callers set 0
 * where POSIX says). */
enum flow exec_list(struct shell *sh, const struct list *list) NODISCARD;
/* One command of any kind (exec.c dispatches to simple.c loop.c cond.c pipeline.c subshell.c ...).
 * Tests sh->pending first. */
enum flow exec_node(struct shell *sh, const struct node *node) NODISCARD;
/* A whole program: sets sh->program, sh->file for its duration. */
enum flow exec_program(struct shell *sh, struct program *program) NODISCARD;
/* Parses and runs all of a source, command by command: -c, scripts, dot, eval. Errors are printed
 * at the boundary that consequence.c names; INTERACTIVE goes on after them. */
enum flow exec_source(struct shell *sh, struct source *source) NODISCARD;
enum flow exec_text(struct shell *sh, const char *name, const char *text,
                    size_t len) NODISCARD; /* hook run_text */
/* The action of a trap. A syntax error in it is printed, and whatever it interrupted goes on with
 * $? as it was, as in ksh93 and bash; in the POSIX mode it ends the shell. */
enum flow exec_action(struct shell *sh, const char *action) NODISCARD;
/* What eval does with its text: a place of its own, whose lines count from 1. */
enum flow exec_eval(struct shell *sh, const char *text, size_t len) NODISCARD;
/* Is a file that begins with the LEN bytes HEAD no script? A NUL byte before the first newline
 * tells; SCRIPT_HEAD_BYTES are enough. */
enum { SCRIPT_HEAD_BYTES = 512 };
bool script_is_binary(const char *head, size_t len);
/* As exec_text for -c: the last command may replace the shell. */
enum flow exec_command_string(struct shell *sh, const char *text, size_t len) NODISCARD;
/* Reads and runs the file PATH (`.`, profiles). FLOW_ERROR ERROR_REDIRECT when it cannot be read;
 * WHAT names it in messages. */
enum flow exec_file(struct shell *sh, const char *what, const char *path) NODISCARD;
/* A command source that a user types at: errors are printed and the next command is read. TYPED is
 * called with CTX when a command has been read, before it runs. */
enum flow exec_interactive(struct shell *sh, struct source *source, void (*typed)(void *ctx),
                           void *ctx) NODISCARD;
/* The last list of this process: its last command may be exec'd without a fork. */
enum flow exec_list_last(struct shell *sh, const struct list *list) NODISCARD;
/* The same for one command. */
enum flow exec_node_last(struct shell *sh, const struct node *node) NODISCARD;
/* A forked child is a part of the script on its own from here on. COUNTS: it is one more level of
 * .sh.subshell. */
void exec_child_begin(struct shell *sh, bool counts);
/* Ends a forked child: EXIT trap, flush, _exit with sh->status. FLOW: how its work ended. */
_Noreturn void exec_child_exit(struct shell *sh, enum flow flow);

/* Runs words that are expanded already, as `command`, `exec`-less builtins and the like need it. */
enum exec_argv_flags {
    EXEC_NO_FUNCTION = 1u << 0,
    EXEC_DEFAULT_PATH = 1u << 1,
    EXEC_NOT_SPECIAL = 1u << 2,
    EXEC_EXTERNAL = 1u << 3, /* a program, whatever builtins there are */
};
enum flow exec_argv(struct shell *sh, size_t argc, const char *const *argv,
                    unsigned flags) NODISCARD;

/* Path to execute for an external command (NAME itself when it has a slash); FLOW_ERROR 126/127.
 * Borrowed. */
enum flow command_path(struct shell *sh, const char *name, bool default_path,
                       const char **ret_path) NODISCARD;

/* ---- parts, one file each ---- */
enum flow exec_simple(struct shell *sh, const struct node_simple *node) NODISCARD; /* simple.c */
enum flow exec_assign(struct shell *sh, const struct assign *assign,
                      unsigned flags) NODISCARD; /* assign.c: one assignment (var_assign_flags) */
/* The commands of a compound ASSIGN, run for the members of M. assign.c */
enum flow exec_members(struct shell *sh, const struct assign *assign, struct members *m) NODISCARD;
/* Calls FUNC with the arguments ARGV, of which the first is its name; loads it first if need be. */
enum flow exec_call(struct shell *sh, struct func *func, size_t argc,
                    const char *const *argv) NODISCARD; /* call.c; hook call_function */
/* The same for a ksh function that is to run without a scope of its own, as `. name` does. */
enum flow exec_call_here(struct shell *sh, struct func *func, size_t argc,
                         const char *const *argv) NODISCARD;
enum flow exec_for(struct shell *sh, const struct node_for *node) NODISCARD; /* loop.c */
enum flow exec_while(struct shell *sh, const struct node_while *node) NODISCARD;
enum flow exec_arith_for(struct shell *sh, const struct node_arith_for *node) NODISCARD;
enum flow exec_select(struct shell *sh, const struct node_for *node) NODISCARD; /* select.c */
enum flow exec_case(struct shell *sh, const struct node_case *node) NODISCARD;  /* case.c */
enum flow exec_cond(struct shell *sh, const struct node_cond *node) NODISCARD;  /* cond.c: [[ ]] */
enum flow exec_pipeline(struct shell *sh,
                        const struct node_pipeline *node) NODISCARD;                /* pipeline.c */
enum flow exec_subshell(struct shell *sh, const struct node_group *node) NODISCARD; /* subshell.c */
enum flow exec_background(struct shell *sh, const struct node *node,
                          bool coproc) NODISCARD; /* jobs side: background.c */
enum flow exec_capture(struct shell *sh, const struct command_sub *sub,
                       struct str *ret) NODISCARD; /* capture.c; hook */
enum flow exec_capture_method(struct shell *sh, const char *command,
                              struct str *ret) NODISCARD; /* capture.c; hook */
enum flow exec_process_sub(struct shell *sh, const struct process_sub *sub,
                           struct str *ret) NODISCARD; /* procsub.c; hook */
/* After the command that had process substitutions in its words: closes those beyond the first
 * COUNT. */
void exec_process_subs_end(struct shell *sh, uint32_t count);

/* Unary test operator OP ('f', 'd', 'v', 'o', ...) on TEXT; shared by [[ ]] and test. FLOW_ERROR
 * for unknown operators. */
enum flow test_unary(struct shell *sh, char op, const char *text,
                     bool *ret) NODISCARD; /* testop.c */
enum flow test_file_compare(struct shell *sh, enum cond_op op, const char *a, const char *b,
                            bool *ret) NODISCARD;
/* COND_EQ .. COND_GE between two arithmetic expressions. */
enum flow test_number_compare(struct shell *sh, enum cond_op op, const char *a, size_t a_len,
                              const char *b, size_t b_len, bool *ret) NODISCARD;
/* The same between two numbers. */
bool test_number_relation(enum cond_op op, struct num a, struct num b);

/* After an error travelled to a boundary: prints it, sets the status, and says whether what runs
 * now ends (FLOW_ERROR, marked as printed: it travels on to the ksh function, subshell, source or
 * prompt that is being run) or goes on (FLOW_NEXT). SPECIAL: the failing command was a special
 * builtin. The one table of POSIX 2.8.1: consequence.c. */
enum flow exec_consequence(struct shell *sh, bool special) NODISCARD;

/* Ends a virtual subshell's virtuality: forks; the child goes on (returns FLOW_NEXT with
 * sh->is_child), the parent waits and unwinds with FLOW_FORKED. Outside a virtual subshell does
 * nothing. subshell.c. */
enum flow subshell_materialize(struct shell *sh) NODISCARD;

/* Fills sh->hooks and sh->parse_hooks with everything of L4..L6. init.c, called once after
 * shell_new. */
enum flow exec_init(struct shell *sh) NODISCARD;
/* Runs the EXIT trap and writes out what is buffered; returns the exit status for main. */
int exec_finish(struct shell *sh);
/* Gives back what exec_init made, before shell_free (tests: the regions are empty after both). */
void exec_release(struct shell *sh);

#endif
