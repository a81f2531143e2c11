/*
 * call_switch.c -- the part of the time that a thread was not running.
 *
 * libc has registered a struct rseq for every thread. Its rseq_cs word may point to a descriptor of
 * a critical section; the kernel sets it to 0 when it switches the thread and finds it outside that
 * section. Ours describes code that never runs. So one load tells whether the thread has been
 * switched since the last hook, and only then its CPU clock is read. What a hypervisor takes away
 * cannot be seen this way.
 */
#include <stddef.h>
#include <sys/rseq.h>

#include "runtime/hot/call_parts.h"
#include "runtime/hot/pause.h"
#include "runtime/os/os.h"

#include "runtime/hot/rt_forbid.h"

/* The kernel reads the signature in front of the abort address, and kills where it is another. */
static const struct {
    uint32_t signature;
    uint32_t code[3];
} never = {RSEQ_SIG, {0, 0, 0}};

/* Of a thread: weak, for a libc without it. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* Two, so that the mark can change: see rt_calls_alert(). */
static struct rseq_cs section[2] __attribute__((aligned(32)));

uint64_t rt_call_mark;

static volatile uint64_t *word_of_thread(struct rt_calls *calls)
{
    if (!&__rseq_size || !&__rseq_offset || __rseq_size == 0) {
        return &calls->unwatched; /* the kernel never changes it: never switched */
    }
    char *area = (char *)__builtin_thread_pointer() + __rseq_offset;
    return (volatile uint64_t *)(void *)(area + offsetof(struct rseq, rseq_cs));
}

/* Each section is one instruction long and lies in data. */
static void sections_prepare(void)
{
    for (int i = 0; i < 2; i++) {
        section[i].start_ip = (uintptr_t)&section[i];
        section[i].post_commit_offset = 1;
        section[i].abort_ip = (uintptr_t)never.code;
    }
    __atomic_store_n(&rt_call_mark, (uintptr_t)&section[0], __ATOMIC_RELEASE);
}

void rt_calls_alert(void)
{
    uint64_t mark = __atomic_load_n(&rt_call_mark, __ATOMIC_ACQUIRE);
    if (mark) {
        mark ^= (uintptr_t)&section[0] ^ (uintptr_t)&section[1];
        __atomic_store_n(&rt_call_mark, mark, __ATOMIC_RELEASE);
    }
}

static void clocks_read(struct rt_calls *calls)
{
    calls->wall_ns = os_clock_monotonic_ns();
    calls->cpu_ns = os_clock_thread_cpu_ns();
}

void rt_calls_take_over(struct rt_calls *calls)
{
    calls->switched = word_of_thread(calls);
    *calls->switched = rt_call_mark;
    clocks_read(calls);
}

/*
 * Book OFF_NS, in which the thread was not running.
 * Between a hook's clock read and its look at the word lies a moment that belongs to the caller: a
 * switch that took far longer than what has passed between the last two clock reads was there. It
 * may be somewhat longer anyway: what a hypervisor took since the last switch is in it too.
 */
static void switch_book(struct rt_calls *calls, uint64_t now, uint64_t off_ns)
{
    struct rec_call *node = rt_calls_are_deep(calls) ? rt_deep_node(calls) : calls->current;
    uint64_t last = calls->record->last_ticks;
    if (node->start != REC_CALL_NO_START && node->start > last) {
        last = node->start;
    }
    uint64_t passed = rt_clock_ns((now ? now : rt_clock_read()) - last);
    if (last && off_ns / 2 > passed && node->parent) {
        node = rt_call_at(calls, node->parent);
    } else if (last && off_ns > passed) {
        off_ns = passed;
    }
    node->off_cpu_ns += off_ns;
}

void rt_calls_note_switch(struct rt_calls *calls, uint64_t now)
{
    if (!rt_call_mark) {
        sections_prepare();
    }
    if (!calls->current) { /* a new thread */
        rt_calls_take_over(calls);
        calls->paused_ticks = calls->record->paused_ticks = rt_pause_ticks();
        return;
    }
    *calls->switched = rt_call_mark;
    if (rt_calls_catch_up(calls)) {
        clocks_read(calls); /* the pause was no part of any call */
        return;
    }
    uint64_t wall = calls->wall_ns;
    uint64_t cpu = calls->cpu_ns;
    clocks_read(calls);
    int64_t off = (int64_t)(calls->wall_ns - wall - (calls->cpu_ns - cpu));
    if (cpu && calls->cpu_ns && off > 0) {
        switch_book(calls, now, (uint64_t)off);
    }
    rt_clock_mark();
}
