/*
 * daemon.c FILE -- forks twice, leaves its session and its descriptors, allocates 50 blocks in the
 * daemon, waits until the first process is gone, has a worker, without root's rights where it has
 * them, allocate 7, and creates FILE as its last act.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

/* Its first block while it may still make a file. */
static void work(void)
{
    kept = malloc(10);
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0) {
        _exit(1);
    }
    for (int i = 1; i < 7; i++) {
        kept = malloc(10);
    }
    _exit(0);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        return 2;
    }
    kept = malloc(10);
    int status;
    pid_t first = getpid();
    pid_t pid = fork();
    if (pid > 0) {
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
    while (kill(first, 0) == 0) {
        usleep(1000);
    }
    pid = fork();
    if (pid == 0) {
        work();
    }
    waitpid(pid, &status, 0);
    close(open(arguments[1], O_CREAT | O_WRONLY, 0600));
    exit(0);
}
