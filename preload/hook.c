/*
 * hook.c -- the long way into a hook.
 */
#include "preload/hook.h"

#include "preload/real.h"
#include "runtime/hot/heap_ledger.h"
#include "runtime/setup/lifecycle.h"
#include "runtime/setup/threads.h"

static void start(void)
{
    pl_real_find();
    if (pl_real_is_found()) {
        struct rt_host host = {.glibc_allocator = pl_real.glibc_allocator,
                               .thread_attributes = pl_real.pthread_getattr_np};
        host.before_start_allocations = pl_arena_count(&host.before_start_bytes);
        rt_lifecycle_start(&host);
    }
}

static enum pl_standing enter_open(uintptr_t frame, struct rt_thread **ret_thread)
{
    if (rt_scratch_of(rt_tls.guard)) {
        return PL_OWN;
    }
    enum rt_entry entry = rt_thread_enter_slowly(frame, ret_thread);
    if (entry == RT_ENTRY_FORKED) {
        rt_lifecycle_fork_child();
        if (rt_gate_read() != &rt_gate_open) {
            return PL_PASS;
        }
        entry = rt_thread_enter_slowly(frame, ret_thread);
    }
    return entry == RT_ENTRY_TAKEN ? PL_RECORD : PL_PASS;
}

enum pl_standing pl_hook_enter_slowly(uintptr_t frame, struct rt_thread **ret_thread)
{
    const struct rt_gate_mark *gate = rt_gate_read();
    if (gate == &rt_gate_starting) {
        start();
        gate = rt_gate_read();
    }
    if (gate == &rt_gate_open) {
        return enter_open(frame, ret_thread);
    }
    /* Off, or another call is starting the recorder; or, by none of the marks, not relocated yet:
     * then `found` is still zero and nothing else may be touched. */
    return pl_real_is_found() ? PL_PASS : PL_EARLY;
}

void pl_hook_leave_ended(struct rt_thread *thread)
{
    if (rt_thread_is_ours(thread)) { /* or a forked child has begun anew inside the hook */
        rt_heap_flush(thread);
        rt_thread_release(thread);
    }
}

void *pl_hook_scratch(size_t bytes)
{
    return rt_scratch_take(rt_scratch_of(rt_tls.guard), bytes);
}

bool pl_hook_scratch_owns(const void *memory)
{
    const struct rt_scratch *scratch = rt_scratch_of(rt_tls.guard);
    return scratch && (uintptr_t)memory - (uintptr_t)scratch < sizeof *scratch;
}
