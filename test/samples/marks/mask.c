/*
 * What a mark's flags leave of what the run records. Each function and each section asks for 100
 * bytes and takes some time.
 */
#include <thag_profiler.h>

#include <stdlib.h>

static void *volatile kept;
static volatile int sink;

__attribute__((noinline, no_instrument_function)) static void busy(void)
{
    kept = malloc(100);
    for (int i = 0; i < 100000; i++) {
        sink++;
    }
}

#define ROW(name, mark)                                                                            \
    extern "C" __attribute__((noinline)) void name(void)                                           \
    {                                                                                              \
        mark;                                                                                      \
        busy();                                                                                    \
        sink++;                                                                                    \
    }
#ifndef __cplusplus
#undef ROW
#define ROW(name, mark)                                                                            \
    __attribute__((noinline)) void name(void)                                                      \
    {                                                                                              \
        mark;                                                                                      \
        busy();                                                                                    \
        sink++;                                                                                    \
    }
#endif

ROW(bare, THAG_PROFILED)
ROW(global_, THAG_PROFILED(global))
ROW(time_, THAG_PROFILED(time))
ROW(summary, THAG_PROFILED(mem_summary))
ROW(detail, THAG_PROFILED(mem_detail))
ROW(both_, THAG_PROFILED(both))
ROW(time_detail, THAG_PROFILED(mem_detail, time))
ROW(if_time, THAG_PROFILED_IF(sink >= 0, time))
ROW(if_both, THAG_PROFILED_IF(sink >= 0, both))

__attribute__((noinline)) void functions(void)
{
    THAG_PROFILED;
    bare();
    global_();
    time_();
    summary();
    detail();
    both_();
    time_detail();
    if_time();
    if_both();
    sink++;
}

__attribute__((noinline)) void sections(void)
{
    THAG_PROFILED;
    THAG_SECTION(s_bare);
    busy();
    THAG_END(s_bare);
    THAG_SECTION(s_global, global);
    busy();
    THAG_END(s_global);
    THAG_SECTION(s_time, time);
    busy();
    THAG_END(s_time);
    THAG_SECTION(s_summary, mem_summary);
    busy();
    THAG_END(s_summary);
    THAG_SECTION(s_detail, mem_detail);
    busy();
    THAG_END(s_detail);
    THAG_SECTION(s_both, both);
    busy();
    THAG_END(s_both);
    THAG_SECTION(s_time_detail, time, mem_detail);
    busy();
    THAG_END(s_time_detail);
    {
        THAG_SECTION(s_async, async_fn, unbounded, global);
        busy();
    }
    for (int i = 0; i < 2; i++) {
        THAG_SECTION(twins); /* the same name as below, other flags */
        busy();
    }
    {
        THAG_SECTION(twins, time);
        busy();
        THAG_SECTION(inside, time); /* passed on twice */
        busy();
    }
    sink++;
}

/* Above it nobody records memory by a mark. */
__attribute__((noinline)) void alone(void)
{
    THAG_PROFILED(time);
    busy();
    sink++;
}

int main(void)
{
    functions();
    sections();
    alone();
    return 0;
}
