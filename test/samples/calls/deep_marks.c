/*
 * Marked functions and sections far deeper than the tree: no call lost, the flags of the innermost
 * mark hold, a second mark is none, and out of it by longjmp().
 *
 * stack unlimited
 * marks alone
 * kind both
 * check deep_marks
 */
#include <thag_profiler.h>

#include <setjmp.h>
#include <stdlib.h>

enum { LEVELS = 20000, PART = 100 };

static jmp_buf place;
static void *volatile kept;

__attribute__((noinline)) void leaf(void)
{
    THAG_PROFILED(time);
    kept = malloc(16);
}

__attribute__((noinline)) void saves(void)
{
    THAG_PROFILED;
    kept = malloc(32);
}

__attribute__((noinline)) int down(int levels, int jumps)
{
    THAG_PROFILED;
    {
        THAG_PROFILED;
        if (levels % PART == 0) {
            THAG_SECTION(part, time);
            THAG_END(part);
            THAG_END(part);
        }
    }
    if (levels) {
        return down(levels - 1, jumps) + 1;
    }
    leaf();
    saves();
    if (jumps) {
        longjmp(place, 1);
    }
    return 0;
}

__attribute__((noinline)) void after(void)
{
    THAG_PROFILED;
    kept = malloc(64);
}

int main(void)
{
    THAG_ENABLE_PROFILING;
    down(LEVELS - 1, 0);
    after();
    if (!setjmp(place)) {
        down(LEVELS - 1, 1);
    }
    after();
    return 0;
}
