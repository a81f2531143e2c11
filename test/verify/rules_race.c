/*
 * rules_race.c -- threads look rules up, fill and forget them at once; for ThreadSanitizer.
 *
 * Also checks what a race could break: every rule found is the one that the data gives, however
 * often the cache is emptied meanwhile; and once all is quiet, no word of an old epoch is left.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/hot/unwind_rules.h"

#define THREADS   4
#define ADDRESSES 512
#define ROUNDS    100

static uintptr_t code;
static uint64_t expected[ADDRESSES];
static _Atomic int wrong;

static void *look_up(void *unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t epoch = rt_rules_epoch();
        for (unsigned i = 0; i < ADDRESSES; i++) {
            wrong += rt_rule_find(code + i, epoch) != expected[i];
        }
    }
    return NULL;
}

static void *forget(void *unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS / 8; round++) {
        rt_rules_forget();
    }
    return NULL;
}

static int stale_words(void)
{
    int stale = 0;
    for (unsigned i = 0; i < RT_RULE_LINES * RT_RULE_WAYS; i++) {
        uint64_t word = rt_rule_cache[i];
        stale += word != 0 && (word >> RT_RULE_EPOCH_SHIFT & 3) != (rt_rules_epoch() & 3);
    }
    return stale;
}

int main(void)
{
    code = (uintptr_t)rt_cfi_row_find;
    for (unsigned i = 0; i < ADDRESSES; i++) {
        expected[i] = rt_rule_fill(code + i, rt_rules_epoch());
    }
    pthread_t thread[THREADS + 1];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, look_up, NULL);
    }
    pthread_create(&thread[THREADS], NULL, forget, NULL);
    for (int i = 0; i <= THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    printf("wrong rules %d, stale words %d\n", wrong, stale_words());
    return wrong != 0 || stale_words() != 0;
}
