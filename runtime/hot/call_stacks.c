/*
 * call_stacks.c -- one place in the tree for each stack that a thread is met on.
 */
#include <stddef.h>

#include "runtime/hot/call_guards.h"
#include "runtime/hot/call_parts.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/pause.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/stack_end.h"
#include "runtime/hot/stack_table.h"
#include "runtime/hot/thread_state.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/*
 * OTHERS are the stacks remembered; address space alone until they are used. When there are more
 * the first is forgotten.
 * A stack pointer proves the GRANULE around it to be the stack's; below that another one may begin.
 * GUESS is the size of a stack whose outer end cannot be found.
 */
enum { OTHERS_MAX = 1 << 16, OTHERS_OF_TASK = 16, HINTS = 4096, GRANULE = 512, GUESS = 64 * 1024 };

static uint32_t *hint_of(const struct rt_calls *calls, uintptr_t sp)
{
    return &calls->hints[sp / GRANULE % HINTS];
}

/* A task has one stack of its own, if any. */
static size_t others_most(const struct rt_calls *calls)
{
    return calls->is_task ? OTHERS_OF_TASK : OTHERS_MAX;
}

static bool others_prepare(struct rt_calls *calls)
{
    if (calls->others) {
        return true;
    }
    size_t others = others_most(calls);
    size_t bytes = others * sizeof *calls->others + HINTS * sizeof *calls->hints;
    struct rt_call_stack *memory = os_memory_reserve(bytes);
    if (!memory) {
        return false;
    }
    os_memory_wipe_on_fork(memory, bytes);
    calls->hints = (uint32_t *)(void *)(memory + others);
    calls->others = memory;
    return true;
}

static bool is_within(const struct rt_call_stack *stack, uintptr_t sp)
{
    return sp >= stack->low && sp < stack->high;
}

/* A stack that is known to hold SP. */
static struct rt_call_stack *known(struct rt_calls *calls, uintptr_t sp)
{
    if (is_within(&calls->own, sp)) {
        return &calls->own;
    }
    if (!calls->others) {
        return NULL;
    }
    uint32_t hint = *hint_of(calls, sp);
    if (hint < calls->other_count && is_within(&calls->others[hint], sp)) {
        return &calls->others[hint];
    }
    for (uint32_t i = 0; i < calls->other_count; i++) {
        if (is_within(&calls->others[i], sp)) {
            *hint_of(calls, sp) = i;
            return &calls->others[i];
        }
    }
    return NULL;
}

static struct rt_call_stack *fibre_by_end(struct rt_calls *calls, uintptr_t end)
{
    for (uint32_t i = 0; i < calls->other_count; i++) {
        if (calls->others[i].kind == RT_STACK_FIBRE && calls->others[i].high == end) {
            return &calls->others[i];
        }
    }
    return NULL;
}

static struct rt_call_stack *other_new(struct rt_calls *calls, uintptr_t low, uintptr_t high,
                                       enum rt_stack_kind kind)
{
    uint32_t place = calls->other_count < others_most(calls) ? calls->other_count : 0;
    struct rt_call_stack *stack = &calls->others[place];
    *stack = (struct rt_call_stack){.low = low, .high = high, .kind = kind, .number = place + 1};
    if (place == calls->other_count) {
        calls->other_count++;
    }
    return stack;
}

/* A stack on which the thread is met for the first time, or further down than before. */
static struct rt_call_stack *meet(struct rt_calls *calls, uintptr_t sp)
{
    uintptr_t low, high;
    if (!others_prepare(calls)) {
        return NULL;
    }
    if (os_signal_stack(&low, &high) && sp >= low && sp < high) {
        return other_new(calls, low, high, RT_STACK_SIGNAL);
    }
    uintptr_t end = rt_stack_end();
    if (end <= sp) {
        end = (sp | (GUESS - 1)) + 1;
    }
    low = sp & ~(uintptr_t)(GRANULE - 1);
    struct rt_call_stack *fibre = fibre_by_end(calls, end);
    if (fibre) {
        fibre->low = low < fibre->low ? low : fibre->low;
        return fibre;
    }
    fibre = other_new(calls, low, end, RT_STACK_FIBRE);
    fibre->base = rt_call_child_get(calls, calls->own.base, REC_SPECIAL_FIBRE, sp);
    fibre->current = fibre->base;
    return fibre->base ? fibre : NULL;
}

static void settle(struct rt_calls *calls, struct rt_call_stack *stack)
{
    calls->stack = stack;
    calls->low = stack->low;
    calls->bytes = stack->high - stack->low;
    calls->base = stack->base;
    calls->spans.stack = stack->number;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    calls->current = stack->current;
}

void rt_calls_change_stack(struct rt_calls *calls, uintptr_t sp)
{
    struct rt_call_stack *from = calls->stack;
    struct rt_call_stack *to = NULL;
    uintptr_t low, high;
    if (from->kind == RT_STACK_OWN && is_within(from, sp) && others_prepare(calls) &&
        os_signal_stack(&low, &high)) { /* an array in a frame of the own stack */
        for (uint32_t i = 0; i < calls->other_count && !to; i++) {
            to = calls->others[i].low == low && calls->others[i].high == high ? &calls->others[i]
                                                                              : NULL;
        }
        to = to ? to : other_new(calls, low, high, RT_STACK_SIGNAL);
    } else {
        to = known(calls, sp);
        to = to ? to : meet(calls, sp);
    }
    if (!to) {
        return;
    }
    if (from->kind == RT_STACK_SIGNAL && to->kind == RT_STACK_OWN) {
        /* The handler has ended, or jumped out: it cannot be going on while the stack that it
         * interrupted does. */
        rt_calls_close_to(calls, from->base, rt_clock_read());
    }
    from->current = calls->current;
    if (to != from && to->kind == RT_STACK_SIGNAL) {
        to->base = to->current = rt_calls_innermost(calls);
        to->number = from->number;
    }
    settle(calls, to);
}

static void move(struct rt_calls *calls, struct rt_call_stack *stack, struct rec_call *node,
                 uint64_t ticks)
{
    if (node == &stack->deep) {
        stack->deep.start += ticks;
        if (stack->deep_marker) {
            stack->deep_marker->start += ticks;
        }
        node = rt_call_at(calls, stack->deep.parent);
    }
    for (; node != stack->base; node = rt_call_at(calls, node->parent)) {
        if (node->start != REC_CALL_NO_START) {
            node->start += ticks;
        }
    }
}

bool rt_calls_catch_up(struct rt_calls *calls)
{
    uint64_t paused = rt_pause_ticks();
    uint64_t ticks = paused - calls->paused_ticks;
    if (!ticks) {
        return false;
    }
    calls->paused_ticks = paused;
    calls->stack->current = calls->current;
    move(calls, &calls->own, calls->own.current, ticks);
    for (uint32_t i = 0; i < calls->other_count; i++) {
        if (calls->others[i].base) {
            move(calls, &calls->others[i], calls->others[i].current, ticks);
        }
    }
    calls->record->paused_ticks = paused;
    return true;
}

void rt_calls_leave(struct rt_calls *calls)
{
    if (!calls->current) {
        return;
    }
    rt_calls_catch_up(calls);
    rt_calls_leave_at(calls, rt_pause_now());
}

void rt_calls_close_own(struct rt_calls *calls, uint64_t now)
{
    struct rt_call_stack *before = calls->stack;
    before->current = calls->current;
    settle(calls, &calls->own);
    rt_calls_close_to(calls, calls->stack->base, now);
    calls->own.current = calls->current;
    settle(calls, before);
}

struct rec_call *rt_calls_suspended(const struct rt_calls *calls)
{
    const struct rt_call_stack *other = calls->other_count == 1 ? &calls->others[0] : NULL;
    bool fibre = other && other->kind == RT_STACK_FIBRE && other->current != &other->deep;
    return fibre && calls->stack == &calls->own && calls->current == calls->own.base
               ? other->current
               : rt_calls_innermost(calls);
}

void rt_calls_own_set(struct rt_calls *calls, uintptr_t low, uintptr_t high)
{
    calls->own.low = low;
    calls->own.high = high;
    if (calls->stack == &calls->own) {
        calls->low = low;
        calls->bytes = high - low;
    }
}

void rt_calls_leave_at(struct rt_calls *calls, uint64_t now)
{
    rt_calls_close_to(calls, calls->stack->base, now);
    calls->stack->current = calls->current;
    for (uint32_t i = 0; i < calls->other_count; i++) {
        if (calls->others[i].kind == RT_STACK_FIBRE) {
            settle(calls, &calls->others[i]);
            rt_calls_close_to(calls, calls->stack->base, now);
        }
    }
    settle(calls, &calls->own);
    rt_calls_close_to(calls, calls->stack->base, now);
    calls->record->last_ticks = now;
}

void rt_calls_end(struct rt_calls *calls)
{
    if (calls->current) {
        rt_calls_leave(calls);
        calls->current = NULL;
        rt_clock_mark();
    }
}
