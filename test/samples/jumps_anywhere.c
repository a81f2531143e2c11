/*
 * jumps_anywhere.c STEP -- a handler jumps out of a call of malloc and its callers after one
 * instruction, then out of the next call after STEP instructions more, and so on, until a call has
 * come to its end first. Between the jumps two functions allocate, which never call each other.
 * Prints how many calls came to an end, and how many did not.
 *
 * The processor's trap flag stops it after each instruction. The allocator allows all that.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH = 6 };

static sigjmp_buf back;
static volatile long left; /* traps until the jump */
static atomic_long calls, jumps;
static void *volatile last;

#if defined(__x86_64__)
enum { TRAP_FLAG = 0x100 };

/* The red zone is left alone. */
static void trap_begin(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torl %0, (%%rsp)\n\tpopfq\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "i"(TRAP_FLAG)
                     : "memory", "cc");
}

static void trap_end(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandl %0, (%%rsp)\n\tpopfq\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "i"(~TRAP_FLAG)
                     : "memory", "cc");
}
#else
static void trap_begin(void)
{
}

static void trap_end(void)
{
}
#endif

static void on_trap(int number)
{
    (void)number;
    if (left > 0 && --left == 0) {
        siglongjmp(back, 1);
    }
}

static void allocate(void)
{
    last = malloc(40);
    free(last);
    atomic_fetch_add(&calls, 2);
}

static __attribute__((noinline)) void even(int depth)
{
    if (depth > 0) {
        even(depth - 1);
    } else {
        allocate();
    }
    __asm__ volatile("");
}

static __attribute__((noinline)) void odd(int depth)
{
    if (depth > 0) {
        odd(depth - 1);
    } else {
        allocate();
    }
    __asm__ volatile("");
}

static __attribute__((noinline)) void trapped(int depth)
{
    trap_begin();
    even(depth);
    trap_end();
}

static void jump_everywhere(int step)
{
    for (volatile long i = 1, unfinished = 1; unfinished; i += step) {
        left = i;
        if (sigsetjmp(back, 1) == 0) {
            trapped(DEPTH);
            unfinished = 0;
        } else {
            atomic_fetch_add(&jumps, 1);
        }
        odd((int)(i % 3));
        even((int)(i % 2));
    }
}

int main(int count, char **arguments)
{
    char line[64];
    int step = count > 1 ? atoi(arguments[1]) : 1;
    struct sigaction action = {.sa_handler = on_trap};
    sigaction(SIGTRAP, &action, NULL);
    jump_everywhere(step); /* until the recorder has come to know the stack, */
    jump_everywhere(step); /* and until it has booked it */
    int bytes = snprintf(line, sizeof line, "%ld calls, %ld jumps\n", (long)calls, (long)jumps);
    write(1, line, (size_t)bytes);
    return 0;
}
