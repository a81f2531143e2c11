/*
 * forks_while_others_allocate.c COUNT [new-stacks] -- a thread forks COUNT children while two
 * others allocate; each child allocates and ends. Every child must end, whatever lock was held when
 * it was made. With new-stacks the others do what needs locks: they come from new stacks, as
 * threads that have just begun.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORK_THREADS = 12 };

static volatile int stop;
static int with_threads;
static atomic_int wanted;

static __attribute__((noinline)) void deep(int depth)
{
    void *block = malloc((size_t)depth + 1);
    if (depth > 0) {
        deep(depth - 1);
    }
    free(block);
}

static void *allocate(void *unused)
{
    (void)unused;
    for (int i = 0; !stop; i++) {
        deep(i % 64);
    }
    return NULL;
}

/* Another stack for each PATH: its bits choose among two calls. */
static __attribute__((noinline)) void along(int depth, unsigned path)
{
    if (depth == 0) {
        free(malloc(path % 2000));
    } else if (path & 1) {
        along(depth - 1, path >> 1);
    } else {
        along(depth - 1, path >> 1);
        __asm__ volatile("");
    }
    __asm__ volatile("");
}

static atomic_uint next_path;

static void *along_new_stacks(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        along(24, atomic_fetch_add(&next_path, 1));
    }
    return NULL;
}

/* So many for each fork: else the recordings would have little else. */
static void *make_threads(void *unused)
{
    (void)unused;
    while (!stop) {
        pthread_t thread;
        if (atomic_fetch_sub(&wanted, 1) > 0) {
            pthread_create(&thread, NULL, along_new_stacks, NULL);
            pthread_join(thread, NULL);
        } else {
            sched_yield();
        }
    }
    return NULL;
}

static void *fork_many(void *count)
{
    long good = 0;
    for (long i = 0; i < (long)count; i++) {
        atomic_store(&wanted, FORK_THREADS);
        while (with_threads && atomic_load(&wanted) > i % FORK_THREADS) {
            sched_yield();
        }
        pid_t pid = fork();
        if (pid == 0) {
            deep(70);
            _exit(7);
        }
        int status;
        good += waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7;
    }
    printf("%ld children ended well\n", good);
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t allocating[2], forking;
    with_threads = count > 2;
    for (int i = 0; i < 2; i++) {
        pthread_create(&allocating[i], NULL, with_threads ? make_threads : allocate, NULL);
    }
    pthread_create(&forking, NULL, fork_many, (void *)(count > 1 ? atol(arguments[1]) : 10));
    pthread_join(forking, NULL);
    stop = 1;
    for (int i = 0; i < 2; i++) {
        pthread_join(allocating[i], NULL);
    }
    return 0;
}
