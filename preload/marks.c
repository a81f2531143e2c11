/*
 * marks.c -- what thag_profiler.h calls.
 */
#include <stddef.h>

#define THAG_PROFILING
#include "runtime/include/thag_profiler.h"

#include "preload/hook.h"
#include "runtime/hot/call_guards.h"
#include "runtime/hot/pause.h"
#include "runtime/hot/recording.h"
#include "runtime/setup/calibrate.h"

PL_EXPORT unsigned *thag_library_enter(struct thag_site_ *site, unsigned *guard, void *caller);
PL_EXPORT void thag_library_leave(unsigned *guard);
PL_EXPORT int thag_library_is_profiling(void);
PL_EXPORT void thag_library_ignore(int change);
PL_EXPORT void thag_library_switch(int on);

static bool is_recorded(const struct rt_thread *thread)
{
    return rt_gate_read() == &rt_gate_open && thread && rt_thread_is_ours(thread);
}

/* The state of this thread, made if need be; NULL: nothing is recorded. */
static struct rt_thread *thread_get(uintptr_t sp)
{
    struct rt_thread *thread = rt_tls.thread;
    if (is_recorded(thread)) {
        return thread;
    }
    if (pl_hook_enter(sp - 2 * sizeof(uintptr_t), &thread) == PL_RECORD) {
        bool lasting = rt_tls.thread == thread;
        pl_hook_leave(thread);
        return lasting ? thread : NULL;
    }
    return is_recorded(rt_tls.thread) ? rt_tls.thread : NULL;
}

/* Its calls, likewise. */
static struct rt_calls *calls_get(uintptr_t sp)
{
    struct rt_thread *thread = thread_get(sp);
    if (!thread || !rt_calibrate() || (!thread->calls.current && !rt_calls_begin(thread))) {
        return NULL;
    }
    return &thread->calls;
}

/* The key of a section: its name as a text of the recording, written once. Threads that come at the
 * same time write it twice, which is one name all the same. */
static uintptr_t section_key(struct thag_site_ *site, uint32_t tid)
{
    const struct rec_header *header = rt_recording.header;
    if (__atomic_load_n(&site->library[1], __ATOMIC_ACQUIRE) != (const void *)header) {
        struct rec_text text = rt_recording_text(site->name, __builtin_strlen(site->name), tid);
        uintptr_t key = REC_CALL_NAMED | (uintptr_t)(text.bytes & 0xffff) << 44 | text.offset;
        __atomic_store_n(&site->library[0], (void *)key, __ATOMIC_RELAXED);
        __atomic_store_n(&site->library[1], (void *)header, __ATOMIC_RELEASE);
    }
    return (uintptr_t)site->library[0];
}

unsigned *thag_library_enter(struct thag_site_ *site, unsigned *guard, void *caller)
{
    uintptr_t sp = PL_CALLER_SP();
    uintptr_t back = (uintptr_t)__builtin_return_address(0);
    struct rt_calls *calls = rt_pause_is_on() ? NULL : calls_get(sp);
    if (calls) {
        struct rt_guard_entry entry = {
            .key = site->name ? section_key(site, calls->tid) : back | REC_CALL_INSIDE,
            .guard = (uintptr_t)guard,
            .site = (uintptr_t)caller,
            .sp = sp,
        };
        *guard = site->flags;
        rt_guard_enter(calls, &entry);
    }
    return &site->flags;
}

void thag_library_leave(unsigned *guard)
{
    struct rt_thread *thread = rt_tls.thread;
    if (is_recorded(thread) && thread->calls.current) {
        rt_guard_leave(&thread->calls, (uintptr_t)guard, PL_CALLER_SP(), rt_clock_read());
    }
}

int thag_library_is_profiling(void)
{
    return rt_gate_read() == &rt_gate_open && !rt_pause_is_on();
}

void thag_library_switch(int on)
{
    if (on) {
        rt_pause_start();
    } else {
        rt_pause_stop();
    }
}

void thag_library_ignore(int change)
{
    struct rt_thread *thread = thread_get(PL_CALLER_SP());
    if (thread) {
        thread->ignored += (uint32_t)change;
    }
}
