/*
 * stress.c SECONDS SEED [DIRECTORY] -- threads that allocate, exchange blocks, fork, load and
 * unload the plug-ins of DIRECTORY and end at random, under a timer's signals, until the time is
 * up. Prints its own ledger: allocations, bytes and frees of this program's code.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 256, WORKERS = 3, STEPS = 400, PLUGIN_BLOCKS = 100 };

static atomic_long allocations, bytes_asked, frees, ticks;
static void *slots[SLOTS];
static time_t end;
static const char *directory;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static unsigned next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void on_tick(int number)
{
    (void)number;
    atomic_fetch_add(&ticks, 1);
}

static void booked(void *block, size_t bytes, void *freed)
{
    if (block) {
        atomic_fetch_add(&allocations, 1);
        atomic_fetch_add(&bytes_asked, (long)bytes);
    }
    if (freed) {
        atomic_fetch_add(&frees, 1);
    }
}

static void *made(unsigned kind, size_t bytes, int depth)
{
    void *block = NULL;
    if (depth > 0) {
        block = made(kind, bytes, depth - 1);
        __asm__ volatile("" : "+r"(block));
        return block;
    }
    switch (kind % 4) {
    case 0:
        block = malloc(bytes);
        break;
    case 1:
        block = calloc(1, bytes);
        break;
    case 2:
        block = aligned_alloc(64, bytes);
        break;
    default:
        block = realloc(NULL, bytes);
    }
    booked(block, bytes, NULL);
    return block;
}

static void exchange(unsigned *state)
{
    size_t bytes = 64 * (next(state) % 40 + 1);
    void *block = made(next(state), bytes, (int)(next(state) % 30));
    if (next(state) % 4 == 0) {
        size_t more = bytes * (next(state) % 3 + 1);
        void *old = block;
        block = realloc(block, more);
        booked(block, more, old);
    }
    memset(block, 1, bytes);
    void *other = __atomic_exchange_n(&slots[next(state) % SLOTS], block, __ATOMIC_ACQ_REL);
    free(other);
    booked(NULL, 0, other);
}

static void make_child(unsigned *state)
{
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 50; i++) {
            exchange(state);
        }
        _exit(7);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) {
        printf("a child ended by %d\n", status);
    }
}

/* One at a time, so that a plug-in's place is given back while others allocate. */
static void use_plugin(unsigned *state)
{
    char path[4096];
    void *blocks[PLUGIN_BLOCKS] = {NULL};
    pthread_mutex_lock(&loading);
    snprintf(path, sizeof path, "%s/libplugin_%c.so", directory, 'a' + (int)(next(state) % 2));
    void *plugin = dlopen(path, RTLD_NOW);
    if (plugin) {
        ((void (*)(void **))dlsym(plugin, "plugin_run"))(blocks);
        dlclose(plugin);
    }
    pthread_mutex_unlock(&loading);
    for (int i = 0; i < PLUGIN_BLOCKS; i++) {
        free(blocks[i]);
    }
}

static void *live(void *seed)
{
    unsigned state = (unsigned)(uintptr_t)seed;
    for (int i = 0; i < STEPS; i++) {
        unsigned choice = next(&state) % 1000;
        if (choice < 3) {
            make_child(&state);
        } else if (choice < 6 && directory) {
            use_plugin(&state);
        } else {
            exchange(&state);
        }
    }
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t worker[WORKERS];
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    uintptr_t seed = count > 2 ? (uintptr_t)atol(arguments[2]) : 1;
    directory = count > 3 ? arguments[3] : NULL;
    end = time(NULL) + (count > 1 ? atol(arguments[1]) : 1);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    do {
        for (int i = 0; i < WORKERS; i++) {
            pthread_create(&worker[i], NULL, live, (void *)(seed += 7919));
        }
        for (int i = 0; i < WORKERS; i++) {
            pthread_join(worker[i], NULL);
        }
    } while (time(NULL) < end);
    setitimer(ITIMER_REAL, &never, NULL);
    for (int i = 0; i < SLOTS; i += 2) {
        booked(NULL, 0, slots[i]);
        free(slots[i]);
    }
    printf("%ld allocations, %ld bytes, %ld frees\n", (long)allocations, (long)bytes_asked,
           (long)frees);
    return 0;
}
