/*
 * heap_ledger.h -- booking allocations and frees on the counters of their stacks.
 *
 * Counters belong to (slot, stack): no two threads write the same one. The reader sums them up.
 *
 * The global peak per stack costs O(1) per event. There is one number of live bytes, its peak, and
 * an epoch that a new peak raises. A counter saves its live bytes when it first changes after a new
 * peak; at the end a counter whose epoch is the current one was changed since the peak and held
 * saved_bytes then, any other held what it holds now.
 *
 * One number that all threads write at each event would cost more than all the rest as soon as two
 * cores allocate. So each thread keeps a pending amount back and adds it when it passes a bound:
 * peak / (2048 * threads), at least 64 bytes. While the process has one thread nothing is held
 * back.
 *
 * Context of all functions: hot. The caller holds the guard.
 */
#ifndef THAG_RT_HEAP_LEDGER_H
#define THAG_RT_HEAP_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/hot/live_blocks.h"
#include "runtime/hot/thread_state.h"

/* A threshold that no request passes: the heap is not recorded. */
#define RT_HEAP_NOTHING UINT64_MAX

/*
 * Begin anew: the settings of a recording. THRESHOLD: only larger requests are booked, 0: all.
 * DETAIL: every event is kept, and frees are walked too.
 */
void rt_heap_reset(uint64_t threshold_bytes, bool detail);

/* PAUSED: allocations are not booked until they are again. */
void rt_heap_pause(bool paused);

/*
 * A block of BYTES was allocated at ADDRESS, not NULL. REGISTERS are those of the hook's caller.
 * Books it on the caller's stack and enters it into the live blocks.
 */
void rt_heap_allocated(struct rt_thread *thread, uintptr_t address, size_t bytes,
                       const struct rt_registers *registers);

/*
 * A block is about to be freed: its entry, taken out of the live blocks. Not booked yet.
 * Stack 0: the block is not ours; counted, unless a threshold leaves blocks out on purpose.
 */
struct rt_block rt_heap_take(struct rt_thread *thread, uintptr_t address);

/* Book the free of a block that rt_heap_take() gave, stack not 0. REGISTERS as above: who frees is
 * recorded in detail mode. */
void rt_heap_freed(struct rt_thread *thread, uintptr_t address, struct rt_block block,
                   const struct rt_registers *registers);

/* A block is freed that rt_heap_take() did not know: it is counted, unless a threshold keeps blocks
 * out of the books on purpose. */
void rt_heap_unknown_freed(void);

/* The free did not happen after all (realloc failed): the entry goes back in. */
void rt_heap_put_back(struct rt_thread *thread, uintptr_t address, struct rt_block block);

/* What this slot has booked on STACK; 0, 0 if it is 0 or has nothing. */
void rt_heap_booked(const struct rt_thread *thread, uint32_t stack, uint64_t *ret_allocations,
                    uint64_t *ret_bytes);

/* Add what the thread still holds back: its part of the global live bytes, and its last size. */
void rt_heap_flush(struct rt_thread *thread);

#endif
