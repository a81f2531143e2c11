/*
 * calls.c -- the hooks that -finstrument-functions calls.
 *
 * They take no guard: an entry that was passed over would make its exit close another call.
 */
#include <stddef.h>

#include "preload/hook.h"
#include "runtime/hot/call_gate.h"
#include "runtime/hot/call_tree.h"
#include "runtime/hot/choice.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/pause.h"
#include "runtime/hot/recording.h"
#include "runtime/setup/calibrate.h"

PL_EXPORT void __cyg_profile_func_enter(void *function, void *site);
PL_EXPORT void __cyg_profile_func_exit(void *function, void *site);

/* These have no frame pointer, unlike other hooks: where their frame begins is all they want. */
#define HOOK(function_, site_)                                                                     \
    ((struct rt_call_hook){.function = (uintptr_t)(function_),                                     \
                           .site = (uintptr_t)(site_),                                             \
                           .sp = (uintptr_t)__builtin_dwarf_cfa(),                                 \
                           .hook_return = (uintptr_t)__builtin_return_address(0)})

/* The state of a thread that is being recorded by the short way. An open gate vouches for it. */
static inline struct rt_thread *thread_recorded(void)
{
    return rt_likely(rt_call_gate_is_open()) ? rt_tls.thread : NULL;
}

/* The recorder must begin before calls are recorded: at the start, and in a forked child. The mark
 * may be none of ours: then we are not relocated yet, and nothing else may be touched. */
static bool must_begin(void)
{
    const struct rt_gate_mark *mark = rt_gate_read();
    return mark == &rt_gate_starting ||
           (mark == &rt_gate_open && rt_call_gate_wanted && !rt_pause_is_on());
}

static bool gate_is_passable(void)
{
    return rt_call_gate_read() >= RT_CALL_GATE_LONG;
}

/* The thread's state, whether the guard is free or an interrupted hook holds it. */
static struct rt_thread *thread_get(uintptr_t sp)
{
    struct rt_thread *thread = NULL;
    if (pl_hook_enter(sp - 2 * sizeof(uintptr_t), &thread) == PL_RECORD) {
        bool lasting = rt_tls.thread == thread;
        pl_hook_leave(thread);
        return lasting ? thread : NULL;
    }
    thread = gate_is_passable() ? rt_tls.thread : NULL;
    return thread && rt_thread_is_ours(thread) ? thread : NULL;
}

/* The short way for everybody from now on, if the clock allows it. */
static bool clock_prepare(void)
{
    if (!rt_calibrate()) {
        return false;
    }
    rt_call_gate_shorten();
    return true;
}

/* False: the function is passed over. */
static inline bool is_chosen(uintptr_t function, const struct rt_thread *thread)
{
    return rt_likely(!rt_choice_is_made()) || rt_choice_has(function, thread->tid);
}

/* All that is not usual, and the first entry of a thread, of the process, of a forked child. */
static __attribute__((noinline)) void enter_long(uintptr_t function, uintptr_t site, uintptr_t sp,
                                                 uintptr_t hook_return)
{
    enum rt_call_gate gate = rt_call_gate_read();
    if (gate == RT_CALL_GATE_CHOSEN && rt_choice_passes(function)) {
        return;
    }
    if (gate == RT_CALL_GATE_OFF || (gate == RT_CALL_GATE_UNKNOWN && !must_begin())) {
        return;
    }
    struct rt_thread *thread = gate == RT_CALL_GATE_UNKNOWN ? NULL : rt_tls.thread;
    bool is_ready = thread && rt_thread_is_ours(thread) && thread->calls.current;
    if (!is_ready) {
        thread = thread_get(sp);
        if (!gate_is_passable()) {
            return;
        }
    }
    if (thread && !is_chosen(function, thread)) {
        return;
    }
    if (!is_ready &&
        (!thread || !clock_prepare() || (!thread->calls.current && !rt_calls_begin(thread)))) {
        rt_recording_count(&rt_recording.header->calls_folded);
        return;
    }
    struct rt_call_hook hook = {function, site, sp, hook_return};
    if (gate == RT_CALL_GATE_CHOSEN &&
        rt_call_enter(&thread->calls, hook, rt_module_map.generation)) {
        return;
    }
    rt_calls_enter(&thread->calls, &hook);
}

void __cyg_profile_func_enter(void *function, void *site)
{
    struct rt_call_hook hook = HOOK(function, site);
    struct rt_thread *thread = thread_recorded();
    if (rt_likely(thread && rt_call_enter(&thread->calls, hook, rt_module_map.generation))) {
        return;
    }
    enter_long(hook.function, hook.site, hook.sp, hook.hook_return);
}

/* A thread without a tree has no call to leave. NOW is 0 if the clock has not been read. */
static __attribute__((noinline)) void exit_long(uintptr_t function, uintptr_t site, uintptr_t sp,
                                                uintptr_t hook_return, uint64_t now)
{
    struct rt_call_hook hook = {function, site, sp, hook_return};
    enum rt_call_gate gate = rt_call_gate_read();
    if (gate == RT_CALL_GATE_CHOSEN && rt_choice_passes(function)) {
        return;
    }
    if (gate >= RT_CALL_GATE_LONG) {
        struct rt_thread *thread = rt_tls.thread;
        if (!thread || !rt_thread_is_ours(thread) || !thread->calls.current ||
            !is_chosen(function, thread)) {
            return;
        }
        now = now ? now : rt_clock_read();
        if (gate != RT_CALL_GATE_CHOSEN || !rt_call_exit(&thread->calls, hook, now)) {
            rt_calls_exit(&thread->calls, &hook, now);
        }
    }
}

void __cyg_profile_func_exit(void *function, void *site)
{
    struct rt_call_hook hook = HOOK(function, site);
    struct rt_thread *thread = thread_recorded();
    uint64_t now = 0;
    if (rt_likely(thread)) {
        now = rt_clock_ticks();
        if (rt_likely(rt_call_exit(&thread->calls, hook, now))) {
            return;
        }
    }
    exit_long(hook.function, hook.site, hook.sp, hook.hook_return, now);
}
