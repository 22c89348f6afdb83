/* What edit.c, keys.c, kill.c, pane.c, recall.c and undo.c share. */
#ifndef SHELL_INTERACTIVE_EDIT_PRIVATE_H
#define SHELL_INTERACTIVE_EDIT_PRIVATE_H

#include <histedit.h>
#include <stdio.h>
#include <wchar.h>

#include "shell/base/map.h"
#include "shell/base/str.h"
#include "shell/interactive/cluster.h"
#include "shell/interactive/complete.h"
#include "shell/interactive/edit.h"

/* Keys that no terminal sends: what the shell hands to libedit in place of what was typed, bound
 * whatever else users bind. In both of libedit's keymaps. */
enum edit_key {
    KEY_FIRST = 0x80,
    KEY_PASTE = KEY_FIRST,
    KEY_PREFILL,
    KEY_HISTORY_BACK,
    KEY_HISTORY_ON,
    KEY_ENTER,
    KEY_COMPLETE,
    KEY_LIST,
    KEY_EXPAND,
    KEY_KEPT,
    KEY_CLEAR,
    KEY_MARK,
    KEY_LAST = KEY_MARK
};

/* What the line was before each change, newest last. */
struct undo {
    struct str steps;  /* of wchar_t: text, its length, the cursor; again and again */
    struct str now;    /* of wchar_t: the line as last seen */
    size_t now_cursor; /* in it */
    bool typing;       /* the last change put in one character: the next one goes with it */
};

/* The part of the line that is drawn, in characters. */
struct pane {
    size_t start, end;
};

#define PANE_MARK "<"

/* The columns of PANE_MARK: on a screen of one row there is no room for it. */
static inline size_t pane_mark_columns(size_t rows)
{
    return rows > 1;
}

enum { RECALL_NONE = -1 };

/* Where libedit is in the history. */
struct recall {
    struct shell *sh;
    int64_t at;      /* the number of the command it was given last; RECALL_NONE: the line typed */
    struct str text; /* that command, of wchar_t, with its newline */
    struct map seen; /* HISTCONTROL=erasedups: the commands given since the newest */
};

/* What is kept of a line that a command of vi empties or ends at the cursor. */
enum cutting { CUT_NONE, CUT_WANTED, CUT_KEPT };

struct edit {
    struct shell *sh;
    EditLine *line;
    struct recall recall;
    FILE *out;         /* libedit's, to the terminal */
    struct str above;  /* the rows of the prompt before its last */
    struct str prompt; /* the last row, escaped (prompt.h) */
    struct str last;   /* what PROMPT_LAST stands for in it */
    size_t prompt_columns;
    struct pane pane;
    bool is_continuation; /* the line goes on with a command */
    struct clusters clusters;
    struct str wide;  /* of wchar_t: what goes into the line */
    struct str typed; /* the line as it came back */
    wchar_t mark;     /* a combining mark that was typed */
    char cut[4];      /* the start of a character that libedit has not written to its end */
    size_t cut_len;
    struct completion completion;
    struct undo undo;
    enum cutting cutting; /* kill.c */
    struct str pasted;
    struct str queued; /* bytes to be taken before those of the terminal */
    size_t queue_at;
    struct str prefill; /* what the next line begins with */
    bool prefill_up;    /* the cursor goes to its last row but one */
    struct str kept;    /* of wchar_t: the line that was being typed, while others are shown */
    enum edit_result result;
    bool ended; /* RESULT is other than that a line was typed */
    char term[64];
};

struct edit *edit_of(EditLine *line);
/* libedit's public structure is the line itself. */
static inline LineInfoW *edit_line(EditLine *line)
{
    return (LineInfoW *)(uintptr_t)el_wline(line);
}
/* Puts TEXT into the line before the cursor; false: nothing was. */
bool edit_insert(EditLine *line, const char *text, size_t len);
/* The text of the line, in scratch, and where the cursor is in it; NULL: no memory. */
char *edit_text(EditLine *line, size_t *ret_len, size_t *ret_cursor);
/* As the next bytes of the terminal. */
void edit_queue(struct edit *edit, const char *bytes, size_t len);
/* One byte of the terminal: 1, 0 at its end, -1 when the line is given up. */
int edit_read_byte(struct edit *edit, char *ret);

/* The line is given up: the cursor goes behind all of it that is shown. */
void pane_leave(EditLine *line);

/* While a line is typed the terminal makes no signals, so that ^C in pasted text is a character.
 * Makes of BYTE, typed as a key, what the terminal would make of it; false: that is nothing. So it
 * is behind ^V, for which libedit sets a mode where returns are not translated. */
bool edit_signal_key(char byte);
/* Whether the terminal makes signals of keys: ON while something of the user's runs. */
void edit_signals(bool on);

/* The prompt and the line anew on an empty screen. */
void edit_clear_screen(struct edit *edit);

/* Makes the shell's functions known to libedit, and binds them. */
void keys_init(struct edit *edit);
void keys_bind(EditLine *line);
/* Whether libedit edits in the manner of vi. */
bool keys_are_vi(EditLine *line);
/* Whether the bindings are in force: a new manner of editing undoes them all. */
bool keys_are_bound(EditLine *line);

void undo_init(struct undo *undo, struct mem_region *region);
void undo_release(struct undo *undo);
/* A new line begins. */
void undo_clear(struct undo *undo);
/* Called before each key: takes note of what the one before changed. */
void undo_note(struct undo *undo, EditLine *line);
/* Takes back the last change; false: there is none. */
bool undo_back(struct undo *undo, EditLine *line);

/* Makes the history what libedit calls commands back from. */
void recall_init(struct recall *recall, struct shell *sh, EditLine *line);
void recall_release(struct recall *recall);

#endif
