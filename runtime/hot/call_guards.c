/*
 * call_guards.c -- see the header.
 */
#include "runtime/hot/call_guards.h"

#include <stddef.h>

#include "runtime/hot/call_parts.h"
#include "runtime/hot/recording.h"

#include "runtime/hot/rt_forbid.h"

/* Did the compiler's hook open the guard's function? */
static bool is_open_already(const struct rec_call *current, const struct rt_guard_entry *entry,
                            uintptr_t frame)
{
    return entry->key & REC_CALL_INSIDE && !rt_call_is_mark(current) && current->frame == frame &&
           current->site == entry->site;
}

static struct rec_call *mark_find(const struct rt_calls *calls, uintptr_t guard)
{
    struct rec_call *node =
        rt_calls_are_deep(calls) ? rt_call_at(calls, calls->stack->deep.parent) : calls->current;
    for (; node != calls->stack->base; node = rt_call_at(calls, node->parent)) {
        if (rt_call_is_mark(node) && (uintptr_t)rt_call_guard(node) == guard) {
            return node;
        }
    }
    return NULL;
}

/* The time of a mark that records none is its caller's. */
static void mark_close(struct rt_calls *calls, struct rec_call *node, uint64_t now)
{
    uint32_t flags = *rt_call_guard(node);
    bool timed = flags == 0 || flags & (RT_MARK_TIME | RT_MARK_GLOBAL) ||
                 !(flags & (RT_MARK_SUMMARY | RT_MARK_DETAIL));
    if (timed) {
        rt_call_close(calls, node, now);
    } else {
        node->site_words = REC_CALL_TIMELESS;
        rt_call_credit(calls, node, 0);
    }
}

void rt_guard_leave(struct rt_calls *calls, uintptr_t guard, uintptr_t sp, uint64_t now)
{
    rt_calls_prepare(calls, sp, now);
    struct rec_call *node = mark_find(calls, guard);
    if (node) {
        rt_calls_close_to(calls, node, now);
        mark_close(calls, node, now);
        calls->record->last_ticks = now;
    }
}

void rt_guard_enter(struct rt_calls *calls, const struct rt_guard_entry *entry)
{
    struct rt_call_hook hook = {
        .function = entry->key, .site = entry->site, .sp = entry->sp, .hook_return = entry->guard};
    uint16_t words;
    rt_calls_prepare(calls, entry->sp, 0);
    uintptr_t frame = rt_calls_frame(calls, &hook, &words);
    if (frame <= entry->guard) { /* not found: the frame holds the guard at least */
        frame = entry->guard + sizeof(uintptr_t);
        words = UINT16_MAX;
    }
    rt_calls_pop_dead(calls, &hook, frame);
    if (rt_calls_are_deep(calls) || is_open_already(calls->current, entry, frame)) {
        return;
    }
    struct rec_call *current = calls->current;
    struct rec_call *node = NULL;
    if (current->depth < RT_CALL_DEPTH_MAX) {
        node = rt_call_child_get(calls, current, entry->key, entry->sp);
    }
    if (node && node->frame != RT_FRAME_NONE) {
        node = rt_calls_twin(calls, node, entry->sp);
    }
    if (!node) {
        rt_recording_count(&rt_recording.header->calls_folded);
        return;
    }
    node->site_words = words;
    rt_call_open(calls, node, hook, frame);
    node->start = rt_clock_read();
}
