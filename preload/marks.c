/*
 * marks.c -- functions and sections that are marked in the source.
 */
#include "preload/marks.h"

#include <stddef.h>

#include "runtime/hot/pause.h"
#include "runtime/hot/recording.h"
#include "runtime/setup/calibrate.h"

PL_EXPORT unsigned *thag_library_enter(struct thag_guard_ *guard, void *caller);
PL_EXPORT void thag_library_leave(struct thag_guard_ *guard);
PL_EXPORT void thag_library_end(struct thag_guard_ *guard);

_Static_assert(sizeof(struct rt_guard) == sizeof(struct thag_guard_) &&
                   offsetof(struct rt_guard, flags) == offsetof(struct thag_guard_, flags) &&
                   offsetof(struct rt_guard, node) == offsetof(struct thag_guard_, node),
               "the recorder's guards are the header's");
_Static_assert(sizeof(struct rt_site) == sizeof(struct thag_site_) &&
                   offsetof(struct rt_site, line) == offsetof(struct thag_site_, line) &&
                   offsetof(struct rt_site, library) == offsetof(struct thag_site_, library),
               "the recorder's sites are the header's");
_Static_assert((int)RT_MARK_ASYNC == (int)THAG_PART_async_fn &&
                   (int)RT_MARK_NONE == (int)THAG_ROOT_none &&
                   (int)RT_MARK_MODE_RUNTIME == (int)THAG_MODE_runtime,
               "the recorder's words are the header's");

struct rt_thread *pl_thread_get(uintptr_t sp)
{
    struct rt_thread *thread = rt_tls.thread;
    if (pl_is_recorded(thread)) {
        return thread;
    }
    if (pl_hook_enter(sp - 2 * sizeof(uintptr_t), &thread) == PL_RECORD) {
        bool lasting = rt_tls.thread == thread;
        pl_hook_leave(thread);
        return lasting ? thread : NULL;
    }
    return pl_is_recorded(rt_tls.thread) ? rt_tls.thread : NULL;
}

struct rt_calls *pl_calls_get(uintptr_t sp)
{
    struct rt_thread *thread = pl_thread_get(sp);
    if (!thread || !rt_calibrate() || (!thread->calls.current && !rt_calls_begin(thread))) {
        return NULL;
    }
    return &thread->calls;
}

/* The key of a section, made once. Threads that come at the same time write its name twice, which
 * is one name all the same. */
static uintptr_t section_key(const struct rt_guard *guard, uint32_t tid)
{
    struct rt_site *site = guard->site;
    const struct rec_header *header = rt_recording.header;
    if (__atomic_load_n(&site->library[1], __ATOMIC_ACQUIRE) != (const void *)header) {
        uintptr_t key = rt_name_key(site->name, guard->flags & RT_MARK_ASYNC, tid);
        __atomic_store_n(&site->library[0], (void *)key, __ATOMIC_RELAXED);
        __atomic_store_n(&site->library[1], (void *)header, __ATOMIC_RELEASE);
    }
    return (uintptr_t)site->library[0];
}

void pl_mark_enter(struct rt_guard *guard, uintptr_t caller, const struct rt_registers *registers)
{
    struct rt_calls *calls = rt_pause_is_on() ? NULL : pl_calls_get(registers->sp);
    if (!calls) {
        guard->node |= RT_GUARD_IGNORED;
        return;
    }
    struct rt_guard_entry entry = {
        .key = guard->site->name ? section_key(guard, calls->tid) : registers->ip | REC_CALL_INSIDE,
        .guard = guard,
        .site = caller,
        .registers = *registers,
    };
    rt_guard_enter(calls, &entry);
}

unsigned *thag_library_enter(struct thag_guard_ *guard, void *caller)
{
    struct rt_registers registers = PL_CALLER_REGISTERS();
    pl_mark_enter(pl_guard(guard), (uintptr_t)caller, &registers);
    return &guard->flags;
}

/* Of the guard's thread, if it has any. */
static struct rt_calls *calls_of_guard(void)
{
    struct rt_thread *thread = rt_tls.thread;
    return pl_is_recorded(thread) && thread->calls.current ? &thread->calls : NULL;
}

void thag_library_leave(struct thag_guard_ *guard)
{
    struct rt_calls *calls = calls_of_guard();
    if (calls) {
        rt_guard_leave(calls, pl_guard(guard), PL_CALLER_SP(), rt_pause_now());
    }
}

void thag_library_end(struct thag_guard_ *guard)
{
    struct rt_calls *calls = calls_of_guard();
    if (calls) {
        rt_guard_end(calls, pl_guard(guard), PL_CALLER_SP(), rt_pause_now());
    }
}
