/*
 * A naive model of the state layer for test_model.c: everything is plain text in fixed arrays, a
 * subshell is a copy of the whole. Slow and simple enough to be obviously right.
 */
#ifndef TESTS_MODEL_H
#define TESTS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MODEL_NAMES = 7, /* a..e are variables, r and q may be references */
    MODEL_TEXT = 64,
    MODEL_ITEMS = 12, /* elements an array may have */
    MODEL_FRAMES = 40,
    MODEL_PARAMS = 6,
    MODEL_SLOTS = 4, /* aliases, functions, traps */
};

enum model_attr {
    MODEL_INTEGER = 1,
    MODEL_UPPER = 2,
    MODEL_LOWER = 4,
    MODEL_EXPORT = 8,
    MODEL_READONLY = 16,
    MODEL_INDEXED = 32,
    MODEL_ASSOC = 64,
    MODEL_REF = 128,
    MODEL_ARRAY = MODEL_INDEXED | MODEL_ASSOC,
};

struct model_item {
    char key[24]; /* decimal for indexed arrays */
    char text[MODEL_TEXT];
};
/* One variable of one scope. */
struct model_var {
    bool bound; /* there is one in this scope, set or not */
    bool set;   /* scalar value */
    unsigned attrs;
    char text[MODEL_TEXT];
    int target; /* MODEL_REF */
    int frame;  /* where that is for good; -1: the visible one */
    int count;
    struct model_item items[MODEL_ITEMS];
};
enum model_frame_kind { MODEL_BASE, MODEL_SUBSHELL, MODEL_FUNC, MODEL_CMD, MODEL_DOT };
struct model_frame {
    enum model_frame_kind kind;
    bool own_params;
    int param_count;
    int params[MODEL_PARAMS];
    struct model_var vars[MODEL_NAMES];
};
struct model {
    int depth; /* frames in use; 0 is BASE */
    struct model_frame frames[MODEL_FRAMES];
    uint64_t options;
    int aliases[MODEL_SLOTS], functions[MODEL_SLOTS], traps[MODEL_SLOTS]; /* 0: none */
    unsigned umask;
    int cwd;
};

/* The variable that NAME means in the innermost frame; NULL: none. */
struct model_var *model_find(struct model *m, int name);
/* The same after references: *NAME is rewritten. */
struct model_var *model_resolve(struct model *m, int *name);
/* Where an ordinary assignment goes. */
struct model_var *model_writable(struct model *m, int *name);
struct model_var *model_local(struct model *m, int name);
bool model_in_function(const struct model *m);
/* Is a temporary variable of a command inside the running function in front of NAME's local? */
bool model_temp_in_front(struct model *m, int name);

/* Each returns false where the shell must report an error (read-only, wrong kind) and nothing
 * changes. */
bool model_assign(struct model *m, int name, const char *text, bool append);
bool model_assign_item(struct model *m, int name, const char *key, const char *text, bool append);
bool model_begin_array(struct model *m, int name, bool append);
bool model_unset(struct model *m, int name);
bool model_unset_item(struct model *m, int name, const char *key);
bool model_declare(struct model *m, int name, unsigned set, unsigned clear, bool local);
bool model_refer(struct model *m, int name, int target, bool local);
bool model_temp(struct model *m, int name, const char *text);
/* Frames; popping a subshell is the caller's copying back. */
void model_push(struct model *m, enum model_frame_kind kind);
void model_pop(struct model *m);
struct model_frame *model_params(struct model *m);

#endif
