/*
 * call_guards.h -- functions and sections that are marked in the source (thag_profiler.h).
 *
 * A mark is a node of the call tree like a function's, and stands to the function that it is in as
 * an inlined one does: same frame, same call site, another hook. What opens it is a guard, a
 * variable of the function, whose destruction closes it. The guard's address is the mark's
 * hook_return, and as long as the node is open the guard holds the mark's flags.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_CALL_GUARDS_H
#define THAG_RT_CALL_GUARDS_H

#include "runtime/hot/call_tree.h"

/* The bits of enum thag_flags_ that the recorder looks at. */
enum rt_mark {
    RT_MARK_TIME = 1,
    RT_MARK_SUMMARY = 2,
    RT_MARK_DETAIL = 4,
    RT_MARK_GLOBAL = 8,
};

/* A guard that is entered. */
struct rt_guard_entry {
    uintptr_t key;   /* rec_call.function, with REC_CALL_INSIDE or REC_CALL_NAMED */
    uintptr_t guard; /* address of the guard */
    uintptr_t site;  /* return address of the function that it is in */
    uintptr_t sp;    /* of its function */
};

/* Open a node for the guard. A function's mark opens none where the compiler's hook has opened the
 * function already. */
void rt_guard_enter(struct rt_calls *calls, const struct rt_guard_entry *entry);

/* Close the guard's node and what is open inside it; nothing if it has none. */
void rt_guard_leave(struct rt_calls *calls, uintptr_t guard, uintptr_t sp, uint64_t now);

#endif
