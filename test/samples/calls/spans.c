/*
 * Calls in a known order, on a thread of their own and on fibres that take turns. With an argument:
 * "many" calls more than there is room for, or dies by SIGKILL in the middle of them ("killed").
 *
 * check spans
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define QUIET __attribute__((no_instrument_function))

enum { TURNS = 20, MANY = 1500000, SLOW = 30 };

static volatile unsigned sink;
static ucontext_t home, fibre[2];
static char stack[2][65536];

__attribute__((noinline)) void leaf(void)
{
    sink++;
}

__attribute__((noinline)) void left(void)
{
    leaf();
    sink++;
}

__attribute__((noinline)) void right(void)
{
    leaf();
    leaf();
    sink++;
}

__attribute__((noinline)) void *alternates(void *argument)
{
    pthread_setname_np(pthread_self(), "other");
    for (int i = 0; i < TURNS; i++) {
        left();
        right();
    }
    return argument;
}

__attribute__((noinline)) void round_trip(int number)
{
    leaf();
    swapcontext(&fibre[number], &home);
    leaf();
}

__attribute__((noinline)) void fibre_body(int number)
{
    for (;;) {
        round_trip(number);
    }
}

static QUIET void fibres(void)
{
    for (int i = 0; i < 2; i++) {
        getcontext(&fibre[i]);
        fibre[i].uc_stack.ss_sp = stack[i];
        fibre[i].uc_stack.ss_size = sizeof stack[i];
        makecontext(&fibre[i], (void (*)(void))fibre_body, 1, i);
    }
    for (int i = 0; i < TURNS; i++) {
        swapcontext(&home, &fibre[i % 2]);
    }
}

__attribute__((noinline)) void slow(void)
{
    struct timespec time = {0, 2000000};
    nanosleep(&time, NULL);
}

__attribute__((noinline)) void many(int killed)
{
    for (int i = 0; i < MANY; i++) {
        left();
        if (i % (MANY / SLOW) == 0) {
            slow();
        }
        if (killed && i == MANY / 2 + 100) {
            raise(SIGKILL);
        }
    }
}

int main(int count, char **arguments)
{
    pthread_t thread;
    if (count > 1) {
        many(strcmp(arguments[1], "killed") == 0);
        return 0;
    }
    pthread_create(&thread, NULL, alternates, NULL);
    pthread_join(thread, NULL);
    fibres();
    return 0;
}
