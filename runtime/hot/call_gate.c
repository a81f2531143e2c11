/*
 * call_gate.c -- see the header.
 */
#include "runtime/hot/call_gate.h"

#include "runtime/hot/choice.h"
#include "runtime/hot/recording.h"

#include "runtime/hot/rt_forbid.h"

struct rt_call_gate_page rt_call_gate_page;
bool rt_call_gate_wanted;
bool rt_call_gate_is_wiped;

static bool exchange(enum rt_call_gate from, enum rt_call_gate to)
{
    uint32_t expected = from;
    return __atomic_compare_exchange_n(&rt_call_gate_page.gate, &expected, to, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* How calls can be recorded now: the short way reads the counter alone. */
static enum rt_call_gate widest(void)
{
    uint32_t clock = __atomic_load_n(&rt_recording.header->clock_kind, __ATOMIC_ACQUIRE);
    if (clock != REC_CLOCK_TSC || !rt_call_gate_is_wiped) {
        return RT_CALL_GATE_LONG;
    }
    return rt_choice_is_made() ? RT_CALL_GATE_CHOSEN : RT_CALL_GATE_OPEN;
}

void rt_call_gate_set(bool recording)
{
    enum rt_call_gate to = recording && rt_call_gate_wanted ? RT_CALL_GATE_LONG : RT_CALL_GATE_OFF;
    __atomic_store_n(&rt_call_gate_page.gate, to, __ATOMIC_RELEASE);
}

void rt_call_gate_shorten(void)
{
    exchange(RT_CALL_GATE_LONG, widest());
}

void rt_call_gate_shut(void)
{
    enum rt_call_gate gate = rt_call_gate_read();
    while (gate >= RT_CALL_GATE_LONG && !exchange(gate, RT_CALL_GATE_OFF)) {
        gate = rt_call_gate_read();
    }
}

void rt_call_gate_reopen(void)
{
    exchange(RT_CALL_GATE_OFF, widest());
}
