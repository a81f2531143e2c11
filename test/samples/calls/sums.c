/*
 * Four threads that do nothing but call: each call is counted, and what a thread did adds up.
 * Prints how long a thread took, in nanoseconds, the shortest and the longest.
 *
 * check sums
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))

enum { THREADS = 4 };

static int size = 18;
static long took[THREADS];

static QUIET long clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

__attribute__((noinline)) long fib(long n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) long calculate(void)
{
    return fib(size);
}

static QUIET void *run(void *place)
{
    long begin = clock_now();
    long sum = calculate();
    *(long *)place = clock_now() - begin + (sum == 42);
    return NULL;
}

QUIET int main(int count, char **arguments)
{
    pthread_t thread[THREADS];
    size = count > 1 ? (int)strtol(arguments[1], NULL, 10) : size; /* atoi() may have a hook */
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, run, &took[i]);
    }
    long least = 0, most = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        least = i == 0 || took[i] < least ? took[i] : least;
        most = took[i] > most ? took[i] : most;
    }
    printf("%ld %ld\n", least, most);
    return 0;
}
