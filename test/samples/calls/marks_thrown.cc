// Exceptions end marks, in code with and without a mark of its own.
//
// marks alone
// expect run 1
// expect run;thrower 10
// expect run;thrower;part 10
// expect run;after 10
#include <thag_profiler.h>

static volatile int sink;

__attribute__((noinline)) void thrower()
{
    THAG_PROFILED;
    THAG_SECTION(part);
    throw 1;
}

__attribute__((noinline)) void between()
{
    thrower();
    sink = sink + 1;
}

__attribute__((noinline)) void after()
{
    THAG_PROFILED;
    sink = sink + 1;
}

__attribute__((noinline)) void run()
{
    THAG_PROFILED;
    for (int i = 0; i < 10; i++) {
        try {
            between();
        } catch (int) {
            after();
        }
    }
    sink = sink + 1;
}

int main()
{
    run();
    return 0;
}
