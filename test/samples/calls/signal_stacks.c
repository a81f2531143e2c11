/*
 * A handler on an alternate stack is called by what it interrupted, wherever that stack lies: in
 * the heap, or inside a frame of the thread's own stack, where its frames look as if callers were
 * gone.
 *
 * expect main 1
 * expect main;in_heap 1
 * expect main;in_heap;work 5
 * expect main;in_heap;work;on_signal 5
 * expect main;in_heap;work;on_signal;helper 10
 * expect main;in_heap;work;helper 5
 * expect main;in_frame 1
 * expect main;in_frame;work 5
 * expect main;in_frame;work;on_signal 5
 * expect main;in_frame;work;on_signal;helper 10
 * expect main;in_frame;work;helper 5
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) void helper(void)
{
    sink++;
}

__attribute__((noinline)) void on_signal(int number)
{
    sink += number;
    helper();
    helper();
    sink++;
}

__attribute__((noinline)) void work(void)
{
    raise(SIGUSR1);
    helper();
    sink++;
}

static inline __attribute__((no_instrument_function)) void run(char *memory, unsigned long bytes)
{
    stack_t stack = {.ss_sp = memory, .ss_size = bytes};
    sigaltstack(&stack, NULL);
    for (int i = 0; i < 5; i++) {
        work();
    }
    sink++;
}

__attribute__((noinline)) void in_heap(void)
{
    run(malloc(1 << 16), 1 << 16);
}

__attribute__((noinline)) void in_frame(void)
{
    char memory[1 << 16];
    run(memory, sizeof memory);
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    in_heap();
    in_frame();
    return 0;
}
