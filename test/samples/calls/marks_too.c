/*
 * A function that has both the compiler's hooks and a mark counts once; sections stand below it.
 *
 * marks too
 * expect main 1
 * expect main;work 5
 * expect main;work;part 5
 * expect main;work;part;helper 5
 * expect main;work;helper 5
 */
#include <thag_profiler.h>

static volatile int sink;

__attribute__((noinline)) void helper(void)
{
    THAG_PROFILED;
    sink++;
}

__attribute__((noinline)) void work(void)
{
    THAG_PROFILED;
    THAG_SECTION(part);
    helper();
    THAG_END(part);
    helper();
    sink++;
}

int main(void)
{
    for (int i = 0; i < 5; i++) {
        work();
    }
    return 0;
}
