/*
 * thread_state.c -- making, keeping and giving back the states of threads.
 */
#include "runtime/hot/thread_state.h"

#include <stddef.h>

#include "runtime/hot/call_roots.h"
#include "runtime/hot/call_tasks.h"
#include "runtime/hot/live_blocks.h"
#include "runtime/hot/live_timeline.h"
#include "runtime/hot/lock.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/process.h"
#include "runtime/hot/recall.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/sampler.h"
#include "runtime/hot/segments.h"
#include "runtime/hot/stack_table.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

__thread struct rt_tls rt_tls __attribute__((tls_model("initial-exec")));

const struct rt_gate_mark rt_gate_starting, rt_gate_open, rt_gate_off;
const struct rt_gate_mark *rt_gate = &rt_gate_starting;

uint32_t rt_threads_alive;
bool rt_threads_were_many;

/* The walk's frames come with the state; less where address space is scarce. */
enum { WALK_FRAMES = 1024, WALK_FRAMES_SCARCE = 96, FREE_KEPT_BY_NAME = 256 };

/* The first segment of slots is one page. */
enum { THREADS_SHIFT = 5 };

/* What rt_tls.thread points to once a thread has given its state back for good. */
static const uint32_t never;
static struct rt_thread ended = {.ours = &never};

static struct {
    struct rt_lock lock;
    struct rt_thread *free;
    struct rt_thread *known; /* published last */
    uint32_t free_count;
    struct rec_thread *segment[SEGMENTS];
} pool;

void rt_threads_reset(void)
{
    pool.lock.holder = 0;
    pool.free = NULL;
    pool.known = NULL;
    pool.free_count = 0;
    for (int i = 0; i < SEGMENTS; i++) {
        pool.segment[i] = NULL;
    }
    rt_threads_alive = 0;
    rt_threads_were_many = false;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

/* State, frames, the back end's memory and the recall's in one mapping. */
static struct rt_thread *state_new(uint32_t frames)
{
    size_t state_bytes = round_up(sizeof(struct rt_thread));
    size_t frame_bytes = round_up(frames * sizeof(struct rt_frame));
    size_t walk_bytes = round_up(rt_walk_bytes(frames));
    size_t bytes =
        (state_bytes + frame_bytes + walk_bytes + rt_recall_bytes() + 4095) & ~(size_t)4095;
    char *memory = os_memory_reserve(bytes);
    if (!memory) {
        return NULL;
    }
    struct rt_thread *thread = (void *)memory;
    thread->walk.frame = (void *)(memory + state_bytes);
    thread->walk.back_end = memory + state_bytes + frame_bytes;
    thread->walk.limit = frames;
    thread->recall = (void *)(memory + state_bytes + frame_bytes + walk_bytes);
    return thread;
}

/* The record of slot SLOT, its segment made if need be. The pool is locked. */
static struct rec_thread *slot_record(uint32_t slot, uint32_t tid)
{
    struct segments_place place = segments_place(slot, THREADS_SHIFT);
    if (place.segment >= SEGMENTS) {
        return NULL;
    }
    if (!pool.segment[place.segment]) {
        uint64_t pages = place.records * sizeof(struct rec_thread) >> REC_PAGE_SHIFT;
        uint64_t page = rt_recording_extent(REC_KIND_THREADS, pages, 0, place.first, tid);
        if (!page) {
            return NULL;
        }
        pool.segment[place.segment] = rt_recording_page(page);
    }
    return &pool.segment[place.segment][place.index];
}

static bool same_name(const char *a, const char *b)
{
    for (int i = 0; i < 16; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

/* A given-back state of that name, or any once too many names are kept. The pool is locked. */
static struct rt_thread *free_take(const char *name)
{
    struct rt_thread **link = &pool.free;
    while (*link && !same_name((*link)->record->name, name)) {
        link = &(*link)->next_free;
    }
    if (!*link && pool.free_count >= FREE_KEPT_BY_NAME) {
        static const char others[16] = "(others)";
        link = &pool.free;
        __builtin_memcpy((*link)->record->name, others, 16);
    }
    struct rt_thread *thread = *link;
    if (thread) {
        *link = thread->next_free;
        thread->next_free = NULL;
        pool.free_count--;
    }
    return thread;
}

static struct rt_thread *slot_claim(const char *name, uint32_t tid)
{
    struct rec_header *header = rt_recording.header;
    struct rec_thread *record = slot_record((uint32_t)header->thread_count, tid);
    if (!record) {
        return NULL;
    }
    struct rt_thread *thread = state_new(WALK_FRAMES);
    if (!thread) {
        thread = state_new(WALK_FRAMES_SCARCE);
    }
    if (!thread) {
        return NULL;
    }
    thread->slot = (uint32_t)header->thread_count++;
    thread->record = record;
    __builtin_memcpy(record->name, name, 16);
    record->first_ns = os_clock_monotonic_ns();
    thread->next_known = pool.known;
    __atomic_store_n(&pool.known, thread, __ATOMIC_RELEASE);
    return thread;
}

struct rt_thread *rt_threads_first(void)
{
    return __atomic_load_n(&pool.known, __ATOMIC_ACQUIRE);
}

struct rec_thread *rt_threads_slot_for_tasks(const char *name, uint32_t tid, uint32_t *ret_slot)
{
    struct rec_header *header = rt_recording.header;
    if (!rt_lock_take(&pool.lock, tid)) {
        return NULL;
    }
    struct rec_thread *record = slot_record((uint32_t)header->thread_count, tid);
    if (record) {
        *ret_slot = (uint32_t)header->thread_count++;
        for (size_t i = 0; i + 1 < sizeof record->name && name[i]; i++) {
            record->name[i] = name[i];
        }
        record->flags = REC_THREAD_TASK;
        record->first_ns = os_clock_monotonic_ns();
        __atomic_store_n(&record->tid, tid, __ATOMIC_RELEASE);
    }
    rt_lock_give(&pool.lock);
    return record;
}

static void count_alive(uint32_t tid)
{
    struct rec_header *header = rt_recording.header;
    uint32_t alive = __atomic_add_fetch(&rt_threads_alive, 1, __ATOMIC_RELAXED);
    if (alive > header->max_threads) {
        header->max_threads = alive;
    }
    if (tid != rt_process.start_tid) {
        __atomic_store_n(&rt_threads_were_many, true, __ATOMIC_RELAXED);
    }
}

static struct rt_thread *state_take(uint32_t tid)
{
    char name[16];
    os_thread_name(name);
    if (!rt_lock_take(&pool.lock, tid)) {
        return NULL;
    }
    struct rt_thread *thread = free_take(name);
    if (!thread) {
        thread = slot_claim(name, tid);
    }
    if (thread) {
        thread->tid = tid;
        thread->has_thread = true;
        thread->record->times_taken++;
        thread->record->last_ns = 0;
        __atomic_store_n(&thread->record->tid, tid, __ATOMIC_RELEASE);
        count_alive(tid);
    }
    rt_lock_give(&pool.lock);
    return thread;
}

/* A state for the calling thread, from the pool or new, with the walk ready. */
static struct rt_thread *state_install(uint32_t tid)
{
    struct rt_thread *thread = state_take(tid);
    if (!thread) {
        return NULL;
    }
    thread->last_block = 0;
    thread->end_rounds = 0;
    thread->ignored = 0;
    rt_roots_take_over(thread);
    thread->task = NULL;
    thread->passed_site = 0;
    thread->sections_from = NULL;
    thread->moment_countdown = 1;
    rt_process_stack_bounds(&thread->walk.stack_low, &thread->walk.stack_high);
    thread->map_epoch = rt_module_map_unreviewed();
    thread->calls.current = NULL; /* until the thread's first function hook */
    rt_walk_reset(&thread->walk, rt_stack_seed());
    __atomic_store_n(&thread->ours, rt_process_mark(), __ATOMIC_RELEASE);
    return thread;
}

/* A state for the calling thread, which has none; it keeps it unless it has ended. No handler can
 * jump out of this: a dead guard is found by the state's own bounds. */
static struct rt_thread *state_give(void)
{
    uint64_t signals;
    os_signals_block(&signals);
    struct rt_thread *thread = state_install(os_thread_id());
    if (thread && rt_tls.thread != &ended) {
        rt_tls.thread = thread;
        rt_process_watch_thread_end(thread);
        rt_sampler_thread_begins(thread);
    }
    os_signals_restore(signals);
    return thread;
}

static void recover(uint32_t tid)
{
    rt_lock_recover(&pool.lock, tid);
    rt_recording_recover(tid);
    rt_stack_table_recover(tid);
    rt_module_map_recover(tid);
    rt_live_blocks_recover(tid);
    rt_live_timeline_recover(tid);
}

static bool on_own_stack(const struct rt_thread *thread, uintptr_t address)
{
    return address >= thread->walk.stack_low && address < thread->walk.stack_high;
}

/*
 * A taken guard whose hook is gone. On one stack a live hook's frame lies further out than those
 * that it has called, so FRAME, of a hook that lives, is not as far out or further. A guard on
 * another stack is that of a handler on the alternate one, which has been left once a hook runs on
 * the thread's own. But the alternate stack may lie inside the thread's own, further out than what
 * the handler interrupted: there no guard is dead. A sandbox cannot be asked.
 */
static bool guard_is_dead(uintptr_t frame)
{
    struct rt_thread *thread = rt_tls.thread;
    if (!thread || thread == &ended || !on_own_stack(thread, frame)) {
        return false;
    }
    bool on_own = on_own_stack(thread, rt_tls.guard);
    if (on_own && rt_tls.guard > frame) {
        return false;
    }
    return os_is_frozen() ? on_own : !os_on_alternate_stack();
}

enum rt_entry rt_thread_enter_slowly(uintptr_t frame, struct rt_thread **ret_thread)
{
    if (!rt_process_is_ours() ||
        (rt_tls.thread && rt_tls.thread != &ended && !rt_thread_is_ours(rt_tls.thread))) {
        return RT_ENTRY_FORKED;
    }
    if (rt_tls.guard) {
        if (!guard_is_dead(frame)) {
            rt_recording_count(&rt_recording.header->nested_calls);
            return RT_ENTRY_NESTED;
        }
        rt_recording_count(&rt_recording.header->guard_takeovers);
        recover(rt_tls.thread->tid);
        rt_tls.thread->moment_countdown = 1; /* it may have been left at 0 */
        rt_walk_reset(&rt_tls.thread->walk, rt_stack_seed());
        rt_tls.guard = frame;
        *ret_thread = rt_tls.thread;
        return RT_ENTRY_TAKEN;
    }
    rt_tls.guard = frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct rt_thread *thread = rt_tls.thread == &ended ? NULL : rt_tls.thread;
    if (!thread) {
        thread = state_give();
    }
    if (!thread) {
        rt_recording_count(&rt_recording.header->events_lost);
        rt_tls.guard = 0;
        return RT_ENTRY_NONE;
    }
    *ret_thread = thread;
    return RT_ENTRY_TAKEN;
}

void rt_thread_release(struct rt_thread *thread)
{
    rt_tasks_leave(thread);
    rt_calls_end(&thread->calls);
    thread->has_thread = false;
    rt_roots_end(thread);
    __atomic_sub_fetch(&rt_threads_alive, 1, __ATOMIC_RELAXED);
    thread->record->last_ns = os_clock_monotonic_ns();
    if (rt_lock_take(&pool.lock, thread->tid)) {
        thread->next_free = pool.free;
        pool.free = thread;
        pool.free_count++;
        rt_lock_give(&pool.lock);
    }
}

bool rt_thread_is_ended(void)
{
    return rt_tls.thread == &ended;
}

void rt_thread_mark_ended(void)
{
    rt_tls.thread = &ended;
}
