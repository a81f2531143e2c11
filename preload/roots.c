/*
 * roots.c -- THAG_ENABLE_PROFILING.
 */
#include <stddef.h>

#include "preload/marks.h"
#include "runtime/hot/call_roots.h"
#include "runtime/hot/pause.h"

PL_EXPORT void thag_library_enable(struct thag_guard_ *guard, void *caller);
PL_EXPORT void thag_library_mode(unsigned flags);
PL_EXPORT void thag_library_disable(struct thag_guard_ *guard);

void thag_library_enable(struct thag_guard_ *guard, void *caller)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    struct rt_thread *thread = pl_thread_get(registers.sp);
    if (thread && rt_root_enter(thread, pl_guard(guard), (uintptr_t)caller, registers.sp)) {
        pl_mark_enter(pl_guard(guard), (uintptr_t)caller, &registers);
    }
}

void thag_library_mode(unsigned flags)
{
    struct rt_thread *thread = rt_tls.thread;
    struct rt_guard *vain = pl_is_recorded(thread) ? rt_root_words(thread, flags) : NULL;
    if (vain && thread->calls.current) {
        rt_guard_cancel(&thread->calls, vain);
    }
}

void thag_library_disable(struct thag_guard_ *guard)
{
    struct rt_thread *thread = rt_tls.thread;
    if (!pl_is_recorded(thread)) {
        return;
    }
    if (thread->calls.current) {
        rt_guard_leave(&thread->calls, pl_guard(guard), PL_CALLER_SP(), rt_pause_now());
    }
    rt_root_leave(thread, pl_guard(guard));
}
