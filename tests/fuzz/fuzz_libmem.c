/*
 * fuzz_libmem.c: bytes drive operations on a region of each method; a table of live blocks is the
 * shadow.
 *
 * Each operation takes four bytes: what, which slot, and a size. Blocks carry their slot's number
 * at both ends, which must still be there when the block is touched again; every invariant of the
 * library is checked again and again. Any broken promise traps.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libmem.h"

enum { SLOTS = 256, REGIONS = 4, POOL_BYTES = 200, CHECK_STEPS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct slot {
    unsigned char *block;
    size_t bytes;
};

static struct slot slots[REGIONS][SLOTS];
static struct mem_region *regions[REGIONS];

static void require(int holds)
{
    if (!holds)
        __builtin_trap();
}

static void mark_ends(struct slot *slot, uint8_t number)
{
    if (slot->bytes)
        slot->block[0] = slot->block[slot->bytes - 1] = number;
}

static void check_ends(const struct slot *slot, uint8_t number)
{
    if (slot->bytes)
        require(slot->block[0] == number && slot->block[slot->bytes - 1] == number);
}

static void enter(struct slot *slot, void *block, size_t bytes, uint8_t number, unsigned which)
{
    if (!block)
        return;
    require(mem_block_bytes(block) >= bytes && mem_region_of(block) == regions[which]);
    *slot = (struct slot){ block, bytes };
    mark_ends(slot, number);
}

static void resize(struct slot *slot, size_t bytes, uint8_t number, unsigned which)
{
    size_t old = slot->bytes;
    unsigned char *moved = mem_resize(regions[which], slot->block, bytes);

    if (!moved)
        return;
    require(!old || !bytes || moved[0] == number);
    require(!old || bytes < old || moved[old - 1] == number);
    *slot = (struct slot){ moved, bytes };
    mark_ends(slot, number);
}

static void step(const uint8_t *at)
{
    unsigned which = at[0] % REGIONS, what = at[0] / REGIONS % 8;
    uint8_t number = at[1];
    size_t bytes = (size_t)(at[2] | at[3] << 8) << (at[0] >> 6) * 2;
    struct slot *slot = &slots[which][number];

    if (which == MEM_POOL)
        bytes %= POOL_BYTES + 1;
    if (!slot->block) {
        size_t align = at[2] % 4 ? (size_t)1 << at[3] % 16 : at[3] + 1u;
        void *block = what == 0   ? mem_alloc_zeroed(regions[which], bytes)
                      : what == 1 ? mem_align(regions[which], bytes, align)
                                  : mem_alloc(regions[which], bytes);
        require(!block || what != 1 || (uintptr_t)block % align == 0);
        enter(slot, block, bytes, number, which);
        return;
    }
    check_ends(slot, number);
    if (number == 254)
        (void)mem_give_back();
    if (what < 3) {
        resize(slot, bytes, number, which);
    } else if (what == 3) {
        if (mem_resize_in_place(slot->block, bytes)) {
            slot->bytes = bytes;
            mark_ends(slot, number);
        }
    } else if (what == 4 && number == 255) {
        mem_region_clear(regions[which]);
        memset(slots[which], 0, sizeof slots[which]);
    } else {
        if (what % 2)
            mem_free(slot->block);
        else
            mem_free_sized(regions[which], slot->block, mem_block_bytes(slot->block));
        *slot = (struct slot){ NULL, 0 };
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const char *const getters[] = { "getmem=safe", "getmem=anon", "getmem=break",
                                           "getmem=zero", "getmem=native" };

    if (bytes < 2)
        return 0;
    require(mem_options_apply(getters[data[0] % 5]) == 0);
    static const char *const ways[] = { "giveback=dontneed", "giveback=free", "giveback=fixed",
                                        "giveback=unmap" };
    require(mem_options_apply(ways[data[1] / 2 % 4]) == 0);
    require(mem_options_apply(data[1] % 2 ? "segsize=64Ki" : "segsize=4Mi") == 0);
    for (unsigned i = 0; i < REGIONS; i++)
        require((regions[i] = mem_region_open("fuzz", (enum mem_method)i, POOL_BYTES)) != NULL);
    for (size_t at = 2; at + 4 <= bytes; at += 4) {
        step(data + at);
        if (at % (CHECK_STEPS * 4) == 2)
            require(mem_check(NULL) == 0);
    }
    for (unsigned i = 0; i < REGIONS; i++)
        for (unsigned s = 0; s < SLOTS; s++)
            if (slots[i][s].block)
                check_ends(&slots[i][s], (uint8_t)s);
    require(mem_check(NULL) == 0);
    for (unsigned i = 0; i < REGIONS; i++)
        mem_region_close(regions[i]);
    require(mem_check(NULL) == 0);
    memset(slots, 0, sizeof slots);
    return 0;
}
