/*
 * call_guards.c -- see the header.
 */
#include "runtime/hot/call_guards.h"

#include <stddef.h>

#include "runtime/hot/call_parts.h"
#include "runtime/hot/oddities.h"
#include "runtime/hot/recording.h"

#include "runtime/hot/rt_forbid.h"

/* The node's guard cannot be found from its frame: it is a coroutine's, and lies on the heap. */
enum { GUARD_IS_FAR = 1 };

const struct rt_guard *rt_call_guard(const struct rec_call *mark)
{
    uint32_t low = mark->hook_return;
    if (low & GUARD_IS_FAR) {
        return NULL;
    }
    return (const struct rt_guard *)(mark->frame - (uint32_t)((uint32_t)mark->frame - low));
}

static uint32_t reference(const struct rt_calls *calls, const struct rt_guard *guard)
{
    bool far = (uintptr_t)guard - calls->low >= calls->bytes;
    return (uint32_t)(uintptr_t)guard | (far ? GUARD_IS_FAR : 0);
}

/* The innermost node that is no deep call's. */
static struct rec_call *innermost(const struct rt_calls *calls)
{
    return rt_calls_are_deep(calls) ? rt_call_at(calls, calls->stack->deep.parent) : calls->current;
}

static struct rec_call *mark_find(const struct rt_calls *calls, const struct rt_guard *guard)
{
    uint32_t number = guard->node & ~RT_GUARD_ROOT;
    if (number == 0 || number == RT_GUARD_IGNORED) {
        return NULL;
    }
    struct rec_call *wanted = rt_call_at(calls, number);
    for (struct rec_call *node = innermost(calls); node != calls->stack->base;
         node = rt_call_at(calls, node->parent)) {
        if (node == wanted) {
            bool same = rt_call_is_mark(node) &&
                        (node->hook_return & ~(uint32_t)GUARD_IS_FAR) == (uint32_t)(uintptr_t)guard;
            return same ? node : NULL;
        }
    }
    return NULL;
}

/* The node that the compiler's hook opened for the function which MARK is attached to. */
static struct rec_call *hooked(const struct rt_calls *calls, const struct rec_call *mark)
{
    struct rec_call *node = rt_call_at(calls, mark->parent);
    while (node != calls->stack->base && rt_call_is_mark(node)) {
        node = rt_call_at(calls, node->parent);
    }
    return node;
}

/* The time of a mark that records none is its caller's. */
static void mark_close(struct rt_calls *calls, struct rec_call *node, uint32_t flags, uint64_t now)
{
    if (rt_call_is_attached(node)) {
        if (!rt_mark_has_time(flags)) {
            hooked(calls, node)->site_words = REC_CALL_TIMELESS; /* until it is called again */
        }
        rt_call_credit(calls, node, 0);
    } else if (rt_mark_has_time(flags)) {
        rt_call_close(calls, node, now);
    } else {
        node->site_words = REC_CALL_TIMELESS;
        rt_call_credit(calls, node, 0);
    }
}

static void leave(struct rt_calls *calls, struct rt_guard *guard, struct rec_call *node,
                  uint64_t now)
{
    rt_calls_close_to(calls, node, now);
    if (guard->flags & RT_MARK_TEST) {
        calls->kept = rt_call_is_attached(node) ? hooked(calls, node) : node;
        calls->kept_site = guard->site;
    }
    mark_close(calls, node, guard->flags, now);
    guard->node &= RT_GUARD_ROOT;
    calls->record->last_ticks = now;
    rt_oddity_note_excluded(guard->site, guard->flags);
}

void rt_guard_leave(struct rt_calls *calls, struct rt_guard *guard, uintptr_t sp, uint64_t now)
{
    rt_calls_prepare(calls, sp, now);
    struct rec_call *node = mark_find(calls, guard);
    if (node) {
        leave(calls, guard, node, now);
    }
}

void rt_guard_end(struct rt_calls *calls, struct rt_guard *guard, uintptr_t sp, uint64_t now)
{
    rt_calls_prepare(calls, sp, now);
    struct rec_call *node = mark_find(calls, guard);
    if (!node) {
        if (guard->node != RT_GUARD_IGNORED) {
            rt_oddity_note(guard->site, RT_ODDITY_NOT_OPEN);
        }
        return;
    }
    for (struct rec_call *inner = innermost(calls); inner != node;
         inner = rt_call_at(calls, inner->parent)) {
        if (rt_call_is_section(inner) && inner->frame == node->frame) {
            rt_oddity_note(guard->site, RT_ODDITY_ENDS_INNER);
        }
    }
    leave(calls, guard, node, now);
}

void rt_guard_cancel(struct rt_calls *calls, struct rt_guard *guard)
{
    struct rec_call *node = mark_find(calls, guard);
    if (node) {
        uint64_t shortest = node->shortest;
        rt_call_credit(calls, node, 0);
        node->calls--;
        node->shortest = shortest;
    }
    guard->node = RT_GUARD_IGNORED | (guard->node & RT_GUARD_ROOT);
}

/*
 * What is open of the guard's own function, whose frame begins at FRAME.
 * Result:   false: a mark is, and this is the second. true: RET_HOOKED tells whether the compiler's
 *           hook has opened it. What is inlined into the function has the same frame.
 */
static bool is_first(const struct rt_calls *calls, const struct rt_guard_entry *entry,
                     uintptr_t frame, bool *ret_hooked)
{
    *ret_hooked = false;
    for (const struct rec_call *node = calls->current;
         node != calls->stack->base && node->frame == frame && node->site == entry->site;
         node = rt_call_at(calls, node->parent)) {
        if (!rt_call_is_mark(node)) {
            *ret_hooked = true;
            return true;
        }
        const struct rt_guard *other = rt_call_is_section(node) ? NULL : rt_call_guard(node);
        if (other && other->site->function == entry->guard->site->function) {
            return false;
        }
    }
    return true;
}

static struct rec_call *mark_open(struct rt_calls *calls, const struct rt_call_hook *hook,
                                  uintptr_t frame, uint16_t words, bool passes)
{
    struct rec_call *current = calls->current;
    struct rec_call *node = NULL;
    if (current->depth < RT_CALL_DEPTH_MAX) {
        node = rt_call_child_get(calls, current, hook->function, hook->sp);
    }
    /* Sections of one name may differ in their flags: a node has heap use of its own or none. */
    if (node && (node->frame != RT_FRAME_NONE || (passes && node->stack))) {
        node = rt_calls_twin(calls, node, hook->sp);
    }
    if (!node) {
        rt_recording_count(&rt_recording.header->calls_folded);
        return NULL;
    }
    node->site_words = words;
    rt_call_open(calls, node, *hook, frame);
    node->start = rt_clock_read();
    return node;
}

void rt_guard_enter(struct rt_calls *calls, const struct rt_guard_entry *entry)
{
    struct rt_call_hook hook = {.function = entry->key, .site = entry->site, .sp = entry->sp};
    uintptr_t guard = (uintptr_t)entry->guard;
    uint16_t words;
    rt_calls_prepare(calls, entry->sp, 0);
    hook.hook_return = reference(calls, entry->guard);
    uintptr_t frame = rt_calls_frame(calls, &hook, &words);
    if (frame <= guard && !(hook.hook_return & GUARD_IS_FAR)) { /* not found: it holds the guard */
        frame = guard + sizeof(struct rt_guard);
        words = UINT16_MAX;
    }
    rt_calls_pop_dead(calls, &hook, frame);
    if (rt_calls_are_deep(calls)) {
        return;
    }
    bool is_hooked;
    if (entry->key & REC_CALL_INSIDE) {
        if (!is_first(calls, entry, frame, &is_hooked)) {
            rt_oddity_note(entry->guard->site, RT_ODDITY_SECOND);
            return;
        }
        hook.function = is_hooked ? REC_CALL_ATTACHED : hook.function;
    }
    uint32_t flags = entry->guard->flags;
    bool passes = !rt_mark_has_memory(flags) || flags & RT_MARK_DETAIL;
    struct rec_call *node = mark_open(calls, &hook, frame, words, passes);
    if (node) {
        calls->has_marks = true;
        entry->guard->node |= rt_call_number(calls, node);
    }
}

struct rec_call *rt_guard_current(struct rt_calls *calls, uintptr_t sp,
                                  const struct rt_site **ret_site)
{
    struct rt_call_hook hook = {.sp = sp};
    *ret_site = NULL;
    rt_calls_prepare(calls, sp, 0);
    rt_calls_pop_dead(calls, &hook, sp);
    struct rec_call *node = innermost(calls);
    if (rt_call_is_mark(node)) {
        const struct rt_guard *guard = rt_call_guard(node);
        *ret_site = guard ? guard->site : NULL;
        node = rt_call_is_attached(node) ? hooked(calls, node) : node;
    }
    return node == calls->stack->base && node->function < REC_SPECIAL_LIMIT ? NULL : node;
}
