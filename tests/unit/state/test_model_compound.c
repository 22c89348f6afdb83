/*
 * The model test of compound variables: random nested programs that assign, unset, copy and begin
 * members, also elements of arrays and through a reference, run against the state layer and a naive
 * tree, which a subshell copies as a whole; names and values of all members must agree.
 *
 *     test_model_compound [PROGRAMS [FIRST_SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/state/frame.h"
#include "shell/state/members.h"
#include "shell/state/var.h"

static unsigned long program_count = 1500, first_seed = 1;

enum { ROOTS = 2, SEGMENTS = 3, INDICES = 3, PATH_MAX_STEPS = 4 };
static const char *const root_names[ROOTS] = { "c", "d" };
static const char *const segment_names[SEGMENTS] = { "x", "y", "zz" };

/* ---- the model ---- */

enum node_kind { NODE_NONE, NODE_TEXT, NODE_COMPOUND, NODE_ARRAY };
struct node {
    enum node_kind kind;
    char text[32];
    struct node *children[SEGMENTS]; /* members, or elements, which are compound */
};

static void node_free(struct node *node)
{
    if (!node)
        return;
    for (int i = 0; i < SEGMENTS; i++)
        node_free(node->children[i]);
    free(node);
}

static struct node *node_copy(const struct node *node)
{
    if (!node)
        return NULL;
    struct node *copy = malloc(sizeof *copy);
    *copy = *node;
    for (int i = 0; i < SEGMENTS; i++)
        copy->children[i] = node_copy(node->children[i]);
    return copy;
}

static void node_clear(struct node *node, enum node_kind kind)
{
    for (int i = 0; i < SEGMENTS; i++) {
        node_free(node->children[i]);
        node->children[i] = NULL;
    }
    node->kind = kind;
    node->text[0] = '\0';
}

struct run {
    struct shell *sh;
    struct node *roots[ROOTS];
    uint64_t random;
    unsigned long seed;
    int budget;
};

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

/* ---- paths: c.x[1].y ---- */

struct path {
    int root, count;
    int segment[PATH_MAX_STEPS], index[PATH_MAX_STEPS]; /* INDEX -1: none */
};

static void random_path(struct run *run, bool index_at_end, struct path *ret)
{
    ret->root = (int)pick(run, ROOTS);
    ret->count = 1 + (int)pick(run, PATH_MAX_STEPS);
    for (int i = 0; i < ret->count; i++) {
        bool indexed = pick(run, 4) == 0 && (index_at_end || i + 1 < ret->count);
        ret->segment[i] = (int)pick(run, SEGMENTS);
        ret->index[i] = indexed ? (int)pick(run, INDICES) : -1;
    }
}

/* The node of PATH; MAKE: made where the state layer would. NULL: there is none, or (BLOCKED) the
 * way leads through something that the model leaves out. */
static struct node *find(struct run *run, const struct path *path, bool make, bool *blocked)
{
    struct node *node = run->roots[path->root];
    *blocked = false;
    for (int i = 0; i < path->count; i++) {
        if (node->kind != NODE_COMPOUND) {
            *blocked = node->kind == NODE_TEXT || node->kind == NODE_ARRAY;
            return NULL;
        }
        struct node **child = &node->children[path->segment[i]];
        bool indexed = path->index[i] >= 0, last = i + 1 == path->count;
        if (!*child && !make)
            return NULL;
        if (!*child)
            *child = calloc(1, sizeof **child);
        node = *child;
        if (indexed) {
            *blocked = node->kind != NODE_NONE && node->kind != NODE_ARRAY;
            if (*blocked || (node->kind == NODE_NONE && !make))
                return NULL;
            node->kind = NODE_ARRAY;
            child = &node->children[path->index[i]];
            if (!*child && !make)
                return NULL;
            if (!*child)
                *child = calloc(1, sizeof **child);
            node = *child;
        }
        if (!last && make && node->kind == NODE_NONE)
            node->kind = NODE_COMPOUND;
    }
    return node;
}

/* The same on the real side. STEPS has room for all. */
static struct var_ref path_ref(struct run *run, const struct path *path, struct ref_step *steps)
{
    char text[64];
    int i = 0;
    size_t len = (size_t)snprintf(text, sizeof text, "%s", root_names[path->root]);
    struct var_ref ref = { .kind = REF_SCALAR, .steps = steps };
    do
        len +=
            (size_t)snprintf(text + len, sizeof text - len, ".%s", segment_names[path->segment[i]]);
    while (path->index[i] < 0 && ++i < path->count);
    ref.name = name_intern(run->sh, text, len);
    if (i == path->count)
        return ref;
    ref.kind = REF_INDEX;
    ref.index = path->index[i];
    for (i++; i < path->count; i++) {
        const char *segment = segment_names[path->segment[i]];
        steps[ref.step_count++] =
            (struct ref_step){ .kind = REF_MEMBER,
                               .member = name_intern(run->sh, segment, strlen(segment)) };
        if (path->index[i] >= 0)
            steps[ref.step_count++] =
                (struct ref_step){ .kind = REF_INDEX, .index = path->index[i] };
    }
    return ref;
}

static void path_text(const struct path *path, char *ret, size_t room)
{
    size_t len = (size_t)snprintf(ret, room, "%s", root_names[path->root]);
    for (int i = 0; i < path->count; i++) {
        len += (size_t)snprintf(ret + len, room - len, ".%s", segment_names[path->segment[i]]);
        if (path->index[i] >= 0)
            len += (size_t)snprintf(ret + len, room - len, "[%d]", path->index[i]);
    }
}

/* ---- comparing ---- */

struct expected {
    struct run *run;
    const char **names;
    size_t count, at;
};

static void compare_children(struct expected *e, const struct node *node, char *path);

static void compare_member(struct expected *e, const struct node *node, char *path)
{
    struct run *run = e->run;
    size_t len = strlen(path);
    if (!node || node->kind == NODE_NONE)
        return;
    const char *got = e->at < e->count ? e->names[e->at] : "nothing";
    if (strcmp(got, path) != 0)
        fail_msg("seed %lu, %d operations left: %s, not %s", run->seed, run->budget, got, path);
    e->at++;
    if (node->kind == NODE_TEXT) {
        struct name *name = strchr(path, '[') ? NULL : name_intern(run->sh, path, len);
        const char *text = NULL;
        size_t text_len;
        if (name) {
            CHECK(run, var_get_name(run->sh, name, &text, &text_len) == FLOW_NEXT && text);
            CHECK(run, strcmp(text, node->text) == 0);
        }
        return;
    }
    if (node->kind == NODE_COMPOUND) {
        compare_children(e, node, path);
        return;
    }
    for (int i = 0; i < INDICES; i++) {
        snprintf(path + len, 16, "[%d]", i);
        if (node->children[i])
            compare_children(e, node->children[i], path);
        path[len] = '\0';
    }
}

static void compare_children(struct expected *e, const struct node *node, char *path)
{
    size_t len = strlen(path);
    for (int i = 0; i < SEGMENTS; i++) {
        snprintf(path + len, 16, ".%s", segment_names[i]);
        compare_member(e, node->children[i], path);
        path[len] = '\0';
    }
}

static void compare_all(struct run *run)
{
    for (int r = 0; r < ROOTS; r++) {
        char path[256];
        struct expected e = { .run = run };
        struct var_ref ref = var_ref_name(name_intern(run->sh, root_names[r], 1));
        CHECK(run, var_member_names(run->sh, &ref, &e.names, &e.count) == FLOW_NEXT);
        snprintf(path, sizeof path, "%s", root_names[r]);
        compare_children(&e, run->roots[r], path);
        CHECK(run, e.at == e.count);
    }
}

/* ---- operations ---- */

static void op_assign(struct run *run)
{
    struct path path;
    struct ref_step steps[2 * PATH_MAX_STEPS];
    char text[32];
    bool blocked;
    random_path(run, false, &path);
    struct node *node = find(run, &path, false, &blocked);
    if (blocked || (node && node->kind == NODE_ARRAY))
        return;
    snprintf(text, sizeof text, pick(run, 2) ? "%u" : "a text too long for it %u", pick(run, 99));
    struct var_ref ref = path_ref(run, &path, steps);
    enum flow flow = var_set(run->sh, &ref, text, strlen(text), 0);
    if (run->roots[path.root]->kind != NODE_COMPOUND) {
        CHECK(run, flow == FLOW_ERROR); /* no parent */
        return;
    }
    CHECK(run, flow == FLOW_NEXT);
    node = find(run, &path, true, &blocked);
    CHECK(run, node);
    node_clear(node, NODE_TEXT);
    memcpy(node->text, text, sizeof text);
}

/* c.x=(...) or +=(...) without members */
static void op_begin(struct run *run)
{
    struct path path;
    struct ref_step steps[2 * PATH_MAX_STEPS];
    struct members *m;
    bool blocked, append = pick(run, 2) != 0;
    random_path(run, true, &path);
    struct node *node = find(run, &path, false, &blocked);
    if (blocked || (node && node->kind == NODE_ARRAY) ||
        run->roots[path.root]->kind != NODE_COMPOUND)
        return;
    struct var_ref ref = path_ref(run, &path, steps);
    CHECK(run, var_begin_compound(run->sh, &ref, append ? ASSIGN_APPEND : 0, &m) == FLOW_NEXT);
    members_release(m);
    node = find(run, &path, true, &blocked);
    if (!append || node->kind != NODE_COMPOUND)
        node_clear(node, NODE_COMPOUND);
}

static void op_begin_root(struct run *run)
{
    struct members *m;
    int r = (int)pick(run, ROOTS);
    struct var_ref ref = var_ref_name(name_intern(run->sh, root_names[r], 1));
    if (pick(run, 3) == 0) {
        CHECK(run, var_unset(run->sh, &ref, false) == FLOW_NEXT);
        node_clear(run->roots[r], NODE_NONE);
        return;
    }
    CHECK(run, var_begin_compound(run->sh, &ref, 0, &m) == FLOW_NEXT);
    members_release(m);
    node_clear(run->roots[r], NODE_COMPOUND);
}

static void op_unset(struct run *run)
{
    struct path path;
    struct ref_step steps[2 * PATH_MAX_STEPS];
    bool blocked;
    random_path(run, true, &path);
    struct node *node = find(run, &path, false, &blocked);
    if (blocked)
        return;
    struct var_ref ref = path_ref(run, &path, steps);
    enum flow flow = var_unset(run->sh, &ref, false); /* fails without a parent */
    if (!node)
        return;
    CHECK(run, flow == FLOW_NEXT);
    node_clear(node, NODE_NONE);
    if (path.index[path.count - 1] < 0)
        return;
    struct path array = path; /* an element is gone for good */
    array.index[array.count - 1] = -1;
    node = find(run, &array, false, &blocked);
    node_free(node->children[path.index[path.count - 1]]);
    node->children[path.index[path.count - 1]] = NULL;
}

static void op_copy(struct run *run)
{
    struct path from, to;
    struct ref_step from_steps[2 * PATH_MAX_STEPS], to_steps[2 * PATH_MAX_STEPS];
    struct members *m;
    bool blocked;
    random_path(run, true, &from);
    random_path(run, true, &to);
    to.root = 1 - from.root; /* never into itself */
    struct node *source = find(run, &from, false, &blocked);
    struct node *target = find(run, &to, false, &blocked);
    if (!source || source->kind != NODE_COMPOUND || blocked ||
        (target && target->kind == NODE_ARRAY) || run->roots[to.root]->kind != NODE_COMPOUND)
        return;
    struct var_ref from_ref = path_ref(run, &from, from_steps);
    struct var_ref to_ref = path_ref(run, &to, to_steps);
    CHECK(run, var_find_members(run->sh, &from_ref, &m) == FLOW_NEXT && m);
    CHECK(run, var_copy_compound(run->sh, &to_ref, m, 0) == FLOW_NEXT);
    struct node *copy = node_copy(source);
    target = find(run, &to, true, &blocked);
    node_clear(target, NODE_COMPOUND);
    memcpy(target->children, copy->children, sizeof copy->children);
    free(copy);
}

/* A member is assigned through a reference to where it would be. */
static void op_refer(struct run *run)
{
    struct path path;
    bool blocked;
    char text[128];
    random_path(run, false, &path);
    struct node *node = find(run, &path, false, &blocked);
    if (blocked || (node && node->kind == NODE_ARRAY) ||
        run->roots[path.root]->kind != NODE_COMPOUND)
        return;
    struct name *name = name_intern(run->sh, "r", 1);
    path_text(&path, text, sizeof text);
    CHECK(run, var_set_reference(run->sh, name, text, strlen(text)) == FLOW_NEXT);
    CHECK(run, var_set_name(run->sh, name, "by r", 4, 0) == FLOW_NEXT);
    node = find(run, &path, true, &blocked);
    node_clear(node, NODE_TEXT);
    snprintf(node->text, sizeof node->text, "by r");
}

static void run_program(struct run *run, int depth);

static void op_subshell(struct run *run, int depth)
{
    struct frame frame;
    struct node *before[ROOTS];
    for (int r = 0; r < ROOTS; r++)
        before[r] = node_copy(run->roots[r]);
    frame_push(run->sh, &frame, FRAME_SUBSHELL);
    run_program(run, depth + 1);
    frame_pop(run->sh, &frame);
    for (int r = 0; r < ROOTS; r++) {
        node_free(run->roots[r]);
        run->roots[r] = before[r];
    }
}

static void run_program(struct run *run, int depth)
{
    static void (*const operations[])(struct run *) = {
        op_assign, op_assign, op_assign, op_assign, op_begin, op_begin,
        op_unset,  op_unset,  op_copy,   op_copy,   op_refer, op_begin_root,
    };
    for (unsigned count = 3 + pick(run, 12); count > 0 && run->budget > 0; count--) {
        run->budget--;
        if (depth < 6 && pick(run, 5) == 0)
            op_subshell(run, depth);
        else
            operations[pick(run, sizeof operations / sizeof *operations)](run);
        if (pick(run, 2) == 0)
            compare_all(run);
        if (pick(run, 60) == 0)
            CHECK(run, mem_check(NULL) == 0);
    }
    compare_all(run);
}

static void run_one(unsigned long seed)
{
    struct shell *sh = shell_new();
    assert_non_null(sh);
    struct run run = { .sh = sh, .seed = seed, .random = seed * 7919, .budget = 200 };
    for (int r = 0; r < ROOTS; r++)
        run.roots[r] = calloc(1, sizeof(struct node));
    struct mem_mark mark = mem_region_mark(sh->scratch);
    while (run.budget > 0)
        run_program(&run, 0);
    mem_region_reset(sh->scratch, mark);
    for (int r = 0; r < ROOTS; r++)
        node_free(run.roots[r]);
    size_t leaked = shell_free_counted(sh);
    if (leaked != 0)
        fail_msg("seed %lu: %zu blocks left", seed, leaked);
}

static void test_random_programs(void **state)
{
    (void)state;
    for (unsigned long i = 0; i < program_count; i++)
        run_one(first_seed + i);
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
