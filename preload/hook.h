/*
 * hook.h -- what every interposed function begins and ends with.
 *
 * A hook reads its caller's registers from its own frame, so hooks are compiled with frame
 * pointers, are never inlined, and never end in a tail call before they have read them.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_PL_HOOK_H
#define THAG_PL_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/hot/thread_state.h"
#include "runtime/hot/unwind.h"

#define PL_EXPORT __attribute__((visibility("default")))

/* Registers of the caller of the function in which this is written. */
#if defined(__x86_64__)
#define PL_CALLER_REGISTERS()                                                                      \
    ({                                                                                             \
        const uintptr_t *frame_ = __builtin_frame_address(0);                                      \
        (struct rt_registers){.ip = frame_[1], .sp = (uintptr_t)(frame_ + 2), .fp = frame_[0]};    \
    })
#else
#define PL_CALLER_REGISTERS()                                                                      \
    ({                                                                                             \
        const uintptr_t *frame_ = __builtin_frame_address(0);                                      \
        (struct rt_registers){.ip = (uintptr_t)__builtin_return_address(0),                        \
                              .sp = (uintptr_t)__builtin_dwarf_cfa(),                              \
                              .fp = frame_[0]};                                                    \
    })
#endif

/* The stack pointer alone. */
#if defined(__x86_64__)
#define PL_CALLER_SP() ((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(uintptr_t))
#else
#define PL_CALLER_SP() ((uintptr_t)__builtin_dwarf_cfa())
#endif

/* False before the loader has relocated us: then nothing of libc may be called. */
static inline bool pl_is_relocated(void)
{
    const struct rt_gate_mark *gate = rt_gate_read();
    return gate == &rt_gate_open || gate == &rt_gate_off || gate == &rt_gate_starting;
}

/* How a hook stands to the recorder. */
enum pl_standing {
    PL_RECORD, /* book it: THREAD is set, the guard is taken */
    PL_PASS,   /* call the real function and be silent */
    PL_EARLY,  /* the real function is not known yet: the static arena serves */
    PL_OWN,    /* libpthread, answering us: the scratch serves */
};

/* The long way into a hook: starts the recorder, makes states, notices forks. */
enum pl_standing pl_hook_enter_slowly(uintptr_t frame, struct rt_thread **ret_thread);

static inline enum pl_standing pl_hook_enter(uintptr_t frame, struct rt_thread **ret_thread)
{
    *ret_thread = rt_thread_enter(frame);
    return rt_likely(*ret_thread) ? PL_RECORD : pl_hook_enter_slowly(frame, ret_thread);
}

/* The end of a hook that came in with PL_RECORD. */
void pl_hook_leave_ended(struct rt_thread *thread);

static inline void pl_hook_leave(struct rt_thread *thread)
{
    if (rt_unlikely(rt_tls.thread != thread)) {
        pl_hook_leave_ended(thread);
    }
    rt_thread_leave();
}

/* Memory of libpthread's own, while it answers us. */
void *pl_hook_scratch(size_t bytes);
bool pl_hook_scratch_owns(const void *memory);

#endif
