/*
 * In an instrumented program an allocation is booked on the functions that are open, whatever lies
 * between; after a longjmp() on those that are still there.
 *
 * kind both
 * check heap
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define QUIET __attribute__((no_instrument_function, noinline))

static jmp_buf place;
static void *volatile kept;

static QUIET void between(unsigned bytes)
{
    kept = malloc(bytes);
    free(kept);
}

__attribute__((noinline)) void makes(unsigned bytes)
{
    between(bytes);
    kept = strdup("twelve bytes");
    free(kept);
}

__attribute__((noinline)) void jumps(void)
{
    between(7);
    longjmp(place, 1);
}

int main(void)
{
    for (unsigned i = 0; i < 10; i++) {
        makes(100 + i);
    }
    if (!setjmp(place)) {
        jumps();
    }
    between(9);
    return 0;
}
