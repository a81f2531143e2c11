/*
 * storm.cc -- does at once what a sampler may trip over: allocates, throws, jumps out of frames and
 * of signal handlers, loads and unloads libraries, forks, switches stacks, starts threads, waits.
 * What it prints does not depend on when anything happens.
 *
 * Usage: storm MILLISECONDS PLUGIN
 */
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const char *plugin;
static uint64_t until_ms;

static uint64_t now_ms()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return uint64_t(now.tv_sec) * 1000 + uint64_t(now.tv_nsec) / 1000000;
}

static bool failed(const char *what)
{
    fprintf(stderr, "storm: %s went wrong\n", what);
    _exit(1);
}

static void allocates(unsigned seed)
{
    std::map<unsigned, std::string> map;
    for (unsigned i = 0; i < 200; i++)
        map[(i * 2654435761u + seed) % 101] += std::string(i % 37, 'x');
    size_t bytes = 0;
    for (const auto &entry : map)
        bytes += entry.second.size();
    if (map.size() > 101 || bytes == 0)
        failed("a map");
}

static unsigned throws(unsigned depth)
{
    std::vector<char> local(depth);
    if (depth == 0)
        throw std::runtime_error("thrown");
    return throws(depth - 1) + unsigned(local.size());
}

static void catches()
{
    try {
        throws(20);
    } catch (const std::exception &caught) {
        if (std::string(caught.what()) != "thrown")
            failed("an exception");
        return;
    }
    failed("an exception");
}

static void jumps_deep(jmp_buf &back, volatile unsigned &depth)
{
    volatile char room[100];
    room[0] = char(++depth);
    if (depth < 30)
        jumps_deep(back, depth);
    if (depth == 30)
        longjmp(back, room[0] == 30 ? 7 : 8);
}

static void jumps()
{
    jmp_buf back;
    volatile unsigned depth = 0;
    int value = setjmp(back);
    if (value == 0)
        jumps_deep(back, depth);
    if (value != 7 || depth != 30)
        failed("a jump");
}

static void loads()
{
    void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr || dlsym(library, "no such name") != nullptr)
        failed("a library");
    dlclose(library);
}

static void forks(bool execs)
{
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        if (execs)
            execl("/bin/true", "true", nullptr);
        void *memory = malloc(100);
        _exit(memory != nullptr ? 3 : 4);
    }
    if (child < 0 || waitpid(child, &status, 0) != child ||
        WEXITSTATUS(status) != (execs ? 0 : 3) || !WIFEXITED(status))
        failed("a child");
}

struct Fibre {
    ucontext_t main, own;
    unsigned turns;
};

static void fibre_body(unsigned low, unsigned high)
{
    auto *fibre = reinterpret_cast<Fibre *>(uintptr_t(high) << 32 | low);
    for (;;) {
        std::string text(fibre->turns % 50, 'y');
        fibre->turns += unsigned(text.size() < 50);
        swapcontext(&fibre->own, &fibre->main);
    }
}

static void switches()
{
    static const size_t bytes = 64 * 1024;
    Fibre fibre;
    void *stack = malloc(bytes);
    fibre.turns = 0;
    getcontext(&fibre.own);
    fibre.own.uc_stack.ss_sp = stack;
    fibre.own.uc_stack.ss_size = bytes;
    fibre.own.uc_link = &fibre.main;
    auto at = reinterpret_cast<uintptr_t>(&fibre);
    makecontext(&fibre.own, reinterpret_cast<void (*)()>(fibre_body), 2, unsigned(at),
                unsigned(at >> 32));
    for (unsigned i = 0; i < 50; i++)
        swapcontext(&fibre.main, &fibre.own);
    free(stack);
    if (fibre.turns != 50)
        failed("a fibre");
}

static void waits()
{
    timespec rest = {0, 300000};
    pollfd nothing = {-1, 0, 0};
    if (nanosleep(&rest, nullptr) != 0 || poll(&nothing, 1, 0) != 0)
        failed("a wait");
}

static void *thread_short(void *argument)
{
    allocates(unsigned(reinterpret_cast<uintptr_t>(argument)));
    return argument;
}

static void threads()
{
    pthread_t thread[4];
    void *result = nullptr;
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&thread[i], nullptr, thread_short, reinterpret_cast<void *>(i));
    for (uintptr_t i = 0; i < 4; i++) {
        pthread_join(thread[i], &result);
        if (result != reinterpret_cast<void *>(i))
            failed("a thread");
    }
}

static int other_one;

static void *storm(void *argument)
{
    bool first = argument != &other_one;
    for (unsigned round = 0; round == 0 || now_ms() < until_ms; round++) {
        allocates(round);
        catches();
        jumps();
        loads();
        switches();
        waits();
        threads();
        if (first && round % 8 == 0)
            forks(round % 16 == 0);
    }
    return nullptr;
}

static sigjmp_buf out;

static void on_alarm(int)
{
    siglongjmp(out, 1);
}

/* Out of whatever runs, in the middle of anything that may be left so. */
static void jumps_out()
{
    struct sigaction action = {};
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, nullptr);
    for (int i = 0; i < 20; i++) {
        itimerval timer = {{0, 0}, {0, 3000}};
        if (sigsetjmp(out, 1) == 0) {
            setitimer(ITIMER_REAL, &timer, nullptr);
            for (;;)
                poll(nullptr, 0, 1000);
        }
    }
}

int main(int count, char **arguments)
{
    if (count < 3)
        return 2;
    plugin = arguments[2];
    until_ms = now_ms() + strtoull(arguments[1], nullptr, 10);
    jumps_out();
    pthread_t other;
    pthread_create(&other, nullptr, storm, &other_one);
    storm(nullptr);
    pthread_join(other, nullptr);
    puts("calm");
    return 0;
}
