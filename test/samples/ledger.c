/*
 * ledger.c SITUATION -- totals that are easy to get wrong: a peak that is not the end, temporary
 * blocks, sizes, blocks that change hands between threads.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 1000, THREADS = 4, ROUNDS = 20000, SLOTS = 64 };

static void *kept[KEPT];

__attribute__((noinline)) static void *first_site(size_t bytes)
{
    void *block = malloc(bytes);
    __asm__ volatile("");
    return block;
}

__attribute__((noinline)) static void *second_site(size_t bytes)
{
    void *block = malloc(bytes);
    __asm__ volatile("");
    return block;
}

/* Up to 100000 bytes at the first site, 50000 of them exchanged for 60000 at the second one: the
 * peak is 110000. Then down, and a second, lower hill. */
static void peak(void)
{
    for (int i = 0; i < 100; i++) {
        kept[i] = first_site(1000);
    }
    for (int i = 0; i < 50; i++) {
        free(kept[i]);
    }
    for (int i = 100; i < 160; i++) {
        kept[i] = second_site(1000);
    }
    for (int i = 50; i < 160; i++) {
        free(kept[i]);
    }
    for (int i = 0; i < 50; i++) {
        kept[i] = first_site(1000);
    }
}

static void temporary(void)
{
    for (int i = 0; i < 300; i++) {
        free(first_site(10)); /* freed before the next one */
    }
    for (int i = 0; i < 100; i++) {
        void *block = first_site(10);
        void *next = second_site(10);
        free(block);
        free(next);
    }
}

static void sizes(void)
{
    for (int i = 0; i < 100; i++) {
        free(first_site(64)); /* all equal: no histogram is needed */
    }
    for (size_t i = 0; i < 1000; i++) {
        free(second_site(i * i));
    }
    free(second_site((size_t)5 << 30)); /* more than 32 bits hold */
}

static void *slots[SLOTS];

/* Takes a block out of a slot, whoever made it, and puts another one in. */
static void *exchange(void *seed)
{
    unsigned state = (unsigned)(uintptr_t)seed;
    for (int i = 0; i < ROUNDS; i++) {
        state = state * 1103515245u + 12345u;
        size_t bytes = (state >> 16) % 200 + 1;
        void *block = malloc(bytes);
        block = i % 3 ? block : realloc(block, bytes * 2);
        memset(block, 1, bytes);
        free(__atomic_exchange_n(&slots[(state >> 8) % SLOTS], block, __ATOMIC_ACQ_REL));
    }
    return NULL;
}

static void hands(void)
{
    pthread_t thread[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, exchange, (void *)(i + 1));
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < SLOTS; i++) {
        free(slots[i]);
    }
}

static const struct situation {
    const char *name;
    void (*run)(void);
} situations[] = {
    {"peak", peak},
    {"temporary", temporary},
    {"sizes", sizes},
    {"hands", hands},
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
