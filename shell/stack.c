/*
 * The C stack the shell runs on: functions nested 2048 deep, and expressions and blocks nested 20,000 deep, need more than the 8 MiB
 * that a process usually gets.
 *
 * The stack is address space only: pages are touched as recursion reaches them. It is entered once, by
 * swapcontext, and left once. Under a small limit of address space a smaller one is tried, then none.
 */
#include "shell/stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

enum { MIB = 1 << 20, RESERVE_BYTES = 256 << 10, DEFAULT_MIB = 8 };

/* makecontext passes only ints: what the new context works on, for the time of stack_run. */
struct entry {
    int (*run)(void *ctx, const char *floor);
    void *ctx;
    const char *floor;
    int result;
    ucontext_t outer;
};

static void entry_run(unsigned high, unsigned low)
{
    struct entry *entry = (struct entry *)((uintptr_t)high << 16 << 16 | low);
    entry->result = entry->run(entry->ctx, entry->floor);
}

__attribute__((noinline)) static char *stack_map(size_t *ret_bytes)
{
    static const size_t sizes[] = {(size_t)64 * MIB, (size_t)16 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *base = mmap(NULL, sizes[i], PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (base == MAP_FAILED)
            continue;
#ifdef MADV_NOHUGEPAGE
        /* the first touch must not cost a huge page */
        (void)madvise(base, sizes[i], MADV_NOHUGEPAGE);
#endif
        (void)mprotect(base, 4096, PROT_NONE);
        *ret_bytes = sizes[i];
        return base;
    }
    return NULL;
}

/* On the stack the process came with. */
static int run_here(int (*run)(void *ctx, const char *floor), void *ctx)
{
    struct rlimit limit;
    size_t bytes = (size_t)DEFAULT_MIB * MIB;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < bytes)
        bytes = (size_t)limit.rlim_cur;
    const char *top = (const char *)&limit;
    return run(ctx, top - bytes + bytes / 8 + RESERVE_BYTES);
}

/* Enters the context of ENTRY on the stack at BASE; false when that cannot be done. Apart from stack_run, because after
 * getcontext nothing that is kept in a register is sure. */
static bool stack_enter(struct entry *entry, char *base, size_t bytes)
{
    ucontext_t inner;
    uintptr_t address = (uintptr_t)entry;
    if (getcontext(&inner) != 0)
        return false;
    inner.uc_stack.ss_sp = base;
    inner.uc_stack.ss_size = bytes;
    inner.uc_link = &entry->outer;
    makecontext(&inner, (void (*)(void))entry_run, 2, (unsigned)(address >> 16 >> 16), (unsigned)address);
    return swapcontext(&entry->outer, &inner) == 0;
}

int stack_run(int (*run)(void *ctx, const char *floor), void *ctx)
{
    size_t bytes = 0;
    char *base = stack_map(&bytes);
    if (!base)
        return run_here(run, ctx);
    struct entry entry = {.run = run, .ctx = ctx, .floor = base + RESERVE_BYTES};
    if (!stack_enter(&entry, base, bytes))
        return run_here(run, ctx);
    return entry.result;
}
