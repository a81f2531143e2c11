/*
 * recall.h -- the number of a stack that was met before, without walking it.
 *
 * A program allocates from the same stacks over and over, but seldom twice in a row from the same
 * one: each walk goes through the inner frames in which it differs from the last. Here the words
 * that such a walk read are kept together with the number that its stack has. They are found again
 * by a hash of the innermost return addresses; where those lie is guessed from what the frames'
 * sizes were before, which may be wrong, for it only says where to look. What is found counts only
 * if every word that a walk would read still holds: that is as exact as the walk.
 *
 * The outer part of a stack is the last walk's, see walk_memory.h; a memo says only which.
 *
 * Context of all functions: hot. A memo belongs to its thread; the caller holds the guard. What a
 * signal handler that jumped out of a hook has left half written is not believed.
 */
#ifndef THAG_RT_RECALL_H
#define THAG_RT_RECALL_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/hot/unwind.h"

struct rt_recall;

/* Bytes of a thread's memory for it, zero-filled by the caller; 0: this back end has none. */
size_t rt_recall_bytes(void);

/* The address map changed: forget all stacks. */
void rt_recall_forget(struct rt_recall *recall);

/*
 * The number of the caller's stack, if it is one of those that were noted.
 *
 * Inputs:   WALK of this thread. REGISTERS of the hook's caller.
 * Result:   the number that rt_recall_note() was told; 0: walk. WALK is untouched.
 */
uint32_t rt_recall(struct rt_recall *recall, const struct rt_walk *walk,
                   const struct rt_registers *registers);

/*
 * STACK is the number of the stack that rt_recall() did not know, and that WALK has gone since.
 * Only what comes a second time is kept, and RT_STACK_UNKNOWN never: a stack that found no room, or
 * a lock that was taken, is asked for again.
 */
void rt_recall_note(struct rt_recall *recall, const struct rt_walk *walk, uint32_t stack);

#endif
