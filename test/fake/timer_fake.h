/*
 * timer_fake.h -- timers that never expire by themselves: what they were told is noted, and the
 * test says how late it is.
 *
 * Linked before the archive it takes the place of the real ones.
 */
#ifndef THAG_TEST_TIMER_FAKE_H
#define THAG_TEST_TIMER_FAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/os/timer.h"

enum { TIMER_FAKE_MAX = 256 };

struct timer_fake_timer {
    bool alive;
    enum os_timer_clock clock;
    uint32_t tid;
    int signal_number;
    const void *value;
    uint64_t first_ns, every_ns; /* as last started; EVERY_NS 0: not yet */
};

struct timer_fake {
    uint64_t now_ns; /* of every clock */
    int refusal;     /* positive: the error of each creation */
    int created;     /* timers so far; more than there is room for are an error of the test */
    struct timer_fake_timer timer[TIMER_FAKE_MAX];
};

extern struct timer_fake timer_fake;

/* How many are alive. */
int timer_fake_alive(void);

#endif
