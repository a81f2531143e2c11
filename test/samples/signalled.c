/*
 * signalled.c SITUATION -- a program whose recorder was told to take SIGUSR2 for stopping and going
 * on, and SIGUSR1 for snapshots. It sends them itself: what is allocated by kept() is recorded,
 * what is by passed() is not.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t step;
static void *volatile last;

static __attribute__((noinline)) void kept(int count)
{
    for (int i = 0; i < count; i++) {
        last = malloc(10);
    }
    __asm__ volatile("");
}

static __attribute__((noinline)) void passed(int count)
{
    for (int i = 0; i < count; i++) {
        last = malloc(10);
    }
    __asm__ volatile("");
}

/* To the process, as from a shell. */
static void toggle(void)
{
    kill(getpid(), SIGUSR2);
}

static void *in_thread(void *unused)
{
    kept(10);
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);
    passed(20);
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);
    kept(30);
    return unused;
}

static void threads(void)
{
    pthread_t thread;
    pthread_barrier_init(&step, NULL, 2);
    pthread_create(&thread, NULL, in_thread, NULL);
    kept(1);
    pthread_barrier_wait(&step);
    toggle();
    passed(2);
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);
    toggle();
    kept(3);
    pthread_barrier_wait(&step);
    pthread_join(thread, NULL);
}

static void children(void)
{
    int status;
    if (fork() == 0) { /* one stops for itself */
        kept(10);
        toggle();
        passed(20);
        _exit(0);
    }
    wait(&status);
    kept(5);
    toggle();
    if (fork() == 0) { /* one is made while its parent stands, and goes on by itself */
        passed(20);
        toggle();
        kept(40);
        _exit(0);
    }
    wait(&status);
    passed(7);
    toggle();
    kept(6);
}

/* The number is the program's if it waits for it. */
static void waits(void)
{
    sigset_t set;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    toggle();
    kept(10);
    sigwait(&set, &number);
    printf("waited for: %d\n", number);
}

static volatile sig_atomic_t children_ended;

static void on_child(int number)
{
    (void)number;
    children_ended++;
}

/* What a snapshot by signal leaves behind: nothing. */
static void snapshot(void)
{
    int status;
    signal(SIGCHLD, on_child);
    kept(10);
    errno = 4711;
    raise(SIGUSR1);
    printf("errno: %d\n", errno);
    errno = 0;
    int found = waitpid(-1, &status, WNOHANG);
    printf("children: %d %s\n", found, strerror(errno));
    int next = open("/dev/null", O_RDONLY);
    printf("descriptor: %d\nended: %d\n", next, (int)children_ended);
}

static const struct situation {
    const char *name;
    void (*happen)(void);
} situations[] = {
    {"threads", threads},
    {"children", children},
    {"waits", waits},
    {"snapshot", snapshot},
};

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof situations / sizeof situations[0]; i++) {
        if (count > 1 && strcmp(situations[i].name, arguments[1]) == 0) {
            situations[i].happen();
        }
    }
    return 0;
}
