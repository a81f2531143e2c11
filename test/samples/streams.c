/*
 * streams.c SECONDS -- allocates for so long, from three places in turn, and looks for children.
 *
 * Exit status 0 if waitpid(-1) never found one and no SIGCHLD came; the output says how much each
 * place allocated.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static unsigned long bytes[3];

static void on_child(int number)
{
    (void)number;
    signals++;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline)) static void *first_place(size_t size)
{
    bytes[0] += size;
    return malloc(size);
}

__attribute__((noinline)) static void *second_place(size_t size)
{
    bytes[1] += size;
    return malloc(size);
}

__attribute__((noinline)) static void *third_place(size_t size)
{
    bytes[2] += size;
    return malloc(size);
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : 1, start = now();
    struct timespec pause = {.tv_nsec = 2000000};
    int children = 0;
    signal(SIGCHLD, on_child);
    for (unsigned i = 0; now() - start < seconds; i++) {
        free(first_place(10 + i % 100));
        if (now() - start > seconds / 3) {
            free(second_place(1000));
        }
        if (now() - start > seconds / 3 * 2) {
            free(third_place(50));
        }
        children += waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
        nanosleep(&pause, NULL);
    }
    char line[200];
    int length = snprintf(line, sizeof line, "first_place=%lu second_place=%lu third_place=%lu\n",
                          bytes[0], bytes[1], bytes[2]);
    return write(1, line, (size_t)length) == length && children == 0 && signals == 0 ? 0 : 1;
}
