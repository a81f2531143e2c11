/*
 * situations.c -- what makes it hard to be sampled. Each situation prints the CPU time that its
 * threads took, in ns, where that is to be compared; else what the program saw of itself.
 *
 * Usage: situations SITUATION [NUMBER]
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static uint64_t total_ns;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Until the calling thread has used NS more of its CPU time. */
__attribute__((noinline)) static void burn(uint64_t ns)
{
    uint64_t until_ns = cpu_ns() + ns;
    while (cpu_ns() < until_ns) {
        for (int i = 0; i < 1000; i++) {
            sink++;
        }
    }
}

static void *young(void *argument)
{
    burn((uint64_t)(uintptr_t)argument);
    __atomic_fetch_add(&total_ns, cpu_ns(), __ATOMIC_RELAXED);
    return NULL;
}

/* Threads that end long before the scheduler's next tick. */
static void young_threads(int count)
{
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, young, (void *)(uintptr_t)300000);
        pthread_join(thread, NULL);
    }
    printf("%" PRIu64 "\n", total_ns);
}

static int standard(void *argument)
{
    burn((uint64_t)(uintptr_t)argument);
    return 7;
}

static void standard_threads(int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        thrd_t thread;
        int result = 0;
        thrd_create(&thread, standard, (void *)(uintptr_t)20000000);
        thrd_join(thread, &result);
        sum += result;
    }
    printf("%d\n", sum);
}

/* Half of its time it lets no signal through; then it does, and what has been is none of the rest;
 * and again, up to its end. */
static void *deaf(void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    burn((uint64_t)(uintptr_t)argument / 2);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    return young((void *)((uintptr_t)argument / 2));
}

/* One thread lets no signal through, another does. */
static void blocked(int milliseconds)
{
    pthread_t thread;
    pthread_create(&thread, NULL, deaf, (void *)((uintptr_t)milliseconds * 1000000));
    burn((uint64_t)milliseconds * 1000000);
    pthread_join(thread, NULL);
    printf("%" PRIu64 "\n", total_ns);
}

static volatile sig_atomic_t ticks;

static void on_tick(int number)
{
    (void)number;
    ticks++;
}

/* The program has a profiler of its own. */
static void own_profiler(int milliseconds)
{
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART}, found;
    struct itimerval timer = {{0, 10000}, {0, 10000}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
    burn((uint64_t)milliseconds * 1000000);
    for (int i = 0; i < 100 && ticks == 0; i++) { /* the kernel may look at such timers seldom */
        burn(100000000);
    }
    sigaction(SIGPROF, NULL, &found);
    printf("%" PRIu64 " %s %s\n", cpu_ns(), ticks > 0 ? "ticks" : "silence",
           found.sa_handler == on_tick ? "own" : "?");
}

/* A child that meets no hook of anybody's, and children that exec at once. */
static void forks(int milliseconds)
{
    fflush(stdout);
    pid_t worker = fork();
    if (worker == 0) {
        burn((uint64_t)milliseconds * 1000000);
        _exit(0);
    }
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            char name[] = "true", *const arguments[] = {name, NULL};
            char *const nothing[] = {NULL};
            execve("/bin/true", arguments, nothing);
            _exit(1);
        }
        int status;
        waitpid(child, &status, 0);
        if (status != 0) {
            printf("child ended with %d\n", status);
        }
    }
    int status;
    waitpid(worker, &status, 0);
    printf("%d %d\n", (int)worker, status);
}

/* Execs itself again and again, while signals rain. */
static void execs(int left)
{
    char number[16];
    burn(300000);
    if (left == 0) {
        puts("done");
        return;
    }
    snprintf(number, sizeof number, "%d", left - 1);
    execl("/proc/self/exe", "situations", "execs", number, NULL);
}

static void *burner(void *argument)
{
    for (;;) {
        burn((uint64_t)(uintptr_t)argument);
    }
    return NULL;
}

/* The same with threads that take signals too. */
static void threads_exec(int left)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, NULL, burner, (void *)(uintptr_t)100000);
    }
    burn(300000);
    if (left == 0) {
        puts("done");
        return;
    }
    char number[16];
    snprintf(number, sizeof number, "%d", left - 1);
    execl("/proc/self/exe", "situations", "threads-exec", number, NULL);
}

/* An exec that fails: nothing is lost. */
static void failed_exec(int milliseconds)
{
    char name[] = "nothing", *const arguments[] = {name, NULL};
    burn((uint64_t)milliseconds * 500000);
    execv("/nothing/there", arguments);
    printf("%s\n", strerror(errno));
    burn((uint64_t)milliseconds * 500000);
}

/* The same in a child that has met no hook before: it goes on, and meets one. */
static void failed_exec_of_child(int milliseconds)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char name[] = "nothing", *const arguments[] = {name, NULL};
        execv("/nothing/there", arguments);
        free(malloc(100));
        burn((uint64_t)milliseconds * 1000000);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("%d %d\n", (int)child, status);
}

/* A child that gives all signals their default action, as browsers do for their sandboxes, and goes
 * on: by libc, by a system call, and before its first hook or long after the fork. */
static void child_resets(bool by_call, bool burns_first, int milliseconds)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 1; i < NSIG; i++) {
            if (by_call) {
                static const uint64_t defaults[4];
                syscall(SYS_rt_sigaction, i, defaults, NULL, 8);
            } else {
                signal(i, SIG_DFL);
            }
        }
        burn(burns_first ? (uint64_t)milliseconds * 1000000 : 0);
        free(malloc(100));
        burn((uint64_t)milliseconds * 1000000);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("%d ", status);
}

static void resets_actions(int milliseconds)
{
    child_resets(false, false, milliseconds);
    child_resets(false, true, milliseconds);
    child_resets(true, false, milliseconds);
    puts("");
}

static void *small_stack(void *argument)
{
    burn((uint64_t)(uintptr_t)argument);
    return NULL;
}

static void small_stacks(int count)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, small_stack, (void *)(uintptr_t)20000000) != 0) {
            puts("no thread");
            return;
        }
        pthread_join(thread, NULL);
    }
    puts("done");
}

static volatile sig_atomic_t received[65];

static void on_signal(int number)
{
    received[number]++;
}

static const char *action_of(int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) {
        return "?";
    }
    return action.sa_handler == SIG_DFL     ? "default"
           : action.sa_handler == SIG_IGN   ? "ignored"
           : action.sa_handler == on_signal ? "own"
                                            : "strange";
}

/* The program wants one number, which may be the sampler's. */
static void one_number(int number)
{
    burn(20000000);
    printf("%s\n", action_of(number));
    signal(number, on_signal);
    printf("%s\n", action_of(number));
    raise(number);
    kill(getpid(), number);
    burn(100000000);
    printf("%d\n", (int)received[number]);
}

/* It wants them all, as shells and language runtimes do. */
static void all_numbers(int ignored)
{
    (void)ignored;
    int sum = 0, strange = 0;
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        struct sigaction action = {.sa_handler = on_signal}, before;
        sigaction(number, &action, &before);
        strange += before.sa_handler != SIG_DFL;
    }
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        raise(number);
        sum += received[number];
    }
    burn(50000000);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        sum += received[number];
    }
    printf("%d %d\n", sum, strange);
}

/* Nobody handles it: it ends the program, as it would without. */
static void ended_by(int number)
{
    burn(10000000);
    raise(number);
    puts("alive");
}

/* It is ignored, in a new image too. */
static void ignored_number(int number)
{
    char text[16];
    if (number < 0) {
        printf("%s\n", action_of(-number));
        return;
    }
    signal(number, SIG_IGN);
    raise(number);
    printf("%s\n", action_of(number));
    fflush(stdout);
    snprintf(text, sizeof text, "%d", -number);
    execl("/proc/self/exe", "situations", "ignored-number", text, NULL);
}

/* A thread that waits for one number that nobody handles. */
static void waits_for(int number)
{
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, NULL);
    burn(20000000);
    sigpending(&pending);
    printf("%d\n", sigismember(&pending, number));
    kill(getpid(), number);
    printf("%d\n", sigwaitinfo(&set, NULL));
}

static const struct {
    const char *name;
    void (*run)(int);
    int number;
} situations[] = {
    {"young", young_threads, 1000},
    {"standard", standard_threads, 10},
    {"blocked", blocked, 300},
    {"own-profiler", own_profiler, 300},
    {"forks", forks, 300},
    {"execs", execs, 100},
    {"threads-exec", threads_exec, 100},
    {"failed-exec", failed_exec, 300},
    {"failed-exec-of-child", failed_exec_of_child, 300},
    {"resets-actions", resets_actions, 50},
    {"small-stacks", small_stacks, 10},
    {"one-number", one_number, 63},
    {"all-numbers", all_numbers, 0},
    {"ended-by", ended_by, 63},
    {"ignored-number", ignored_number, 63},
    {"waits-for", waits_for, 63},
};

int main(int count, char **arguments)
{
    for (size_t i = 0; count > 1 && i < sizeof situations / sizeof situations[0]; i++) {
        if (strcmp(arguments[1], situations[i].name) == 0) {
            situations[i].run(count > 2 ? atoi(arguments[2]) : situations[i].number);
            return 0;
        }
    }
    fputs("which situation?\n", stderr);
    return 2;
}
