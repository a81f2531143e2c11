/*
 * call_cut.c -- what was walked, as heap use is booked on it: without the frames above the root and
 * without those that pass it on, with the sections that are open.
 */
#include <stddef.h>

#include "runtime/hot/call_parts.h"
#include "runtime/hot/stack_table.h"
#include "runtime/hot/thread_state.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/* The outermost frame that is the return address SITE; the depth if there is none. */
static uint32_t frame_find(const struct rt_walk *walk, uintptr_t site)
{
    for (uint32_t i = 0; i < walk->depth; i++) {
        if (walk->frame[i].key == site) {
            return i;
        }
    }
    return walk->depth;
}

/* The innermost one of those before END; END if there is none. */
static uint32_t frame_find_before(const struct rt_walk *walk, uint32_t end, uintptr_t site)
{
    for (uint32_t i = end; i > 0; i--) {
        if (walk->frame[i - 1].key == site) {
            return i - 1;
        }
    }
    return end;
}

/* A stack that is made from its leaf on, at the end of the room for it. */
struct part {
    struct rt_frame *frame;
    uint32_t first, end;
};

static void part_add(struct part *part, uint64_t key)
{
    if (part->first > 0) {
        part->frame[--part->first].key = key;
    }
}

/* The frames FROM up to but not TO. */
static void part_add_frames(struct part *part, const struct rt_walk *walk, uint32_t from,
                            uint32_t to)
{
    while (to > from) {
        part_add(part, walk->frame[--to].key);
    }
}

/*
 * The frames FROM up to but not TO, and behind its function's each section that is open. A function
 * is known by its return address, which its caller's frame holds; calls are met from the innermost
 * on, so that recursion does not confuse them.
 */
static void part_fill(struct part *part, const struct rt_thread *thread, uint32_t from, uint32_t to)
{
    const struct rt_walk *walk = &thread->walk;
    const struct rt_calls *calls = &thread->calls;
    const struct rec_call *last = NULL;
    uint32_t caller = walk->depth;
    for (const struct rec_call *node = thread->sections_from; node && !rt_call_is_base(node);
         node = rt_call_at(calls, node->parent)) {
        if (!last || last->frame != node->frame || last->site != node->site) {
            uint32_t found = frame_find_before(walk, caller, node->site);
            if (found == caller) {
                continue;
            }
            caller = found;
            last = node;
        }
        if (rt_call_is_open_section(node)) {
            uint32_t behind = caller + 2 > from ? caller + 2 : from;
            part_add_frames(part, walk, behind, to);
            to = to < behind ? to : behind;
            if (caller + 2 > from) {
                part_add(part, node->function);
            }
        }
    }
    part_add_frames(part, walk, from, to);
}

static uint32_t part_find(struct rt_thread *thread, uint32_t from, uint32_t to)
{
    const struct rt_walk *walk = &thread->walk;
    size_t bytes = walk->limit * sizeof *thread->cut_frames;
    if (!thread->cut_frames) {
        thread->cut_frames = os_memory_reserve(bytes);
        if (!thread->cut_frames) {
            return 0;
        }
    }
    struct part part = {thread->cut_frames, walk->limit, walk->limit};
    part_fill(&part, thread, from, to);
    struct rt_walk whole = {.frame = part.frame + part.first,
                            .depth = part.end - part.first,
                            .limit = walk->limit,
                            .seed = walk->seed};
    rt_calls_hash(&whole);
    return rt_stack_find(&whole, thread->tid);
}

uint32_t rt_calls_cut_stack(struct rt_thread *thread)
{
    struct rt_walk *walk = &thread->walk;
    uint32_t from = 0, to = walk->depth;
    if (thread->root.count) {
        uint32_t above_root = frame_find(walk, thread->root.site);
        if (above_root < walk->depth) {
            from = above_root + 1 + thread->root.frameless;
        }
    }
    if (thread->passed_site) {
        uint32_t caller = frame_find(walk, thread->passed_site);
        uint32_t kept = caller + 1 + thread->passed_by_section;
        to = kept < walk->depth ? kept : walk->depth;
    }
    if (from >= to) { /* nobody is left who records it */
        return rt_stack_special(REC_SPECIAL_UNMARKED, thread->tid);
    }
    if (from == 0 && to == walk->depth && !thread->sections_from) {
        return rt_stack_find(walk, thread->tid);
    }
    return part_find(thread, from, to);
}
