/*
 * A pool of threads that takes work from a queue: what runs in it was called by its worker.
 *
 * expect main 1
 * expect main;submit 200
 * expect worker 4
 * expect worker;task 200
 * expect worker;task;helper 400
 */
#include <pthread.h>

#define QUIET __attribute__((no_instrument_function))

enum { WORKERS = 4, TASKS = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, ended;
static _Thread_local volatile int sink;

__attribute__((noinline)) void helper(void)
{
    sink++;
}

__attribute__((noinline)) void task(void)
{
    helper();
    helper();
    sink++;
}

/* False: there is no more work, and none will come. */
static QUIET int take(void)
{
    int taken = 0;
    pthread_mutex_lock(&lock);
    while (!waiting && !ended) {
        pthread_cond_wait(&changed, &lock);
    }
    if (waiting) {
        waiting--;
        taken = 1;
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

__attribute__((noinline)) void *worker(void *argument)
{
    while (take()) {
        task();
    }
    return argument;
}

__attribute__((noinline)) void submit(void)
{
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t thread[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        pthread_create(&thread[i], 0, worker, 0);
    }
    for (int i = 0; i < TASKS; i++) {
        submit();
    }
    pthread_mutex_lock(&lock);
    ended = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(thread[i], 0);
    }
    return 0;
}
