/*
 * A context switch written by hand, as coroutine libraries have them: between two stacks from
 * the heap, each with calls open while the other runs.
 *
 * expect main 1
 * expect main;in_heap 1
 * expect main;in_heap;turn 6
 * expect main;after 1
 * expect [fibres];body 2
 * expect [fibres];body;step 6
 * expect [fibres];body;step;helper 10
 * open [fibres];body
 * open [fibres];body;step
 */
#include <stdint.h>
#include <stdlib.h>

#define QUIET __attribute__((no_instrument_function))

enum { STACK_BYTES = 1 << 16 };

struct place {
    void *sp;
};

static struct place home;
static volatile int sink;

/* Save what a callee must keep, change stacks, take the other's back. */
void switch_to(struct place *from, struct place *to) QUIET;
#if defined(__x86_64__)
__asm__(".text\n.globl switch_to\n.type switch_to,@function\nswitch_to:\n"
        "pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
        "movq %rsp, (%rdi)\nmovq (%rsi), %rsp\n"
        "popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp\nret\n");
#else
#error "a switch for this processor is missing"
#endif

__attribute__((noinline)) void helper(void)
{
    sink++;
}

__attribute__((noinline)) void step(struct place *self)
{
    helper();
    switch_to(self, &home);
    helper();
    sink++;
}

static struct place *started;

__attribute__((noinline)) void body(void)
{
    struct place *self = started;
    for (;;) {
        step(self);
        sink++;
    }
}

static QUIET void begin(struct place *place, char *stack)
{
    uintptr_t top = ((uintptr_t)stack + STACK_BYTES) & ~(uintptr_t)15;
    void **sp = (void **)top;
    *--sp = 0;            /* where body would return to */
    *--sp = (void *)body; /* what the first switch returns to */
    for (int i = 0; i < 6; i++) {
        *--sp = 0;
    }
    place->sp = sp;
}

__attribute__((noinline)) void turn(struct place *place)
{
    started = place;
    switch_to(&home, place);
    sink++;
}

__attribute__((noinline)) void in_heap(void)
{
    struct place places[2];
    for (int i = 0; i < 2; i++) {
        begin(&places[i], malloc(STACK_BYTES));
    }
    for (int i = 0; i < 6; i++) {
        turn(&places[i % 2]);
    }
    sink++;
}

__attribute__((noinline)) void after(void)
{
    sink++;
}

int main(void)
{
    in_heap();
    after();
    return 0;
}
