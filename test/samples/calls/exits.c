/*
 * exit() in depth: what runs at exit was called by what called exit(), and all that is open is
 * marked so.
 *
 * expect main 1
 * expect main;down 1
 * expect main;down;down 1
 * expect main;down;down;down 1
 * expect main;down;down;down;at_end 1
 * open main
 * open main;down
 * open main;down;down
 * open main;down;down;down
 */
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) void at_end(void)
{
    sink++;
}

__attribute__((noinline)) void down(int levels)
{
    if (!levels) {
        exit(0);
    }
    down(levels - 1);
    sink++;
}

int main(void)
{
    atexit(at_end);
    down(2);
    return 0;
}
