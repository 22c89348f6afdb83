/*
 * The C stack the shell runs on: functions nested 2048 deep, and expressions and blocks nested
 * 20,000 deep, need more than the 8 MiB that a process usually gets.
 *
 * The stack is address space only: pages are touched as recursion reaches them. It is entered once
 * and left once, by setting the stack pointer where the machine is known, which needs no system
 * call, else by swapcontext. Under a small limit of address space a smaller one is tried, then
 * none.
 */
#include "shell/stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#if defined(__has_feature) && !defined(__SANITIZE_ADDRESS__)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 /* clang's name for it */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

#include "shell/base/sys.h"

enum { MIB = 1 << 20, RESERVE_BYTES = 256 << 10, DEFAULT_MIB = 8 };

/* What the new stack works on. */
struct entry {
    int (*run)(void *ctx, const char *floor);
    void *ctx;
    const char *floor;
    char *base;
    size_t bytes;
    int result;
};

/* The first function on the new stack. */
static void entry_run(struct entry *entry)
{
#ifdef __SANITIZE_ADDRESS__
    const void *outer_base;
    size_t outer_bytes;
    __sanitizer_finish_switch_fiber(NULL, &outer_base, &outer_bytes);
    entry->result = entry->run(entry->ctx, entry->floor);
    __sanitizer_start_switch_fiber(NULL, outer_base, outer_bytes);
#else
    entry->result = entry->run(entry->ctx, entry->floor);
#endif
}

static char *stack_map(size_t *ret_bytes)
{
    static const size_t sizes[] = { (size_t)64 * MIB, (size_t)16 * MIB };
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
        sys_note_unreserved(sizes[i]);
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

#if defined(__x86_64__) || defined(__aarch64__)
/* Calls entry_run(ENTRY) with the stack pointer at the top of its stack. */
static bool stack_enter(struct entry *entry)
{
    char *top = entry->base + entry->bytes;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(NULL, entry->base, entry->bytes);
#endif
#ifdef __x86_64__
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %0, %%rsp\n\t"
                     "movq %1, %%rdi\n\t"
                     "callq *%2\n\t"
                     "movq %%rbx, %%rsp"
                     :
                     : "r"(top), "r"(entry), "r"(entry_run)
                     : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory",
                       "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#else
    __asm__ volatile("mov x19, sp\n\t"
                     "mov sp, %0\n\t"
                     "mov x0, %1\n\t"
                     "blr %2\n\t"
                     "mov sp, x19"
                     :
                     : "r"(top), "r"(entry), "r"(entry_run)
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
                       "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "memory",
                       "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18",
                       "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",
                       "v30", "v31");
#endif
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
    return true;
}
#else
/* makecontext passes only ints. */
static void entry_run_split(unsigned high, unsigned low)
{
    entry_run((struct entry *)((uintptr_t)high << 16 << 16 | low));
}

static bool stack_enter(struct entry *entry)
{
    static ucontext_t outer,
        inner; /* static: after getcontext nothing kept in a register is sure */
    uintptr_t address = (uintptr_t)entry;
    if (getcontext(&inner) != 0)
        return false;
    inner.uc_stack.ss_sp = entry->base;
    inner.uc_stack.ss_size = entry->bytes;
    inner.uc_link = &outer;
    makecontext(&inner, (void (*)(void))entry_run_split, 2, (unsigned)(address >> 16 >> 16),
                (unsigned)address);
    return swapcontext(&outer, &inner) == 0;
}
#endif

int stack_run(int (*run)(void *ctx, const char *floor), void *ctx)
{
    struct entry entry = { .run = run, .ctx = ctx };
    entry.base = stack_map(&entry.bytes);
    if (!entry.base)
        return run_here(run, ctx);
    entry.floor = entry.base + RESERVE_BYTES;
    return stack_enter(&entry) ? entry.result : run_here(run, ctx);
}
