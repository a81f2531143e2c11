/*
 * Tasks: fibres that a pool of threads takes up in turn, and callbacks without a stack of their
 * own. Three fibres of one name make 20 steps each, each step on the thread after the last one's.
 */
#include <thag_profiler.h>

#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

enum { FIBRES = 3, STEPS = 20, THREADS = 3, STACK_BYTES = 64 * 1024 };

struct fibre {
    ucontext_t own, *back;
    struct thag_task *task;
    char *stack;
    volatile int done;
};

static struct fibre fibres[FIBRES];
static pthread_barrier_t barrier;
static void *volatile kept;
static volatile int sink;

__attribute__((noinline)) void step(void)
{
    THAG_PROFILED;
    kept = malloc(10);
    sink++;
}

__attribute__((noinline, no_instrument_function)) static void yield(struct fibre *fibre)
{
    swapcontext(&fibre->own, fibre->back);
}

__attribute__((noinline)) void inner(struct fibre *fibre)
{
    THAG_PROFILED;
    for (int i = 0; i < STEPS; i++) {
        step();
        THAG_SECTION(waiting);
        yield(fibre);
    }
}

__attribute__((noinline)) void body(struct fibre *fibre)
{
    THAG_PROFILED;
    inner(fibre);
    step();
}

__attribute__((no_instrument_function)) static void start(int number)
{
    body(&fibres[number]);
    fibres[number].done = 1;
    yield(&fibres[number]);
}

__attribute__((noinline)) void between(void)
{
    THAG_PROFILED;
    sink++;
}

/* Thread T runs fibre T + ROUND, so each fibre comes to another thread in each round. */
__attribute__((noinline)) void turn(int t, int round)
{
    THAG_PROFILED;
    ucontext_t here;
    struct fibre *fibre = &fibres[(t + round) % FIBRES];
    if (!fibre->done) {
        fibre->back = &here;
        thag_task_enter(fibre->task);
        swapcontext(&here, &fibre->own);
        thag_task_leave(fibre->task);
    }
    between();
}

static void *work(void *number)
{
    for (int round = 0; round < STEPS + 2; round++) {
        turn((int)(size_t)number, round);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

/* A request that is worked on in three pieces, each a plain call. */
__attribute__((noinline)) void piece(void)
{
    THAG_PROFILED;
    kept = malloc(5);
    sink++;
}

__attribute__((noinline)) void request(void)
{
    THAG_PROFILED;
    struct thag_task *task = thag_task_create("request");
    struct thag_task *other = thag_task_create("other");
    for (int i = 0; i < 3; i++) {
        thag_task_enter(task);
        piece();
        thag_task_enter(other);
        piece();
        thag_task_leave(other);
        piece();
        thag_task_leave(task);
        piece();
    }
    thag_task_end(task);
    thag_task_end(other);
    between();
}

__attribute__((no_instrument_function)) static void fibres_run(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < FIBRES; i++) {
        struct fibre *fibre = &fibres[i];
        fibre->stack = (char *)malloc(STACK_BYTES);
        getcontext(&fibre->own);
        fibre->own.uc_stack.ss_sp = fibre->stack;
        fibre->own.uc_stack.ss_size = STACK_BYTES;
        makecontext(&fibre->own, (void (*)(void))start, 1, i);
        fibre->task = thag_task_create("job");
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)(size_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < FIBRES; i++) {
        thag_task_end(fibres[i].task);
    }
}

int main(void)
{
    fibres_run();
    request();
    request();
    return 0;
}
