/*
 * Snapshots and signals. Prints what thag_snapshot() gave.
 *
 *   calls      two snapshots by call, the second after more work
 *   busy       snapshots while three threads work, as many as come
 *   signals    SIGUSR2 stops and starts, SIGUSR1 takes snapshots
 *   own        the program has a handler of its own for SIGUSR1
 */
#include <thag_profiler.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int stopping, handled;
static int working; /* threads that have called work() */

__attribute__((noinline)) void *work(int bytes)
{
    THAG_PROFILED;
    return malloc((size_t)bytes);
}

static void *work_on(void *unused)
{
    free(work(1));
    __atomic_add_fetch(&working, 1, __ATOMIC_RELEASE);
    while (!stopping) {
        for (int i = 1; i < 200; i++) {
            free(malloc((size_t)i));
            free(work(i));
        }
    }
    return unused;
}

static void busy(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, work_on, NULL);
    }
    while (__atomic_load_n(&working, __ATOMIC_ACQUIRE) < 3) {
    }
    for (int i = 0; i < 10; i++) {
        printf("%d\n", thag_snapshot());
    }
    stopping = 1;
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void own_handler(int number)
{
    handled = number;
}

static void times(int count, int bytes)
{
    for (int i = 0; i < count; i++) {
        work(bytes);
    }
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    if (!strcmp(what, "calls")) {
        times(10, 100);
        printf("%d\n", thag_snapshot());
        times(5, 1000);
        printf("%d\n", thag_snapshot());
    } else if (!strcmp(what, "busy")) {
        busy();
    } else if (!strcmp(what, "signals")) {
        times(10, 100);
        raise(SIGUSR1);
        raise(SIGUSR2);
        times(7, 100);
        printf("%d\n", thag_is_profiling());
        raise(SIGUSR2);
        times(3, 100);
        raise(SIGUSR1);
    } else if (!strcmp(what, "own")) {
        signal(SIGUSR1, own_handler);
        raise(SIGUSR1);
        printf("%d\n", handled == SIGUSR1);
    }
    return 0;
}
