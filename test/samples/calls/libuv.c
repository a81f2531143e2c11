/*
 * Callbacks of libuv: on the loop's thread they are called by what runs the loop, in its pool by
 * nobody.
 *
 * libraries uv
 * expect main 1
 * expect main;run_loop 1
 * expect main;run_loop;on_timer 5
 * expect main;run_loop;on_timer;helper 5
 * expect main;run_loop;after_work 8
 * expect in_pool 8
 * expect in_pool;helper 8
 */
#include <uv.h>

static int sink, ticks;

__attribute__((noinline)) void helper(void)
{
    __atomic_fetch_add(&sink, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) void on_timer(uv_timer_t *timer)
{
    helper();
    if (++ticks == 5) {
        uv_timer_stop(timer);
    }
}

__attribute__((noinline)) void in_pool(uv_work_t *work)
{
    helper();
    (void)work;
}

__attribute__((noinline)) void after_work(uv_work_t *work, int status)
{
    (void)work, (void)status;
    __atomic_fetch_add(&sink, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) void run_loop(uv_loop_t *loop)
{
    uv_run(loop, UV_RUN_DEFAULT);
    __atomic_fetch_add(&sink, 1, __ATOMIC_RELAXED);
}

int main(void)
{
    uv_loop_t *loop = uv_default_loop();
    uv_timer_t timer;
    uv_work_t work[8];
    uv_timer_init(loop, &timer);
    uv_timer_start(&timer, on_timer, 1, 1);
    for (int i = 0; i < 8; i++) {
        uv_queue_work(loop, &work[i], in_pool, after_work);
    }
    run_loop(loop);
    return 0;
}
