#include "test/fake/timer_fake.h"

#include <stdlib.h>

struct timer_fake timer_fake;

int timer_fake_alive(void)
{
    int alive = 0;
    for (int i = 0; i < timer_fake.created; i++) {
        alive += timer_fake.timer[i].alive;
    }
    return alive;
}

uint64_t os_timer_clock_ns(enum os_timer_clock clock, uint32_t tid)
{
    (void)clock;
    (void)tid;
    return timer_fake.now_ns;
}

int os_timer_create(enum os_timer_clock clock, uint32_t tid, int signal_number, const void *value)
{
    if (timer_fake.refusal) {
        return -timer_fake.refusal;
    }
    if (timer_fake.created == TIMER_FAKE_MAX) {
        abort();
    }
    timer_fake.timer[timer_fake.created] = (struct timer_fake_timer){
        .alive = true, .clock = clock, .tid = tid, .signal_number = signal_number, .value = value};
    return timer_fake.created++;
}

int os_timer_start(int timer, uint64_t first_ns, uint64_t every_ns)
{
    if (!timer_fake.timer[timer].alive) {
        abort();
    }
    timer_fake.timer[timer].first_ns = first_ns;
    timer_fake.timer[timer].every_ns = every_ns;
    return 0;
}

void os_timer_delete(int timer)
{
    if (!timer_fake.timer[timer].alive) {
        abort();
    }
    timer_fake.timer[timer].alive = false;
}
