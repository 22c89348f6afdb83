/* The shell's options: one row each in option.def. Journaled as a whole word of bits. */
#ifndef SHELL_STATE_OPTION_H
#define SHELL_STATE_OPTION_H

#include "shell/state/shell.h"

enum option_flags { OPT_SET = 1u << 0, OPT_START = 1u << 1 };
enum option {
#define OPTION(id, letter, name, flags) OPTION_##id,
#include "shell/state/option.def"
#undef OPTION
    OPTION_COUNT
};
struct option_info {
    const char *name;
    char letter;
    unsigned flags;
};
const struct option_info *option_info(enum option option);
static inline bool option_on(const struct shell *sh, enum option option)
{
    return (sh->options >> option & 1) != 0;
}
/* What is on when a shell starts. */
uint64_t option_defaults(void);
/* Turns OPTION on or off; local to a ksh function. START options only while STARTING
 * (sh->base_frame not running yet). emacs/vi/gmacs exclude each other. */
enum flow option_set(struct shell *sh, enum option option, bool on) NODISCARD;
/* Options changed from now on are back as they are when CALL, a function's frame (scope_call), or a
 * subshell in it ends. */
enum flow option_localize(struct shell *sh, struct frame *call) NODISCARD;
/* By long name: whole names, `no` prefix inverts, unique prefixes, - and _ ignored as ksh93 does.
 * false: unknown. */
bool option_parse_name(const char *name, enum option *ret_option, bool *ret_inverted);
bool option_parse_letter(char letter, enum option *ret_option);
/* The text of $-. RET has room for OPTION_COUNT + 1. */
void option_letters(const struct shell *sh, char *ret);

#endif
