/*
 * forks_while_others_allocate.c COUNT -- a thread forks COUNT children while two others allocate;
 * each child allocates and ends. Every child must end, whatever lock was held when it was made.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;

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

static void *fork_many(void *count)
{
    long good = 0;
    for (long i = 0; i < (long)count; i++) {
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
    for (int i = 0; i < 2; i++) {
        pthread_create(&allocating[i], NULL, allocate, NULL);
    }
    pthread_create(&forking, NULL, fork_many, (void *)(count > 1 ? atol(arguments[1]) : 10));
    pthread_join(forking, NULL);
    stop = 1;
    for (int i = 0; i < 2; i++) {
        pthread_join(allocating[i], NULL);
    }
    return 0;
}
