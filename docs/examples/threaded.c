/*
 * Three workers share a queue of numbers to factor. The chart of it shows who waits for whom:
 *
 *   gcc -O2 -g -pthread -finstrument-functions threaded.c -o threaded
 *   LD_PRELOAD=libthagpreload.so ./threaded
 *   thag_profile chart threaded-*.thag
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 3, NUMBERS = 60 };

struct result {
    unsigned long number, smallest;
    struct result *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long next_number = 1000000007UL;
static int left = NUMBERS;
static struct result *results;

static unsigned long take(void)
{
    unsigned long number = 0;
    pthread_mutex_lock(&lock);
    if (left > 0) {
        left--;
        number = next_number;
        next_number += 2;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

static unsigned long smallest_factor(unsigned long number)
{
    for (unsigned long factor = 3; factor * factor <= number; factor += 2) {
        if (number % factor == 0) {
            return factor;
        }
    }
    return number;
}

static void keep(unsigned long number, unsigned long smallest)
{
    struct result *result = malloc(sizeof *result);
    if (!result) {
        abort();
    }
    pthread_mutex_lock(&lock);
    *result = (struct result){number, smallest, results};
    results = result;
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    unsigned long number;
    while ((number = take()) != 0) {
        keep(number, smallest_factor(number));
    }
    return argument;
}

int main(void)
{
    pthread_t worker[WORKERS];
    int primes = 0;
    for (int i = 0; i < WORKERS; i++) {
        pthread_create(&worker[i], NULL, work, NULL);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(worker[i], NULL);
    }
    while (results) {
        struct result *result = results;
        primes += result->number == result->smallest;
        results = result->next;
        free(result);
    }
    printf("%d of %d are prime\n", primes, NUMBERS);
    return 0;
}
