/*
 * Disciplines: functions x.get, x.set, x.append, x.unset and x.getn that a script defines to take
 * part in what happens to x.
 *
 * A variable with any of them carries VAR_DISCIPLINE, so that plain ones pay nothing; which there
 * are is found by name at the time. They live and die as functions do (journal and all), and with
 * the variable when it is unset.
 */
#ifndef SHELL_STATE_DISCIPLINE_H
#define SHELL_STATE_DISCIPLINE_H

#include "shell/state/var_private.h"

enum discipline {
    DISCIPLINE_GET,
    DISCIPLINE_GETN,
    DISCIPLINE_SET,
    DISCIPLINE_APPEND,
    DISCIPLINE_UNSET,
    DISCIPLINE_COUNT
};

/* A call under way: its variable gets no second one of the same kind. */
struct discipline_call {
    const struct var *var;
    enum discipline kind;
    const struct discipline_call *outer;
};

/* A function of NAME is about to be defined: if it is a discipline, marks its variable, made when
 * missing. Fails for `x.y` that is neither a
 * discipline nor a function of a compound variable. */
enum flow discipline_attach(struct shell *sh, const struct name *name) NODISCARD;
/* PLACE's variable is unset: so are its disciplines. */
enum flow discipline_detach(struct shell *sh, const struct var *var) NODISCARD;
/* Is there one of KIND that would be called now. */
bool discipline_has(struct shell *sh, const struct place *place, enum discipline kind);
/* Calls the discipline of KIND, if there is one that may be called. TEXT (NULL: none) is .sh.value
 * at its start; *RET_TEXT (scratch; NULL: unset) what it is at its end. *RET_CALLED: there was one.
 * The variable may have changed meanwhile: PLACE is stale. */
enum flow discipline_call(struct shell *sh, const struct place *place, enum discipline kind,
                          const char *text, size_t len, bool *ret_called, const char **ret_text,
                          size_t *ret_len) NODISCARD;

#endif
