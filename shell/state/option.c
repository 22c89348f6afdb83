/*
 * The shell's options as one word of bits, and their names.
 *
 * Owns the table made from option.def and the parsing of names as ksh does it: `-` and `_` do not
 * count, `no` in front inverts, any unambiguous beginning will do. Rows called `no...` are stored
 * the way their letter works: NOCLOBBER is on when -C is.
 *
 * Setting an option is journaled for the nearest subshell or ksh function. What an option does is
 * not known here.
 */
#include "shell/state/option.h"

#include <string.h>

#include "shell/base/sys.h"
#include "shell/state/frame.h"
#include "shell/state/special.h"

static const struct option_info table[OPTION_COUNT] = {
#define OPTION(id, letter, name, flags) { name, letter, flags },
#include "shell/state/option.def"
#undef OPTION
};
_Static_assert(OPTION_COUNT <= 64, "options are bits of sh->options");

static uint64_t bit(enum option option)
{
    return UINT64_C(1) << option;
}

const struct option_info *option_info(enum option option)
{
    return &table[option];
}

uint64_t option_defaults(void)
{
    return bit(OPTION_BACKSLASHCTRL) | bit(OPTION_BRACEEXPAND) | bit(OPTION_MULTILINE) |
           bit(OPTION_TRACKALL) | bit(OPTION_VIRAW);
}

static void options_change(struct shell *sh, uint64_t options)
{
    bool is_mode = (options ^ sh->options) & bit(OPTION_POSIX);
    sh->options = options;
    if (is_mode) {
        special_ifs_rebuild(sh);
        sh->export_epoch++; /* attributes are exported in one mode only */
    }
}

static void restore(struct shell *sh, void *a, uintptr_t b)
{
    options_change(sh, (uint64_t)(uintptr_t)a);
    sh->options_stamp = b;
}

static uint64_t with_option(uint64_t options, enum option option, bool on)
{
    const uint64_t editors = bit(OPTION_EMACS) | bit(OPTION_GMACS) | bit(OPTION_VI);
    if (on && (editors & bit(option)))
        options &= ~editors;
    if (option == OPTION_POSIX && ((options & bit(OPTION_POSIX)) != 0) != on) {
        options = on ? options | bit(OPTION_LETOCTAL) : options & ~bit(OPTION_LETOCTAL);
        options = on ? options & ~bit(OPTION_BRACEEXPAND) : options | bit(OPTION_BRACEEXPAND);
    }
    return on ? options | bit(option) : options & ~bit(option);
}

/* Lets the end of TARGET bring the options back. */
static enum flow save(struct shell *sh, struct frame *target)
{
    if (!frame_should_record(target, sh->options_stamp))
        return FLOW_NEXT;
    _Static_assert(sizeof(uintptr_t) == sizeof(uint64_t), "options travel in a pointer");
    TRY(frame_record_call(sh, target, restore, (void *)(uintptr_t)sh->options, sh->options_stamp));
    sh->options_stamp = target->id;
    return FLOW_NEXT;
}

enum flow option_localize(struct shell *sh, struct frame *call)
{
    struct frame *target = sh->frame;
    while (target != call && target->kind != FRAME_SUBSHELL)
        target = target->outer;
    return save(sh, target);
}

enum flow option_set(struct shell *sh, enum option option, bool on)
{
    bool started = sh->frame != sh->base_frame || sh->program;
    if ((table[option].flags & OPT_START) && started && option_on(sh, option) != on)
        return shell_fail(sh, ERROR_BUILTIN, 1, table[option].name,
                          "cannot be changed once the shell runs");
    uint64_t options = with_option(sh->options, option, on);
    if (options == sh->options)
        return FLOW_NEXT;
    TRY(save(sh, frame_target(sh, TARGET_LOCAL)));
    options_change(sh, options);
    if (option == OPTION_PRIVILEGED && !on)
        sys_drop_privileges();
    return FLOW_NEXT;
}

/* `no` of a row's own name; notify is not one of them. */
static bool is_negative(enum option option)
{
    return strncmp(table[option].name, "no", 2) == 0 && option != OPTION_NOTIFY;
}

/* How much of NAME the beginning TEXT matches: 0 no, 1 a beginning, 2 all. */
static int match_name(const char *text, const char *name)
{
    for (;;) {
        while (*text == '-' || *text == '_')
            text++;
        while (*name == '_')
            name++;
        if (!*text)
            return *name ? 1 : 2;
        if (*text++ != *name++)
            return 0;
    }
}

/* The option whose positive name TEXT begins: OPTION_COUNT when there is none or more than one. */
static enum option find_positive(const char *text)
{
    enum option found = OPTION_COUNT;
    unsigned count = 0;
    for (enum option option = 0; option < OPTION_COUNT && *text; option++) {
        int match = match_name(text, table[option].name + (is_negative(option) ? 2 : 0));
        if (match == 2)
            return option;
        if (match == 1) {
            found = option;
            count++;
        }
    }
    return count == 1 ? found : OPTION_COUNT;
}

bool option_parse_name(const char *name, enum option *ret_option, bool *ret_inverted)
{
    bool inverted = false;
    if (strcmp(name, "no") == 0) /* not short for notify */
        return false;
    enum option option = find_positive(name);
    if (option == OPTION_COUNT && strncmp(name, "no", 2) == 0) {
        inverted = true;
        name += 2;
        while (*name == '-' || *name == '_')
            name++;
        option = find_positive(name);
    }
    if (option == OPTION_COUNT)
        return false;
    *ret_option = option;
    *ret_inverted = inverted != is_negative(option);
    return true;
}

bool option_parse_letter(char letter, enum option *ret_option)
{
    for (enum option option = 0; option < OPTION_COUNT && letter; option++) {
        if (table[option].letter == letter) {
            *ret_option = option;
            return true;
        }
    }
    return false;
}

void option_letters(const struct shell *sh, char *ret)
{
    static const char order[] = "ircabefhkmnpstuvxBCGEHl";
    for (const char *letter = order; *letter; letter++) {
        enum option option;
        bool is_on = option_parse_letter(*letter, &option) && option_on(sh, option);
        if (*letter == 'c' || (*letter == 's' && !sh->command_named)) /* so does ksh93 */
            is_on = is_on || sh->takes_command;
        if (is_on)
            *ret++ = *letter;
    }
    *ret = '\0';
}
