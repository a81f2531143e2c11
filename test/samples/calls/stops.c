/*
 * The program stops and starts its recording: calls and allocations in between are not there, also
 * after a start too many; frees are.
 *
 * marks too
 * kind both
 * check stops
 */
#include <thag_profiler.h>

#include <stdlib.h>
#include <unistd.h>

static void *volatile kept;
static volatile int sink;

__attribute__((noinline)) void seen(int x)
{
    kept = malloc(100);
    sink += x;
}

__attribute__((noinline)) void unseen(int x)
{
    THAG_PROFILED;
    free(kept);
    kept = malloc(200);
    sink += x + thag_is_profiling();
}

int main(void)
{
    seen(1);
    thag_stop();
    usleep(20000); /* longer than all the rest: main's span is to begin before it */
    unseen(2);
    thag_stop();
    thag_start();
    unseen(3);
    thag_start();
    thag_start();
    seen(4);
    thag_ignore_begin();
    void *ignored = malloc(300);
    thag_ignore_end();
    free(ignored);
    return sink == 10 ? 0 : 1;
}
