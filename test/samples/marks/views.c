/*
 * What thag_current() tells; the program checks it itself. Its exit status is the number of the
 * check that failed.
 */
#include <thag_profiler.h>

#include <stdlib.h>
#include <string.h>

static void *volatile kept;
static volatile int sink;

#define CHECK(number, what)                                                                        \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            exit(number);                                                                          \
        }                                                                                          \
    } while (0)

__attribute__((noinline)) void watched(int last)
{
    THAG_PROFILED(both, test);
    struct thag_view view;
    kept = malloc(100);
    CHECK(1, thag_current(&view) == 1 && strstr(view.name, "watched") && view.function);
    if (last) {
        CHECK(2, view.calls == 3 && view.allocations == 3 && view.bytes == 300);
    }
    {
        THAG_SECTION(part);
        kept = malloc(7);
        CHECK(3, thag_current(&view) == 1 && !strcmp(view.name, "part") && !view.function);
        CHECK(4, view.bytes == (last ? 21u : view.bytes) && view.time_ns > 0);
    }
    CHECK(5, thag_current(&view) == 1 && strstr(view.name, "watched"));
}

__attribute__((noinline)) void not_watched(void)
{
    THAG_PROFILED;
    sink++;
}

__attribute__((no_instrument_function)) int main(void)
{
    struct thag_view view = {"untouched", 0, 0, 0, 0, 0};
    struct thag_task *task = thag_task_create("task");
    if (!thag_is_profiling()) {
        return thag_current(&view) || strcmp(view.name, "untouched");
    }
    CHECK(10, thag_current(&view) == 0 && !strcmp(view.name, "untouched"));
    for (int i = 0; i < 3; i++) {
        watched(i == 2);
    }
    CHECK(11, thag_current(&view) == 2 && strstr(view.name, "watched") && view.calls == 3);
    CHECK(12, view.allocations == 3 && view.bytes == 300 && view.time_ns > 0);
    CHECK(13, thag_current(&view) == 0);
    not_watched();
    CHECK(14, thag_current(&view) == 0);
    thag_task_enter(task);
    CHECK(15, thag_current(&view) == 1 && !strcmp(view.name, "task") && view.calls == 1);
    thag_task_leave(task);
    CHECK(16, thag_current(&view) == 0);
    thag_task_end(task);
    return 0;
}
