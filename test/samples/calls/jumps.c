/*
 * longjmp() over several calls, in a loop, and out of nested places: what was jumped out of is
 * left, what is called next is the jumper's caller's child.
 *
 * expect main 1
 * expect main;climb 100
 * expect main;climb;climb 100
 * expect main;climb;climb;climb 100
 * expect main;climb;climb;climb;leap 100
 * expect main;after 100
 * expect main;nested 1
 * expect main;nested;climb 1
 * expect main;nested;climb;climb 1
 * expect main;nested;climb;climb;climb 1
 * expect main;nested;climb;climb;climb;leap 1
 * expect main;nested;after 1
 */
#include <setjmp.h>

static jmp_buf place;
static volatile int sink;

__attribute__((noinline)) void leap(void)
{
    longjmp(place, 1);
}

__attribute__((noinline)) void climb(int levels)
{
    if (levels) {
        climb(levels - 1);
    } else {
        leap();
    }
    sink++;
}

__attribute__((noinline)) void after(void)
{
    sink++;
}

__attribute__((noinline)) void nested(void)
{
    if (!setjmp(place)) {
        climb(2);
    }
    after();
    sink++;
}

int main(void)
{
    for (volatile int i = 0; i < 100; i++) {
        if (!setjmp(place)) {
            climb(2);
        }
        after();
    }
    nested();
    return 0;
}
