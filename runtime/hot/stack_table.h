/*
 * stack_table.h -- from a walked stack to its number.
 *
 * One look-up of the leaf's prefix hash answers for a stack that was seen before. Only a new stack
 * walks the trie, frame by frame, and is inserted; a look-up per frame would cost three times as
 * much on every event. The hash tables are private memory; nodes and stacks are in the recording.
 *
 * Look-ups take no lock. Insertions and growth do (lock.h): a table is built whole, then published;
 * a reader that still holds the old one at worst misses, and then finds the stack under the lock.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_STACK_TABLE_H
#define THAG_RT_STACK_TABLE_H

#include <stdint.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/unwind.h"

/* Stack ids that exist from the start. */
enum { RT_STACK_UNKNOWN = 1 }; /* one frame, REC_SPECIAL_UNKNOWN: what could not be kept */

/* Begin anew with RT_STACK_UNKNOWN alone. 0 or -errno. */
int rt_stack_table_reset(uint32_t tid);

/* The hash of the empty stack in the current generation. */
uint64_t rt_stack_seed(void);

/*
 * The id of the stack that WALK holds, made if it is new.
 * Result:   a stack id; RT_STACK_UNKNOWN if there is no room for a new one.
 */
uint32_t rt_stack_find(struct rt_walk *walk, uint32_t tid);

/* The id of the stack of one special frame (enum rec_special). */
uint32_t rt_stack_special(enum rec_special special, uint32_t tid);

void rt_stack_table_recover(uint32_t tid);

#endif
