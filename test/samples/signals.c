/*
 * signals.c SITUATION -- handlers that allocate, and handlers that jump out of malloc's caller, on
 * an allocator that allows it. Prints how many heap calls were made.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "test/samples/signal_safe_malloc.h"

enum { JUMPS = 200, STACK_BYTES = 65536, INNER_STACK_BYTES = 16384 };

static atomic_long calls, handled;
static sigjmp_buf back;
static void *volatile last;

static __attribute__((noinline)) void allocate(int depth)
{
    if (depth > 0) {
        allocate(depth - 1);
        __asm__ volatile("");
        return;
    }
    last = malloc(64);
    free(last);
    atomic_fetch_add(&calls, 2);
}

static void catch (int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static void alternate_stack(void)
{
    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    atomic_fetch_add(&calls, 1);
    sigaltstack(&stack, NULL);
}

static void on_allocating(int number)
{
    (void)number;
    void (*kept)(void) = inside_malloc;
    inside_malloc = NULL;
    allocate(3);
    inside_malloc = kept;
    handled++;
}

/* A thousand a second into whatever is running. */
static void timer(int flags)
{
    struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    catch (SIGALRM, on_allocating, flags | SA_RESTART);
    setitimer(ITIMER_REAL, &every, NULL);
    while (handled < 300) {
        allocate((int)(calls % 40));
    }
    setitimer(ITIMER_REAL, &never, NULL);
}

static void by_timer(void)
{
    timer(0);
}

static void by_timer_on_alternate_stack(void)
{
    alternate_stack();
    timer(SA_ONSTACK);
}

static void interrupt(void)
{
    raise(SIGUSR1);
}

/* In the middle of each call of malloc. */
static void inside(int flags)
{
    catch (SIGUSR1, on_allocating, flags);
    for (int i = 0; i < JUMPS; i++) {
        inside_malloc = interrupt;
        allocate(5);
        inside_malloc = NULL;
        allocate(5);
    }
}

static void by_handler_inside(void)
{
    inside(0);
}

static void by_handler_inside_on_alternate_stack(void)
{
    alternate_stack();
    inside(SA_ONSTACK);
}

static void on_jumping(int number)
{
    (void)number;
    inside_malloc = NULL;
    siglongjmp(back, 1);
}

/* Out of malloc and its caller; the next call comes from the same place, or from further out. */
static void jump_out(int flags, int depth)
{
    catch (SIGUSR1, on_jumping, flags);
    for (volatile int i = 0; i < JUMPS; i++) {
        if (sigsetjmp(back, 1) == 0) {
            inside_malloc = interrupt;
            allocate(depth);
        }
        allocate(0);
    }
}

static void by_jump_to_further_out(void)
{
    jump_out(0, 7);
}

static void by_jump_to_the_same_place(void)
{
    jump_out(0, 0);
}

static void by_jump_off_the_alternate_stack(void)
{
    alternate_stack();
    jump_out(SA_ONSTACK, 7);
}

static void on_allocating_inside(int number)
{
    (void)number;
    inside_malloc = interrupt; /* SIGUSR1, which jumps */
    allocate(2);
}

/* Out of a malloc that was itself called by a handler on the alternate stack. */
static void by_jump_out_of_the_alternate_stacks_malloc(void)
{
    alternate_stack();
    catch (SIGUSR1, on_jumping, SA_ONSTACK);
    catch (SIGUSR2, on_allocating_inside, SA_ONSTACK);
    for (volatile int i = 0; i < JUMPS; i++) {
        if (sigsetjmp(back, 1) == 0) {
            raise(SIGUSR2);
        }
        allocate(0);
    }
}

/* The alternate stack lies in this function's own frame, further out than the hook that is
 * interrupted. */
static void by_handler_inside_on_a_stack_inside_its_own(void)
{
    char room[INNER_STACK_BYTES] __attribute__((aligned(16)));
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    sigaltstack(&stack, NULL);
    inside(SA_ONSTACK);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
}

static ucontext_t home, fibre;

static void inside_on_fibre(void)
{
    inside(SA_ONSTACK);
}

/* The same, and what is interrupted is a fibre on a stack of its own. */
static void by_handler_inside_a_fibre_on_a_stack_inside_its_own(void)
{
    static char own[STACK_BYTES] __attribute__((aligned(16)));
    char room[INNER_STACK_BYTES] __attribute__((aligned(16)));
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    sigaltstack(&stack, NULL);
    getcontext(&fibre);
    fibre.uc_stack.ss_sp = own;
    fibre.uc_stack.ss_size = sizeof own;
    fibre.uc_link = &home;
    makecontext(&fibre, inside_on_fibre, 0);
    swapcontext(&home, &fibre);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
}

static volatile sig_atomic_t in_child, allocate_in_child;

/* The child goes back into the malloc that it was made in, maybe after heap calls of its own. */
static void on_forking(int number)
{
    (void)number;
    inside_malloc = NULL;
    pid_t pid = fork();
    if (pid == 0) {
        in_child = 1;
        if (allocate_in_child) {
            allocate(1);
        }
        return;
    }
    int status = 0;
    waitpid(pid, &status, 0);
    handled += WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static void *allocate_in_thread(void *unused)
{
    allocate(2);
    return unused;
}

/* What is interrupted is the growth of a block that the recorder knows. */
static __attribute__((noinline)) void grow(void)
{
    void *block = malloc(32);
    inside_malloc = interrupt;
    last = realloc(block, 64);
    free(last);
    atomic_fetch_add(&calls, 3);
}

/* FUNCTION is interrupted in a heap call. The child makes ten pairs of its own, the last one in a
 * thread. */
static void fork_inside(void (*function)(void))
{
    catch (SIGUSR1, on_forking, 0);
    for (int i = 0; i < 10; i++) {
        function();
        if (in_child) {
            pthread_t thread;
            signal(SIGUSR1, SIG_IGN); /* see pthread_getattr_np() below */
            for (int k = 0; k < 9; k++) {
                allocate(2);
            }
            pthread_create(&thread, NULL, allocate_in_thread, NULL);
            pthread_join(thread, NULL);
            _exit(7);
        }
    }
}

static void allocate_three_deep(void)
{
    inside_malloc = interrupt;
    allocate(3);
}

static void by_fork_inside(void)
{
    fork_inside(allocate_three_deep);
}

static void by_fork_inside_realloc(void)
{
    fork_inside(grow);
}

static void by_fork_and_calls_inside(void)
{
    allocate_in_child = 1;
    fork_inside(allocate_three_deep);
}

static void by_fork_and_calls_inside_realloc(void)
{
    allocate_in_child = 1;
    fork_inside(grow);
}

/* libpthread's function, which the recorder asks for the stack of each new thread: here it is
 * interrupted by a handler that jumps out. */
int pthread_attr_getstack(const pthread_attr_t *attributes, void **low, size_t *bytes)
{
    static int (*real)(const pthread_attr_t *, void **, size_t *);
    if (!real) {
        real = (int (*)(const pthread_attr_t *, void **, size_t *))dlsym(RTLD_NEXT,
                                                                         "pthread_attr_getstack");
    }
    void *own = malloc(32); /* the recorder's, not the program's */
    raise(SIGUSR1);
    free(own);
    return real(attributes, low, bytes);
}

static void *first_call_of_thread(void *unused)
{
    if (sigsetjmp(back, 1) == 0) {
        allocate(3);
    }
    for (int i = 0; i < 10; i++) {
        allocate(2);
    }
    return unused;
}

static void by_jump_out_of_a_threads_first_call(void)
{
    catch (SIGUSR1, on_jumping, 0);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, first_call_of_thread, NULL);
        pthread_join(thread, NULL);
    }
}

static const struct situation {
    const char *name;
    void (*run)(void);
} situations[] = {
    {"timer", by_timer},
    {"timer-alternate", by_timer_on_alternate_stack},
    {"inside", by_handler_inside},
    {"inside-alternate", by_handler_inside_on_alternate_stack},
    {"inside-own", by_handler_inside_on_a_stack_inside_its_own},
    {"inside-fibre", by_handler_inside_a_fibre_on_a_stack_inside_its_own},
    {"fork-inside-realloc", by_fork_inside_realloc},
    {"fork-calls-inside-realloc", by_fork_and_calls_inside_realloc},
    {"fork-inside", by_fork_inside},
    {"fork-calls-inside", by_fork_and_calls_inside},
    {"jump-out", by_jump_to_further_out},
    {"jump-same", by_jump_to_the_same_place},
    {"jump-alternate", by_jump_off_the_alternate_stack},
    {"jump-first", by_jump_out_of_a_threads_first_call},
    {"jump-from-alternate", by_jump_out_of_the_alternate_stacks_malloc},
};

int main(int count, char **arguments)
{
    char line[64];
    for (size_t i = 0; i < sizeof situations / sizeof situations[0]; i++) {
        if (count > 1 && strcmp(situations[i].name, arguments[1]) == 0) {
            situations[i].run();
        }
    }
    /* No stdio before: what it allocates would have to be counted. */
    int bytes = snprintf(line, sizeof line, "%ld calls, %ld handled\n", (long)calls, (long)handled);
    write(1, line, (size_t)bytes);
    return 0;
}
