/*
 * call_roots.c -- see the header.
 */
#include "runtime/hot/call_roots.h"

#include <stddef.h>

#include "runtime/hot/pause.h"
#include "runtime/hot/stack_table.h"

#include "runtime/hot/rt_forbid.h"

static bool runtime_counts;
static struct rt_root_place forked; /* of the thread that made this process; count 0: nobody's */

void rt_roots_reset(bool variable_is_set)
{
    runtime_counts = variable_is_set;
}

static bool counts(uint32_t flags)
{
    return !(flags & RT_MARK_MODE_NO) && (runtime_counts || !(flags & RT_MARK_MODE_RUNTIME));
}

/* Stacks look otherwise from now on. */
static void place_change(struct rt_thread *thread, struct rt_guard *guard, uintptr_t site)
{
    thread->root.guard = (uintptr_t)guard;
    thread->root.site = site;
    thread->root.frameless = false;
    rt_walk_reset(&thread->walk, rt_stack_seed());
}

void rt_roots_end(struct rt_thread *thread)
{
    if (thread->root.count) {
        rt_pause_roots(-(int)thread->root.count);
        thread->root.count = 0;
        place_change(thread, NULL, 0);
    }
}

/* The outermost root was left by longjmp: a live one lies further out than what it calls. */
static bool root_is_dead(const struct rt_thread *thread, uintptr_t sp)
{
    bool own = thread->root.guard >= thread->walk.stack_low &&
               thread->root.guard < thread->walk.stack_high && sp >= thread->walk.stack_low &&
               sp < thread->walk.stack_high;
    return thread->root.count && own && thread->root.guard < sp;
}

bool rt_root_enter(struct rt_thread *thread, struct rt_guard *guard, uintptr_t site, uintptr_t sp)
{
    uint32_t words =
        (uint32_t)(uintptr_t)__atomic_load_n(&guard->site->library[0], __ATOMIC_RELAXED);
    if (root_is_dead(thread, sp)) {
        rt_roots_end(thread);
    }
    thread->root.last = guard;
    guard->flags = words;
    if (!counts(words)) {
        guard->node = RT_GUARD_IGNORED;
        return false;
    }
    if (thread->root.count++ == 0) {
        place_change(thread, guard, site);
    }
    guard->node = RT_GUARD_ROOT;
    rt_pause_roots(1);
    return true;
}

struct rt_guard *rt_root_words(struct rt_thread *thread, uint32_t flags)
{
    struct rt_guard *guard = thread->root.last;
    if (!guard) {
        return NULL;
    }
    thread->root.last = NULL;
    guard->flags = flags;
    __atomic_store_n(&guard->site->library[0], (void *)(uintptr_t)flags, __ATOMIC_RELAXED);
    if (!counts(flags)) {
        rt_root_leave(thread, guard);
        return guard;
    }
    if (flags & RT_MARK_NONE) {
        thread->root.frameless |= thread->root.guard == (uintptr_t)guard;
        return guard;
    }
    return NULL;
}

void rt_root_leave(struct rt_thread *thread, struct rt_guard *guard)
{
    if (!(guard->node & RT_GUARD_ROOT)) {
        return;
    }
    guard->node &= ~RT_GUARD_ROOT;
    if (thread->root.count && --thread->root.count == 0) {
        place_change(thread, NULL, 0);
    }
    rt_pause_roots(-1);
}

uint32_t rt_roots_of_forked(const struct rt_thread *thread)
{
    forked = thread && !rt_thread_is_ended() ? thread->root : (struct rt_root_place){0};
    return forked.count;
}

void rt_roots_take_over(struct rt_thread *thread)
{
    thread->root = (struct rt_root_place){0};
    uint32_t count = __atomic_exchange_n(&forked.count, 0, __ATOMIC_ACQ_REL);
    if (count) { /* the one thread that there is in the child */
        thread->root = forked;
        thread->root.count = count;
    }
}
