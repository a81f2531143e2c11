/*
 * Sections in stacks that are walked: under their function, in recursion under that of its level,
 * and not of functions that were left.
 */
#include <thag_profiler.h>

#include <stdlib.h>

static void *volatile kept;

__attribute__((noinline)) static void busy(size_t bytes)
{
    kept = malloc(bytes);
}

__attribute__((noinline)) static void plain(size_t bytes)
{
    busy(bytes);
    kept = NULL;
}

__attribute__((noinline)) static void down(int levels)
{
    if (levels == 2) {
        THAG_SECTION(at_two, mem_detail);
        down(levels - 1);
    } else if (levels) {
        down(levels - 1);
    } else {
        THAG_SECTION(lowest, mem_detail);
        plain(3);
    }
    kept = NULL;
}

int main(void)
{
    THAG_ENABLE_PROFILING;
    {
        THAG_SECTION(outer);
        THAG_SECTION(inner, mem_detail);
        busy(1);
        THAG_END(inner);
        plain(2);
        THAG_SECTION(again, mem_detail);
        down(3);
    }
    plain(4);
    return 0;
}
