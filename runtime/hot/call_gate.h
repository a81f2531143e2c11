/*
 * call_gate.h -- how the function hooks stand to the recorder.
 *
 * The short way of a hook has one compare for all of it. The gate's word is zero before the
 * recorder has begun, which includes the time before our own relocation, and again in a forked
 * child: it lies in memory of its own that the kernel wipes there. So an open gate tells that the
 * library is relocated, that the recording runs, and that the state of the thread is no parent's.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_CALL_GATE_H
#define THAG_RT_CALL_GATE_H

#include <stdbool.h>
#include <stdint.h>

enum rt_call_gate {
    RT_CALL_GATE_UNKNOWN, /* not begun, or a forked child; see rt_gate_read() */
    RT_CALL_GATE_OFF,     /* calls are not recorded */
    RT_CALL_GATE_LONG,    /* they are, by the long way alone */
    RT_CALL_GATE_CHOSEN,  /* some functions are passed over */
    RT_CALL_GATE_OPEN,    /* by the short way */
};

/* The largest page of a machine. */
#if defined(__x86_64__)
#define RT_CALL_GATE_BYTES 4096
#else
#define RT_CALL_GATE_BYTES 65536
#endif

struct rt_call_gate_page {
    uint32_t gate;
} __attribute__((aligned(RT_CALL_GATE_BYTES)));

extern struct rt_call_gate_page rt_call_gate_page __attribute__((visibility("hidden")));

/* Set before the recorder begins: calls are to be recorded; and the kernel wipes the page. Where it
 * does not the gate never opens, and the long way asks the thread's state. */
extern bool rt_call_gate_wanted __attribute__((visibility("hidden")));
extern bool rt_call_gate_is_wiped __attribute__((visibility("hidden")));

static inline enum rt_call_gate rt_call_gate_read(void)
{
    return (enum rt_call_gate)__atomic_load_n(&rt_call_gate_page.gate, __ATOMIC_ACQUIRE);
}

static inline bool rt_call_gate_is_open(void)
{
    return __atomic_load_n(&rt_call_gate_page.gate, __ATOMIC_RELAXED) == RT_CALL_GATE_OPEN;
}

/* The recording begins, by the long way, or ends. */
void rt_call_gate_set(bool recording);

/* The clock is ready: the short way for everybody from now on, if it allows that. */
void rt_call_gate_shorten(void);

/* The recording stands, or goes on. A gate that has been shut for good stays so. */
void rt_call_gate_shut(void);
void rt_call_gate_reopen(void);

#endif
