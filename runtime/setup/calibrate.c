/*
 * calibrate.c -- see the header.
 */
#include "runtime/setup/calibrate.h"

#include <fcntl.h>
#include <stddef.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "runtime/hot/call_tree.h"
#include "runtime/hot/lock.h"
#include "runtime/hot/recording.h"
#include "runtime/setup/session.h"

/* A round must be long against one clock read and short against a time slice; the best of many is
 * one that nothing has disturbed. */
enum { ROUNDS = 32, PAIRS = 64, COST_UNIT = 1024 };

static struct rt_lock calibrating;

#if defined(__x86_64__)
#define CLOCK_SOURCES "/sys/devices/system/clocksource/clocksource0/"

/* Does the file at PATH hold WORD? -1: it cannot be read. */
static int file_has_word(const char *path, const char *word)
{
    char text[256];
    int fd = os_file_open(path, O_RDONLY, 0);
    if (fd < 0) {
        return -1;
    }
    long bytes = os_file_read(fd, text, sizeof text);
    os_file_close(fd);
    long word_bytes = (long)__builtin_strlen(word);
    for (long at = 0; at + word_bytes <= bytes; at++) {
        bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n';
        bool ends = at + word_bytes == bytes || text[at + word_bytes] == ' ' ||
                    text[at + word_bytes] == '\n';
        if (begins && ends && __builtin_memcmp(text + at, word, (size_t)word_bytes) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Ticks at a constant rate, in all sleep states. */
static bool counter_is_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

/* The kernel watches the counter, and drops it from its list when it goes wrong. A guest whose
 * clock is the hypervisor's may still have a good counter. */
static bool kernel_trusts_counter(void)
{
    if (file_has_word(CLOCK_SOURCES "current_clocksource", "tsc") == 1) {
        return true;
    }
    return counter_is_invariant() &&
           file_has_word(CLOCK_SOURCES "available_clocksource", "tsc") != 0;
}

static enum rec_clock choose(const struct rt_config *config)
{
    if (config->clock == RT_CLOCK_MONOTONIC || !os_clock_tsc_is_allowed() ||
        (config->clock == RT_CLOCK_AUTO && !kernel_trusts_counter())) {
        return REC_CLOCK_MONOTONIC;
    }
    return config->precise ? REC_CLOCK_TSC_PRECISE : REC_CLOCK_TSC;
}
#else
static enum rec_clock choose(const struct rt_config *config)
{
    (void)config;
    return REC_CLOCK_MONOTONIC;
}
#endif

/* The hooks as a function meets them, on a tree that no recording knows of. STACK is what the
 * function's would look like: its return address lies above. */
static __attribute__((noinline)) void pair_enter(struct rt_calls *calls, uintptr_t function,
                                                 const uintptr_t *stack)
{
    struct rt_call_hook hook = {function, stack[1], (uintptr_t)stack, function};
    if (rt_clock.kind != REC_CLOCK_TSC || !rt_call_enter(calls, hook, 0)) {
        struct rt_call_hook copy = hook;
        rt_calls_enter(calls, &copy);
    }
}

static __attribute__((noinline)) void pair_exit(struct rt_calls *calls, uintptr_t function,
                                                const uintptr_t *stack)
{
    uint64_t now = rt_clock_read();
    struct rt_call_hook hook = {function, stack[1], (uintptr_t)stack, function};
    if (rt_clock.kind != REC_CLOCK_TSC || !rt_call_exit(calls, hook, now)) {
        struct rt_call_hook copy = hook;
        rt_calls_exit(calls, &copy, now);
    }
}

static void measure(struct rec_header *header)
{
    enum { NODES = 8 };
    static struct rec_call nodes[NODES] __attribute__((aligned(REC_CALL_BYTES)));
    static struct rec_thread record;
    static struct rt_calls calls;
    uint64_t inside = UINT64_MAX, outside = UINT64_MAX;
    uintptr_t function = (uintptr_t)nodes;
    uintptr_t stack[2] = {0, function};
    __builtin_memset(nodes, 0, sizeof nodes);
    rt_calls_begin_apart(&calls, nodes, NODES, &record);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t inclusive = nodes[2].inclusive;
        uint64_t before = rt_clock_read();
        for (int i = 0; i < PAIRS; i++) {
            pair_enter(&calls, function, stack);
            pair_exit(&calls, function, stack);
        }
        uint64_t all = rt_clock_read() - before;
        uint64_t between = nodes[2].inclusive - inclusive;
        inside = between < inside ? between : inside;
        if (all >= between) {
            outside = all - between < outside ? all - between : outside;
        }
    }
    header->cost_inside = (uint32_t)(inside * COST_UNIT / PAIRS);
    header->cost_outside = outside == UINT64_MAX ? 0 : (uint32_t)(outside * COST_UNIT / PAIRS);
}

bool rt_calibrate(void)
{
    struct rec_header *header = rt_recording.header;
    uint32_t tid = os_thread_id();
    if (__atomic_load_n(&header->clock_kind, __ATOMIC_ACQUIRE) != REC_CLOCK_NONE) {
        return true;
    }
    if (!rt_lock_take(&calibrating, tid)) {
        return __atomic_load_n(&header->clock_kind, __ATOMIC_ACQUIRE) != REC_CLOCK_NONE;
    }
    if (header->clock_kind == REC_CLOCK_NONE) {
        if (rt_clock.kind == REC_CLOCK_NONE) { /* a forked child keeps its parent's */
            rt_clock.kind = choose(&rt_session.config);
        }
        rt_clock_mark_first();
        measure(header);
        rt_clock_mark();
        __atomic_store_n(&header->clock_kind, rt_clock.kind, __ATOMIC_RELEASE);
    }
    rt_lock_give(&calibrating);
    return true;
}
