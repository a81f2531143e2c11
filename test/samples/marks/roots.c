/*
 * A root that is entered twice, the second time with another root inside it, while another thread
 * goes on. What is outside does the same as what is inside, in other numbers.
 *
 * -DROOT= THAG_ENABLE_PROFILING and its words.
 */
#include <thag_profiler.h>

#include <pthread.h>
#include <stdlib.h>

static void *volatile kept;
static volatile int turn; /* of the other thread, while it is above 0 */

__attribute__((noinline)) void work(int bytes)
{
    THAG_PROFILED;
    kept = malloc((size_t)bytes);
}

/* Has no mark: what it allocates is on the stack of the innermost one. */
__attribute__((noinline)) void plain(int bytes)
{
    kept = malloc((size_t)bytes);
}

__attribute__((noinline)) void tick(void)
{
    THAG_PROFILED;
    kept = malloc(3);
}

static void *other_thread(void *unused)
{
    while (turn >= 0) {
        if (turn > 0) {
            tick();
            turn = turn - 1;
        }
    }
    return unused;
}

static void let_tick(int times)
{
    turn = times;
    while (turn > 0) {
    }
}

__attribute__((noinline)) void inner_root(void)
{
    ROOT;
    work(7);
}

__attribute__((noinline)) void root(int again)
{
    ROOT;
    work(10);
    plain(100);
    let_tick(5);
    if (again) {
        inner_root();
    }
    work(10);
}

__attribute__((noinline)) void above(int again)
{
    kept = malloc(1000);
    root(again);
    kept = malloc(1000);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    work(1000);
    let_tick(3);
    above(0);
    work(1000);
    let_tick(4);
    above(1);
    work(1000);
    let_tick(2);
    turn = -1;
    pthread_join(thread, NULL);
    return 0;
}
