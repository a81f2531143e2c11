/*
 * Callbacks of libevent: timers, and an event that a callback activates.
 *
 * libraries event
 * expect main 1
 * expect main;run_loop 1
 * expect main;run_loop;on_timer 5
 * expect main;run_loop;on_timer;helper 5
 * expect main;run_loop;on_active 5
 * expect main;run_loop;on_active;helper 5
 */
#include <event2/event.h>

static volatile int sink, ticks;
static struct event_base *base;
static struct event *active;

__attribute__((noinline)) void helper(void)
{
    sink++;
}

__attribute__((noinline)) void on_active(evutil_socket_t fd, short what, void *argument)
{
    (void)fd, (void)what, (void)argument;
    helper();
    if (ticks == 5) {
        event_base_loopbreak(base);
    }
}

__attribute__((noinline)) void on_timer(evutil_socket_t fd, short what, void *argument)
{
    (void)fd, (void)what, (void)argument;
    ticks++;
    event_active(active, EV_TIMEOUT, 1);
    helper();
}

__attribute__((noinline)) void run_loop(void)
{
    event_base_dispatch(base);
    sink++;
}

int main(void)
{
    struct timeval soon = {0, 1000};
    base = event_base_new();
    active = event_new(base, -1, EV_PERSIST, on_active, 0);
    struct event *timer = event_new(base, -1, EV_PERSIST, on_timer, 0);
    event_add(timer, &soon);
    run_loop();
    event_free(timer);
    event_free(active);
    event_base_free(base);
    return 0;
}
