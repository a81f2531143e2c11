/*
 * marks.h -- what the files behind thag_profiler.h share.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_PL_MARKS_H
#define THAG_PL_MARKS_H

#define THAG_PROFILING
#include "runtime/include/thag_profiler.h"

#include "preload/hook.h"
#include "runtime/hot/call_guards.h"

/* A mark as the recorder sees it. */
static inline struct rt_guard *pl_guard(struct thag_guard_ *guard)
{
    return (struct rt_guard *)(void *)guard;
}

/* Is this thread being recorded, or will be once the recording goes on? */
static inline bool pl_is_recorded(const struct rt_thread *thread)
{
    return rt_gate_read() == &rt_gate_open && thread && rt_thread_is_ours(thread);
}

/* The state of this thread, made if need be; NULL: nothing is recorded. SP is the caller's. */
struct rt_thread *pl_thread_get(uintptr_t sp);

/* Its calls, likewise. */
struct rt_calls *pl_calls_get(uintptr_t sp);

/* Open the guard, in the function that was called from CALLER; REGISTERS are those of it. */
void pl_mark_enter(struct rt_guard *guard, uintptr_t caller, const struct rt_registers *registers);

#endif
