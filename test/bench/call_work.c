/*
 * Nothing but calls: call_work fib N, or call_work tree ROUNDS [THREADS]. Prints a thread's CPU
 * time in nanoseconds, and how many calls it made. The tree is thirty functions that call each
 * other in patterns which depend on the argument.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUIET    __attribute__((no_instrument_function))
#define FUNCTION __attribute__((noinline)) long

static __thread long calls;
static long rounds;

FUNCTION fib(long n)
{
    calls++;
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Function N calls up to three of higher numbers. */
#define LEAF(n)                                                                                    \
    FUNCTION f##n(long x)                                                                          \
    {                                                                                              \
        calls++;                                                                                   \
        return x * 3 + n;                                                                          \
    }
#define CALLER(n, a, b, c)                                                                         \
    FUNCTION f##n(long x)                                                                          \
    {                                                                                              \
        calls++;                                                                                   \
        long y = x ^ n;                                                                            \
        if (x & 1) {                                                                               \
            y += f##a(x * 5 + 1);                                                                  \
        }                                                                                          \
        if (x & 6) {                                                                               \
            y += f##b(y + 2);                                                                      \
        }                                                                                          \
        return y ^ f##c(x + 1);                                                                    \
    }
LEAF(29)
LEAF(28)
LEAF(27) LEAF(26) LEAF(25) LEAF(24) LEAF(23) LEAF(22) CALLER(21, 22, 23, 24) CALLER(20, 21, 25, 26)
    CALLER(19, 20, 27, 28) CALLER(18, 22, 24, 29) CALLER(17, 18, 23, 25) CALLER(16, 17, 26, 27)
        CALLER(15, 18, 20, 28) CALLER(14, 19, 22, 29) CALLER(13, 17, 21, 23) CALLER(12, 16, 24, 18)
            CALLER(11, 15, 25, 14) CALLER(10, 13, 26, 12) CALLER(9, 12, 27, 11)
                CALLER(8, 11, 28, 13) CALLER(7, 10, 29, 15) CALLER(6, 9, 22, 14)
                    CALLER(5, 8, 23, 16) CALLER(4, 7, 24, 17) CALLER(3, 6, 25, 18)
                        CALLER(2, 5, 26, 19) CALLER(1, 4, 3, 21) CALLER(0, 2, 1, 20)

                            static QUIET double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

struct result {
    double ns;
    long calls, sum;
};

static QUIET void *trees(void *result)
{
    double begin = cpu_ns();
    long sum = 0;
    for (long i = 0; i < rounds; i++) {
        sum += f0(i);
    }
    *(struct result *)result = (struct result){cpu_ns() - begin, calls, sum};
    return NULL;
}

QUIET int main(int count, char **arguments)
{
    struct result results[16] = {0};
    double ns = 0;
    long threads = count > 3 ? atol(arguments[3]) : 1;
    if (count < 3 || threads < 1 || threads > 16) {
        return 2;
    }
    rounds = atol(arguments[2]);
    if (strcmp(arguments[1], "fib") == 0) {
        double begin = cpu_ns();
        fib(rounds);
        printf("%.0f %ld\n", cpu_ns() - begin, calls);
        return 0;
    }
    pthread_t thread[16];
    for (long i = 0; i < threads; i++) {
        pthread_create(&thread[i], NULL, trees, &results[i]);
    }
    for (long i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        ns += results[i].ns;
    }
    printf("%.0f %ld\n", ns / (double)threads, results[0].calls);
    return 0;
}
