/*
 * goes_on_after_the_end.c DOOR GO GONE -- the process leaves by DOOR; another thread waits for the
 * file GO, which appears after the end of the recording, allocates, and makes the file GONE.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 100, POLL_US = 1000 };

static pthread_barrier_t running;
static void *kept[2 * BLOCKS];

static void allocate(int from)
{
    for (int i = from; i < from + BLOCKS; i++) {
        kept[i] = malloc(100);
    }
}

static void *go_on(void *arguments)
{
    char **path = arguments;
    allocate(0);
    pthread_barrier_wait(&running);
    while (access(path[2], F_OK) != 0) {
        usleep(POLL_US);
    }
    allocate(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
        free(kept[i]);
    }
    close(open(path[3], O_WRONLY | O_CREAT, 0600));
    for (;;) {
        pause();
    }
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t thread;
    if (count < 4) {
        return 2;
    }
    pthread_barrier_init(&running, NULL, 2);
    pthread_create(&thread, NULL, go_on, arguments);
    pthread_barrier_wait(&running);
    if (strcmp(arguments[1], "_exit") == 0) {
        _exit(5);
    } else if (strcmp(arguments[1], "quick_exit") == 0) {
        quick_exit(5);
    }
    exit(5);
}
