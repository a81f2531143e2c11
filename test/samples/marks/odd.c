/*
 * Marks that are odd: the debug log has a line for each, however often it happens.
 */
#include <thag_profiler.h>

static volatile int sink;

__attribute__((noinline)) void twice(void)
{
    THAG_PROFILED;
    THAG_PROFILED(time);
    sink++;
}

__attribute__((noinline)) void twice_in_block(void)
{
    THAG_PROFILED;
    if (sink >= 0) {
        THAG_PROFILED;
        sink++;
    }
}

/* Inlined functions have their own marks. */
static inline __attribute__((always_inline)) void small(void)
{
    THAG_PROFILED;
    sink++;
}

__attribute__((noinline)) void has_small(void)
{
    THAG_PROFILED;
    small();
    small();
}

__attribute__((noinline)) void ends(void)
{
    THAG_PROFILED;
    THAG_SECTION(wide);
    THAG_SECTION(narrow);
    sink++;
    THAG_END(wide); /* ends narrow, too */
    THAG_END(wide);
    THAG_END(narrow);
}

__attribute__((noinline)) void memory_only(void)
{
    THAG_PROFILED(mem_summary);
    sink++;
}

__attribute__((noinline)) void time_only(void)
{
    THAG_PROFILED(time);
    sink++;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        twice();
        twice_in_block();
        has_small();
        ends();
        memory_only();
        time_only();
    }
    return 0;
}
