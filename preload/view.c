/*
 * view.c -- thag_current().
 */
#include <dlfcn.h>
#include <stddef.h>

#include "preload/marks.h"
#include "runtime/hot/call_tasks.h"
#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/pause.h"

PL_EXPORT int thag_library_current(struct thag_view *ret_view);

/* A function that only the compiler's hook knows has a name if its module exports it. */
static const char *exported_name(const void *function)
{
    Dl_info found;
    return dladdr(function, &found) && found.dli_saddr == function ? found.dli_sname : NULL;
}

/* An address inside a function. */
static const void *function_of(uint64_t key)
{
    return key & REC_CALL_NAMED ? NULL : (const void *)(uintptr_t)REC_NODE_ADDRESS(key);
}

static const char *name_of(const struct rt_thread *thread, const struct rec_call *node,
                           const struct rt_site *site)
{
    if (site) {
        return site->name ? site->name : site->function;
    }
    if (node->function & REC_CALL_NAMED) {
        return thread->task ? rt_task_name(thread->task) : NULL;
    }
    return exported_name(function_of(node->function));
}

static void view_fill(struct rt_thread *thread, const struct rec_call *node,
                      const struct rt_site *site, struct thag_view *ret_view)
{
    uint64_t allocations, bytes;
    uint64_t ticks = node->inclusive;
    uint64_t now = rt_pause_now();
    if (node->start != REC_CALL_NO_START && now > node->start) {
        ticks += now - node->start;
    }
    rt_heap_booked(thread, node->stack, &allocations, &bytes);
    ret_view->name = name_of(thread, node, site);
    ret_view->function = function_of(node->function);
    ret_view->calls = node->calls;
    ret_view->time_ns = rt_clock_ns(ticks);
    ret_view->allocations = allocations;
    ret_view->bytes = bytes;
}

int thag_library_current(struct thag_view *ret_view)
{
    uintptr_t sp = PL_CALLER_SP();
    struct rt_thread *thread = rt_tls.thread;
    if (!pl_is_recorded(thread) || !thread->calls.current) {
        return 0;
    }
    struct rt_calls *calls = &thread->calls;
    if (calls->kept) {
        view_fill(thread, calls->kept, calls->kept_site, ret_view);
        calls->kept = NULL;
        return 2;
    }
    const struct rt_site *site;
    const struct rec_call *node = rt_guard_current(calls, sp, &site);
    if (!node) {
        return 0;
    }
    view_fill(thread, node, site, ret_view);
    return 1;
}
