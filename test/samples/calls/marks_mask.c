/*
 * What a mark's flags leave of what the run records. Each function asks for 100 bytes.
 *
 * marks alone
 * check mask
 */
#include <thag_profiler.h>

#include <stdlib.h>

static void *volatile kept;
static volatile int sink;

#define ROW(name, mark)                                                                            \
    __attribute__((noinline)) void name(void)                                                      \
    {                                                                                              \
        mark;                                                                                      \
        kept = malloc(100);                                                                        \
        sink++;                                                                                    \
    }
ROW(bare, THAG_PROFILED)
ROW(global_, THAG_PROFILED(global))
ROW(time_, THAG_PROFILED(time))
ROW(summary, THAG_PROFILED(mem_summary))
ROW(detail, THAG_PROFILED(mem_detail))
ROW(both_, THAG_PROFILED(both))
ROW(time_detail, THAG_PROFILED(mem_detail, time))

__attribute__((noinline)) void outer(void)
{
    THAG_PROFILED;
    bare();
    global_();
    time_(); /* its bytes are outer's */
    summary();
    detail();
    both_();
    time_detail();
    sink++;
}

int main(void)
{
    outer();
    return 0;
}
