/*
 * call_guards.h -- functions and sections that are marked in the source (thag_profiler.h).
 *
 * A mark is a node of the call tree like a function's, and stands to the function that it is in as
 * an inlined one does: same frame, same call site, another hook. What opens it is a guard, a
 * variable of the function, whose destruction closes it. The node's hook_return leads to the guard
 * as long as it is open, and so to the mark's flags.
 *
 * Where the compiler's hook has opened the function already, the mark's node is REC_CALL_ATTACHED:
 * no call of its own, it only holds the flags.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_CALL_GUARDS_H
#define THAG_RT_CALL_GUARDS_H

#include <stdbool.h>

#include "runtime/hot/call_tree.h"
#include "runtime/hot/unwind.h"

/* The bits of enum thag_flags_ that the recorder looks at. */
enum rt_mark {
    RT_MARK_TIME = 1,
    RT_MARK_SUMMARY = 2,
    RT_MARK_DETAIL = 4,
    RT_MARK_GLOBAL = 8,
    RT_MARK_TEST = 16,
    RT_MARK_ASYNC = 32,
    RT_MARK_NONE = 128, /* a root without a frame */
    RT_MARK_MODE_TIME = 256,
    RT_MARK_MODE_MEMORY = 512,
    RT_MARK_MODE_NO = 1024,
    RT_MARK_MODE_RUNTIME = 2048,
};

/* As thag_profiler.h lays them out. */
struct rt_site {
    const char *name; /* of the section; NULL: a function */
    const char *function;
    uint32_t line;
    uint32_t noted;   /* enum rt_oddity, a bit each */
    void *library[2]; /* a section's key and the recording it is good for; of a root: its words */
};

struct rt_guard {
    struct rt_site *site;
    uint32_t flags; /* of a bare mark: only once it has been entered */
    uint32_t node;  /* open: its number, or RT_GUARD_DEEP; 0: not open; RT_GUARD_IGNORED: nothing
                       was recorded */
};

#define RT_GUARD_IGNORED UINT32_C(0x7fffffff)
#define RT_GUARD_DEEP    UINT32_C(0x7ffffffe) /* its call is too deep for a node, see call_deep.c */
#define RT_GUARD_ROOT    UINT32_C(0x80000000) /* set in node: it counts as an entered root */

/* A guard that is entered. */
struct rt_guard_entry {
    uintptr_t key; /* rec_call.function, with REC_CALL_INSIDE or REC_CALL_NAMED */
    struct rt_guard *guard;
    uintptr_t site;                /* return address of the function that it is in */
    struct rt_registers registers; /* of its function */
};

/* Set in a mark's hook_return when its guard cannot be found from its frame: a coroutine's lies on
 * the heap, and a task has none. */
#define RT_GUARD_IS_FAR 1u

/* The key of a name in the call tree: a text of the recording. ASYNC: behind the prefix async::. */
uintptr_t rt_name_key(const char *name, bool async, uint32_t tid);

/* Open a node for the guard, but not for a second one of a function. */
void rt_guard_enter(struct rt_calls *calls, const struct rt_guard_entry *entry);

/* Close the guard's node and what is open inside it; nothing if it has none. */
void rt_guard_leave(struct rt_calls *calls, struct rt_guard *guard, uintptr_t sp, uint64_t now);

/* The same where the source says that the section ends: noted if it is not open, or if others are
 * open inside it. */
void rt_guard_end(struct rt_calls *calls, struct rt_guard *guard, uintptr_t sp, uint64_t now);

/* The guard's node, which is the current one, was opened in vain: as if it had not been. */
void rt_guard_cancel(struct rt_calls *calls, struct rt_guard *guard);

/* The innermost open node, that of a mark or function. NULL: none. RET_SITE is the mark's, or NULL.
 * Heap use and time are the caller's to read. */
struct rec_call *rt_guard_current(struct rt_calls *calls, uintptr_t sp,
                                  const struct rt_site **ret_site);

/* What a mark leaves of time and of memory. */
static inline bool rt_mark_has_time(uint32_t flags)
{
    return flags & (RT_MARK_TIME | RT_MARK_GLOBAL) || !(flags & (RT_MARK_SUMMARY | RT_MARK_DETAIL));
}

static inline bool rt_mark_has_memory(uint32_t flags)
{
    return flags & (RT_MARK_SUMMARY | RT_MARK_DETAIL | RT_MARK_GLOBAL) || !(flags & RT_MARK_TIME);
}

#endif
