/*
 * stacks.c SITUATION -- allocates from odd places: very deep, on fibres, in code that no unwind
 * data describes, in handlers, under a caller that never returns.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { FIBRES = 10, FIBRE_BYTES = 65536, BLOCKS = 20, DEPTH = 60000 };

static void *volatile last;

__attribute__((noinline)) static void site(void)
{
    last = malloc(100);
    __asm__ volatile("");
}

__attribute__((noinline)) static void recurse(int depth)
{
    if (depth > 0) {
        recurse(depth - 1);
        __asm__ volatile("");
    } else {
        site();
    }
}

static void deep(void)
{
    for (int i = 0; i < 5; i++) {
        recurse(DEPTH);
    }
    site();
}

static ucontext_t home, fibre[FIBRES];

static void fibre_run(int number)
{
    for (int i = 0; i < BLOCKS; i++) {
        recurse(i);
        swapcontext(&fibre[number], &home);
    }
}

/* Stacks whose ends touch memory that may not be read. */
static void fibres(void)
{
    for (int i = 0; i < FIBRES; i++) {
        char *memory = mmap(NULL, 3 * FIBRE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(memory + FIBRE_BYTES, FIBRE_BYTES, PROT_READ | PROT_WRITE);
        getcontext(&fibre[i]);
        fibre[i].uc_stack.ss_sp = memory + FIBRE_BYTES;
        fibre[i].uc_stack.ss_size = FIBRE_BYTES;
        fibre[i].uc_link = &home;
        makecontext(&fibre[i], (void (*)(void))fibre_run, 1, i);
    }
    for (int round = 0; round < BLOCKS; round++) {
        for (int i = 0; i < FIBRES; i++) {
            swapcontext(&home, &fibre[i]);
            site();
        }
    }
}

#if defined(__x86_64__)
void without_unwind_data(void);
void with_a_frame_pointer_alone(void);
void with_neither(void);
void with_a_wild_frame_pointer(void);
__asm__(".text\n"
        ".type without_unwind_data, @function\n"
        "without_unwind_data:\n"
        "    pushq %rbx\n"
        "    movl $100, %edi\n"
        "    call malloc@PLT\n"
        "    popq %rbx\n"
        "    ret\n"
        ".size without_unwind_data, . - without_unwind_data\n"
        ".type with_a_frame_pointer_alone, @function\n"
        "with_a_frame_pointer_alone:\n"
        "    pushq %rbp\n"
        "    movq %rsp, %rbp\n"
        "    movl $100, %edi\n"
        "    call malloc@PLT\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size with_a_frame_pointer_alone, . - with_a_frame_pointer_alone\n"
        ".type with_neither, @function\n"
        "with_neither:\n"
        "    pushq %rbp\n"
        "    movabsq $0x123456789abcdef0, %rbp\n"
        "    movl $100, %edi\n"
        "    call malloc@PLT\n"
        "    movq $64, %rbp\n" /* mapped nowhere */
        "    movl $100, %edi\n"
        "    call malloc@PLT\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size with_neither, . - with_neither\n"
        ".type with_a_wild_frame_pointer, @function\n"
        "with_a_wild_frame_pointer:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_offset %rbp, -16\n"
        "    movabsq $0x123456789abcdef0, %rbp\n"
        "    movl $100, %edi\n"
        "    call malloc@PLT\n"
        "    popq %rbp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size with_a_wild_frame_pointer, . - with_a_wild_frame_pointer\n");

static void undescribed(void)
{
    static const unsigned char code[] = {
        0x53,                                     /* push %rbx */
        0xbf, 100,  0,    0,    0,                /* mov $100, %edi */
        0x48, 0xb8, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $malloc, %rax */
        0xff, 0xd0, 0x5b, 0xc3,                   /* call *%rax; pop %rbx; ret */
    };
    unsigned char *made =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *(*function)(size_t) = malloc;
    memcpy(made, code, sizeof code);
    memcpy(made + 8, &function, sizeof function);
    /* A frame pointer that leads somewhere, whatever the compiler keeps in its register. */
    void *volatile frame = __builtin_frame_address(0);
    for (int i = 0; i < 10 && frame; i++) {
        without_unwind_data();
        with_a_frame_pointer_alone();
        with_neither();
        with_a_wild_frame_pointer();
        ((void (*)(void))made)();
        site();
    }
}

void large_frame(void);
void trapped_at_once(void);
void enter_odd_stack(uintptr_t return_address, void (*function)(void));
void leave_odd_stack(void);
void *odd_stack_home;
char odd_stack[FIBRE_BYTES] __attribute__((aligned(4096)));

/* The first instruction of trapped_at_once() comes right behind a function with a large frame. */
__asm__(".text\n"
        ".type large_frame, @function\n"
        "large_frame:\n"
        "    .cfi_startproc\n"
        "    subq $4096, %rsp\n"
        "    .cfi_adjust_cfa_offset 4096\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size large_frame, . - large_frame\n"
        ".type trapped_at_once, @function\n"
        "trapped_at_once:\n"
        "    .cfi_startproc\n"
        "    ud2\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size trapped_at_once, . - trapped_at_once\n"
        ".type enter_odd_stack, @function\n"
        "enter_odd_stack:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, odd_stack_home(%rip)\n"
        "    leaq odd_stack+65536(%rip), %rsp\n"
        "    pushq %rdi\n"
        "    xorl %ebp, %ebp\n"
        "    jmp *%rsi\n"
        "    .cfi_endproc\n"
        ".size enter_odd_stack, . - enter_odd_stack\n"
        ".type leave_odd_stack, @function\n"
        "leave_odd_stack:\n"
        "    .cfi_startproc\n"
        "    movq odd_stack_home(%rip), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size leave_odd_stack, . - leave_odd_stack\n");

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    site();
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2; /* behind ud2 */
}

static void trapped(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGILL, &action, NULL);
    for (int i = 0; i < 10; i++) {
        trapped_at_once();
    }
}

__attribute__((noinline)) static void outermost(void)
{
    site();
    leave_odd_stack();
}

__attribute__((noinline)) static void outermost_in_order(void)
{
    site();
    leave_odd_stack();
    __asm__ volatile("");
}

/* The outermost frame's return address is no address of code, or 0, as at the end of a stack. */
static void odd_ends(void)
{
    static const uintptr_t ends[] = {0, 1, 2, 3, 4, 5, UINTPTR_MAX, UINTPTR_MAX / 2};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        enter_odd_stack(ends[i], i == 0 ? outermost_in_order : outermost);
    }
}
#else
static void undescribed(void)
{
}

static void trapped(void)
{
}

static void odd_ends(void)
{
}
#endif

static void handler(int number)
{
    (void)number;
    site();
}

__attribute__((noinline)) static void interrupted(void)
{
    raise(SIGUSR1);
    __asm__ volatile("");
}

static void handlers(void)
{
    stack_t stack = {.ss_sp = mmap(NULL, FIBRE_BYTES, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                     .ss_size = FIBRE_BYTES};
    struct sigaction action = {.sa_handler = handler};
    sigaltstack(&stack, NULL);
    for (int i = 0; i < 20; i++) {
        action.sa_flags = i % 2 ? SA_ONSTACK : 0;
        sigaction(SIGUSR1, &action, NULL);
        interrupted();
    }
}

static jmp_buf back;

__attribute__((noinline, noreturn)) static void leaves(void)
{
    site();
    longjmp(back, 1);
}

/* Its last instruction is a call: the return address is another function's. */
__attribute__((noinline, noreturn)) static void never_returned_to(void)
{
    leaves();
}

static void jumps(void)
{
    for (volatile int i = 0; i < 20; i++) {
        if (setjmp(back) == 0) {
            never_returned_to();
        }
    }
}

static const struct situation {
    const char *name;
    void (*run)(void);
} situations[] = {
    {"deep", deep},   {"fibres", fibres},   {"undescribed", undescribed}, {"handlers", handlers},
    {"jumps", jumps}, {"trapped", trapped}, {"odd-ends", odd_ends},
};

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof situations / sizeof situations[0]; i++) {
        if (count > 1 && strcmp(situations[i].name, arguments[1]) == 0) {
            situations[i].run();
        }
    }
    return 0;
}
