/*
 * threads.c SITUATION -- threads with small stacks, many at once, many one after another, with
 * names, with destructors that allocate, cancelled; that begin and end by asking for their stacks.
 */
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 50, ALIVE = 2000, MANY = 5000, BLOCKS = 10, ROUNDS = 4, SMALL_BYTES = 24 };

static pthread_barrier_t together;
static pthread_key_t key;
static atomic_int destroyed;
static void *left_behind[SMALL];

static void *blocks(void *unused)
{
    void *kept[BLOCKS];
    (void)unused;
    for (int i = 0; i < BLOCKS; i++) {
        kept[i] = malloc(100);
    }
    for (int i = 0; i < BLOCKS; i++) {
        free(kept[i]);
    }
    return NULL;
}

static void *blocks_together(void *unused)
{
    void *kept = malloc(1000);
    pthread_barrier_wait(&together);
    free(kept);
    return unused;
}

static pthread_t start(void *(*function)(void *), void *argument, size_t stack_bytes)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    int error = pthread_create(&thread, &attributes, function, argument);
    pthread_attr_destroy(&attributes);
    if (error) {
        printf("pthread_create: %s\n", strerror(error));
        exit(1);
    }
    return thread;
}

static void small(void)
{
    pthread_t thread[SMALL];
    for (int i = 0; i < SMALL; i++) {
        thread[i] = start(blocks, NULL, 16384);
    }
    for (int i = 0; i < SMALL; i++) {
        pthread_join(thread[i], NULL);
    }
}

static void alive(void)
{
    static pthread_t thread[ALIVE];
    pthread_barrier_init(&together, NULL, ALIVE);
    for (int i = 0; i < ALIVE; i++) {
        thread[i] = start(blocks_together, NULL, 16384);
    }
    for (int i = 0; i < ALIVE; i++) {
        pthread_join(thread[i], NULL);
    }
}

static long address_space_kib(void)
{
    long pages = 0;
    char text[64] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    if (fgets(text, sizeof text, file)) {
        pages = atol(text);
    }
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void *named(void *number)
{
    char name[16];
    snprintf(name, sizeof name, "worker %ld", (long)number);
    pthread_setname_np(pthread_self(), name);
    return blocks(NULL);
}

static void one_after_another(void *(*function)(void *))
{
    long before = 0;
    for (long i = 0; i < MANY; i++) {
        pthread_join(start(function, (void *)i, 65536), NULL);
        if (i == MANY / 10) {
            before = address_space_kib();
        }
    }
    long grown = address_space_kib() - before;
    if (grown > 32 * 1024) {
        printf("the address space grew by %ld KiB\n", grown);
    }
}

static void many(void)
{
    one_after_another(blocks);
}

static void many_named(void)
{
    one_after_another(named);
}

/* Comes again in each of the rounds that libpthread makes. */
static void destroy(void *value)
{
    long round = (long)value;
    free(malloc(200));
    if (round == ROUNDS) {
        left_behind[atomic_load(&destroyed)] = malloc(SMALL_BYTES);
    }
    if (round < ROUNDS) {
        pthread_setspecific(key, (void *)(round + 1));
    } else {
        atomic_fetch_add(&destroyed, 1);
    }
}

static void *with_value(void *unused)
{
    pthread_setspecific(key, (void *)1L);
    return blocks(unused);
}

static void destructors(void)
{
    pthread_key_create(&key, destroy);
    for (int i = 0; i < SMALL; i++) {
        pthread_join(start(with_value, NULL, 16384), NULL);
    }
    printf("destroyed: %d\n", destroyed);
}

/* A cancellation waits for the thread from its start: it may only act at the thread's own point. */
static void *cancelled_later(void *reached)
{
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    blocks(NULL);
    atomic_fetch_add((atomic_int *)reached, 1);
    pthread_testcancel();
    return NULL;
}

static void *cancelled_at_once(void *unused)
{
    blocks(unused);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_barrier_wait(&together);
    for (;;) {
    }
    return NULL;
}

static void cancellation(void)
{
    static atomic_int reached;
    int cancelled = 0;
    void *result;
    pthread_barrier_init(&together, NULL, 2);
    for (int i = 0; i < SMALL; i++) {
        pthread_t thread = start(cancelled_later, &reached, 65536);
        pthread_barrier_wait(&together);
        pthread_cancel(thread);
        pthread_barrier_wait(&together);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
        thread = start(cancelled_at_once, NULL, 65536);
        pthread_barrier_wait(&together);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
    }
    printf("reached %d, cancelled %d\n", reached, cancelled);
}

static int (*asked)(pthread_t, pthread_attr_t *) = pthread_getattr_np;

/* libc allocates for its answer, under the thread's lock. */
static void ask_for_stack(void)
{
    static atomic_int answered;
    pthread_attr_t attributes;
    char *low;
    size_t bytes;
    if (asked(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, (void **)&low, &bytes);
        pthread_attr_destroy(&attributes);
        if ((uintptr_t)&bytes - (uintptr_t)low < bytes) {
            atomic_fetch_add(&answered, 1);
        }
    }
    atomic_store(&destroyed, answered);
}

static void asks_again(void *round)
{
    ask_for_stack();
    if ((long)round < ROUNDS) {
        pthread_setspecific(key, (char *)round + 1);
    }
}

static void *asks(void *unused)
{
    ask_for_stack();
    pthread_setspecific(key, (void *)1L);
    return blocks(unused);
}

static void asking(void)
{
    pthread_key_create(&key, asks_again);
    for (int i = 0; i < SMALL; i++) {
        pthread_join(start(asks, NULL, 16384), NULL);
    }
    printf("answered: %d\n", destroyed);
}

/* As plug-ins with RTLD_DEEPBIND do: nobody's wrapper is on the way. */
static void asking_libc(void)
{
    void *libc = dlopen(LIBC_SO, RTLD_NOW | RTLD_NOLOAD);
    asked = (int (*)(pthread_t, pthread_attr_t *))dlsym(libc, "pthread_getattr_np");
    asking();
}

static const struct situation {
    const char *name;
    void (*run)(void);
} situations[] = {
    {"small", small},
    {"alive", alive},
    {"many", many},
    {"many-named", many_named},
    {"destructors", destructors},
    {"cancellation", cancellation},
    {"asking", asking},
    {"asking-libc", asking_libc},
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
