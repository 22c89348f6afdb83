/*
 * program: the life of a parsed unit.
 *
 * A program is one arena and a count of its users. Nothing in it is ever changed or freed alone;
 * the executor's side array goes through the hook below, because its type belongs to a higher
 * layer.
 */
#include "shell/syntax/ast.h"

void (*program_caches_free)(struct program *program);
const char *(*program_name_text)(const struct name *name);

struct program *program_hold(struct program *program)
{
    if (program)
        program->refs++;
    return program;
}

void program_release(struct program *program)
{
    if (!program || --program->refs > 0)
        return;
    if (program->caches && program_caches_free)
        program_caches_free(program);
    arena_release(&program->arena);
    mem_free(program);
}
