/*
 * call_roots.h -- functions that say THAG_ENABLE_PROFILING.
 *
 * What runs outside of them is not recorded (pause.h). The outermost one that is open in a thread
 * is the root of its stacks: the frames above it are cut.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_CALL_ROOTS_H
#define THAG_RT_CALL_ROOTS_H

#include <stdint.h>

#include "runtime/hot/call_guards.h"
#include "runtime/hot/thread_state.h"

/* THAG_PROFILER is set: roots of the mode "runtime" count. */
void rt_roots_reset(bool variable_is_set);

/* GUARD's function is entered; SITE is its return address, SP its stack pointer. False: its mode
 * says that it is none; it was called before, or the words are known only behind this. */
bool rt_root_enter(struct rt_thread *thread, struct rt_guard *guard, uintptr_t site, uintptr_t sp);

/* The words of the root that this thread entered last. Result: that root, if it was entered in vain
 * and has no node any more; else NULL. */
struct rt_guard *rt_root_words(struct rt_thread *thread, uint32_t flags);

void rt_root_leave(struct rt_thread *thread, struct rt_guard *guard);

/* The thread is gone with all its roots. */
void rt_roots_end(struct rt_thread *thread);

/* In a forked child: how many roots THREAD, which forked, has open; NULL: none. Its next state
 * takes them over. */
uint32_t rt_roots_of_forked(const struct rt_thread *thread);
void rt_roots_take_over(struct rt_thread *thread);

#endif
