/*
 * swapcontext(): two fibres of the same function in turns, each with calls open while the other
 * runs; and one that is left in the middle for ever.
 *
 * expect main 1
 * expect main;turn 4
 * expect [fibres];body 3
 * expect [fibres];body;step 8
 * expect [fibres];body;step;helper 15
 * open [fibres];body
 * open [fibres];body;step
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <ucontext.h>

enum { STACK_BYTES = 1 << 16 };

static ucontext_t home, fibre[3];
static volatile int sink;

__attribute__((noinline)) void helper(void)
{
    sink++;
}

__attribute__((noinline)) void step(int number)
{
    helper();
    swapcontext(&fibre[number], &home);
    helper();
    sink++;
}

__attribute__((noinline)) void body(int number)
{
    for (int i = 0; i < 3; i++) {
        step(number);
    }
    sink++;
}

__attribute__((noinline)) void turn(void)
{
    for (int i = 0; i < 2; i++) {
        swapcontext(&home, &fibre[i]);
    }
    sink++;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        getcontext(&fibre[i]);
        fibre[i].uc_stack.ss_sp = malloc(STACK_BYTES);
        fibre[i].uc_stack.ss_size = STACK_BYTES;
        fibre[i].uc_link = &home;
        makecontext(&fibre[i], (void (*)(void))body, 1, i);
    }
    turn();
    turn();
    swapcontext(&home, &fibre[2]);
    turn();
    turn();
    swapcontext(&home, &fibre[2]);
    return 0;
}
