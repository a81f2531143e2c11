/*
 * call_heap.c -- the stack that heap use is booked on: open functions, or what was walked.
 */
#include <stddef.h>

#include "runtime/hot/call_guards.h"
#include "runtime/hot/call_parts.h"
#include "runtime/hot/choice.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "runtime/hot/thread_state.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

static uint64_t frame_key(const struct rec_call *node)
{
    uint64_t key = node->function;
    bool whole = key < REC_SPECIAL_LIMIT || rt_call_is_mark(node);
    return whole ? key : key | REC_NODE_EXACT | REC_NODE_FUNCTION;
}

/* Attached marks are no frames. */
static const struct rec_call *frame_at(const struct rt_calls *calls, const struct rec_call *node)
{
    while (rt_call_is_attached(node)) {
        node = rt_call_at(calls, node->parent);
    }
    return node;
}

static uint32_t frames_of(const struct rt_calls *calls, const struct rec_call *leaf)
{
    uint32_t depth = 0; /* the root is no frame */
    for (const struct rec_call *node = frame_at(calls, leaf); node->depth > 0;
         node = frame_at(calls, rt_call_at(calls, node->parent))) {
        depth++;
    }
    return depth;
}

void rt_calls_hash(struct rt_walk *walk)
{
    uint64_t hash = walk->seed;
    for (uint32_t i = 0; i < walk->depth; i++) {
        hash = rt_hash_step(hash, walk->frame[i].key);
        walk->frame[i].hash = hash;
        walk->frame[i].stack = walk->frame[i].node = 0;
    }
}

/* The open functions as a stack, root first. The walk's memory serves for it. */
static uint32_t stack_make(struct rt_thread *thread, const struct rec_call *leaf)
{
    const struct rt_calls *calls = &thread->calls;
    struct rt_walk *walk = &thread->walk;
    rt_walk_reset(walk, rt_stack_seed());
    uint32_t depth = frames_of(calls, leaf);
    uint32_t place = depth < walk->limit ? depth : walk->limit;
    walk->flags = depth > walk->limit ? REC_STACK_CUT : 0;
    walk->depth = place;
    for (const struct rec_call *node = frame_at(calls, leaf); place > 0 && node->depth > 0;
         node = frame_at(calls, rt_call_at(calls, node->parent))) {
        walk->frame[--place].key = frame_key(node);
    }
    if (depth > walk->limit) {
        walk->frame[0].key = REC_SPECIAL_ELIDED;
    }
    rt_calls_hash(walk);
    uint32_t stack = walk->depth ? rt_stack_find(walk, thread->tid) : 0;
    rt_walk_reset(walk, rt_stack_seed());
    return stack;
}

/* What heap use inside a node means. */
enum booking { BOOK_HERE, BOOK_ABOVE, BOOK_WALKED, BOOK_SINGLY };

/*
 * Of a node as its flags say; the mark's own function is meant where it is attached to one.
 * In a run of single events a mark that says nothing of its own has them with their stacks.
 */
static enum booking booking_of(const struct rec_call *node, bool detail)
{
    if (!rt_call_is_mark(node)) {
        return detail ? BOOK_WALKED : BOOK_HERE;
    }
    const struct rt_guard *guard = rt_call_guard(node);
    uint32_t flags = guard ? guard->flags : 0;
    if (!rt_mark_has_memory(flags)) {
        return BOOK_ABOVE;
    }
    bool summary = flags & RT_MARK_SUMMARY && !(flags & RT_MARK_DETAIL);
    if (flags & RT_MARK_DETAIL) {
        return BOOK_SINGLY;
    }
    return detail && !summary ? BOOK_WALKED : BOOK_HERE;
}

/* The parent; of an attached mark, that of its function. */
static struct rec_call *above(const struct rt_calls *calls, struct rec_call *node)
{
    bool attached = rt_call_is_attached(node);
    node = rt_call_at(calls, node->parent);
    while (attached && !rt_call_is_base(node)) {
        attached = rt_call_is_mark(node);
        node = rt_call_at(calls, node->parent);
    }
    return node;
}

/* NODE, if a section is open from there outwards, else NULL. */
static const struct rec_call *section_from(const struct rt_calls *calls,
                                           const struct rec_call *node)
{
    const struct rec_call *at = node;
    while (!rt_call_is_base(at) && !rt_call_is_open_section(at)) {
        at = rt_call_at(calls, at->parent);
    }
    return rt_call_is_base(at) ? NULL : node;
}

/*
 * The node on which heap use is booked while NODE is current: marks that record no memory pass it
 * on. NULL: the stack is to be walked; without the frames inside the function that was called from
 * THREAD->passed_site, if that is not 0.
 */
static struct rec_call *booking_node(struct rt_thread *thread, struct rec_call *node, bool detail)
{
    const struct rt_calls *calls = &thread->calls;
    while (!rt_call_is_base(node)) {
        enum booking booking = booking_of(node, detail);
        if (booking != BOOK_ABOVE) {
            thread->event_wanted =
                booking == BOOK_SINGLY || (thread->event_wanted && booking == BOOK_WALKED);
            thread->sections_from = section_from(calls, node);
            return booking == BOOK_HERE ? (struct rec_call *)frame_at(calls, node) : NULL;
        }
        thread->passed_site = node->site;
        thread->passed_by_section = rt_call_is_section(node);
        node = above(calls, node);
    }
    return NULL;
}

/* The recording holds events, though it was not asked for those of all functions. */
static void events_announce(void)
{
    uint32_t *content = &rt_recording.header->content;
    if (!(__atomic_load_n(content, __ATOMIC_RELAXED) & REC_CONTENT_DETAIL)) {
        __atomic_fetch_or(content, REC_CONTENT_DETAIL, __ATOMIC_RELAXED);
    }
}

/* The stack pointer alone tells which functions are open. */
static struct rec_call *current_get(struct rt_calls *calls, uintptr_t sp)
{
    if (sp - calls->low >= calls->bytes) {
        rt_calls_change_stack(calls, sp);
    }
    struct rt_call_hook hook = {.sp = sp}; /* no function's: what begins at SP or below is dead */
    rt_calls_pop_dead(calls, &hook, sp);
    return rt_calls_are_deep(calls) ? rt_deep_node(calls) : calls->current;
}

static __attribute__((noinline)) uint32_t heap_stack_slowly(struct rt_thread *thread, uintptr_t sp,
                                                            bool detail)
{
    struct rt_calls *calls = &thread->calls;
    thread->sections_from = NULL;
    struct rec_call *node = booking_node(thread, current_get(calls, sp), detail);
    if (!node) {
        if (thread->event_wanted) {
            events_announce();
        }
        return 0;
    }
    if (!node->stack) {
        node->stack = stack_make(thread, node);
    }
    return node->stack;
}

uint32_t rt_calls_heap_stack(struct rt_thread *thread, uintptr_t sp, bool detail)
{
    struct rt_calls *calls = &thread->calls;
    const struct rec_call *node = calls->current;
    thread->passed_site = 0;
    /* Functions that are passed over are missing in the tree, but not on the stack. */
    bool whole = detail || __builtin_expect(rt_choice_is_made(), 0);
    if (!node || (whole && !calls->has_marks)) {
        thread->sections_from = NULL;
        return 0;
    }
    if (__builtin_expect(!whole && sp - calls->low < calls->bytes && node->frame > sp &&
                             node->stack && rt_call_is_there(node),
                         1)) {
        return node->stack;
    }
    return heap_stack_slowly(thread, sp, whole);
}
