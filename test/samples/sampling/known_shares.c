/*
 * known_shares.c -- spends known shares of its time in four leaf functions under different parents.
 *
 * Prints, for each leaf, the CPU time that it took as the thread's own clock says, in ns. Rounds
 * are of random length and order, so that nothing in them keeps time with a timer, and long beside
 * what reading the clock takes.
 *
 * Usage: known_shares MILLISECONDS
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LEAVES = 4 };

static volatile uint64_t sink;
static uint64_t spent_ns[LEAVES];
static uint64_t state = 88172645463325252u;

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* Each has its own code: equal functions may become one. */
#define LEAF(name, number)                                                                         \
    __attribute__((noinline)) static void name(uint64_t rounds)                                    \
    {                                                                                              \
        uint64_t begin = cpu_ns();                                                                 \
        for (uint64_t i = 0; i < rounds; i++) {                                                    \
            sink += i ^ number;                                                                    \
        }                                                                                          \
        spent_ns[number] += cpu_ns() - begin;                                                      \
    }
LEAF(half, 0)
LEAF(third, 1)
LEAF(sixth, 2)
LEAF(twentieth, 3)

#define PARENT(name, leaf)                                                                         \
    __attribute__((noinline)) static void name(uint64_t rounds)                                    \
    {                                                                                              \
        leaf(rounds);                                                                              \
        sink++;                                                                                    \
    }
PARENT(parent_of_half, half)
PARENT(parent_of_third, third)
PARENT(parent_of_sixth, sixth)
PARENT(parent_of_twentieth, twentieth)

int main(int count, char **arguments)
{
    static void (*const parent[LEAVES])(uint64_t) = {parent_of_half, parent_of_third,
                                                     parent_of_sixth, parent_of_twentieth};
    static const uint64_t share[LEAVES] = {50, 30, 15, 5};
    uint64_t until_ns = cpu_ns() + (count > 1 ? strtoull(arguments[1], NULL, 10) : 500) * 1000000;
    while (cpu_ns() < until_ns) {
        uint64_t leaf = draw(LEAVES);
        parent[leaf](share[leaf] * (10000 + draw(20000)));
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", spent_ns[0], spent_ns[1],
           spent_ns[2], spent_ns[3]);
    return 0;
}
