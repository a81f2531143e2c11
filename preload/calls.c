/*
 * calls.c -- the hooks that -finstrument-functions calls.
 *
 * They take no guard: an entry that was passed over would make its exit close another call.
 */
#include <stddef.h>

#include "preload/hook.h"
#include "runtime/hot/call_tree.h"
#include "runtime/hot/choice.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/recording.h"
#include "runtime/setup/calibrate.h"

PL_EXPORT void __cyg_profile_func_enter(void *function, void *site);
PL_EXPORT void __cyg_profile_func_exit(void *function, void *site);

#define HOOK(function_, site_)                                                                     \
    ((struct rt_call_hook){.function = (uintptr_t)(function_),                                     \
                           .site = (uintptr_t)(site_),                                             \
                           .sp = PL_CALLER_SP(),                                                   \
                           .hook_return = (uintptr_t)__builtin_return_address(0)})

/* The state of a thread that is being recorded by the short way. */
static inline struct rt_thread *thread_recorded(void)
{
    if (rt_unlikely(__atomic_load_n(&rt_gate_calls, __ATOMIC_RELAXED) != &rt_gate_open)) {
        return NULL;
    }
    struct rt_thread *thread = rt_tls.thread;
    return rt_likely(thread && rt_thread_is_ours(thread)) ? thread : NULL;
}

static const struct rt_gate_mark *gate_read(void)
{
    return __atomic_load_n(&rt_gate_calls, __ATOMIC_ACQUIRE);
}

static bool gate_is_open(void)
{
    const struct rt_gate_mark *gate = gate_read();
    return gate == &rt_gate_open || gate == &rt_gate_long || gate == &rt_gate_chosen;
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
    thread = gate_is_open() ? rt_tls.thread : NULL;
    return thread && rt_thread_is_ours(thread) ? thread : NULL;
}

/* The short way for everybody from now on, if the clock allows it. */
static bool clock_prepare(void)
{
    if (!rt_calibrate()) {
        return false;
    }
    const struct rt_gate_mark *gate = &rt_gate_long;
    if (rt_clock.kind == REC_CLOCK_TSC) {
        const struct rt_gate_mark *to = rt_choice_is_made() ? &rt_gate_chosen : &rt_gate_open;
        __atomic_compare_exchange_n(&rt_gate_calls, &gate, to, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    }
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
    const struct rt_gate_mark *gate = gate_read();
    if (gate == &rt_gate_chosen && rt_choice_passes(function)) {
        return;
    }
    if (gate != &rt_gate_open && gate != &rt_gate_long && gate != &rt_gate_chosen &&
        gate != &rt_gate_starting) {
        return; /* shut; or not relocated yet: then nothing else may be touched */
    }
    struct rt_thread *thread = rt_tls.thread;
    bool is_ready =
        gate != &rt_gate_starting && thread && rt_thread_is_ours(thread) && thread->calls.current;
    if (!is_ready) {
        thread = thread_get(sp);
        if (!gate_is_open()) {
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
    if (gate == &rt_gate_chosen && rt_call_enter(&thread->calls, hook, rt_module_map.generation)) {
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
    if (gate_read() == &rt_gate_chosen && rt_choice_passes(function)) {
        return;
    }
    if (gate_is_open()) {
        struct rt_thread *thread = rt_tls.thread;
        if (!thread || !rt_thread_is_ours(thread) || !thread->calls.current ||
            !is_chosen(function, thread)) {
            return;
        }
        now = now ? now : rt_clock_read();
        if (gate_read() != &rt_gate_chosen || !rt_call_exit(&thread->calls, hook, now)) {
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
