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
#include <stdint.h>

struct rt_block {
    uint32_t stack; /* 0: no such block */
    uint64_t bytes;
};

/* Begin anew. SHADOW: the allocator keeps to 32-byte granules. */
void rt_live_blocks_reset(bool shadow);

/*
 * A block was allocated.
 * Result:   the entry that was still there: a free that we did not see (a signal handler's inside
 *           our hook). Its stack is 0 in the usual case.
 *           RET_KEPT says whether the block is known now; it is not if there is no memory.
 */
struct rt_block rt_live_blocks_put(uintptr_t address, struct rt_block block, uint32_t tid,
                                   bool *ret_kept);

/* ADDRESS will be put in a moment: have its entry fetched meanwhile. */
void rt_live_blocks_foresee(uintptr_t address);

/* A block is about to be freed: its entry, taken out. Stack 0: not ours. */
struct rt_block rt_live_blocks_take(uintptr_t address, uint32_t tid);

void rt_live_blocks_recover(uint32_t tid);

#endif
