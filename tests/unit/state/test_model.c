/*
 * The model test of the journal: random nested programs of assignments, declarations, references,
 * temporary variables, function calls and subshells run against the state layer and against a naive
 * model (model.h) at once; the whole state must agree after every step that ends a frame, and often
 * in between. At the end nothing may be left over.
 *
 *     test_model [PROGRAMS [FIRST_SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model.c.inc"
#include "shell/state/alias.h"
#include "shell/state/array.h"
#include "shell/state/cwd.h"
#include "shell/state/env.h"
#include "shell/state/frame.h"
#include "shell/state/func.h"
#include "shell/state/option.h"
#include "shell/state/param.h"
#include "shell/state/var.h"

static unsigned long program_count = 2000, first_seed = 1;

struct run {
    struct shell *sh;
    struct model *model;
    uint64_t random;
    unsigned long seed;
    int budget;             /* operations left */
    int traps[MODEL_SLOTS]; /* the real side of what frame_record_call undoes */
    uint64_t trap_stamps[MODEL_SLOTS];
};

static const char *const names[MODEL_NAMES] = { "a", "b", "c", "d", "e", "r", "q" };
enum { FIRST_REF = 5 };
static const char *const directories[] = { "/", "/usr", "/tmp" };

static unsigned pick(struct run *run, unsigned n)
{
    run->random = run->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(run->random >> 33) % n;
}

#define CHECK(run, condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("seed %lu, %d operations left: %s", (run)->seed, (run)->budget, #condition);  \
    } while (0)

/* ---- comparing ---- */

static unsigned real_attrs(const struct var *var)
{
    unsigned attrs = 0;
    attrs |= var->attrs & VAR_INTEGER ? MODEL_INTEGER : 0;
    attrs |= var->attrs & VAR_UPPER ? MODEL_UPPER : 0;
    attrs |= var->attrs & VAR_LOWER ? MODEL_LOWER : 0;
    attrs |= var->attrs & VAR_EXPORT ? MODEL_EXPORT : 0;
    attrs |= var->attrs & VAR_READONLY ? MODEL_READONLY : 0;
    attrs |= var->attrs & VAR_INDEXED ? MODEL_INDEXED : 0;
    attrs |= var->attrs & VAR_ASSOC ? MODEL_ASSOC : 0;
    attrs |= var->attrs & VAR_NAMEREF ? MODEL_REF : 0;
    return attrs;
}

static void compare_elements(struct run *run, struct name *name, const struct model_var *expected)
{
    struct var_cursor cursor = { 0 };
    struct var_item item;
    int i = 0;
    for (; var_next(run->sh, name, &cursor, &item); i++) {
        CHECK(run, i < expected->count);
        char key[24];
        if (item.key)
            snprintf(key, sizeof key, "%s", item.key);
        else
            snprintf(key, sizeof key, "%lld", (long long)item.index);
        CHECK(run, strcmp(key, expected->items[i].key) == 0);
        CHECK(run,
              strcmp(item.text, expected->items[i].text) == 0 && item.len == strlen(item.text));
    }
    CHECK(run, i == expected->count);
    CHECK(run, var_count(run->sh, name) == (size_t)expected->count);
    if ((expected->attrs & MODEL_INDEXED) && i > 0)
        CHECK(run, var_next_index(run->sh, name) == atoll(expected->items[i - 1].key) + 1);
}

static void compare_var(struct run *run, int n)
{
    struct name *name = name_intern(run->sh, names[n], 1);
    struct model_var none = { 0 };
    const struct model_var *expected = model_find(run->model, n);
    if (!expected)
        expected = &none;
    if (!name->cur) {
        CHECK(run, !expected->set && expected->attrs == 0);
        return;
    }
    CHECK(run, real_attrs(name->cur) == expected->attrs);
    if (expected->attrs & MODEL_REF) {
        CHECK(run, strcmp(name->cur->target->text, names[expected->target]) == 0);
        return;
    }
    if (expected->attrs & MODEL_ARRAY) {
        compare_elements(run, name, expected);
        return;
    }
    const char *text = NULL;
    size_t len = 0;
    CHECK(run, var_get_name(run->sh, name, &text, &len) == FLOW_NEXT);
    CHECK(run, (text != NULL) == expected->set);
    CHECK(run, !text || (strcmp(text, expected->text) == 0 && len == strlen(text)));
}

/* What a child would get. */
static void compare_environment(struct run *run)
{
    char *const *envp;
    CHECK(run, env_build(run->sh, NULL, &envp) == FLOW_NEXT);
    for (int n = 0; n < MODEL_NAMES; n++) {
        const char *found = NULL, *expected = NULL;
        for (char *const *entry = envp; *entry; entry++)
            if ((*entry)[0] == names[n][0] && (*entry)[1] == '=')
                found = *entry + 2;
        struct model_var *var = model_find(run->model, n);
        const unsigned kind = MODEL_EXPORT | MODEL_REF | MODEL_ASSOC;
        if (var && (var->attrs & kind) == MODEL_EXPORT) {
            struct model_item *first = var->attrs & MODEL_ARRAY ? find_item(var, "0") : NULL;
            expected = first ? first->text : var->set ? var->text : NULL;
        }
        CHECK(run, (found != NULL) == (expected != NULL));
        CHECK(run, !found || strcmp(found, expected) == 0);
    }
}

static void compare_all(struct run *run)
{
    struct shell *sh = run->sh;
    struct model *m = run->model;
    for (int n = 0; n < MODEL_NAMES; n++)
        compare_var(run, n);
    if (pick(run, 3) == 0)
        compare_environment(run);
    CHECK(run, sh->options == m->options);
    const struct model_frame *frame = model_params(m);
    CHECK(run, sh->params->count == (size_t)frame->param_count);
    for (int i = 0; i < frame->param_count; i++)
        CHECK(run, (int)strtol(sh->params->argv[i], NULL, 10) == frame->params[i]);
    for (int i = 0; i < MODEL_SLOTS; i++) {
        const char *alias = alias_get(sh, names[i], 1);
        CHECK(run, (alias ? (int)strtol(alias, NULL, 10) : 0) == m->aliases[i]);
        const struct func *func = func_find(sh, names[i], 1);
        CHECK(run, (func ? (int)func->node->node.line : 0) == m->functions[i]);
        CHECK(run, run->traps[i] == m->traps[i]);
    }
    mode_t mask = umask(0);
    umask(mask);
    CHECK(run, mask == m->umask && sh->umask == mask);
    char cwd[64];
    CHECK(run, getcwd(cwd, sizeof cwd) && strcmp(cwd, directories[m->cwd]) == 0);
    CHECK(run, strcmp(sh->cwd, directories[m->cwd]) == 0);
}

/* ---- single operations, done on both sides ---- */

static void random_text(struct run *run, char *ret)
{
    switch (pick(run, 5)) {
    case 0:
        ret[0] = '\0';
        return;
    case 1:
        snprintf(ret, MODEL_TEXT, "%u", pick(run, 1000));
        return;
    case 2:
        snprintf(ret, MODEL_TEXT, "Ab%u", pick(run, 1000));
        return;
    case 3:
        snprintf(ret, MODEL_TEXT, "longer text than inline %u", pick(run, 1000));
        return;
    default:
        snprintf(ret, MODEL_TEXT, "%c", 'a' + (int)pick(run, 26));
        return;
    }
}

static struct name *name_of(struct run *run, int n)
{
    return name_intern(run->sh, names[n], 1);
}

static void expect(struct run *run, bool ok, enum flow flow)
{
    CHECK(run, flow == (ok ? FLOW_NEXT : FLOW_ERROR));
}

/* Model texts are cut at MODEL_TEXT: appending must not reach it. */
static bool room_to_append(struct run *run, int n, const char *key)
{
    struct model_var *var = model_resolve(run->model, &n);
    if (!var)
        return true;
    if (!(var->attrs & MODEL_ARRAY))
        return strlen(var->text) < MODEL_TEXT / 2;
    struct model_item *item = find_item(var, key);
    return !item || strlen(item->text) < MODEL_TEXT / 2;
}

static void op_assign(struct run *run)
{
    char text[MODEL_TEXT];
    int n = (int)pick(run, MODEL_NAMES);
    random_text(run, text);
    bool append = pick(run, 3) == 0 && room_to_append(run, n, "0") && strlen(text) < MODEL_TEXT / 2;
    enum flow flow =
        var_set_name(run->sh, name_of(run, n), text, strlen(text), append ? ASSIGN_APPEND : 0);
    expect(run, model_assign(run->model, n, text, append), flow);
}

static void op_assign_num(struct run *run)
{
    char text[MODEL_TEXT];
    int n = (int)pick(run, MODEL_NAMES);
    int64_t number = (int64_t)pick(run, 100000);
    snprintf(text, sizeof text, "%lld", (long long)number);
    struct var_ref ref = var_ref_name(name_of(run, n));
    enum flow flow = var_set_num(run->sh, &ref, num_int(number), 0);
    expect(run, model_assign(run->model, n, text, false), flow);
}

static struct var_ref item_ref(struct run *run, int n, const char *key)
{
    struct var_ref ref = {
        .name = name_of(run, n), .kind = REF_KEY, .key = key, .key_len = strlen(key)
    };
    if (pick(run, 2) && key[0] != 'k') {
        ref.kind = REF_INDEX;
        ref.index = atoll(key);
    }
    return ref;
}

/* A key that fits the variable's kind; false when its array is full. */
static bool random_key(struct run *run, int n, char *ret)
{
    static const char *const indices[] = { "0", "1",  "2",          "3",
                                           "7", "70", "1000000000", "9000000000000000000" };
    static const char *const keys[] = {
        "0", "k", "kk", "k1", "k12345678", "k123456789", "1", "k b"
    };
    int target = n;
    struct model_var *var = model_resolve(run->model, &target);
    bool assoc = var && (var->attrs & MODEL_ASSOC);
    snprintf(ret, 24, "%s", assoc ? keys[pick(run, 8)] : indices[pick(run, 8)]);
    return !var || var->count < MODEL_ITEMS - 1 || find_item(var, ret);
}

static void op_assign_item(struct run *run)
{
    char text[MODEL_TEXT], key[24];
    int n = (int)pick(run, MODEL_NAMES);
    random_text(run, text);
    if (!random_key(run, n, key))
        return;
    bool append = pick(run, 4) == 0 && room_to_append(run, n, key);
    struct var_ref ref = item_ref(run, n, key);
    enum flow flow = var_set(run->sh, &ref, text, strlen(text), append ? ASSIGN_APPEND : 0);
    expect(run, model_assign_item(run->model, n, key, text, append), flow);
}

static void op_assign_array(struct run *run)
{
    int n = (int)pick(run, MODEL_NAMES), target = n;
    bool append = pick(run, 3) == 0;
    const struct model_var *before = model_resolve(run->model, &target);
    if (append && before && before->count > 6)
        return;
    int64_t next;
    enum flow flow =
        var_begin_array(run->sh, name_of(run, n), 0, append ? ASSIGN_APPEND : 0, &next);
    bool ok = model_begin_array(run->model, n, append);
    expect(run, ok, flow);
    if (!ok)
        return;
    const struct model_var *var = model_resolve(run->model, &target);
    if ((var->attrs & MODEL_ASSOC) || next > 1000000)
        return;
    for (unsigned count = pick(run, 4); count > 0; count--, next++) {
        char text[MODEL_TEXT], key[24];
        random_text(run, text);
        snprintf(key, sizeof key, "%lld", (long long)next);
        struct var_ref ref = item_ref(run, n, key);
        expect(run, model_assign_item(run->model, n, key, text, false),
               var_set(run->sh, &ref, text, strlen(text), 0));
    }
}

static void op_unset(struct run *run)
{
    char key[24];
    int n = (int)pick(run, MODEL_NAMES);
    if (pick(run, 2)) {
        struct var_ref ref = var_ref_name(name_of(run, n));
        enum flow flow = var_unset(run->sh, &ref, false);
        expect(run, model_unset(run->model, n), flow);
        return;
    }
    random_key(run, n, key);
    struct var_ref ref = item_ref(run, n, key);
    enum flow flow = var_unset(run->sh, &ref, false);
    expect(run, model_unset_item(run->model, n, key), flow);
}

static void op_declare(struct run *run)
{
    static const struct {
        unsigned model;
        uint32_t real;
    } attrs[] = { { MODEL_INTEGER, VAR_INTEGER },   { MODEL_UPPER, VAR_UPPER },
                  { MODEL_LOWER, VAR_LOWER },       { MODEL_EXPORT, VAR_EXPORT },
                  { MODEL_INDEXED, VAR_INDEXED },   { MODEL_ASSOC, VAR_ASSOC },
                  { MODEL_READONLY, VAR_READONLY }, { 0, 0 } };
    int n = (int)pick(run, FIRST_REF);
    unsigned which = pick(run, 8), how = pick(run, 8);
    /* Read-only variables at the top would end all activity. */
    if (attrs[which].model == MODEL_READONLY && (run->model->depth < 2 || pick(run, 4)))
        return;
    bool local = pick(run, 2) != 0;
    if (local && model_in_function(run->model) && model_temp_in_front(run->model, n))
        return;
    struct var_change change = { .base = -1, .width = -1, .local = local };
    unsigned set = how ? attrs[which].model : 0,
             clear = how ? 0 : attrs[which].model & ~(unsigned)MODEL_ARRAY;
    change.set = how ? attrs[which].real : 0;
    change.clear = how ? 0 : attrs[which].real & ~(uint32_t)VAR_ARRAY;
    enum flow flow = var_declare(run->sh, name_of(run, n), &change);
    expect(run, model_declare(run->model, n, set, clear, local), flow);
}

static void op_refer(struct run *run)
{
    int n = FIRST_REF + (int)pick(run, MODEL_NAMES - FIRST_REF), target = (int)pick(run, FIRST_REF);
    bool local = pick(run, 2) != 0;
    if (model_temp_in_front(run->model, n))
        return;
    const struct model_var *old =
        local && model_in_function(run->model) ? NULL : model_find(run->model, n);
    if (old && (old->attrs & MODEL_ARRAY))
        return;
    if (local && model_in_function(run->model)) { /* it may exist as an array */
        int f = function_frame(run->model);
        const struct model_frame *frames = run->model->frames;
        if ((frames[f].vars[n].bound && (frames[f].vars[n].attrs & MODEL_ARRAY)) ||
            (frames[f - 1].vars[n].bound && (frames[f - 1].vars[n].attrs & MODEL_ARRAY)))
            return;
    }
    struct var_change change = { .set = VAR_NAMEREF, .base = -1, .width = -1, .local = local };
    change.nameref_target = name_of(run, target);
    enum flow flow = var_declare(run->sh, name_of(run, n), &change);
    expect(run, model_refer(run->model, n, target, local), flow);
}

static void op_option(struct run *run)
{
    enum option option = pick(run, 2) ? OPTION_NOGLOB : OPTION_NOUNSET;
    bool on = pick(run, 2) != 0;
    /* Options set in a ksh function end with it: option.c; here only outside of functions. */
    if (model_in_function(run->model))
        return;
    CHECK(run, option_set(run->sh, option, on) == FLOW_NEXT);
    run->model->options &= ~(UINT64_C(1) << option);
    run->model->options |= (uint64_t)on << option;
}

static void op_params(struct run *run)
{
    struct model_frame *frame = model_params(run->model);
    if (frame->param_count > 0 && pick(run, 2)) {
        CHECK(run, param_shift(run->sh, 1) == FLOW_NEXT);
        memmove(frame->params, frame->params + 1, sizeof frame->params - sizeof frame->params[0]);
        frame->param_count--;
        return;
    }
    char texts[MODEL_PARAMS][12];
    const char *argv[MODEL_PARAMS + 1] = { 0 };
    frame->param_count = (int)pick(run, MODEL_PARAMS);
    for (int i = 0; i < frame->param_count; i++) {
        frame->params[i] = (int)pick(run, 1000);
        snprintf(texts[i], sizeof texts[i], "%d", frame->params[i]);
        argv[i] = texts[i];
    }
    CHECK(run, param_set(run->sh, (size_t)frame->param_count, argv) == FLOW_NEXT);
}

static void op_alias(struct run *run)
{
    int i = (int)pick(run, MODEL_SLOTS);
    bool found;
    char text[12];
    if (pick(run, 3) == 0) {
        CHECK(run, alias_unset(run->sh, names[i], &found) == FLOW_NEXT);
        CHECK(run, found == (run->model->aliases[i] != 0));
        run->model->aliases[i] = 0;
        return;
    }
    run->model->aliases[i] = 1 + (int)pick(run, 1000);
    snprintf(text, sizeof text, "%d", run->model->aliases[i]);
    CHECK(run, alias_set(run->sh, names[i], text) == FLOW_NEXT);
}

/* A function whose only content is its line number. */
static void op_function(struct run *run)
{
    int i = (int)pick(run, MODEL_SLOTS);
    if (pick(run, 3) == 0) {
        CHECK(run, func_unset(run->sh, name_of(run, i)) == FLOW_NEXT);
        run->model->functions[i] = 0;
        return;
    }
    struct program *program = mem_alloc_zeroed(run->sh->program_region, sizeof *program);
    arena_init(&program->arena, run->sh->program_region);
    program->refs = 1;
    program->source = "model";
    struct node_function *node = arena_alloc(&program->arena, sizeof *node);
    node->name = name_of(run, i);
    node->text = node->name->text;
    node->node.line = 1 + pick(run, 1000);
    run->model->functions[i] = (int)node->node.line;
    CHECK(run, func_define(run->sh, program, node, node->name) == FLOW_NEXT);
    program_release(program);
}

static struct run *running;

static void restore_trap(struct shell *sh, void *a, uintptr_t b)
{
    (void)sh;
    int i = (int)(b & 0xff);
    running->traps[i] = (int)(b >> 8 & 0xffffff);
    running->trap_stamps[i] = (uint64_t)(uintptr_t)a;
}

static void op_trap(struct run *run)
{
    int i = (int)pick(run, MODEL_SLOTS);
    struct frame *target = frame_target(run->sh, TARGET_GLOBAL);
    if (frame_should_record(target, run->trap_stamps[i])) {
        void *stamp = (void *)(uintptr_t)run->trap_stamps[i];
        uintptr_t old = (uintptr_t)run->traps[i] << 8 | (uintptr_t)i;
        CHECK(run, frame_record_call(run->sh, target, restore_trap, stamp, old) == FLOW_NEXT);
        run->trap_stamps[i] = target->id;
    }
    run->traps[i] = run->model->traps[i] = (int)pick(run, 1000);
}

static void op_place(struct run *run)
{
    if (pick(run, 2)) {
        run->model->umask = pick(run, 0100);
        CHECK(run, umask_set(run->sh, run->model->umask) == FLOW_NEXT);
        return;
    }
    int error = 0;
    run->model->cwd = (int)pick(run, 3);
    CHECK(run, cwd_change(run->sh, directories[run->model->cwd], true, &error) == FLOW_NEXT &&
                   error == 0);
}

/* ---- frames ---- */

static void run_program(struct run *run, int depth);

static void op_subshell(struct run *run, int depth)
{
    struct frame frame;
    struct model *before = malloc(sizeof *before);
    memcpy(before, run->model, sizeof *before);
    frame_push(run->sh, &frame, FRAME_SUBSHELL);
    model_push(run->model, MODEL_SUBSHELL);
    run_program(run, depth + 1);
    frame_pop(run->sh, &frame);
    memcpy(run->model, before, sizeof *before);
    free(before);
}

static void op_call(struct run *run, int depth)
{
    struct frame frame;
    struct params params, *outer;
    const char *const argv[] = { "7", "8", NULL };
    frame_push(run->sh, &frame, FRAME_FUNC);
    param_enter(run->sh, &params, 2, argv, &outer);
    model_push(run->model, MODEL_FUNC);
    struct model_frame *mine = &run->model->frames[run->model->depth - 1];
    mine->own_params = true;
    mine->param_count = 2;
    mine->params[0] = 7;
    mine->params[1] = 8;
    compare_all(run);
    run_program(run, depth + 1);
    frame_pop(run->sh, &frame);
    param_leave(run->sh, outer);
    model_pop(run->model);
}

static void op_dot(struct run *run, int depth)
{
    struct frame frame;
    frame_push(run->sh, &frame, FRAME_DOT);
    model_push(run->model, MODEL_DOT);
    run_program(run, depth + 1);
    frame_pop(run->sh, &frame);
    model_pop(run->model);
}

static void op_command(struct run *run, int depth)
{
    struct frame frame;
    frame_push(run->sh, &frame, FRAME_CMD);
    model_push(run->model, MODEL_CMD);
    for (unsigned count = 1 + pick(run, 3); count > 0; count--) {
        char text[MODEL_TEXT];
        int n = (int)pick(run, FIRST_REF);
        random_text(run, text);
        enum flow flow = var_set_name(run->sh, name_of(run, n), text, strlen(text), ASSIGN_TEMP);
        expect(run, model_temp(run->model, n, text), flow);
    }
    compare_all(run);
    if (pick(run, 2))
        op_call(run, depth);
    else
        run_program(run, depth + 1);
    frame_pop(run->sh, &frame);
    model_pop(run->model);
}

static void run_program(struct run *run, int depth)
{
    static void (*const operations[])(struct run *) = {
        op_assign,      op_assign,      op_assign,       op_assign_num, op_assign_item,
        op_assign_item, op_assign_item, op_assign_array, op_unset,      op_unset,
        op_declare,     op_declare,     op_declare,      op_refer,      op_option,
        op_params,      op_alias,       op_function,     op_trap,       op_place,
    };
    static void (*const frames[])(struct run *, int) = { op_subshell, op_subshell, op_call,
                                                         op_command, op_dot };
    for (unsigned count = 2 + pick(run, 10); count > 0 && run->budget > 0; count--) {
        run->budget--;
        if (depth < 12 && run->model->depth < MODEL_FRAMES - 3 && pick(run, 4) == 0)
            frames[pick(run, 5)](run, depth);
        else
            operations[pick(run, sizeof operations / sizeof *operations)](run);
        if (pick(run, 3) == 0)
            compare_all(run);
        if (pick(run, 40) == 0)
            CHECK(run, mem_check(NULL) == 0);
    }
    compare_all(run);
}

/* Without the arithmetic layer: a number or 0. */
static enum flow number_or_zero(struct shell *sh, const char *text, size_t len, struct num *ret)
{
    char copy[MODEL_TEXT];
    (void)sh;
    snprintf(copy, sizeof copy, "%.*s", (int)len, text);
    *ret = num_int(atoll(copy));
    return FLOW_NEXT;
}

static void run_one(unsigned long seed)
{
    struct shell *sh = shell_new();
    assert_non_null(sh);
    sh->hooks.arith_text = number_or_zero;
    struct run run = { .sh = sh, .seed = seed, .random = seed * 7919, .budget = 150 };
    run.model = calloc(1, sizeof *run.model);
    run.model->depth = 1;
    run.model->options = sh->options;
    run.model->umask = sh->umask;
    run.model->frames[0].own_params = true;
    running = &run;
    int error = 0;
    CHECK(&run, chdir("/") == 0 && cwd_init(sh) == FLOW_NEXT);
    CHECK(&run, cwd_change(sh, "/", true, &error) == FLOW_NEXT);
    struct mem_mark mark = mem_region_mark(sh->scratch);
    while (run.budget > 0)
        run_program(&run, 0);
    mem_region_reset(sh->scratch, mark);
    free(run.model);
    size_t leaked = shell_free_counted(sh);
    if (leaked != 0)
        fail_msg("seed %lu: %zu blocks left", seed, leaked);
}

static void test_random_programs(void **state)
{
    (void)state;
    mode_t mask = umask(022);
    for (unsigned long i = 0; i < program_count; i++)
        run_one(first_seed + i);
    umask(mask);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        program_count = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoul(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_programs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
