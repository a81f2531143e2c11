/*
 * Known amounts of time, measured by the program itself: prints them in nanoseconds, in the order
 * busy, long_busy, sleeps, falls.
 *
 * check known_times
 */
#include <stdio.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))

enum { MS = 1000000, TINY_CALLS = 1000000, FLOORS = 10 };

static volatile unsigned sink;

static QUIET long clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

static QUIET void spend(long ns)
{
    long end = clock_now() + ns;
    while (clock_now() < end) {
    }
}

__attribute__((noinline)) void busy(void)
{
    spend(30 * MS);
}

__attribute__((noinline)) void long_busy(void)
{
    spend(60 * MS);
}

__attribute__((noinline)) unsigned tiny(unsigned x)
{
    return x * 2654435761u;
}

__attribute__((noinline)) void calls_tiny(void)
{
    for (unsigned i = 0; i < TINY_CALLS; i++) {
        sink += tiny(i);
    }
}

__attribute__((noinline)) void sleeps(void)
{
    struct timespec time = {0, 20 * MS};
    nanosleep(&time, NULL);
}

__attribute__((noinline)) void falls(int floors)
{
    if (floors) {
        spend(MS);
        falls(floors - 1);
    } else {
        busy();
    }
    sink++;
}

int main(void)
{
    long at[5] = {clock_now()};
    busy();
    at[1] = clock_now();
    long_busy();
    at[2] = clock_now();
    sleeps();
    at[3] = clock_now();
    falls(FLOORS);
    at[4] = clock_now();
    calls_tiny();
    printf("%ld %ld %ld %ld\n", at[1] - at[0], at[2] - at[1], at[3] - at[2], at[4] - at[3]);
    return 0;
}
