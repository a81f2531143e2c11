/*
 * A signal handler that jumps out, on the thread's own stack and on an alternate one.
 *
 * expect main 1
 * expect main;round 2
 * expect main;round;work 20
 * expect main;round;work;deeper 20
 * expect main;round;work;deeper;on_signal 20
 * expect main;round;work;deeper;on_signal;jump 20
 * expect main;round;after 20
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static sigjmp_buf place;
static volatile int sink;

__attribute__((noinline)) void jump(void)
{
    siglongjmp(place, 1);
}

__attribute__((noinline)) void on_signal(int number)
{
    sink += number;
    jump();
    sink++;
}

__attribute__((noinline)) void deeper(void)
{
    raise(SIGUSR1);
    sink++;
}

__attribute__((noinline)) void work(void)
{
    deeper();
    sink++;
}

__attribute__((noinline)) void after(void)
{
    sink++;
}

__attribute__((noinline)) void round(int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int i = 0; i < 10; i++) {
        if (!sigsetjmp(place, 1)) {
            work();
        }
        after();
    }
    sink++;
}

int main(void)
{
    stack_t stack = {.ss_size = 1 << 16};
    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    round(0);
    round(SA_ONSTACK);
    return 0;
}
