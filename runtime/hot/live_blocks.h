/*
 * live_blocks.h -- which stack allocated a block that is live, and how large it is.
 *
 * Two ways, chosen once at the start:
 *   shadow  8 bytes for each 32 bytes of address space that the heap uses, reached without a lock
 *           and without an atomic: glibc never puts two blocks into one 32-byte granule, and only
 *           the owner of a block may touch its entry.
 *   hashed  a sharded hash map with short locks, for other allocators (some place 8-byte blocks 8
 *           bytes apart), and for all that the shadow refuses: addresses above 2^47, no memory for
 *           a leaf.
 *
 * An entry goes in after the real malloc and comes out before the real free: in between, no other
 * thread can be given the address.
 *
 * Context of all functions: hot. Private memory, wiped in a forked child: inherited blocks are
 * unknown there.
 */
#ifndef THAG_RT_LIVE_BLOCKS_H
#define THAG_RT_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_block {
    uint32_t stack; /* 0: no such block */
    uint64_t bytes;
};

/* Begin anew. SHADOW: the allocator keeps to 32-byte granules. */
void rt_live_blocks_reset(bool shadow);

/* Memory is scarce from now on: the shadow does not grow, new places go into the hash map. */
void rt_live_blocks_freeze(void);

/*
 * A block was allocated.
 * Result:   the entry that was still there: a free that we did not see (a signal handler's inside
 *           our hook). Its stack is 0 in the usual case.
 *           RET_KEPT says whether the block is known now; it is not if there is no memory.
 */
struct rt_block rt_live_blocks_put(uintptr_t address, struct rt_block block, uint32_t tid,
                                   bool *ret_kept);

/* A block is about to be freed: its entry, taken out. Stack 0: not ours. The long way, see
 * rt_live_blocks_take(). */
struct rt_block rt_live_blocks_take_slowly(uintptr_t address, uint32_t tid);

/*
 * Shadow: granule of 32 bytes, entry = stack << 32 | size. A leaf of 2^21 entries covers 64 MiB;
 * the directory of 2^21 leaves covers the 47 bits of a user's address space. Both are untouched
 * pages until used.
 * A size of 4 GiB - 1 and more is marked by RT_SHADOW_LARGE and stands in the next granule's entry,
 * which belongs to the same block.
 */
enum {
    RT_SHADOW_GRANULE_SHIFT = 5,
    RT_SHADOW_LEAF_SHIFT = 26,
    RT_SHADOW_LEAF_ENTRIES = 1 << (RT_SHADOW_LEAF_SHIFT - RT_SHADOW_GRANULE_SHIFT)
};
#define RT_SHADOW_LARGE UINT32_MAX

struct rt_shadow {
    uint64_t **directory;
    uintptr_t limit; /* addresses from here on are not in the shadow; 0: none is */
    bool frozen;     /* no leaf is added */
};
extern struct rt_shadow rt_shadow __attribute__((visibility("hidden")));

/* The entry of ADDRESS; NULL: there is none yet, or never will be. It stays where it is. */
static inline uint64_t *rt_shadow_entry(uintptr_t address)
{
    if (__builtin_expect(address >= rt_shadow.limit, 0)) {
        return NULL;
    }
    uint64_t *leaf =
        __atomic_load_n(&rt_shadow.directory[address >> RT_SHADOW_LEAF_SHIFT], __ATOMIC_ACQUIRE);
    if (__builtin_expect(!leaf, 0)) {
        return NULL;
    }
    return &leaf[address >> RT_SHADOW_GRANULE_SHIFT & (RT_SHADOW_LEAF_ENTRIES - 1)];
}

/*
 * What rt_live_blocks_put() does in the usual case. ENTRY is the block's, or NULL.
 * Result:   false: it is not the usual case, nothing was done.
 */
static inline bool rt_shadow_put(uint64_t *entry, struct rt_block block)
{
    if (__builtin_expect(!entry || *entry != 0 || block.bytes >= RT_SHADOW_LARGE, 0)) {
        return false;
    }
    *entry = (uint64_t)block.stack << 32 | block.bytes;
    return true;
}

/* A block is about to be freed: its entry, taken out. Stack 0: not ours. */
static inline struct rt_block rt_live_blocks_take(uintptr_t address, uint32_t tid)
{
    uint64_t *entry = rt_shadow_entry(address), word = entry ? *entry : 0;
    if (__builtin_expect((int64_t)word <= 0 || (uint32_t)word == RT_SHADOW_LARGE, 0)) {
        return rt_live_blocks_take_slowly(address, tid);
    }
    *entry = 0;
    return (struct rt_block){(uint32_t)(word >> 32), (uint32_t)word};
}

void rt_live_blocks_recover(uint32_t tid);

#endif
