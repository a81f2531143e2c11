/*
 * pause.c -- see the header.
 */
#include "runtime/hot/pause.h"

#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/thread_state.h"

#include "runtime/hot/rt_forbid.h"

static uint32_t stops;

bool rt_pause_is_on(void)
{
    return __atomic_load_n(&stops, __ATOMIC_ACQUIRE) != 0;
}

/* The open gate of the function hooks becomes the shut one, or the other way round; when the
 * recorder has shut it for good it stays so. */
static void gate_turn(bool shut)
{
    const struct rt_gate_mark *from = shut ? &rt_gate_open : &rt_gate_off;
    const struct rt_gate_mark *to = shut ? &rt_gate_off : &rt_gate_long;
    if (!rt_gate_calls_wanted || rt_gate_read() != &rt_gate_open) {
        return;
    }
    if (!__atomic_compare_exchange_n(&rt_gate_calls, &from, to, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED) &&
        shut && (from == &rt_gate_long || from == &rt_gate_chosen)) {
        __atomic_compare_exchange_n(&rt_gate_calls, &from, to, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    }
}

/* Two threads may turn at once: each goes on until what it did is what is wanted. */
static void apply(void)
{
    bool on;
    do {
        on = rt_pause_is_on();
        rt_heap_pause(on);
        gate_turn(on);
    } while (on != rt_pause_is_on());
}

void rt_pause_reset(bool stopped)
{
    stops = stopped;
    rt_heap_pause(stopped);
}

void rt_pause_stop(void)
{
    __atomic_fetch_add(&stops, 1, __ATOMIC_ACQ_REL);
    apply();
}

void rt_pause_start(void)
{
    uint32_t now = __atomic_load_n(&stops, __ATOMIC_ACQUIRE);
    while (now != 0 && !__atomic_compare_exchange_n(&stops, &now, now - 1, true, __ATOMIC_ACQ_REL,
                                                    __ATOMIC_ACQUIRE)) {
    }
    apply();
}
