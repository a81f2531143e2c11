/*
 * call_deep.c -- calls deeper than the tree has nodes, or new ones when there is no room left.
 *
 * Such calls lie on a stack of their own, below the last node, the anchor. Root and leaf are kept:
 * under the anchor comes REC_SPECIAL_ELIDED, and under that one node for each function, with its
 * calls and its exclusive time. So the tree's depth is bounded, no call is lost, and neither is
 * where the time went.
 *
 * The frames between are counted by nobody. Marks are calls like others here, each with its guard,
 * whose flags hold as long as it is the innermost. Where even the marker has no room the time stays
 * with the anchor, and the calls are counted as folded.
 *
 * There is one such stack for a thread; fibres that are deep at the same time as another, and calls
 * that have no place on it, are only counted up and down.
 */
#include <stddef.h>

#include "runtime/hot/call_guards.h"
#include "runtime/hot/call_parts.h"
#include "runtime/hot/recording.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/* FRAME is kept inverted: zeroed memory then says "above all". */
struct rt_deep_call {
    uintptr_t function, site;
    uintptr_t frame_inverted;
    uint32_t hook_return;
    uint32_t node; /* 0: none */
};

#define DEEP_CALLS (UINT64_C(1) << 24) /* address space alone, as long as it is not used */
/* A frame that lies this far above the first call that was only counted is one of its callers. */
enum { UNCOUNTED_SLACK = 128 };

#define DEEP_CALLS_SCARCE (UINT64_C(1) << 16)

static bool deep_prepare(struct rt_calls *calls)
{
    if (calls->deep_calls) {
        return true;
    }
    uint64_t limit = DEEP_CALLS;
    struct rt_deep_call *memory = os_memory_reserve(limit * sizeof *memory);
    if (!memory) {
        limit = DEEP_CALLS_SCARCE;
        memory = os_memory_reserve(limit * sizeof *memory);
    }
    if (!memory) {
        return false;
    }
    os_memory_wipe_on_fork(memory, limit * sizeof *memory);
    calls->deep_limit = (uint32_t)limit;
    calls->deep_calls = memory;
    return true;
}

static struct rt_deep_call *top(const struct rt_calls *calls)
{
    return &calls->deep_calls[calls->deep_count - 1];
}

static bool owns(const struct rt_calls *calls)
{
    return calls->deep_owner == calls->stack && calls->deep_count;
}

static bool is_mark(uintptr_t function)
{
    return rt_call_is_mark(&(struct rec_call){.function = function});
}

struct rec_call *rt_deep_node(const struct rt_calls *calls)
{
    const struct rt_deep_call *call = owns(calls) ? top(calls) : NULL;
    if (call && call->node) {
        struct rec_call *node = rt_call_at(calls, call->node);
        if (is_mark(call->function)) {
            node->frame = ~call->frame_inverted;
            node->hook_return = call->hook_return;
        }
        return node;
    }
    struct rt_call_stack *stack = calls->stack;
    return stack->deep_marker ? stack->deep_marker : rt_call_at(calls, stack->deep.parent);
}

/* The time since the last change goes to the function that ran. */
static void time_pass(struct rt_calls *calls, uint64_t now)
{
    struct rt_call_stack *stack = calls->stack;
    if (owns(calls) && top(calls)->node && now > stack->deep.start) {
        rt_call_at(calls, top(calls)->node)->inclusive += now - stack->deep.start;
    }
    stack->deep.start = now;
}

/* The marker under the anchor, open from now on; NULL: no room. */
static struct rec_call *marker_open(struct rt_calls *calls, struct rec_call *anchor, uintptr_t sp,
                                    uintptr_t frame)
{
    struct rec_call *marker = rt_call_child_get(calls, anchor, REC_SPECIAL_ELIDED, sp);
    if (marker && marker->frame != RT_FRAME_NONE) {
        marker = rt_calls_twin(calls, marker, sp);
    }
    if (marker) {
        marker->frame = frame;
        marker->calls++;
        marker->start = rt_clock_read();
    }
    return marker;
}

/* From the anchor into the deep. */
static void begin(struct rt_calls *calls, struct rec_call *anchor, struct rec_call *marker)
{
    struct rt_call_stack *stack = calls->stack;
    stack->deep_marker = marker;
    stack->uncounted_depth = 0;
    stack->deep = (struct rec_call){
        .function = REC_SPECIAL_ELIDED,
        .parent = rt_call_number(calls, anchor),
        .depth = anchor->depth,
        .start = rt_clock_read(),
    };
    if (deep_prepare(calls) && (!calls->deep_owner || calls->deep_count == 0)) {
        calls->deep_owner = stack;
        calls->deep_count = 0;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    calls->current = &stack->deep;
}

/* The node of the function under the marker, without which there is none. */
static struct rec_call *flat_node(struct rt_calls *calls, const struct rt_call_hook *hook)
{
    struct rec_call *marker = calls->stack->deep_marker;
    return marker ? rt_call_child_get(calls, marker, hook->function, hook->sp) : NULL;
}

/* One that has no place: counted up, and down at its exit. */
static void uncounted_enter(struct rt_call_stack *stack, const struct rt_call_hook *hook)
{
    if (stack->uncounted_depth++ == 0) {
        stack->uncounted_sp = hook->sp;
    }
}

/* A place for the call; a handler that interrupts this gives back all that it takes. */
static void push(struct rt_calls *calls, const struct rt_call_hook *hook, uintptr_t frame,
                 uint32_t node)
{
    uint64_t now = rt_clock_read();
    time_pass(calls, now);
    uint32_t place = calls->deep_count;
    __atomic_store_n(&calls->deep_count, place + 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct rt_deep_call *call = &calls->deep_calls[place];
    call->node = node;
    call->function = hook->function;
    call->site = hook->site;
    call->hook_return = (uint32_t)hook->hook_return;
    call->frame_inverted = ~frame;
}

void rt_deep_enter(struct rt_calls *calls, const struct rt_call_hook *hook, uintptr_t frame)
{
    struct rt_call_stack *stack = calls->stack;
    if (!rt_calls_are_deep(calls)) {
        struct rec_call *anchor = calls->current;
        struct rec_call *marker = marker_open(calls, anchor, hook->sp, frame);
        begin(calls, anchor, marker);
    }
    struct rec_call *node = flat_node(calls, hook);
    if (node) {
        node->calls++;
    } else {
        rt_recording_count(&rt_recording.header->calls_folded);
    }
    if (calls->deep_owner != stack || calls->deep_count == calls->deep_limit) {
        uncounted_enter(stack, hook);
    } else {
        push(calls, hook, frame, node ? rt_call_number(calls, node) : 0);
    }
}

static void top_remove(struct rt_calls *calls)
{
    struct rt_deep_call *call = top(calls);
    call->node = 0;
    call->frame_inverted = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&calls->deep_count, calls->deep_count - 1, __ATOMIC_RELAXED);
}

void rt_deep_leave(struct rt_calls *calls, uint64_t now)
{
    struct rt_call_stack *stack = calls->stack;
    time_pass(calls, now);
    while (owns(calls)) {
        top_remove(calls);
    }
    if (calls->deep_owner == stack) {
        calls->deep_owner = NULL;
    }
    struct rec_call *marker = stack->deep_marker;
    uint32_t anchor = stack->deep.parent;
    if (marker) {
        calls->current = marker;
        rt_call_close(calls, marker, now);
    }
    calls->current = rt_call_at(calls, anchor);
    stack->deep_marker = NULL;
}

/* As a node, for those who ask nodes. */
static struct rec_call node_of(const struct rt_deep_call *call)
{
    return (struct rec_call){.function = call->function,
                             .site = call->site,
                             .site_words = UINT16_MAX,
                             .frame = ~call->frame_inverted,
                             .hook_return = call->hook_return};
}

bool rt_deep_pop(struct rt_calls *calls, const struct rt_call_hook *hook, uintptr_t frame)
{
    struct rt_call_stack *stack = calls->stack;
    bool passed = false;
    uint64_t now = rt_clock_read();
    if (stack->uncounted_depth && frame > stack->uncounted_sp + UNCOUNTED_SLACK) {
        stack->uncounted_depth = 0;
    }
    while (owns(calls) && !stack->uncounted_depth) {
        const struct rt_deep_call *call = top(calls);
        struct rec_call as_node = node_of(call);
        if (!rt_call_is_dead(&as_node, hook, frame)) {
            return true;
        }
        if (!passed) {
            time_pass(calls, now);
            passed = true;
        }
        top_remove(calls);
    }
    if (stack->uncounted_depth) {
        return true;
    }
    rt_deep_leave(calls, now);
    return false;
}

static bool is_guards(const struct rt_deep_call *call, const struct rt_call_hook *hook)
{
    return ((call->hook_return ^ (uint32_t)hook->hook_return) & ~RT_GUARD_IS_FAR) == 0;
}

/* The innermost live one of the same function and site, or guard; 0: none, else its place + 1. */
static uint32_t find(const struct rt_calls *calls, const struct rt_call_hook *hook)
{
    for (uint32_t i = calls->deep_count; i > 0; i--) {
        const struct rt_deep_call *call = &calls->deep_calls[i - 1];
        bool same = is_mark(hook->function)
                        ? is_mark(call->function) && is_guards(call, hook)
                        : call->function == hook->function && call->site == hook->site;
        if (same && !rt_call_is_left(~call->frame_inverted, hook)) {
            return i;
        }
    }
    return 0;
}

bool rt_deep_exit(struct rt_calls *calls, const struct rt_call_hook *hook, uint64_t now)
{
    struct rt_call_stack *stack = calls->stack;
    if (stack->uncounted_depth && hook->sp <= stack->uncounted_sp + UNCOUNTED_SLACK) {
        stack->uncounted_depth--;
        if (stack->uncounted_depth == 0 && !owns(calls)) {
            rt_deep_leave(calls, now);
        }
        return true;
    }
    uint32_t place = owns(calls) ? find(calls, hook) : 0;
    if (!place) {
        return false;
    }
    time_pass(calls, now);
    stack->uncounted_depth = 0;
    while (calls->deep_count >= place) {
        top_remove(calls);
    }
    if (calls->deep_count == 0) {
        rt_deep_leave(calls, now);
    }
    calls->record->last_ticks = now;
    return true;
}

struct rec_call *rt_deep_mark(const struct rt_calls *calls, const struct rt_call_hook *hook)
{
    uint32_t place = owns(calls) ? find(calls, hook) : 0;
    uint32_t node = place ? calls->deep_calls[place - 1].node : 0;
    return node ? rt_call_at(calls, node) : NULL;
}

uintptr_t rt_deep_frame(const struct rt_calls *calls, const struct rt_guard_entry *entry)
{
    uint32_t i = owns(calls) ? calls->deep_count : 0;
    while (i > 0 && is_mark(calls->deep_calls[i - 1].function) &&
           calls->deep_calls[i - 1].site == entry->site) {
        i--;
    }
    struct rt_deep_call *call = i ? &calls->deep_calls[i - 1] : NULL;
    struct rec_call as_node = call ? node_of(call) : (struct rec_call){.function = 0};
    if (!call || !rt_guard_is_hooked(entry, &as_node)) {
        return 0;
    }
    call->frame_inverted = ~rt_guard_frame(calls, entry, as_node.frame);
    return ~call->frame_inverted;
}

bool rt_deep_is_open(const struct rt_calls *calls, const struct rt_guard_entry *entry,
                     uintptr_t frame, const struct rt_guard **ret_other)
{
    for (uint32_t i = owns(calls) ? calls->deep_count : 0; i > 0; i--) {
        struct rec_call as_node = node_of(&calls->deep_calls[i - 1]);
        *ret_other = NULL;
        if (as_node.frame != frame || as_node.site != entry->site) {
            return false;
        }
        if (!rt_call_is_mark(&as_node)) {
            return rt_guard_is_hooked(entry, &as_node);
        }
        *ret_other = rt_call_is_section(&as_node) ? NULL : rt_call_guard(&as_node);
        if (*ret_other && (*ret_other)->site->function == entry->guard->site->function) {
            return true;
        }
    }
    return false;
}
