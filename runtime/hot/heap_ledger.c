/*
 * heap_ledger.c -- counters, peak, pending amounts.
 */
#include "runtime/hot/heap_ledger.h"

#include <sys/single_threaded.h>

#include "runtime/hot/event_stream.h"
#include "runtime/hot/histogram.h"
#include "runtime/hot/live_timeline.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/recall.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

enum { PENDING_SHARE = 2048, PENDING_LEAST_BYTES = 64 };

static struct {
    uint64_t least_bytes; /* that are booked; 0: all */
    uint64_t asked_bytes; /* the same, but for pauses */
    int64_t pending_bound;
    bool detail;
} ledger;

void rt_heap_reset(uint64_t threshold_bytes, bool detail)
{
    ledger.detail = detail;
    bool is_set = threshold_bytes != 0 && threshold_bytes != UINT64_MAX;
    ledger.asked_bytes = ledger.least_bytes = threshold_bytes + is_set;
    ledger.pending_bound = PENDING_LEAST_BYTES;
}

void rt_heap_pause(bool paused)
{
    ledger.least_bytes = paused ? RT_HEAP_NOTHING : ledger.asked_bytes;
}

/* The page of counters that holds STACK's, made if it is the first of its 64. NULL: no room. */
static __attribute__((noinline)) struct rec_counter *counters_new(struct rt_thread *thread,
                                                                  uint32_t stack)
{
    uint32_t page = stack / REC_COUNTERS_PER_PAGE;
    uint32_t top = page / RT_COUNTER_DIRECTORY;
    if (top >= RT_COUNTER_TOP) {
        return NULL;
    }
    if (!thread->counters[top]) {
        size_t bytes = RT_COUNTER_DIRECTORY * sizeof **thread->counters;
        thread->counters[top] = os_memory_map(bytes);
        if (!thread->counters[top]) {
            return NULL;
        }
    }
    uint64_t at = rt_recording_extent(REC_KIND_COUNTERS, 1, thread->slot,
                                      page * (uint64_t)REC_COUNTERS_PER_PAGE, thread->tid);
    struct rec_counter *counters = at ? rt_recording_page(at) : NULL;
    thread->counters[top][page % RT_COUNTER_DIRECTORY] = counters;
    return counters;
}

static inline struct rec_counter *counter_of(struct rt_thread *thread, uint32_t stack)
{
    uint32_t page = stack / REC_COUNTERS_PER_PAGE;
    struct rec_counter **directory = rt_likely(page < RT_COUNTER_TOP * RT_COUNTER_DIRECTORY)
                                         ? thread->counters[page / RT_COUNTER_DIRECTORY]
                                         : NULL;
    struct rec_counter *counters = directory ? directory[page % RT_COUNTER_DIRECTORY] : NULL;
    if (rt_unlikely(!counters)) {
        counters = counters_new(thread, stack);
        if (!counters) {
            rt_recording_count(&rt_recording.header->events_lost);
            return NULL;
        }
    }
    return &counters[stack % REC_COUNTERS_PER_PAGE];
}

void rt_heap_booked(const struct rt_thread *thread, uint32_t stack, uint64_t *ret_allocations,
                    uint64_t *ret_bytes)
{
    uint32_t page = stack / REC_COUNTERS_PER_PAGE;
    uint32_t top = page / RT_COUNTER_DIRECTORY;
    struct rec_counter **directory = stack && top < RT_COUNTER_TOP ? thread->counters[top] : NULL;
    const struct rec_counter *counters = directory ? directory[page % RT_COUNTER_DIRECTORY] : NULL;
    const struct rec_counter *counter = counters ? &counters[stack % REC_COUNTERS_PER_PAGE] : NULL;
    *ret_allocations = counter ? counter->allocations : 0;
    *ret_bytes = counter ? counter->bytes : 0;
}

/* True while no other thread can be adding to the global number. libc clears its flag before the
 * second thread starts, and may set it again later: ours is for good. */
static inline bool alone(void)
{
    return rt_likely(__libc_single_threaded &&
                     !__atomic_load_n(&rt_threads_were_many, __ATOMIC_RELAXED));
}

static void counter_save(struct rec_counter *counter)
{
    uint64_t epoch = __atomic_load_n(&rt_recording.header->peak_epoch, __ATOMIC_RELAXED);
    /* Without a branch: while the heap grows, no processor foresees which way it would go. */
    int64_t saved = counter->epoch == epoch ? counter->saved_bytes : counter->live_bytes;
    counter->saved_bytes = saved;
    counter->epoch = epoch;
}

/* A new peak was reached: all saved values are void. */
static void peak_raise(struct rec_header *header, int64_t live)
{
    int64_t peak = __atomic_load_n(&header->peak_bytes, __ATOMIC_RELAXED);
    while (live > peak && !__atomic_compare_exchange_n(&header->peak_bytes, &peak, live, true,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    if (live > peak) {
        __atomic_fetch_add(&header->peak_epoch, 1, __ATOMIC_RELAXED);
        uint32_t threads = __atomic_load_n(&rt_threads_alive, __ATOMIC_RELAXED);
        int64_t bound = live / ((int64_t)PENDING_SHARE * (threads ? threads : 1));
        bound = bound < PENDING_LEAST_BYTES ? PENDING_LEAST_BYTES : bound;
        __atomic_store_n(&ledger.pending_bound, bound, __ATOMIC_RELAXED);
    }
}

static __attribute__((noinline)) void pending_flush(struct rt_thread *thread)
{
    struct rec_header *header = rt_recording.header;
    int64_t amount = thread->pending_bytes;
    thread->pending_bytes = 0;
    uint64_t held = amount < 0 ? (uint64_t)-amount : (uint64_t)amount;
    uint64_t most = __atomic_load_n(&header->pending_bound_bytes, __ATOMIC_RELAXED);
    while (held > most && !__atomic_compare_exchange_n(&header->pending_bound_bytes, &most, held,
                                                       true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    int64_t live = __atomic_add_fetch(&header->live_bytes, amount, __ATOMIC_RELAXED);
    if (live > __atomic_load_n(&header->peak_bytes, __ATOMIC_RELAXED)) {
        peak_raise(header, live);
    }
}

void rt_heap_flush(struct rt_thread *thread)
{
    rt_histogram_settle(thread);
    if (thread->pending_bytes) {
        pending_flush(thread);
    }
}

/* Add to the global number of live bytes, and to the counter's own, in the order that the peak
 * needs: a counter that belongs to the new peak is raised before the peak is. */
static inline void live_change(struct rt_thread *thread, struct rec_counter *counter,
                               int64_t change)
{
    struct rec_header *header = rt_recording.header;
    if (alone()) {
        int64_t live = header->live_bytes + change + thread->pending_bytes;
        thread->pending_bytes = 0;
        if (live > header->peak_bytes) {
            counter->live_bytes += change;
            header->live_bytes = live;
            header->peak_bytes = live;
            header->peak_epoch++;
            return;
        }
        counter_save(counter);
        counter->live_bytes += change;
        header->live_bytes = live;
        return;
    }
    counter_save(counter);
    counter->live_bytes += change;
    thread->pending_bytes += change;
    int64_t bound = __atomic_load_n(&ledger.pending_bound, __ATOMIC_RELAXED);
    if (rt_unlikely(thread->pending_bytes >= bound || thread->pending_bytes <= -bound)) {
        pending_flush(thread);
    }
}

static inline void moment_tick(struct rt_thread *thread)
{
    if (rt_unlikely(--thread->moment_countdown == 0)) {
        thread->moment_countdown = rt_live_timeline_add(thread->tid);
    }
}

static inline void walk_validate(struct rt_thread *thread, const struct rt_registers *registers)
{
    rt_module_map_notice(registers->ip);
    if (rt_unlikely(thread->map_epoch != rt_module_map_epoch())) {
        thread->map_epoch = rt_module_map_review(thread->tid);
        rt_walk_reset(&thread->walk, rt_stack_seed());
        rt_recall_forget(thread->recall);
    }
}

static __attribute__((noinline)) uint32_t walk_to_number(struct rt_thread *thread,
                                                         const struct rt_registers *registers)
{
    rt_unwind(&thread->walk, registers);
    uint32_t stack = rt_stack_find(&thread->walk, thread->tid);
    rt_recall_note(thread->recall, &thread->walk, stack);
    return stack;
}

/* The caller's stack, as a number. In an instrumented program the open functions are it already. */
static inline uint32_t walk(struct rt_thread *thread, const struct rt_registers *registers)
{
    thread->event_wanted = ledger.detail;
    if (thread->calls.current) {
        uint32_t stack = rt_calls_heap_stack(thread, registers->sp, ledger.detail);
        if (rt_likely(stack)) {
            return stack;
        }
    }
    if (rt_unlikely(rt_calls_cut(thread))) {
        rt_unwind(&thread->walk, registers);
        return rt_calls_cut_stack(thread);
    }
    uint32_t stack = rt_recall(thread->recall, &thread->walk, registers);
    return rt_likely(stack) ? stack : walk_to_number(thread, registers);
}

static __attribute__((noinline)) void freed_in_detail(struct rt_thread *thread,
                                                      struct rt_block block,
                                                      const struct rt_registers *registers)
{
    walk_validate(thread, registers);
    uint32_t stack = walk(thread, registers);
    if (thread->event_wanted) {
        rt_events_add(thread, REC_EVENT_FREE, stack, block.bytes);
    }
}

void rt_heap_freed(struct rt_thread *thread, uintptr_t address, struct rt_block block,
                   const struct rt_registers *registers)
{
    if (rt_unlikely(ledger.detail)) {
        freed_in_detail(thread, block, registers);
    }
    struct rec_counter *counter = counter_of(thread, block.stack);
    if (!counter) {
        return;
    }
    counter->frees++;
    if (address == thread->last_block) {
        counter->temporary++;
        thread->last_block = 0;
    }
    live_change(thread, counter, -(int64_t)block.bytes);
    moment_tick(thread);
}

/* The long way to keep a block. False: it could not be, so it is not booked at all: its free could
 * not be, and it would stay live for ever. */
static __attribute__((noinline)) bool block_put(struct rt_thread *thread, uintptr_t address,
                                                struct rt_block block,
                                                const struct rt_registers *registers)
{
    bool kept;
    struct rt_block before = rt_live_blocks_put(address, block, thread->tid, &kept);
    if (!kept) {
        rt_recording_count(&rt_recording.header->events_lost);
        return false;
    }
    if (before.stack) { /* it was freed where we could not see it */
        rt_heap_freed(thread, address, before, registers);
    }
    return true;
}

void rt_heap_allocated(struct rt_thread *thread, uintptr_t address, size_t bytes,
                       const struct rt_registers *registers)
{
    walk_validate(thread, registers);
    if (rt_unlikely(bytes < ledger.least_bytes || thread->ignored)) {
        return;
    }
    uint64_t *entry = rt_shadow_entry(address);
    __builtin_prefetch(entry, 1); /* the walk takes as long as the miss */
    uint32_t stack = walk(thread, registers);
    struct rec_counter *counter = counter_of(thread, stack);
    if (rt_unlikely(!counter)) {
        return;
    }
    struct rt_block block = {stack, bytes};
    if (rt_unlikely(!rt_shadow_put(entry, block)) &&
        !block_put(thread, address, block, registers)) {
        return;
    }
    rt_histogram_note(thread, counter, bytes);
    counter->allocations++;
    counter->bytes += bytes;
    thread->last_block = address;
    live_change(thread, counter, (int64_t)bytes);
    moment_tick(thread);
    if (rt_unlikely(thread->event_wanted)) {
        rt_events_add(thread, 0, stack, bytes);
    }
}

struct rt_block rt_heap_take(struct rt_thread *thread, uintptr_t address)
{
    if (rt_unlikely(ledger.asked_bytes == RT_HEAP_NOTHING)) { /* there are no blocks to look for */
        return (struct rt_block){0, 0};
    }
    return rt_live_blocks_take(address, thread->tid);
}

void rt_heap_unknown_freed(void)
{
    if (!ledger.least_bytes) {
        rt_recording_count(&rt_recording.header->unknown_frees);
    }
}

void rt_heap_put_back(struct rt_thread *thread, uintptr_t address, struct rt_block block)
{
    bool kept;
    rt_live_blocks_put(address, block, thread->tid, &kept);
    if (rt_unlikely(!kept)) { /* its free will be missing */
        rt_recording_count(&rt_recording.header->events_lost);
    }
}
