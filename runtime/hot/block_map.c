/*
 * block_map.c -- linear probing in 64 shards, each with its own lock and its own growth.
 */
#include "runtime/hot/block_map.h"

#include <stddef.h>

#include "runtime/hot/lock.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

enum { SHARDS = 64, SHARD_SHIFT = 58, FIRST_ENTRIES = 128 };

struct map_entry {
    uintptr_t address; /* 0: free */
    uint64_t bytes;
    uint32_t stack;
    uint32_t reserved;
};

static struct shard {
    struct rt_lock lock;
    uint32_t reserved;
    struct map_entry *entry;
    uint64_t mask;
    uint64_t used; /* 0 in all shards together: frees of foreign blocks take no lock */
    char padding[32];
} shards[SHARDS] __attribute__((aligned(64)));

void rt_block_map_reset(void)
{
    for (int i = 0; i < SHARDS; i++) {
        shards[i] = (struct shard){.entry = NULL};
    }
}

static uint64_t address_hash(uintptr_t address)
{
    return (address >> 3) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t home(const struct shard *shard, uintptr_t address)
{
    return address_hash(address) >> 20 & shard->mask;
}

static uint64_t place(const struct shard *shard, uintptr_t address)
{
    uint64_t i = home(shard, address);
    while (shard->entry[i].address && shard->entry[i].address != address) {
        i = (i + 1) & shard->mask;
    }
    return i;
}

/* Room for one more entry, at most three quarters full. */
static bool reserve(struct shard *shard)
{
    if (shard->entry && shard->used < (shard->mask + 1) / 4 * 3) {
        return true;
    }
    uint64_t entries = shard->entry ? (shard->mask + 1) * 2 : FIRST_ENTRIES;
    struct shard grown = {.mask = entries - 1};
    grown.entry = os_memory_map(entries * sizeof *grown.entry);
    if (!grown.entry) {
        return shard->entry && shard->used < shard->mask;
    }
    if (shard->entry) {
        for (uint64_t i = 0; i <= shard->mask; i++) {
            if (shard->entry[i].address) {
                grown.entry[place(&grown, shard->entry[i].address)] = shard->entry[i];
            }
        }
    }
    /* A handler may jump out of here at any point, and the lock be recovered: first the table,
     * which an old mask does not leave, then the mask, and the old table's end last. */
    struct map_entry *old = shard->entry;
    size_t old_bytes = (shard->mask + 1) * sizeof *old;
    __atomic_store_n(&shard->entry, grown.entry, __ATOMIC_RELEASE);
    __atomic_store_n(&shard->mask, grown.mask, __ATOMIC_RELEASE);
    if (old) {
        os_memory_unmap(old, old_bytes);
    }
    return true;
}

struct rt_block rt_block_map_put(uintptr_t address, struct rt_block block, uint32_t tid,
                                 bool *ret_kept)
{
    struct rt_block before = {0, 0};
    struct shard *shard = &shards[address_hash(address) >> SHARD_SHIFT];
    *ret_kept = false;
    if (!rt_lock_take(&shard->lock, tid)) {
        return before;
    }
    if (reserve(shard)) {
        struct map_entry *entry = &shard->entry[place(shard, address)];
        if (entry->address) {
            before = (struct rt_block){entry->stack, entry->bytes};
        } else {
            __atomic_store_n(&shard->used, shard->used + 1, __ATOMIC_RELAXED);
        }
        *entry = (struct map_entry){address, block.bytes, block.stack, 0};
        *ret_kept = true;
    }
    rt_lock_give(&shard->lock);
    return before;
}

/* Close the hole at HOLE: what lies behind it and belongs before or into it moves up. */
static void close_hole(struct shard *shard, uint64_t hole)
{
    for (uint64_t i = (hole + 1) & shard->mask; shard->entry[i].address;
         i = (i + 1) & shard->mask) {
        uint64_t wanted = home(shard, shard->entry[i].address);
        if (((i - wanted) & shard->mask) >= ((i - hole) & shard->mask)) {
            shard->entry[hole] = shard->entry[i];
            hole = i;
        }
    }
    shard->entry[hole] = (struct map_entry){0, 0, 0, 0};
}

struct rt_block rt_block_map_take(uintptr_t address, uint32_t tid)
{
    struct rt_block block = {0, 0};
    struct shard *shard = &shards[address_hash(address) >> SHARD_SHIFT];
    if (__atomic_load_n(&shard->used, __ATOMIC_RELAXED) == 0 || !rt_lock_take(&shard->lock, tid)) {
        return block;
    }
    uint64_t i = place(shard, address);
    if (shard->entry[i].address) {
        block = (struct rt_block){shard->entry[i].stack, shard->entry[i].bytes};
        close_hole(shard, i);
        __atomic_store_n(&shard->used, shard->used - 1, __ATOMIC_RELAXED);
    }
    rt_lock_give(&shard->lock);
    return block;
}

void rt_block_map_recover(uint32_t tid)
{
    for (int i = 0; i < SHARDS; i++) {
        rt_lock_recover(&shards[i].lock, tid);
    }
}
