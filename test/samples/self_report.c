/*
 * self_report.c -- prints what a guest in this process could have changed: descriptors, threads,
 * children, signal masks and dispositions, limits, environment, errno, time zone. Once in main and
 * once at the very end.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void on_child(int number)
{
    (void)number;
    static const char text[] = "a SIGCHLD came\n";
    write(1, text, sizeof text - 1);
}

static void count_entries(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;
    while (readdir(directory)) {
        count++;
    }
    closedir(directory);
    printf("%s: %d entries\n", path, count);
}

static void descriptors(void)
{
    for (int fd = 0; fd < 1024; fd++) {
        struct stat status;
        if (fstat(fd, &status) == 0) {
            printf("fd %d: type %o flags %x\n", fd, status.st_mode & S_IFMT, fcntl(fd, F_GETFD));
        }
    }
    int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    printf("next descriptor: %d\n", next);
    close(next);
}

static void signals(void)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL) {
            printf("signal %d: %s flags %x\n", number,
                   action.sa_handler == SIG_IGN    ? "ignored"
                   : action.sa_handler == on_child ? "ours"
                                                   : "caught",
                   (unsigned)action.sa_flags);
        }
    }
    sigset_t set;
    sigprocmask(SIG_SETMASK, NULL, &set);
    for (int number = 1; number < NSIG; number++) {
        if (sigismember(&set, number) == 1) {
            printf("signal %d: blocked\n", number);
        }
    }
    stack_t stack;
    sigaltstack(NULL, &stack);
    printf("alternate stack: %x\n", (unsigned)stack.ss_flags);
}

static void errors(void)
{
    errno = 4711;
    void *a = malloc(100), *b = calloc(3, 100), *c = realloc(NULL, 10), *d = NULL;
    int kept = errno;
    int result = posix_memalign(&d, 64, 100);
    c = realloc(c, 1000000);
    printf("errno after allocations: %d %d %d\n", kept, errno, result);
    free(a), free(b), free(c), free(d), free(NULL);
    printf("errno after frees: %d\n", errno);
}

static void surroundings(void)
{
    struct rlimit limit;
    for (int i = 0; i < RLIM_NLIMITS; i++) {
        getrlimit((__rlimit_resource_t)i, &limit);
        printf("limit %d: %ld %ld\n", i, (long)limit.rlim_cur, (long)limit.rlim_max);
    }
    for (char **entry = environ; *entry; entry++) {
        if (strncmp(*entry, "LD_PRELOAD=", 11) != 0 && strncmp(*entry, "THAG_PROFILER=", 14) != 0) {
            puts(*entry);
        }
    }
    char line[64];
    time_t then = 1700000000;
    setenv("TZ", "XYZ-9", 1);
    strftime(line, sizeof line, "%F %T %Z", localtime(&then));
    mode_t mask = umask(022);
    umask(mask);
    printf("time: %s\nmask: %o\nnice: %d\n", line, mask, getpriority(PRIO_PROCESS, 0));
}

static void report(void)
{
    count_entries("/proc/self/task");
    count_entries("/proc/self/fd");
    descriptors();
    signals();
    errors();
    int status, found = waitpid(-1, &status, WNOHANG);
    printf("children: %d %s\n", found, found < 0 ? strerror(errno) : "");
    fflush(stdout);
}

int main(void)
{
    sigset_t usr1;
    signal(SIGCHLD, on_child);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    surroundings();
    report();
    atexit(report);
    return 3;
}
