/*
 * live_blocks.c -- the shadow table, and the hash map for what it cannot hold.
 */
#include "runtime/hot/live_blocks.h"

#include <stddef.h>

#include "runtime/hot/block_map.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/*
 * SIZE_WORD tells the size of a large block from an entry: if the block's free was not seen,
 * another block may begin in the granule after its first.
 */
#define ADDRESS_LIMIT   (UINT64_C(1) << 47)
#define GRANULE_BYTES   (UINT64_C(1) << RT_SHADOW_GRANULE_SHIFT)
#define SIZE_WORD       (UINT64_C(1) << 63) /* stack ids stay below 2^31 */
#define LEAF_BYTES      (RT_SHADOW_LEAF_ENTRIES * sizeof(uint64_t))
#define DIRECTORY_BYTES ((ADDRESS_LIMIT >> RT_SHADOW_LEAF_SHIFT) * sizeof(uint64_t *))

/* The directory is not static memory: a program whose data is limited would not even start with it.
 * A forked child keeps it and finds its leaves wiped. */
struct rt_shadow rt_shadow;

void rt_live_blocks_reset(bool shadow)
{
    if (shadow && !rt_shadow.directory) {
        rt_shadow.directory = os_memory_reserve(DIRECTORY_BYTES);
    }
    /* Below the limit by one granule: a large block has its size in the next one. */
    rt_shadow.limit = shadow && rt_shadow.directory ? ADDRESS_LIMIT - GRANULE_BYTES : 0;
    rt_shadow.frozen = false;
    rt_block_map_reset();
}

void rt_live_blocks_freeze(void)
{
    __atomic_store_n(&rt_shadow.frozen, true, __ATOMIC_RELAXED);
}

static uint64_t *leaf_new(uintptr_t index)
{
    uint64_t *leaf = __atomic_load_n(&rt_shadow.frozen, __ATOMIC_RELAXED)
                         ? NULL
                         : os_memory_reserve(LEAF_BYTES);
    if (!leaf) {
        return NULL;
    }
    os_memory_wipe_on_fork(leaf, LEAF_BYTES);
    uint64_t **place = &rt_shadow.directory[index], *first = NULL;
    if (!__atomic_compare_exchange_n(place, &first, leaf, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        os_memory_unmap(leaf, LEAF_BYTES);
        return first;
    }
    return leaf;
}

/* The entry of ADDRESS, made if need be; NULL: the shadow cannot hold it. */
static uint64_t *entry_make(uintptr_t address)
{
    uint64_t *entry = rt_shadow_entry(address);
    if (!entry && address < rt_shadow.limit && leaf_new(address >> RT_SHADOW_LEAF_SHIFT)) {
        entry = rt_shadow_entry(address);
    }
    return entry;
}

static struct rt_block entry_read(uintptr_t address, uint64_t entry)
{
    struct rt_block block = {(uint32_t)(entry >> 32), (uint32_t)entry};
    if (block.bytes == RT_SHADOW_LARGE) {
        uint64_t *high = rt_shadow_entry(address + GRANULE_BYTES);
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
    uint64_t *entry = entry_make(address), *high = NULL;
    if (entry && block.bytes >= RT_SHADOW_LARGE) {
        high = entry_make(address + GRANULE_BYTES);
        entry = high ? entry : NULL;
    }
    if (!entry) {
        return rt_block_map_put(address, block, tid, ret_kept);
    }
    *ret_kept = true;
    struct rt_block before = {0, 0};
    if ((int64_t)*entry > 0) {
        before = entry_read(address, *entry);
    }
    if (high) {
        *high = SIZE_WORD | block.bytes;
    }
    *entry = (uint64_t)block.stack << 32 | (high ? RT_SHADOW_LARGE : (uint32_t)block.bytes);
    return before;
}

struct rt_block rt_live_blocks_take_slowly(uintptr_t address, uint32_t tid)
{
    uint64_t *entry = rt_shadow_entry(address);
    if (entry && (int64_t)*entry > 0) {
        struct rt_block block = entry_read(address, *entry);
        *entry = 0;
        return block;
    }
    return rt_block_map_take(address, tid);
}

void rt_live_blocks_recover(uint32_t tid)
{
    rt_block_map_recover(tid);
}
