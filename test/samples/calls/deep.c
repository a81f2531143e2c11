/*
 * Recursion far deeper than the tree: no crash, no call lost, the leaf still has its time; and out
 * of it by longjmp().
 *
 * stack unlimited
 * check deep
 */
#include <setjmp.h>

enum { LEVELS = 1000000 };

static jmp_buf place;
static volatile int sink;

__attribute__((noinline)) void leaf(void)
{
    for (volatile int i = 0; i < 10000000; i++) {
    }
}

__attribute__((noinline)) void down(int levels, int jumps)
{
    if (levels) {
        down(levels - 1, jumps);
    } else {
        leaf();
        if (jumps) {
            longjmp(place, 1);
        }
    }
    sink++;
}

__attribute__((noinline)) void after(void)
{
    sink++;
}

int main(void)
{
    down(LEVELS - 1, 0);
    after();
    if (!setjmp(place)) {
        down(LEVELS - 1, 1);
    }
    after();
    return 0;
}
