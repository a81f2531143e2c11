/*
 * exit_while_others_allocate.c DOOR -- four threads allocate and free without end; a fifth leaves.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4 };

static pthread_barrier_t running;

static void *allocate(void *unused)
{
    (void)unused;
    for (unsigned i = 0;; i++) {
        free(malloc(i % 1000));
        if (i == 1000) {
            pthread_barrier_wait(&running);
        }
    }
    return NULL;
}

static void *leave(void *door)
{
    pthread_barrier_wait(&running);
    if (strcmp(door, "exit") == 0) {
        exit(5);
    } else if (strcmp(door, "_exit") == 0) {
        _exit(5);
    } else if (strcmp(door, "quick_exit") == 0) {
        quick_exit(5);
    } else if (strcmp(door, "kill") == 0) {
        kill(getpid(), SIGKILL);
    }
    abort();
}

int main(int count, char **arguments)
{
    pthread_t thread;
    pthread_barrier_init(&running, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread, NULL, allocate, NULL);
    }
    pthread_create(&thread, NULL, leave, count > 1 ? arguments[1] : arguments[0]);
    pthread_join(thread, NULL);
    return 1;
}
