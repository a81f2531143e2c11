/*
 * call_tasks.c -- see the header.
 */
#include "runtime/hot/call_tasks.h"

#include <stddef.h>

#include "runtime/hot/call_guards.h"
#include "runtime/hot/call_parts.h"
#include "runtime/hot/lock.h"
#include "runtime/hot/oddities.h"
#include "runtime/hot/pause.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/thread_state.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

enum { NAME_BYTES = 64, CHUNK_BYTES = 64 * 1024, NAMES_MOST = 4096, NAME_CHAINS = 256 };

/* Of the free tasks so many are looked through for one whose slot has the wanted name. */
enum { FREE_LOOKED_AT = 64 };

/* A name, and what stands for it in the call tree of this recording. */
struct name {
    struct name *next;
    const struct rec_header *header;
    uintptr_t key;
    char text[NAME_BYTES];
};

struct rt_task {
    struct rt_calls calls; /* of the task; while it runs, those that it replaced */
    struct rt_thread *runs_on;
    struct rt_task *outer; /* entered before it, on the same thread */
    struct rt_task *next_free;
    const struct name *name;
    struct rec_call *node; /* below which all its calls are; NULL: it has no tree yet */
    uint64_t left_ticks;   /* when it was laid down; 0: it has not run yet */
    bool ended, noted;
};

static struct {
    struct rt_lock lock;
    struct rt_task *free; /* ended ones */
    struct name *names[NAME_CHAINS];
    uint32_t name_count;
    char *next, *end; /* memory for new ones */
} pool;

void rt_tasks_reset(void)
{
    pool.lock.holder = 0;
}

/* The pool is locked. */
static void *memory_take(size_t bytes)
{
    bytes = (bytes + 63) & ~(size_t)63;
    if ((size_t)(pool.end - pool.next) < bytes) {
        char *chunk = os_memory_map(CHUNK_BYTES);
        if (!chunk) {
            return NULL;
        }
        pool.next = chunk;
        pool.end = chunk + CHUNK_BYTES;
    }
    void *memory = pool.next;
    pool.next += bytes;
    return memory;
}

static bool is_name(const struct name *name, const char *text)
{
    int i = 0;
    for (; i < NAME_BYTES - 1 && text[i]; i++) {
        if (name->text[i] != text[i]) {
            return false;
        }
    }
    return name->text[i] == 0;
}

static uint32_t chain_of(const char *text)
{
    uint64_t hash = 0;
    for (int i = 0; i < NAME_BYTES - 1 && text[i]; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return (uint32_t)(hash >> 32) % NAME_CHAINS;
}

static struct name *name_new(const char *text)
{
    struct name *name = memory_take(sizeof *name);
    struct name **chain = &pool.names[chain_of(text)];
    if (name) {
        for (int i = 0; i < NAME_BYTES - 1 && text[i]; i++) {
            name->text[i] = text[i];
        }
        name->next = *chain;
        *chain = name;
        pool.name_count++;
    }
    return name;
}

/* The pool is locked. Too many names are one. */
static const struct name *name_get(const char *text, uint32_t tid)
{
    struct name *name = NULL;
    for (int pass = 0; pass < 2 && !name; pass++) {
        name = pool.names[chain_of(text)];
        while (name && !is_name(name, text)) {
            name = name->next;
        }
        if (!name && pool.name_count < NAMES_MOST) {
            name = name_new(text);
            break;
        }
        text = "(others)";
    }
    if (name && name->header != rt_recording.header) {
        name->key = rt_name_key(name->text, true, tid);
        name->header = rt_recording.header;
    }
    return name;
}

static bool has_tree(const struct rt_task *task)
{
    return task->node && task->calls.memory == (char *)rt_recording.header;
}

/* An ended task, if possible one of that name, or one that is new. The pool is locked. */
static struct rt_task *task_take(const struct name *name)
{
    struct rt_task **link = &pool.free;
    for (int i = 0; *link && (*link)->name != name && i < FREE_LOOKED_AT; i++) {
        link = &(*link)->next_free;
    }
    struct rt_task *task = *link;
    if (!task) {
        return memory_take(sizeof *task);
    }
    *link = task->next_free;
    if (has_tree(task) && task->name != name) {
        __builtin_memcpy(task->calls.record->name, "(tasks)", sizeof "(tasks)");
    }
    return task;
}

/* A slot of the recording with a tree, and the node in it that stands for the task. */
static bool tree_make(struct rt_thread *thread, struct rt_task *task)
{
    if (!has_tree(task)) {
        task->calls = (struct rt_calls){.slot = 0};
        if (!rt_calls_begin_task(&task->calls, task->name->text, thread)) {
            return false;
        }
    }
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    task->node = rt_call_child_get(&task->calls, task->calls.root, task->name->key, sp);
    return task->node != NULL;
}

/* One more task of its name: its node is open from now on, and what it calls is below. */
static bool begin(struct rt_thread *thread, struct rt_task *task)
{
    if (!tree_make(thread, task)) {
        return false;
    }
    struct rt_calls *calls = &task->calls;
    task->node->hook_return = RT_GUARD_IS_FAR; /* it has no guard at all */
    task->node->calls++;
    task->node->start = rt_pause_now();
    calls->own.base = calls->own.current = calls->current = task->node;
    calls->base = task->node;
    calls->stack = &calls->own;
    calls->other_count = 0;
    calls->paused_ticks = calls->record->paused_ticks = rt_pause_ticks();
    calls->record->times_taken++;
    task->left_ticks = 0;
    task->ended = task->noted = false;
    return true;
}

struct rt_task *rt_task_create(struct rt_thread *thread, const char *name)
{
    struct rt_task *task = NULL;
    uint64_t signals;
    os_signals_block(&signals);
    if (rt_lock_take(&pool.lock, thread->tid)) {
        const struct name *known = name_get(name, thread->tid);
        task = known ? task_take(known) : NULL;
        rt_lock_give(&pool.lock);
        if (task) {
            task->name = known;
            task->runs_on = NULL;
            task = begin(thread, task) ? task : NULL;
        }
    }
    os_signals_restore(signals);
    return task;
}

/* Pointers into a structure that has moved. */
static void rebase(struct rt_calls *calls, const struct rt_calls *from)
{
    if (calls->stack == &from->own) {
        calls->stack = &calls->own;
    }
    if (calls->own.current == &from->own.deep) {
        calls->own.current = &calls->own.deep;
    }
    if (calls->current == &from->own.deep) {
        calls->current = &calls->own.deep;
    }
    if (calls->deep_owner == &from->own) {
        calls->deep_owner = &calls->own;
    }
}

/* CALLS are this thread's from now on, as those were that are FROM now. */
static void adopt(struct rt_calls *calls, const struct rt_calls *from)
{
    calls->switched = from->switched == &from->unwatched ? &calls->unwatched : from->switched;
    calls->unwatched = from->unwatched;
    calls->wall_ns = from->wall_ns;
    calls->cpu_ns = from->cpu_ns;
    calls->tid = from->tid;
}

static void exchange(struct rt_thread *thread, struct rt_task *task)
{
    struct rt_calls *calls = &thread->calls;
    struct rt_calls kept = *calls;
    kept.switched = kept.switched == &calls->unwatched ? &kept.unwatched : kept.switched;
    *calls = task->calls;
    rebase(calls, &task->calls);
    task->calls = kept;
    rebase(&task->calls, calls);
    adopt(calls, &kept);
}

/*
 * The task comes to THREAD. Its calls on the stack of the thread that laid it down are no more if
 * that was another: only calls on a stack of the task's own can go on elsewhere.
 */
static void arrive(struct rt_thread *thread, struct rt_task *task)
{
    struct rt_calls *calls = &thread->calls;
    uintptr_t low = thread->walk.stack_low, high = thread->walk.stack_high;
    if (task->left_ticks && calls->own.low != low) {
        rt_calls_close_own(calls, task->left_ticks);
    }
    rt_calls_own_set(calls, low, high ? high : UINTPTR_MAX);
    rt_calls_catch_up(calls);
    if (task->left_ticks) {
        uint64_t now = rt_pause_now();
        struct rec_call *node = rt_calls_suspended(calls);
        node->off_cpu_ns += now > task->left_ticks ? rt_clock_ns(now - task->left_ticks) : 0;
    }
}

static void note(struct rt_task *task)
{
    if (!task->noted) {
        task->noted = true;
        rt_oddity_note_task(task->name->text);
    }
}

/* True: THREAD has it now. It may have belonged to a process that this one was forked from. */
static bool claim(struct rt_thread *thread, struct rt_task *task)
{
    struct rt_thread *owner = __atomic_load_n(&task->runs_on, __ATOMIC_ACQUIRE);
    if (owner && rt_thread_is_ours(owner)) {
        return false;
    }
    return __atomic_compare_exchange_n(&task->runs_on, &owner, thread, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static void let_go(struct rt_task *task)
{
    __atomic_store_n(&task->runs_on, NULL, __ATOMIC_RELEASE);
}

/* Also in a forked child, where it is a new task of a new recording. */
static bool is_ready(struct rt_thread *thread, struct rt_task *task)
{
    if (has_tree(task)) {
        return true;
    }
    if (!rt_lock_take(&pool.lock, thread->tid)) {
        return false;
    }
    task->name = name_get(task->name->text, thread->tid);
    rt_lock_give(&pool.lock);
    return begin(thread, task);
}

void rt_task_enter(struct rt_thread *thread, struct rt_task *task, uintptr_t sp)
{
    uint64_t signals;
    if (task->ended || !claim(thread, task)) {
        note(task);
        return;
    }
    rt_calls_prepare(&thread->calls, sp, 0);
    os_signals_block(&signals);
    if (is_ready(thread, task)) {
        task->outer = thread->task;
        exchange(thread, task);
        thread->task = task;
        arrive(thread, task);
    } else {
        let_go(task);
    }
    os_signals_restore(signals);
}

/* The innermost task of the thread. */
static void lay_down(struct rt_thread *thread)
{
    struct rt_task *task = thread->task;
    task->left_ticks = rt_pause_now();
    thread->calls.record->last_ticks = task->left_ticks;
    thread->task = task->outer;
    exchange(thread, task);
    rt_calls_catch_up(&thread->calls);
    let_go(task);
}

static bool is_run_by(const struct rt_thread *thread, const struct rt_task *task)
{
    for (const struct rt_task *inner = thread->task; inner; inner = inner->outer) {
        if (inner == task) {
            return true;
        }
    }
    return false;
}

void rt_task_leave(struct rt_thread *thread, struct rt_task *task, uintptr_t sp)
{
    uint64_t signals;
    if (!is_run_by(thread, task)) {
        note(task);
        return;
    }
    rt_calls_prepare(&thread->calls, sp, rt_pause_now());
    os_signals_block(&signals);
    struct rt_task *outer = task->outer;
    while (thread->task != outer) {
        lay_down(thread);
    }
    os_signals_restore(signals);
}

void rt_task_end(struct rt_thread *thread, struct rt_task *task, uintptr_t sp)
{
    uint64_t signals;
    if (is_run_by(thread, task)) {
        rt_task_leave(thread, task, sp);
    }
    if (task->ended || !claim(thread, task)) {
        note(task);
        return;
    }
    os_signals_block(&signals);
    task->ended = true;
    if (has_tree(task)) {
        struct rt_calls *calls = &task->calls;
        uint64_t now = task->left_ticks ? task->left_ticks : rt_pause_now();
        rt_calls_leave_at(calls, now);
        rt_call_close(calls, task->node, now);
        calls->record->last_ns = os_clock_monotonic_ns();
    }
    if (rt_lock_take(&pool.lock, thread->tid)) {
        task->next_free = pool.free;
        pool.free = task;
        rt_lock_give(&pool.lock);
    }
    os_signals_restore(signals);
}

const char *rt_task_name(const struct rt_task *task)
{
    return task->name->text;
}

void rt_tasks_leave(struct rt_thread *thread)
{
    while (thread->task) {
        lay_down(thread);
    }
}
