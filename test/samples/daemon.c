/*
 * daemon.c FILE -- forks twice, leaves its session and its descriptors, allocates 50 blocks in the
 * daemon, and creates FILE as its last act.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

int main(int count, char **arguments)
{
    if (count != 2) {
        return 2;
    }
    kept = malloc(10);
    pid_t pid = fork();
    if (pid > 0) {
        int status;
        waitpid(pid, &status, 0);
        return 0;
    }
    setsid();
    if (fork() > 0) {
        _exit(0);
    }
    umask(077);
    if (chdir("/") < 0) {
        _exit(1);
    }
    closefrom(0);
    open("/dev/null", O_RDWR);
    for (int i = 0; i < 50; i++) {
        kept = malloc(100);
    }
    close(open(arguments[1], O_CREAT | O_WRONLY, 0600));
    exit(0);
}
