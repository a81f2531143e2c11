/*
 * A root that forks: the child goes on inside of it, and leaves it as its parent does.
 */
#include <thag_profiler.h>

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

__attribute__((noinline)) void work(void)
{
    THAG_PROFILED;
    kept = malloc(10);
}

__attribute__((noinline)) void root(void)
{
    THAG_ENABLE_PROFILING;
    work();
    pid_t child = fork();
    if (child == 0) {
        work();
        work();
    } else {
        waitpid(child, NULL, 0);
    }
}

int main(void)
{
    work();
    root();
    work();
    return 0;
}
