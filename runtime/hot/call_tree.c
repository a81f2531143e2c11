/*
 * call_tree.c -- nodes, and the long ways of the hooks.
 */
#include "runtime/hot/call_tree.h"

#include <stddef.h>

#include "runtime/hot/call_parts.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/pause.h"
#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "runtime/hot/thread_state.h"

#include "runtime/hot/rt_forbid.h"

/*
 * NODES_MAX bounds the tree of the process to 48 MiB. Room comes in chunks that grow with the slot;
 * the last RESERVE nodes of a chunk are for handlers that interrupt the getting of the next one.
 */
enum {
    NODES_MAX = 48 * 1024 * 1024 / REC_CALL_BYTES,
    CHUNK_PAGES_MAX = 64,
    RESERVE = 8,
    SITE_WORDS_MAX = 512, /* larger frames are taken to begin at their lower end */
    NODES_PER_PAGE = REC_PAGE_BYTES / REC_CALL_BYTES,
};

/* A refill whose hook is gone: a handler jumped out of it. */
static bool refill_is_dead(const struct rt_calls *calls, uintptr_t sp)
{
    return calls->refilling < sp && calls->refilling - calls->low < calls->bytes;
}

static void refill(struct rt_calls *calls, uintptr_t sp)
{
    if (calls->refilling) {
        if (!refill_is_dead(calls, sp)) {
            return;
        }
        rt_recording_recover(calls->tid);
    }
    struct rec_header *header = rt_recording.header;
    uint64_t have = calls->node_count / NODES_PER_PAGE;
    uint64_t pages = have / 4 < 1 ? 1 : have / 4 > CHUNK_PAGES_MAX ? CHUNK_PAGES_MAX : have / 4;
    if (!calls->record || calls->memory != (char *)header ||
        __atomic_load_n(&header->call_count, __ATOMIC_RELAXED) + pages * NODES_PER_PAGE >
            NODES_MAX) {
        return;
    }
    calls->refilling = sp;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint64_t page =
        rt_recording_extent(REC_KIND_CALLS, pages, calls->slot, calls->node_count, calls->tid);
    if (page) {
        uint64_t nodes = pages * NODES_PER_PAGE;
        __atomic_fetch_add(&header->call_count, nodes, __ATOMIC_RELAXED);
        calls->node_count += nodes;
        calls->room = nodes << 32 | page << (REC_PAGE_SHIFT - REC_CALL_SHIFT);
        rt_clock_mark();
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    calls->refilling = 0;
}

/* 0: there is no room. */
static uint32_t node_take(struct rt_calls *calls, uintptr_t sp)
{
    if (calls->room >> 32 <= RESERVE) {
        refill(calls, sp);
    }
    for (;;) {
        uint64_t room = *(volatile uint64_t *)&calls->room;
        if (room >> 32 == 0) {
            return 0;
        }
        if (rt_word_exchange(&calls->room, room, room - (UINT64_C(1) << 32) + 1)) {
            return (uint32_t)room;
        }
    }
}

struct rec_call *rt_call_node_new(struct rt_calls *calls, struct rec_call *parent,
                                  uintptr_t function, uintptr_t sp)
{
    uint32_t number = node_take(calls, sp);
    if (!number) {
        return NULL;
    }
    struct rec_call *node = rt_call_at(calls, number);
    node->frame = RT_FRAME_NONE;
    node->start = REC_CALL_NO_START;
    node->shortest = UINT64_MAX;
    node->parent = parent ? rt_call_number(calls, parent) : 0;
    node->depth = parent ? (uint16_t)(parent->depth + 1) : 0;
    if (function >= REC_SPECIAL_LIMIT && !(function & REC_CALL_NAMED)) {
        rt_module_map_note(REC_NODE_ADDRESS(function), calls->tid);
    }
    /* Last: the module may be recorded from this generation on. */
    node->generation = __atomic_load_n(&rt_module_map.generation, __ATOMIC_ACQUIRE);
    __atomic_store_n(&node->function, function, __ATOMIC_RELEASE);
    return node;
}

struct rec_call *rt_call_child_get(struct rt_calls *calls, struct rec_call *parent,
                                   uintptr_t function, uintptr_t sp)
{
    uint32_t generation = rt_module_map.generation;
    struct rec_call *found = rt_call_child(calls, parent, function, generation);
    if (found) {
        return found;
    }
    uint32_t above = rt_call_number(calls, parent);
    uint32_t number = rt_call_hash_find(calls, above, function, generation);
    if (number) {
        return rt_call_at(calls, number);
    }
    bool fits = parent->child[3] == 0;
    if (!fits && !rt_call_hash_reserve(calls)) {
        return NULL;
    }
    struct rec_call *node = rt_call_node_new(calls, parent, function, sp);
    if (!node) {
        return NULL;
    }
    number = rt_call_number(calls, node);
    uint64_t word = (uint64_t)number << 32 | rt_call_key(function, node->generation);
    for (int i = 0; i < 4; i++) {
        if (parent->child[i] == 0 && rt_word_exchange(&parent->child[i], 0, word)) {
            return node;
        }
    }
    if (fits && !rt_call_hash_reserve(calls)) {
        return node; /* the last place went to a handler: this one is made again next time */
    }
    rt_call_hash_put(calls, above, function, node->generation, number);
    return node;
}

static struct rec_call *child_or_deep(struct rt_calls *calls, struct rec_call *node,
                                      const struct rt_call_hook *hook, uintptr_t frame)
{
    struct rec_call *child = NULL;
    if (!rt_calls_are_deep(calls) && node->depth < RT_CALL_DEPTH_MAX) {
        child = rt_call_child_get(calls, node, hook->function, hook->sp);
    }
    if (!child) {
        rt_deep_enter(calls, hook, frame);
    }
    return child;
}

struct rec_call *rt_calls_twin(struct rt_calls *calls, struct rec_call *node, uintptr_t sp)
{
    while (node->twin) {
        node = rt_call_at(calls, node->twin);
        if (node->frame == RT_FRAME_NONE) {
            return node;
        }
    }
    struct rec_call *parent = rt_call_at(calls, node->parent);
    struct rec_call *twin = rt_call_node_new(calls, parent, node->function, sp);
    if (twin) {
        __atomic_store_n(&node->twin, rt_call_number(calls, twin), __ATOMIC_RELEASE);
    }
    return twin;
}

void rt_calls_step_back(struct rec_call *node)
{
    if (node->start != REC_CALL_NO_START) {
        rt_recording_count(&rt_recording.header->clock_steps_back);
    }
}

/* When the call of NODE began: its start has been moved by the pauses in which it was open. */
static uint64_t start_of(const struct rt_calls *calls, const struct rec_call *node)
{
    if (__builtin_expect(calls->paused_ticks == 0, 1)) {
        return node->start;
    }
    uint64_t ran = node->start - calls->paused_ticks;
    return ran + rt_pause_ticks_before(ran);
}

void rt_call_close(struct rt_calls *calls, struct rec_call *node, uint64_t now)
{
    uint64_t ticks = now - node->start;
    if ((int64_t)ticks < 0) {
        rt_calls_step_back(node);
        ticks = 0;
    } else if (ticks >= calls->spans.least) {
        uint64_t start = start_of(calls, node);
        rt_spans_add(calls, rt_call_number(calls, node), start, now - start);
    }
    rt_call_credit(calls, node, ticks);
}

void rt_call_exit_kept(struct rt_calls *calls, struct rec_call *node, uint64_t now)
{
    rt_call_close(calls, node, now);
    calls->record->last_ticks = now;
}

void rt_calls_close_to(struct rt_calls *calls, const struct rec_call *base, uint64_t now)
{
    if (rt_calls_are_deep(calls)) {
        rt_deep_leave(calls, now);
    }
    while (calls->current != base && calls->current != calls->stack->base) {
        rt_call_close(calls, calls->current, now);
    }
}

/* A signal stack may lie inside a frame of the thread's own stack: there, what was interrupted
 * looks dead and is not. */
static bool is_on_signal_stack(struct rt_calls *calls, uintptr_t sp)
{
    uintptr_t low, high;
    return calls->stack->kind == RT_STACK_OWN && os_signal_stack(&low, &high) && sp >= low &&
           sp < high;
}

void rt_calls_pop_dead(struct rt_calls *calls, const struct rt_call_hook *hook, uintptr_t frame)
{
    if (rt_calls_are_deep(calls) && rt_deep_pop(calls, hook, frame)) {
        return;
    }
    struct rec_call *node = calls->current;
    if (node == calls->stack->base || !rt_call_is_dead(node, hook, frame)) {
        return;
    }
    if (node->frame < frame && is_on_signal_stack(calls, hook->sp)) {
        rt_calls_change_stack(calls, hook->sp);
        return;
    }
    uint64_t now = rt_clock_read();
    while (calls->current != calls->stack->base && rt_call_is_dead(calls->current, hook, frame)) {
        rt_call_close(calls, calls->current, now);
    }
}

/* The open node that the exit belongs to, made the current one; NULL: none, or it was a deep one.
 */
static struct rec_call *open_find(struct rt_calls *calls, const struct rt_call_hook *hook,
                                  uint64_t now)
{
    if (rt_calls_are_deep(calls) && rt_deep_exit(calls, hook, now)) {
        return NULL;
    }
    struct rec_call *node =
        rt_calls_are_deep(calls) ? rt_call_at(calls, calls->stack->deep.parent) : calls->current;
    while (node != calls->stack->base) {
        if (node->function == hook->function && node->site == hook->site &&
            !rt_call_is_left(node->frame, hook)) {
            rt_calls_close_to(calls, node, now);
            return node;
        }
        node = rt_call_at(calls, node->parent);
    }
    return NULL;
}

void rt_calls_prepare(struct rt_calls *calls, uintptr_t sp, uint64_t now)
{
    if (sp - calls->low >= calls->bytes) {
        rt_calls_change_stack(calls, sp);
    }
    if (*calls->switched != rt_call_mark) {
        rt_calls_note_switch(calls, now);
    }
}

/* Words from the stack pointer on that the return address is looked for in. */
static uint64_t words_most(const struct rt_calls *calls, const struct rt_call_hook *hook)
{
    uint64_t above = (calls->low + calls->bytes - hook->sp) / sizeof(uintptr_t);
    uint64_t most = above < SITE_WORDS_MAX ? above : SITE_WORDS_MAX;
    return hook->site ? most : 0; /* the outermost function of a fibre: any word may be 0 */
}

uintptr_t rt_calls_frame_known(const struct rt_calls *calls, const struct rt_call_hook *hook,
                               uint16_t *ret_words)
{
    const uintptr_t *sp = (const uintptr_t *)hook->sp;
    const struct rec_call *known =
        rt_call_child(calls, rt_calls_innermost(calls), hook->function, rt_module_map.generation);
    if (known && known->site_words < words_most(calls, hook) &&
        sp[known->site_words] == hook->site) {
        *ret_words = known->site_words; /* as the short way finds it; a copy may lie further in */
        return (uintptr_t)(sp + known->site_words + 1);
    }
    return 0;
}

uint16_t rt_calls_frame_words(const struct rt_call_hook *hook, uintptr_t frame)
{
    uintptr_t words = (frame - hook->sp) / sizeof(uintptr_t) - 1;
    return words < SITE_WORDS_MAX ? (uint16_t)words : UINT16_MAX;
}

uintptr_t rt_calls_frame(const struct rt_calls *calls, const struct rt_call_hook *hook,
                         uint16_t *ret_words)
{
    const uintptr_t *sp = (const uintptr_t *)hook->sp;
    uintptr_t frame = rt_calls_frame_known(calls, hook, ret_words);
    uint64_t most = frame ? 0 : words_most(calls, hook);
    for (uint64_t i = 0; i < most; i++) {
        if (sp[i] == hook->site) {
            *ret_words = (uint16_t)i;
            return (uintptr_t)(sp + i + 1);
        }
    }
    if (!frame) {
        *ret_words = UINT16_MAX;
        frame = (uintptr_t)(sp + 1);
    }
    return frame;
}

void rt_calls_enter(struct rt_calls *calls, const struct rt_call_hook *hook)
{
    uint16_t words;
    rt_calls_prepare(calls, hook->sp, 0);
    uintptr_t frame = rt_calls_frame(calls, hook, &words);
    rt_calls_pop_dead(calls, hook, frame);
    struct rec_call *node = child_or_deep(calls, calls->current, hook, frame);
    if (node && node->frame != RT_FRAME_NONE) {
        node = rt_calls_twin(calls, node, hook->sp);
        if (!node) {
            rt_deep_enter(calls, hook, frame);
        }
    }
    if (node) {
        node->site_words = words;
        rt_call_open(calls, node, *hook, frame);
        node->start = rt_clock_read();
    }
}

void rt_calls_exit(struct rt_calls *calls, const struct rt_call_hook *hook, uint64_t now)
{
    rt_calls_prepare(calls, hook->sp, now);
    struct rec_call *node = open_find(calls, hook, now);
    if (node) {
        rt_call_close(calls, node, now);
        calls->record->last_ticks = now;
    }
}

static bool root_make(struct rt_calls *calls, uintptr_t sp)
{
    calls->root = rt_call_node_new(calls, NULL, REC_SPECIAL_THREAD, sp);
    if (!calls->root) {
        return false;
    }
    calls->record->call_root = rt_call_number(calls, calls->root);
    return true;
}

/* CALLS with record, slot and tid set, on the stack of THREAD. */
static bool begin(struct rt_calls *calls, const struct rt_thread *thread)
{
    calls->memory = (char *)rt_recording.header;
    if (!calls->root && !root_make(calls, (uintptr_t)__builtin_frame_address(0))) {
        return false;
    }
    struct rt_call_stack *own = &calls->own;
    own->kind = RT_STACK_OWN;
    own->low = thread->walk.stack_low;
    own->high = thread->walk.stack_high ? thread->walk.stack_high : UINTPTR_MAX;
    own->base = own->current = calls->root;
    calls->stack = own;
    calls->base = own->base;
    calls->low = own->low;
    calls->bytes = own->high - own->low;
    calls->other_count = 0;
    calls->refilling = 0;
    calls->spans.busy = calls->spans.stack = 0;
    if (!(rt_recording.header->content & REC_CONTENT_TIME)) {
        calls->spans.least = REC_RESOLUTION_NONE;
    }
    return true;
}

bool rt_calls_begin(struct rt_thread *thread)
{
    struct rt_calls *calls = &thread->calls;
    calls->record = thread->record;
    calls->slot = thread->slot;
    calls->tid = thread->tid;
    if (rt_clock.kind == REC_CLOCK_NONE || !begin(calls, thread)) {
        return false;
    }
    rt_calls_note_switch(calls, 0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    calls->current = calls->root;
    return true;
}

bool rt_calls_begin_task(struct rt_calls *calls, const char *name, const struct rt_thread *thread)
{
    calls->record = rt_threads_slot_for_tasks(name, thread->tid, &calls->slot);
    calls->tid = thread->tid;
    calls->is_task = true;
    return calls->record && begin(calls, thread);
}

void rt_calls_begin_apart(struct rt_calls *calls, struct rec_call *memory, uint32_t count,
                          struct rec_thread *record)
{
    *calls = (struct rt_calls){
        .memory = (char *)memory,
        .record = record,
        .switched = &rt_call_mark,
        .room = (uint64_t)(count - 1) << 32 | 1,
        .bytes = (uintptr_t)__builtin_frame_address(0) + 4096,
        .stack = &calls->own,
        .spans.least = REC_RESOLUTION_NONE,
    };
    calls->root = rt_call_node_new(calls, NULL, REC_SPECIAL_THREAD, 0);
    calls->base = calls->current = calls->own.base = calls->root;
    calls->own.high = UINTPTR_MAX;
}
