/*
 * pause.c -- see the header.
 */
#include "runtime/hot/pause.h"

#include "runtime/hot/call_tree.h"
#include "runtime/hot/clock.h"
#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/thread_state.h"

#include "runtime/hot/rt_forbid.h"

/* Which of the two it is now, or that somebody is changing it. */
enum standing { RUNNING, CHANGING, STANDING };

/* A pause that is over. Times are ticks of the clock less those of all pauses before. */
struct past {
    uint64_t begin;
    uint64_t before, after; /* ticks of all pauses, without and with this one */
};

static struct {
    uint32_t stops;
    int32_t inside; /* of roots; one may be left by another thread than the one that counts it */
    bool roots;     /* outside of them it stands */
    uint32_t standing;
    uint64_t since; /* ticks; 0: it runs */
    uint64_t ticks; /* of all pauses that are over */
    uint64_t count; /* of them */
    struct past past[RT_PAUSES_KNOWN];
} pause;

bool rt_pause_is_on(void)
{
    return __atomic_load_n(&pause.stops, __ATOMIC_ACQUIRE) != 0 ||
           (__atomic_load_n(&pause.roots, __ATOMIC_ACQUIRE) &&
            __atomic_load_n(&pause.inside, __ATOMIC_ACQUIRE) <= 0);
}

uint64_t rt_pause_ticks(void)
{
    return __atomic_load_n(&pause.ticks, __ATOMIC_ACQUIRE);
}

uint64_t rt_pause_ticks_before(uint64_t ran)
{
    uint64_t count = __atomic_load_n(&pause.count, __ATOMIC_ACQUIRE);
    uint64_t first = count > RT_PAUSES_KNOWN ? count - RT_PAUSES_KNOWN : 0;
    uint64_t before = 0;
    for (uint64_t i = count; i > first; i--) {
        const struct past *past = &pause.past[(i - 1) % RT_PAUSES_KNOWN];
        if (past->begin <= ran) {
            return past->after;
        }
        before = past->before;
    }
    return before;
}

uint64_t rt_pause_now(void)
{
    uint64_t since = __atomic_load_n(&pause.since, __ATOMIC_ACQUIRE);
    return since ? since : rt_clock_read();
}

static void gate_turn(bool shut)
{
    if (!rt_call_gate_wanted || rt_gate_read() != &rt_gate_open) {
        return;
    }
    if (shut) {
        rt_call_gate_shut();
    } else {
        rt_call_gate_reopen();
    }
}

/* Ticks mean something once the clock is chosen, which is before the first call. */
static void time_turn(bool on)
{
    bool has_clock = rt_clock.kind != REC_CLOCK_NONE;
    if (on) {
        __atomic_store_n(&pause.since, has_clock ? rt_clock_read() : 0, __ATOMIC_RELEASE);
        return;
    }
    if (pause.since) {
        uint64_t ticks = pause.ticks + (rt_clock_read() - pause.since);
        pause.past[pause.count % RT_PAUSES_KNOWN] =
            (struct past){pause.since - pause.ticks, pause.ticks, ticks};
        __atomic_store_n(&pause.count, pause.count + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&pause.ticks, ticks, __ATOMIC_RELEASE);
        __atomic_store_n(&rt_recording.header->paused_ticks, ticks, __ATOMIC_RELEASE);
        __atomic_store_n(&pause.since, 0, __ATOMIC_RELEASE);
        rt_calls_alert();
    }
}

void rt_pause_settle(void)
{
    if (rt_pause_is_on()) {
        gate_turn(true);
    }
}

/* Two threads may turn at once, or a handler while its thread does: whoever turns goes on until
 * what it did is what is wanted, so nobody waits. */
static void apply(void)
{
    for (;;) {
        bool on = rt_pause_is_on();
        uint32_t before = on ? RUNNING : STANDING;
        if (!__atomic_compare_exchange_n(&pause.standing, &before, CHANGING, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            return; /* as wanted, or somebody is at it */
        }
        rt_heap_pause(on);
        if (on) {
            gate_turn(true);
            time_turn(true);
        } else { /* whoever comes in must find that time has gone on */
            time_turn(false);
            gate_turn(false);
        }
        __atomic_store_n(&pause.standing, on ? STANDING : RUNNING, __ATOMIC_RELEASE);
    }
}

static void begin(bool on)
{
    pause.standing = on ? STANDING : RUNNING;
    pause.since = pause.ticks = pause.count = 0;
    rt_heap_pause(on);
}

void rt_pause_reset(bool stopped, bool roots)
{
    pause.stops = stopped;
    pause.roots = roots;
    pause.inside = 0;
    begin(rt_pause_is_on());
}

void rt_pause_inherit(uint32_t inside)
{
    pause.inside = (int32_t)inside;
    begin(rt_pause_is_on());
}

void rt_pause_stop(void)
{
    __atomic_fetch_add(&pause.stops, 1, __ATOMIC_ACQ_REL);
    apply();
}

/* False: there is none. */
static bool stop_take_back(void)
{
    uint32_t now = __atomic_load_n(&pause.stops, __ATOMIC_ACQUIRE);
    while (now != 0 && !__atomic_compare_exchange_n(&pause.stops, &now, now - 1, true,
                                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    }
    return now != 0;
}

void rt_pause_start(void)
{
    if (stop_take_back()) {
        apply();
    }
}

void rt_pause_toggle(void)
{
    if (!stop_take_back()) {
        __atomic_fetch_add(&pause.stops, 1, __ATOMIC_ACQ_REL);
    }
    apply();
}

void rt_pause_roots(int count)
{
    __atomic_store_n(&pause.roots, true, __ATOMIC_RELEASE);
    __atomic_fetch_add(&pause.inside, count, __ATOMIC_ACQ_REL);
    apply();
}

void rt_pause_end(void)
{
    if (pause.since) {
        rt_recording.header->paused_ticks = pause.ticks + (rt_clock_read() - pause.since);
    }
}
