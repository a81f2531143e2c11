/*
 * orphan.c FILE -- forks twice; once its parents are gone the last child becomes another image,
 * which allocates 50 blocks and creates FILE as its last act.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

static _Noreturn void work(const char *path)
{
    for (int i = 0; i < 50; i++) {
        kept = malloc(100);
    }
    close(open(path, O_CREAT | O_WRONLY, 0600));
    exit(0);
}

int main(int count, char **arguments)
{
    int status;
    if (count < 2) {
        return 2;
    }
    if (count > 2) {
        work(arguments[1]);
    }
    kept = malloc(10);
    pid_t pid = fork();
    if (pid > 0) {
        waitpid(pid, &status, 0);
        return 0;
    }
    pid_t parent = getpid();
    if (fork() > 0) {
        _exit(0);
    }
    closefrom(0);
    open("/dev/null", O_RDWR);
    while (getppid() == parent) {
        usleep(1000);
    }
    execl("/proc/self/exe", "orphan", arguments[1], "work", (char *)NULL);
    _exit(1);
}
