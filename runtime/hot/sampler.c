/*
 * sampler.c -- see the header.
 */
#include "runtime/hot/sampler.h"

#include <errno.h>
#include <stddef.h>
#include <ucontext.h>

#include "runtime/hot/lock.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/pause.h"
#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/stack_table.h"
#include "runtime/hot/thread_state.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

struct rt_sampling rt_sampling;
void (*rt_sampler_stranger)(int number);
void (*rt_sampler_forked)(void);

enum {
    WALK_FRAMES = 1024,
    JITTER_EVERY = 16,
    /* What another thread has not been sampled for at the end is lost if it is more: the slowest
     * tick is 10 ms. */
    LATEST_NS = 50 * 1000 * 1000,
};

#define SECOND_NS   UINT64_C(1000000000)
#define ADDRESS_END (UINT64_C(1) << 47)

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The mean one, give or take a tenth. */
static uint64_t interval_draw(struct rt_sampler *sampler)
{
    uint64_t mean = rt_sampling.interval_ns, spread = mean / 5;
    return mean - spread / 2 + random_next(&sampler->random) % (spread + 1);
}

void rt_sampler_reset(enum os_timer_clock clock, uint32_t hz)
{
    rt_sampling.on = false;
    rt_sampling.clock = clock;
    rt_sampling.interval_ns = hz ? SECOND_NS / hz : 0;
}

/* --- beginnings and ends --- */

/* The sampler, the frames of its walk and the back end's memory in one mapping. */
static struct rt_sampler *sampler_new(const struct rt_thread *thread)
{
    size_t own = (sizeof(struct rt_sampler) + 63) & ~(size_t)63;
    size_t frames = thread->walk.limit < WALK_FRAMES ? thread->walk.limit : WALK_FRAMES;
    size_t frame_bytes = (frames + 1) * sizeof(struct rt_frame); /* one for a wait's function */
    frame_bytes = (frame_bytes + 63) & ~(size_t)63;
    char *memory = os_memory_reserve(own + frame_bytes + rt_walk_bytes((uint32_t)frames));
    if (!memory) {
        return NULL;
    }
    struct rt_sampler *sampler = (struct rt_sampler *)(void *)memory;
    sampler->walk.frame = (struct rt_frame *)(void *)(memory + own);
    sampler->walk.back_end = memory + own + frame_bytes;
    sampler->walk.limit = (uint32_t)frames;
    return sampler;
}

/* A timer for THREAD from NEXT_NS on. */
static void timer_set(struct rt_thread *thread, struct rt_sampler *sampler)
{
    int timer =
        os_timer_create(rt_sampling.clock, thread->tid, rt_sampling.signal_number, &rt_sampling);
    if (timer < 0) {
        rt_recording_count(&rt_recording.header->sample_refused);
        return;
    }
    sampler->timer = timer;
    __atomic_store_n(&sampler->running, true, __ATOMIC_RELEASE);
    os_timer_start(timer, sampler->next_ns, sampler->interval_ns);
}

static void timer_end(struct rt_sampler *sampler)
{
    if (__atomic_exchange_n(&sampler->running, false, __ATOMIC_ACQ_REL)) {
        os_timer_delete(sampler->timer);
    }
}

/* The first expiry at a random part of an interval: so the expected number of samples of however
 * short a thread is right. */
static void sampler_begin(struct rt_thread *thread, struct rt_sampler *sampler)
{
    uint64_t now_ns = os_timer_clock_ns(rt_sampling.clock, thread->tid);
    if (rt_sampling.since_fork && rt_sampling.clock == OS_TIMER_CPU) {
        now_ns = 0; /* it may have run for a while before it met its first hook */
    }
    rt_sampling.since_fork = false;
    sampler->random = (os_clock_monotonic_ns() << 20 ^ (uintptr_t)thread ^ thread->tid) | 1;
    for (int i = 0; i < 4; i++) { /* neighbouring seeds would give neighbouring numbers */
        random_next(&sampler->random);
    }
    sampler->interval_ns = interval_draw(sampler);
    sampler->next_ns = now_ns + 1 + random_next(&sampler->random) % sampler->interval_ns;
    sampler->until_jitter = JITTER_EVERY;
    sampler->waiting = sampler->deaf = sampler->unblocking = false;
    timer_set(thread, sampler);
}

void rt_sampler_thread_begins(struct rt_thread *thread)
{
    if (!__atomic_load_n(&rt_sampling.on, __ATOMIC_ACQUIRE)) {
        return;
    }
    struct rt_sampler *sampler = thread->sampler;
    if (!sampler) {
        sampler = thread->sampler = sampler_new(thread);
    }
    if (!sampler) {
        rt_recording_count(&rt_recording.header->sample_refused);
        return;
    }
    sampler->table.slot = thread->slot;
    sampler->table.tid = thread->tid | RT_LOCK_NO_WAIT;
    sampler->walk.stack_low = thread->walk.stack_low;
    sampler->walk.stack_high = thread->walk.stack_high;
    sampler->map_epoch = rt_module_map_unreviewed();
    sampler->function = 0;
    rt_walk_reset(&sampler->walk, rt_stack_seed());
    sampler_begin(thread, sampler);
    if (!__atomic_load_n(&rt_sampling.on, __ATOMIC_ACQUIRE)) { /* another thread ended it */
        timer_end(sampler);
    }
}

void rt_sampler_start(int number)
{
    rt_sampling.signal_number = number;
    __atomic_store_n(&rt_sampling.on, true, __ATOMIC_RELEASE);
    for (struct rt_thread *thread = rt_threads_first(); thread; thread = thread->next_known) {
        struct rt_sampler *sampler = thread->sampler;
        if (sampler && thread->has_thread && !sampler->running) {
            timer_set(thread, sampler);
        }
    }
}

void rt_sampler_stop(void)
{
    __atomic_store_n(&rt_sampling.on, false, __ATOMIC_RELEASE);
    for (struct rt_thread *thread = rt_threads_first(); thread; thread = thread->next_known) {
        if (thread->sampler) {
            timer_end(thread->sampler);
        }
    }
}

/* --- booking --- */

static void book(struct rt_sampler *sampler, uint32_t stack, uint64_t ns, bool is_signal)
{
    struct rt_sampled sampled = {.stack = stack, .ns = ns, .is_signal = is_signal};
    if (is_signal) {
        sampled.now_ns = os_clock_monotonic_ns();
    }
    rt_sample_table_add(&sampler->table, &sampled);
}

/* FUNCTION, as the innermost frame of the walk. */
static uint32_t stack_under(struct rt_sampler *sampler, uint64_t key)
{
    struct rt_walk *walk = &sampler->walk;
    uint32_t depth = walk->depth;
    uint64_t hash = depth ? walk->frame[depth - 1].hash : walk->seed;
    walk->frame[depth] = (struct rt_frame){.key = key, .hash = rt_hash_step(hash, key)};
    walk->depth = depth + 1;
    uint32_t stack = rt_stack_find(walk, sampler->table.tid);
    walk->depth = depth;
    return stack;
}

static struct rt_registers registers_of(const void *context)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    return (struct rt_registers){.ip = (uintptr_t)machine->gregs[REG_RIP],
                                 .sp = (uintptr_t)machine->gregs[REG_RSP],
                                 .fp = (uintptr_t)machine->gregs[REG_RBP],
                                 .exact = true};
#else
    return (struct rt_registers){
        .ip = machine->pc, .sp = machine->sp, .fp = machine->regs[29], .exact = true};
#endif
}

/* The stack of what was interrupted; of a wait, its caller's with the waiting function on top. */
static uint32_t stack_of(struct rt_sampler *sampler, const void *context)
{
    struct rt_registers registers = registers_of(context);
    uint32_t epoch = rt_module_map_epoch();
    if (sampler->map_epoch != epoch) {
        sampler->map_epoch = rt_module_map_review(sampler->table.tid);
        rt_walk_reset(&sampler->walk, rt_stack_seed());
    }
    if (sampler->waiting) {
        rt_unwind(&sampler->walk, &sampler->wait_caller);
        return stack_under(sampler, sampler->wait_function | REC_NODE_EXACT | REC_NODE_FUNCTION);
    }
    if (registers.ip < REC_SPECIAL_LIMIT || registers.ip >= ADDRESS_END) {
        rt_recording_count(&rt_recording.header->stacks_unknown);
        return RT_STACK_UNKNOWN; /* the program is about to end, or in the kernel's page */
    }
    rt_unwind(&sampler->walk, &registers);
    return rt_stack_find(&sampler->walk, sampler->table.tid);
}

/* Another interval, from the next expiry on. */
static void jitter(struct rt_sampler *sampler)
{
    if (--sampler->until_jitter == 0) {
        sampler->until_jitter = JITTER_EVERY;
        sampler->interval_ns = interval_draw(sampler);
        os_timer_start(sampler->timer, sampler->next_ns, sampler->interval_ns);
    }
}

static void take(struct rt_thread *thread, int overruns, const void *context)
{
    struct rt_sampler *sampler = thread->sampler;
    if (!sampler || !sampler->running) {
        return; /* on its way when its timer was deleted */
    }
    uint64_t intervals = 1 + (overruns > 0 ? (uint64_t)overruns : 0);
    uint64_t ns = intervals * sampler->interval_ns;
    sampler->next_ns += ns;
    if (!rt_pause_is_on()) {
        /* Time that passed while the signal was blocked says nothing of where it is unblocked. */
        bool blocked = sampler->deaf || (sampler->unblocking && intervals > 1);
        uint32_t stack = blocked ? rt_stack_special(REC_SPECIAL_BLOCKED, sampler->table.tid)
                                 : stack_of(sampler, context);
        book(sampler, stack, ns, true);
    }
    jitter(sampler);
}

void rt_sampler_handle(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &rt_sampling) {
        rt_sampler_stranger(number);
    } else if (rt_gate_read() == &rt_gate_open) {
        struct rt_thread *thread = rt_tls.thread;
        if (thread && rt_thread_is_ours(thread)) {
            take(thread, info->si_overrun, context);
        } else if (!rt_process_is_ours()) {
            rt_sampler_forked();
        }
    }
    errno = saved;
}

/* What the thread's clock has gone on since the last sample, in whole intervals. */
static uint64_t rest_ns(const struct rt_thread *thread)
{
    const struct rt_sampler *sampler = thread->sampler;
    uint64_t now_ns = os_timer_clock_ns(rt_sampling.clock, thread->tid);
    if (now_ns < sampler->next_ns) {
        return 0;
    }
    return (1 + (now_ns - sampler->next_ns) / sampler->interval_ns) * sampler->interval_ns;
}

/* Under the function that the thread began with, if it is known; MASK is what it had blocked. */
static void rest_book(struct rt_thread *thread, uint64_t mask)
{
    struct rt_sampler *sampler = thread->sampler;
    uint64_t ns = rest_ns(thread);
    uint32_t stack;
    if (ns == 0 || rt_pause_is_on()) {
        return;
    }
    if (mask >> (rt_sampling.signal_number - 1) & 1) {
        stack = rt_stack_special(REC_SPECIAL_BLOCKED, sampler->table.tid);
    } else if (sampler->function) {
        rt_walk_reset(&sampler->walk, rt_stack_seed());
        uint64_t key = sampler->function | REC_NODE_EXACT | REC_NODE_FUNCTION;
        sampler->walk.frame[0] =
            (struct rt_frame){.key = key, .hash = rt_hash_step(sampler->walk.seed, key)};
        sampler->walk.depth = 1;
        stack = stack_under(sampler, REC_SPECIAL_UNSAMPLED);
        rt_walk_reset(&sampler->walk, rt_stack_seed());
    } else {
        stack = rt_stack_special(REC_SPECIAL_UNSAMPLED, sampler->table.tid);
    }
    book(sampler, stack, ns, false);
}

void rt_sampler_thread_ends(struct rt_thread *thread)
{
    struct rt_sampler *sampler = thread->sampler;
    if (!sampler || !sampler->running) {
        return;
    }
    uint64_t signals;
    os_signals_block(&signals);
    timer_end(sampler);
    rest_book(thread, signals);
    os_signals_restore(signals);
}

void rt_sampler_process_ends(void)
{
    uint64_t signals;
    if (!rt_sampling.on) {
        return;
    }
    os_signals_block(&signals);
    __atomic_store_n(&rt_sampling.on, false, __ATOMIC_RELEASE);
    for (struct rt_thread *thread = rt_threads_first(); thread; thread = thread->next_known) {
        if (!thread->sampler || !thread->sampler->running) {
            continue;
        }
        timer_end(thread->sampler);
        if (thread == rt_tls.thread) {
            rest_book(thread, signals);
        } else if (rest_ns(thread) > LATEST_NS) {
            __atomic_fetch_add(&rt_recording.header->sample_lost_ns, rest_ns(thread),
                               __ATOMIC_RELAXED);
        }
    }
    os_signals_restore(signals);
}
