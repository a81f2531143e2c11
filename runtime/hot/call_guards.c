/*
 * call_guards.c -- see the header.
 */
#include "runtime/hot/call_guards.h"

#include <stddef.h>

#include "runtime/hot/call_parts.h"
#include "runtime/hot/oddities.h"
#include "runtime/hot/recording.h"

#include "runtime/hot/rt_forbid.h"

uintptr_t rt_name_key(const char *name, bool async, uint32_t tid)
{
    enum { NAME_MOST = 256 };
    static const char prefix[] = "async::";
    char whole[NAME_MOST];
    size_t bytes = async ? sizeof prefix - 1 : 0;
    __builtin_memcpy(whole, prefix, bytes);
    for (size_t i = 0; name[i] && bytes < sizeof whole; i++) {
        whole[bytes++] = name[i];
    }
    struct rec_text text = rt_recording_text(whole, bytes, tid);
    return REC_CALL_NAMED | (uintptr_t)(text.bytes & 0xffff) << 44 | text.offset;
}

const struct rt_guard *rt_call_guard(const struct rec_call *mark)
{
    uint32_t low = mark->hook_return;
    if (low & RT_GUARD_IS_FAR) {
        return NULL;
    }
    return (const struct rt_guard *)(mark->frame - (uint32_t)((uint32_t)mark->frame - low));
}

static uint32_t reference(const struct rt_calls *calls, const struct rt_guard *guard)
{
    bool far = (uintptr_t)guard - calls->low >= calls->bytes;
    return (uint32_t)(uintptr_t)guard | (far ? RT_GUARD_IS_FAR : 0);
}

static struct rec_call *mark_find(const struct rt_calls *calls, const struct rt_guard *guard)
{
    uint32_t number = guard->node & ~RT_GUARD_ROOT;
    if (number == 0 || number == RT_GUARD_IGNORED || number == RT_GUARD_DEEP) {
        return NULL;
    }
    struct rec_call *wanted = rt_call_at(calls, number);
    for (struct rec_call *node = rt_calls_innermost(calls); node != calls->stack->base;
         node = rt_call_at(calls, node->parent)) {
        if (node == wanted) {
            bool same = rt_call_is_mark(node) &&
                        (node->hook_return & ~RT_GUARD_IS_FAR) == (uint32_t)(uintptr_t)guard;
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

/* Leave the guard's deep call. False: it has none that is open. */
static bool leave_deep(struct rt_calls *calls, struct rt_guard *guard, uintptr_t sp, uint64_t now)
{
    if ((guard->node & ~RT_GUARD_ROOT) != RT_GUARD_DEEP) {
        return false;
    }
    struct rt_call_hook hook = {
        .function = REC_CALL_INSIDE, .sp = sp, .hook_return = reference(calls, guard)};
    struct rec_call *node = rt_calls_are_deep(calls) ? rt_deep_mark(calls, &hook) : NULL;
    guard->node &= RT_GUARD_ROOT;
    if (node && !rt_mark_has_time(guard->flags)) {
        node->site_words = REC_CALL_TIMELESS;
    }
    return rt_calls_are_deep(calls) && rt_deep_exit(calls, &hook, now);
}

void rt_guard_leave(struct rt_calls *calls, struct rt_guard *guard, uintptr_t sp, uint64_t now)
{
    rt_calls_prepare(calls, sp, now);
    struct rec_call *node = mark_find(calls, guard);
    if (node) {
        leave(calls, guard, node, now);
    } else {
        leave_deep(calls, guard, sp, now);
    }
}

void rt_guard_end(struct rt_calls *calls, struct rt_guard *guard, uintptr_t sp, uint64_t now)
{
    rt_calls_prepare(calls, sp, now);
    struct rec_call *node = mark_find(calls, guard);
    if (!node) {
        if (!leave_deep(calls, guard, sp, now) && guard->node != RT_GUARD_IGNORED) {
            rt_oddity_note(guard->site, RT_ODDITY_NOT_OPEN);
        }
        return;
    }
    for (struct rec_call *inner = rt_calls_innermost(calls); inner != node;
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
        node->site_words = REC_CALL_TIMELESS; /* no frame for a reader */
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

/* NULL: it is too deep, or there is no room. */
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
        return NULL;
    }
    node->site_words = words;
    rt_call_open(calls, node, *hook, frame);
    node->start = rt_clock_read();
    return node;
}

bool rt_guard_is_hooked(const struct rt_guard_entry *entry, const struct rec_call *call)
{
    enum { FUNCTION_BYTES_MOST = 1 << 20 };
    uintptr_t inside = entry->key & ~REC_CALL_INSIDE;
    return entry->key & REC_CALL_INSIDE && !rt_call_is_mark(call) && call->site == entry->site &&
           inside - call->function < FUNCTION_BYTES_MOST && call->frame > entry->registers.sp &&
           call->frame != RT_FRAME_NONE;
}

/* What the unwind data say of where the function's frame begins; 0: nothing, or it is not so. */
static uintptr_t frame_of_data(const struct rt_calls *calls, const struct rt_guard_entry *entry)
{
    uintptr_t frame = rt_unwind_frame(&entry->registers);
    bool is_on_stack = frame > entry->registers.sp && frame - calls->low <= calls->bytes &&
                       frame % sizeof(uintptr_t) == 0;
    return is_on_stack && *((const uintptr_t *)frame - 1) == entry->site ? frame : 0;
}

uintptr_t rt_guard_frame(const struct rt_calls *calls, const struct rt_guard_entry *entry,
                         uintptr_t hooks)
{
    uintptr_t frame = hooks > (uintptr_t)entry->guard ? 0 : frame_of_data(calls, entry);
    return frame > (uintptr_t)entry->guard ? frame : hooks;
}

/* The frame of a marked function that the compiler's hook has opened; 0: it has not. */
static uintptr_t frame_of_hook(const struct rt_calls *calls, const struct rt_guard_entry *entry)
{
    struct rec_call *node = calls->current;
    if (rt_calls_are_deep(calls)) {
        return rt_deep_frame(calls, entry);
    }
    while (rt_call_is_mark(node) && node->site == entry->site && node != calls->stack->base) {
        node = rt_call_at(calls, node->parent);
    }
    if (!rt_guard_is_hooked(entry, node) || !rt_call_is_there(node)) {
        return 0;
    }
    node->frame = rt_guard_frame(calls, entry, node->frame);
    return node->frame;
}

/*
 * Where the frame of the guard's function begins. An array in it may hold a copy of the return
 * address, and a compiler that does not optimise keeps some: a search finds them first. RET_WORDS
 * is as rec_call.site_words.
 */
static uintptr_t frame_of(const struct rt_calls *calls, const struct rt_guard_entry *entry,
                          const struct rt_call_hook *hook, uint16_t *ret_words)
{
    uintptr_t guard_end = (uintptr_t)entry->guard + sizeof(struct rt_guard);
    uintptr_t frame = frame_of_hook(calls, entry);
    *ret_words = UINT16_MAX;
    frame = frame ? frame : rt_calls_frame_known(calls, hook, ret_words);
    if (!frame) {
        frame = frame_of_data(calls, entry);
        *ret_words = frame ? rt_calls_frame_words(hook, frame) : UINT16_MAX;
    }
    frame = frame ? frame : rt_calls_frame(calls, hook, ret_words);
    if (frame < guard_end && !(hook->hook_return & RT_GUARD_IS_FAR)) { /* it holds the guard */
        frame = guard_end;
        *ret_words = UINT16_MAX;
    }
    return frame;
}

/* A mark for which there is no node: one call below the last, unless its function has one. */
static uint32_t enter_deep(struct rt_calls *calls, const struct rt_guard_entry *entry,
                           const struct rt_call_hook *hook, uintptr_t frame)
{
    const struct rt_guard *other = NULL;
    bool inside = entry->key & REC_CALL_INSIDE;
    if (inside && rt_calls_are_deep(calls) && rt_deep_is_open(calls, entry, frame, &other)) {
        if (other) {
            rt_oddity_note(entry->guard->site, RT_ODDITY_SECOND);
        }
        return 0;
    }
    rt_deep_enter(calls, hook, frame);
    return RT_GUARD_DEEP;
}

/* Result: what the guard keeps of it; 0: nothing is open. */
static uint32_t enter(struct rt_calls *calls, const struct rt_guard_entry *entry)
{
    struct rt_call_hook hook = {
        .function = entry->key, .site = entry->site, .sp = entry->registers.sp};
    hook.hook_return = reference(calls, entry->guard);
    uint16_t words;
    uintptr_t frame = frame_of(calls, entry, &hook, &words);
    rt_calls_pop_dead(calls, &hook, frame);
    if (rt_calls_are_deep(calls)) {
        return enter_deep(calls, entry, &hook, frame);
    }
    bool is_hooked = false;
    if (entry->key & REC_CALL_INSIDE) {
        if (!is_first(calls, entry, frame, &is_hooked)) {
            rt_oddity_note(entry->guard->site, RT_ODDITY_SECOND);
            return 0;
        }
        hook.function = is_hooked ? REC_CALL_ATTACHED : hook.function;
    }
    uint32_t flags = entry->guard->flags;
    bool passes = !rt_mark_has_memory(flags) || flags & RT_MARK_DETAIL;
    struct rec_call *node = mark_open(calls, &hook, frame, words, passes);
    if (node) {
        return rt_call_number(calls, node);
    }
    return is_hooked ? 0 : enter_deep(calls, entry, &hook, frame);
}

void rt_guard_enter(struct rt_calls *calls, const struct rt_guard_entry *entry)
{
    rt_calls_prepare(calls, entry->registers.sp, 0);
    uint32_t node = enter(calls, entry);
    if (node) {
        calls->has_marks = true;
        calls->kept = NULL;
        entry->guard->node |= node;
    }
}

struct rec_call *rt_guard_current(struct rt_calls *calls, uintptr_t sp,
                                  const struct rt_site **ret_site)
{
    struct rt_call_hook hook = {.sp = sp};
    *ret_site = NULL;
    rt_calls_prepare(calls, sp, 0);
    rt_calls_pop_dead(calls, &hook, sp);
    struct rec_call *node = rt_calls_innermost(calls);
    if (rt_call_is_mark(node)) {
        const struct rt_guard *guard = rt_call_guard(node);
        *ret_site = guard ? guard->site : NULL;
        node = rt_call_is_attached(node) ? hooked(calls, node) : node;
    }
    return node->function < REC_SPECIAL_LIMIT ? NULL : node;
}
