/*
 * A handler that calls instrumented functions, at the Nth instruction of a run that makes new nodes
 * and enters known ones: each N must give the same calls in the same places, those of the handler
 * apart. Prints how many instructions there are.
 *
 * check trapped
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

#define QUIET __attribute__((no_instrument_function))

static volatile long sink, traps, at;

#define SMALL(n)                                                                                   \
    __attribute__((noinline)) void small_##n(void)                                                 \
    {                                                                                              \
        sink++;                                                                                    \
    }
SMALL(0) SMALL(1) SMALL(2) SMALL(3) SMALL(4) SMALL(5) SMALL(6) SMALL(7)
static void (*const smalls[])(void) = {small_0, small_1, small_2, small_3,
                                       small_4, small_5, small_6, small_7};

void ping(int levels);

__attribute__((noinline)) void pong(int levels)
{
    sink++;
    if (levels) {
        ping(levels - 1);
    }
    smalls[(levels + 7) & 7]();
    sink++;
}

__attribute__((noinline)) void ping(int levels)
{
    sink++;
    if (levels) {
        pong(levels - 1);
        smalls[levels & 7]();
        smalls[(levels + 1) & 7]();
    }
    sink++;
}

__attribute__((noinline)) void in_handler(void)
{
    smalls[3]();
    ping(1);
    sink++;
}

static QUIET void on_trap(int number)
{
    (void)number;
    if (traps++ == at) {
        in_handler();
        smalls[3]();
    }
}

/* libc's may be inlined with its hooks. */
static QUIET long number(const char *text)
{
    long value = 0;
    for (; *text; text++) {
        value = value * 10 + *text - '0';
    }
    return value;
}

static inline QUIET void trap_each_instruction(int on)
{
    unsigned long flags; /* below the red zone, which may hold variables */
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; pop %0; lea 128(%%rsp), %%rsp" : "=r"(flags));
    flags = on ? flags | 0x100 : flags & ~0x100ul;
    __asm__ volatile("lea -128(%%rsp), %%rsp; push %0; popfq; lea 128(%%rsp), %%rsp"
                     :
                     : "r"(flags)
                     : "cc", "memory");
}

QUIET int main(int count, char **arguments)
{
    struct sigaction action = {.sa_handler = on_trap};
    at = count > 1 ? number(arguments[1]) : -1;
    sigaction(SIGTRAP, &action, NULL);
    small_0();
    trap_each_instruction(1);
    ping(2);
    ping(2);
    trap_each_instruction(0);
    printf("%ld\n", traps);
    return 0;
}
