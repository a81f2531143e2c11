/*
 * live_blocks.c -- the shadow table, and the hash map for what it cannot hold.
 */
#include "runtime/hot/live_blocks.h"

#include <stddef.h>

#include "runtime/hot/block_map.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/*
 * Shadow: granule of 32 bytes, entry = stack << 32 | size. A leaf of 2^21 entries covers 64 MiB;
 * the directory of 2^21 leaves covers the 47 bits of a user's address space. Both are untouched
 * pages until used.
 * A size of 4 GiB - 1 and more is marked by SIZE_LARGE and stands in the next granule's entry,
 * which belongs to the same block. SIZE_WORD tells it from an entry: if the block's free was not
 * seen, another block may begin there.
 */
enum { GRANULE_SHIFT = 5, LEAF_SHIFT = 26, LEAF_ENTRIES = 1 << (LEAF_SHIFT - GRANULE_SHIFT) };
#define ADDRESS_LIMIT   (UINT64_C(1) << 47)
#define SIZE_LARGE      UINT32_MAX
#define SIZE_WORD       (UINT64_C(1) << 63) /* stack ids stay below 2^31 */
#define LEAF_BYTES      (LEAF_ENTRIES * sizeof(uint64_t))
#define DIRECTORY_BYTES ((ADDRESS_LIMIT >> LEAF_SHIFT) * sizeof(uint64_t *))

/* Not static memory: a program whose data is limited would not even start with it. A forked child
 * keeps the directory and finds its leaves wiped. */
static uint64_t **directory;
static bool use_shadow;

void rt_live_blocks_reset(bool shadow)
{
    if (shadow && !directory) {
        directory = os_memory_reserve(DIRECTORY_BYTES);
    }
    use_shadow = shadow && directory;
    rt_block_map_reset();
}

static uint64_t *leaf_new(uintptr_t index)
{
    uint64_t *leaf = os_memory_reserve(LEAF_BYTES);
    if (!leaf) {
        return NULL;
    }
    os_memory_wipe_on_fork(leaf, LEAF_BYTES);
    uint64_t *first = NULL;
    if (!__atomic_compare_exchange_n(&directory[index], &first, leaf, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        os_memory_unmap(leaf, LEAF_BYTES);
        return first;
    }
    return leaf;
}

/* The entry of ADDRESS; NULL: there is none, and (unless MAKE) the block is not in the shadow. */
static inline uint64_t *shadow_entry(uintptr_t address, bool make)
{
    uintptr_t index = address >> LEAF_SHIFT;
    uint64_t *leaf = __atomic_load_n(&directory[index], __ATOMIC_ACQUIRE);
    if (__builtin_expect(!leaf, 0)) {
        leaf = make ? leaf_new(index) : NULL;
        if (!leaf) {
            return NULL;
        }
    }
    return &leaf[address >> GRANULE_SHIFT & (LEAF_ENTRIES - 1)];
}

static inline bool in_shadow(uintptr_t address)
{
    return use_shadow && address < ADDRESS_LIMIT - (1u << GRANULE_SHIFT);
}

void rt_live_blocks_foresee(uintptr_t address)
{
    if (in_shadow(address)) {
        const uint64_t *leaf = __atomic_load_n(&directory[address >> LEAF_SHIFT], __ATOMIC_ACQUIRE);
        if (leaf) {
            __builtin_prefetch(&leaf[address >> GRANULE_SHIFT & (LEAF_ENTRIES - 1)], 1);
        }
    }
}

static struct rt_block entry_read(uintptr_t address, uint64_t entry)
{
    struct rt_block block = {(uint32_t)(entry >> 32), (uint32_t)entry};
    if (__builtin_expect((uint32_t)entry == SIZE_LARGE, 0)) {
        uint64_t *high = shadow_entry(address + (1u << GRANULE_SHIFT), false);
        if (high && *high & SIZE_WORD) {
            block.bytes = *high & ~SIZE_WORD;
            *high = 0;
        }
    }
    return block;
}

struct rt_block rt_live_blocks_put(uintptr_t address, struct rt_block block, uint32_t tid,
                                   bool *ret_kept)
{
    uint64_t *entry = in_shadow(address) ? shadow_entry(address, true) : NULL;
    uint64_t *high = NULL;
    if (__builtin_expect(entry && block.bytes >= SIZE_LARGE, 0)) {
        high = shadow_entry(address + (1u << GRANULE_SHIFT), true);
        entry = high ? entry : NULL;
    }
    if (!entry) {
        return rt_block_map_put(address, block, tid, ret_kept);
    }
    *ret_kept = true;
    struct rt_block before = {0, 0};
    if (__builtin_expect((int64_t)*entry > 0, 0)) {
        before = entry_read(address, *entry);
    }
    if (high) {
        *high = SIZE_WORD | block.bytes;
    }
    *entry = (uint64_t)block.stack << 32 | (high ? SIZE_LARGE : (uint32_t)block.bytes);
    return before;
}

struct rt_block rt_live_blocks_take(uintptr_t address, uint32_t tid)
{
    if (in_shadow(address)) {
        uint64_t *entry = shadow_entry(address, false);
        if (entry && (int64_t)*entry > 0) {
            struct rt_block block = entry_read(address, *entry);
            *entry = 0;
            return block;
        }
    }
    return rt_block_map_take(address, tid);
}

void rt_live_blocks_recover(uint32_t tid)
{
    rt_block_map_recover(tid);
}
