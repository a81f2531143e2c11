/*
 * hands_over.c -- a thread frees and grows blocks; before free() and realloc() have come back to
 * it, another thread gets the same place and keeps it until the first one frees it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test/samples/hand_over_malloc.h"

enum { ROUNDS = 10, BYTES = 100 };
enum { NOTHING, WANTED, TAKEN, ENOUGH };

static atomic_int turn;
static void *volatile others;

static __attribute__((noinline)) void take_over(void)
{
    others = malloc(BYTES);
    __asm__ volatile("");
}

static void *other(void *unused)
{
    while (turn != ENOUGH) {
        if (turn == WANTED) {
            take_over();
            turn = TAKEN;
        }
    }
    return unused;
}

static void hand_over(void)
{
    after_release = NULL;
    turn = WANTED;
    while (turn != TAKEN) {
    }
}

static __attribute__((noinline)) void *first_owner(void)
{
    void *block = malloc(BYTES);
    __asm__ volatile("");
    return block;
}

static __attribute__((noinline)) void *grow(void *block)
{
    void *grown = realloc(block, BYTES + 20);
    __asm__ volatile("");
    return grown;
}

int main(void)
{
    static const char done[] = "all places were handed over\n";
    pthread_t thread;
    int same = 0;
    pthread_create(&thread, NULL, other, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        void *block = first_owner();
        after_release = hand_over;
        void *grown = grow(block);
        same += others == block;
        free(grown);
        free(others);
        block = first_owner();
        after_release = hand_over;
        free(block);
        same += others == block;
        free(others);
    }
    turn = ENOUGH;
    pthread_join(thread, NULL);
    if (same == 2 * ROUNDS) {
        write(1, done, sizeof done - 1);
    }
    return 0;
}
