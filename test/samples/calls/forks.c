/*
 * A forked child has a recording of its own: exits of functions that its parent entered are none of
 * its business.
 *
 * recordings 2
 * check forks
 */
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) void helper(void)
{
    sink++;
}

__attribute__((noinline)) pid_t split(void)
{
    pid_t child = fork();
    helper();
    sink++;
    return child;
}

__attribute__((noinline)) void only_child(void)
{
    helper();
    sink++;
}

int main(void)
{
    helper();
    pid_t child = split();
    if (child == 0) {
        only_child();
        return 0;
    }
    waitpid(child, 0, 0);
    return 0;
}
