/*
 * Threads that end in every way: return, pthread_exit() in depth, cancellation in depth; and the
 * destructors that run at a thread's end.
 *
 * expect main 1
 * expect returns 4
 * expect returns;helper 4
 * expect exits 4
 * expect exits;dive 4
 * expect exits;dive;dive 4
 * expect exits;dive;dive;leave 4
 * expect hangs 4
 * expect hangs;dive_and_wait 4
 * expect destroy 12
 * expect destroy;helper 12
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static pthread_key_t key;
static volatile int sink;
static pthread_barrier_t ready;

__attribute__((noinline)) void helper(void)
{
    sink++;
}

__attribute__((noinline)) void destroy(void *value)
{
    sink += value != 0;
    helper();
    sink++;
}

__attribute__((noinline)) void *returns(void *argument)
{
    pthread_setspecific(key, &key);
    helper();
    return argument;
}

__attribute__((noinline)) void leave(void)
{
    pthread_exit(0);
}

__attribute__((noinline)) void dive(int levels)
{
    if (levels) {
        dive(levels - 1);
    } else {
        leave();
    }
    sink++;
}

__attribute__((noinline)) void *exits(void *argument)
{
    pthread_setspecific(key, &key);
    dive(1);
    return argument;
}

__attribute__((noinline)) void dive_and_wait(void)
{
    pthread_barrier_wait(&ready);
    for (;;) {
        pause();
    }
}

__attribute__((noinline)) void *hangs(void *argument)
{
    pthread_setspecific(key, &key);
    dive_and_wait();
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_barrier_init(&ready, 0, 2);
    for (int i = 0; i < 4; i++) {
        pthread_create(&thread, 0, returns, 0);
        pthread_join(thread, 0);
        pthread_create(&thread, 0, exits, 0);
        pthread_join(thread, 0);
        pthread_create(&thread, 0, hangs, 0);
        pthread_barrier_wait(&ready);
        pthread_cancel(thread);
        pthread_join(thread, 0);
    }
    return 0;
}
