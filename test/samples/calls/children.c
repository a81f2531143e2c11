/*
 * vfork() children record into their parent up to exec or _exit; the parent goes on as before.
 *
 * expect main 1
 * expect main;spawn 6
 * expect main;spawn;in_child 6
 * expect main;spawn;in_child;helper 6
 * expect main;spawn;helper 6
 * expect main;helper 1
 */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) void helper(void)
{
    sink++;
}

__attribute__((noinline)) void in_child(int with_exec)
{
    static char *arguments[] = {"true", 0};
    static char *none[] = {0};
    helper();
    if (with_exec) {
        execve("/bin/true", arguments, none);
    }
    _exit(0);
}

__attribute__((noinline)) void spawn(int with_exec)
{
    pid_t child = vfork();
    if (child == 0) {
        in_child(with_exec);
    }
    helper();
    waitpid(child, 0, 0);
    sink++;
}

int main(void)
{
    for (int i = 0; i < 6; i++) {
        spawn(i & 1);
    }
    helper();
    return 0;
}
