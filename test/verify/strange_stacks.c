/*
 * strange_stacks.c -- allocates from every kind of stack that an unwinder may trip over.
 *
 *   strange_stacks ROUNDS [signals | altstack | quiet]
 *
 * Signals arrive at random instructions (prologues, PLT stubs, inside libc), with handlers that
 * allocate, on the interrupted stack or on an alternate one; meanwhile four threads and two fibres
 * run re-aligned frames, frames of varying size, frame pointers over code that uses rbp for
 * numbers, longjmp, callbacks out of libc, and equal inner frames under different callers.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#define NOINLINE     __attribute__((noinline, noclone))
#define THREADS      3
#define FIBRE_BYTES  (256 * 1024)
#define SIGNAL_US    400
#define FIBRE_LEVELS 6

static volatile long sink;
static volatile sig_atomic_t signals;

static NOINLINE void allocate(size_t bytes)
{
    char *block = malloc(bytes);
    if (block) {
        *(volatile char *)block = 1;
    }
    free(block);
    sink++;
}

static NOINLINE void realigned(int a, int b, int c, int d, int e, int f, int g, int size)
{
    alignas(64) volatile char room[64];
    volatile char *more = __builtin_alloca((size_t)size + 1);
    room[0] = more[0] = (char)(a + b + c + d + e + f);
    allocate(16 + (size_t)g);
    room[1] = room[0];
    allocate(40);
}

static NOINLINE void same_leaf(int number)
{
    volatile char room[32];
    room[0] = (char)number;
    allocate(16);
    room[1] = room[0];
}

static NOINLINE void same_middle(int number)
{
    volatile char room[48];
    room[0] = (char)number;
    same_leaf(number);
    room[1] = room[0];
}

static NOINLINE void other_caller_a(int number)
{
    volatile char room[48];
    room[0] = (char)number;
    same_middle(number);
    sink += room[0];
}

static NOINLINE void other_caller_b(int number)
{
    volatile char room[48];
    room[0] = (char)number;
    same_middle(number);
    sink -= room[0];
}

static NOINLINE void varying(unsigned number, int levels)
{
    volatile char *room = __builtin_alloca(16 + (number & 3) * 32);
    room[0] = (char)number;
    if (levels) {
        varying(number >> 2, levels - 1);
    } else {
        allocate(24);
    }
    sink += room[0];
}

__attribute__((optimize("no-omit-frame-pointer"))) static NOINLINE void with_fp(int number)
{
    volatile char room[20];
    room[0] = (char)number;
    allocate(20);
    room[1] = room[0];
}

/* Enough live values that rbp holds one of them. */
static NOINLINE void without_fp(int number)
{
    long a = number, b = number * 3L, c = number * 5L, d = number * 7L, e = number * 11L,
         f = number * 13L, g = number * 17L;
    for (int i = 0; i < 3; i++) {
        with_fp(number + i);
        a += b;
        b ^= c;
        c += d;
        d ^= e;
        e += f;
        f ^= g;
        g += a;
    }
    sink += a + b + c + d + e + f + g;
}

static NOINLINE void jump_back(jmp_buf *back, int levels)
{
    volatile char room[64];
    room[0] = (char)levels;
    allocate(16 + (size_t)levels);
    if (levels > 0) {
        jump_back(back, levels - 1);
    }
    if (room[0] == 0) {
        longjmp(*back, 1);
    }
    sink += room[0];
}

static NOINLINE void jump(void)
{
    jmp_buf back;
    if (!setjmp(back)) {
        jump_back(&back, 7);
    }
    allocate(8);
}

static int compare(const void *a, const void *b)
{
    allocate(16);
    return *(const int *)a - *(const int *)b;
}

static void call_back(int number)
{
    int numbers[8] = {3, 1, 2, number & 15, 5, 7, 6, 4};
    qsort(numbers, 8, sizeof(numbers[0]), compare);
}

static void all_kinds(int number)
{
    realigned(1, 2, 3, 4, 5, 6, number & 7, number & 63);
    other_caller_a(number);
    other_caller_b(number);
    varying((unsigned)number * 2654435761u, 5);
    without_fp(number);
    jump();
    call_back(number);
}

static ucontext_t main_context, fibre_context[2];

static NOINLINE void fibre_level(int which, int level)
{
    volatile char room[100];
    room[0] = (char)level;
    allocate(32 + (size_t)level);
    if (level < FIBRE_LEVELS) {
        fibre_level(which, level + 1);
    } else {
        swapcontext(&fibre_context[which], &main_context);
    }
    allocate(48);
    room[1] = room[0];
}

static void fibre(int which)
{
    for (int i = 0;; i++) {
        fibre_level(which, 0);
        all_kinds(i);
    }
}

static void fibre_make(int which)
{
    getcontext(&fibre_context[which]);
    fibre_context[which].uc_stack.ss_sp = malloc(FIBRE_BYTES);
    fibre_context[which].uc_stack.ss_size = FIBRE_BYTES;
    fibre_context[which].uc_link = &main_context;
    makecontext(&fibre_context[which], (void (*)(void))fibre, 1, which);
}

/* The C library refuses this before it touches the heap, which a handler must not do; a preload
 * has seen the call by then. */
static volatile size_t refused_bytes = SIZE_MAX;

static NOINLINE void handler_leaf(void)
{
    volatile char room[32];
    room[0] = 1;
    allocate(refused_bytes);
    room[1] = room[0];
}

static void on_signal(int number)
{
    (void)number;
    int saved_errno = errno;
    signals++;
    allocate(refused_bytes);
    handler_leaf();
    errno = saved_errno;
}

static void signals_start(const char *mode)
{
    static struct sigaction action;
    if (strcmp(mode, "quiet") == 0) {
        return;
    }
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART | (strcmp(mode, "altstack") == 0 ? SA_ONSTACK : 0);
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval often = {{0, SIGNAL_US}, {0, SIGNAL_US}};
    setitimer(ITIMER_REAL, &often, NULL);
}

static void altstack_set(void)
{
    stack_t stack = {.ss_sp = malloc(FIBRE_BYTES), .ss_size = FIBRE_BYTES};
    sigaltstack(&stack, NULL);
}

static void *thread_run(void *rounds)
{
    altstack_set();
    for (long i = 0; i < (long)rounds; i++) {
        all_kinds((int)i);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: strange_stacks ROUNDS [signals | altstack | quiet]\n");
        return 2;
    }
    long rounds = atol(argv[1]);
    altstack_set();
    signals_start(argc > 2 ? argv[2] : "signals");
    fibre_make(0);
    fibre_make(1);
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, thread_run, (void *)rounds);
    }
    for (long i = 0; i < rounds; i++) {
        all_kinds((int)i);
        swapcontext(&main_context, &fibre_context[i & 1]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    printf("signals %d\n", (int)signals);
    return 0;
}
