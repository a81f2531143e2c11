#include "runtime/os/os.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/os/probe.h"

Test(os, errno_is_never_touched)
{
    struct os_file_id id;
    uint32_t mode, owner;
    char buffer[8];
    int error;
    errno = 4711;
    cr_assert_eq(os_file_open("/nowhere/at/all", O_RDONLY, 0), -ENOENT);
    cr_assert_eq(os_file_close(-1), -EBADF);
    cr_assert_eq(os_file_read(-1, buffer, 1), -EBADF);
    cr_assert_eq(os_file_write(-1, buffer, 1), -EBADF);
    cr_assert_eq(os_file_truncate(-1, 1), -EBADF);
    cr_assert_eq(os_file_identify(-1, &id, NULL), -EBADF);
    cr_assert_eq(os_file_remove("/nowhere/at/all"), -ENOENT);
    cr_assert_eq(os_file_lstat("/nowhere/at/all", &mode, &owner), -ENOENT);
    cr_assert_eq(os_file_read_link("/nowhere/at/all", buffer, sizeof buffer), -ENOENT);
    cr_assert_eq(os_directory_make("/nowhere/at/all", 0777), -ENOENT);
    cr_assert_null(os_file_map(-1, 4096, &error));
    cr_assert_eq(error, -EBADF);
    cr_assert_null(os_memory_map(SIZE_MAX / 2));
    cr_assert_eq(errno, 4711);
}

Test(os, identities_are_those_that_libc_tells)
{
    struct os_file_id id;
    struct stat status;
    struct utsname ours, libcs;
    uint64_t bytes;
    char name[16];
    int fd = open("/proc/self/exe", O_RDONLY);
    cr_assert_eq(os_file_identify(fd, &id, &bytes), 0);
    fstat(fd, &status);
    cr_assert_eq(id.inode, status.st_ino);
    cr_assert_eq(bytes, status.st_size);
    cr_assert_eq(os_process_id(), getpid());
    cr_assert_eq(os_process_parent(), getppid());
    cr_assert_eq(os_process_user(), getuid());
    cr_assert_eq(os_thread_id(), gettid());
    cr_assert(os_host(&ours) == 0 && uname(&libcs) == 0);
    cr_assert_str_eq(ours.nodename, libcs.nodename);
    prctl(PR_SET_NAME, "unit-name");
    os_thread_name(name);
    cr_assert_eq(memcmp(name, "unit-name\0\0\0\0\0\0\0", 16), 0);
}

Test(os, memory_is_zero_and_can_be_given_back)
{
    char *memory = os_memory_map(8192);
    cr_assert(memory && memory[0] == 0 && memory[8191] == 0);
    memset(memory, 1, 8192);
    os_memory_discard(memory, 8192);
    cr_assert(memory[0] == 0 && memory[8191] == 0);
    memset(memory, 1, 8192);
    cr_assert_eq(os_memory_replace(memory, 8192), 0);
    cr_assert(memory[0] == 0 && memory[8191] == 0);
    os_memory_unmap(memory, 8192);
    char *reserved = os_memory_reserve((size_t)1 << 36);
    cr_assert_not_null(reserved);
    reserved[(size_t)1 << 35] = 1;
}

Test(os, a_page_can_be_wiped_in_forked_children)
{
    char *memory = os_memory_map(4096);
    int status;
    cr_assert_eq(os_memory_wipe_on_fork(memory, 4096), 0);
    memory[0] = 7;
    if (fork() == 0) {
        _exit(memory[0]);
    }
    wait(&status);
    cr_assert_eq(status, 0);
    cr_assert_eq(memory[0], 7);
}

Test(os, a_view_of_a_file_is_writable_where_it_was_committed)
{
    int error = 0;
    int fd = memfd_create("view", 0);
    cr_assert_eq(os_file_truncate(fd, 1 << 20), 0);
    char *view = os_file_map(fd, 1 << 20, &error);
    cr_assert_not_null(view);
    cr_assert_eq(os_file_commit(view + 4096, 8192), 0);
    memset(view + 4096, 5, 8192);
    char byte = 0;
    cr_assert(pread(fd, &byte, 1, 12287) == 1 && byte == 5);
    cr_assert_eq(os_file_allow(view + 65536, 4096), 0);
    view[65536] = 6;
    cr_assert(pread(fd, &byte, 1, 65536) == 1 && byte == 6);
    cr_assert_eq(os_file_truncate(fd, 1 << 19), 0);
    cr_assert_eq(os_file_commit(view + (1 << 19), 4096), -ENOSPC); /* no page can be had */
}

/* ---- writing ---- */

static void assert_no_signal_waits(void)
{
    sigset_t waiting;
    sigpending(&waiting);
    cr_assert_not(sigismember(&waiting, SIGPIPE));
    cr_assert_not(sigismember(&waiting, SIGXFSZ));
}

Test(os, a_broken_pipe_is_an_error_and_no_signal)
{
    int ends[2];
    sigset_t before, after;
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, NULL, &before);
    cr_assert_eq(os_file_write(ends[1], "x", 1), -EPIPE);
    assert_no_signal_waits();
    sigprocmask(SIG_SETMASK, NULL, &after);
    cr_assert_eq(memcmp(&before, &after, 8), 0);
}

Test(os, a_file_size_limit_is_an_error_and_no_signal)
{
    static char buffer[8192];
    struct rlimit limit = {5000, RLIM_INFINITY};
    int fd = memfd_create("limited", 0);
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_eq(os_file_write(fd, buffer, sizeof buffer), -EFBIG);
    assert_no_signal_waits();
}

Test(os, a_signal_of_the_programs_own_goes_on_waiting)
{
    int ends[2];
    sigset_t pipe_signal, waiting;
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe_signal, NULL);
    raise(SIGPIPE);
    cr_assert_eq(os_file_write(ends[1], "x", 1), -EPIPE);
    sigpending(&waiting);
    cr_assert(sigismember(&waiting, SIGPIPE));
    sigprocmask(SIG_SETMASK, NULL, &waiting);
    cr_assert(sigismember(&waiting, SIGPIPE));
}

static void do_nothing(int number)
{
    (void)number;
}

static void *read_slowly(void *fd)
{
    static char buffer[1 << 16];
    size_t sum = 0;
    ssize_t bytes;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL); /* the writer is to be interrupted, */
    usleep(50000);                          /* first of all before it has written anything */
    while ((bytes = read((int)(intptr_t)fd, buffer, 1 + sum % 5000)) > 0) {
        sum += (size_t)bytes;
    }
    return (void *)sum;
}

Test(os, short_writes_and_interruptions_are_gone_on_from)
{
    enum { BYTES = 3 << 20 };
    int ends[2];
    pthread_t reader;
    void *sum;
    size_t before = 0;
    struct sigaction action = {.sa_handler = do_nothing}; /* no SA_RESTART */
    struct itimerspec every = {{0, 100000}, {0, 100000}};
    timer_t timer;
    cr_assert_eq(pipe(ends), 0);
    char *buffer = calloc(1, BYTES);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (write(ends[1], buffer, 1) == 1) {
        before++;
    }
    fcntl(ends[1], F_SETFL, 0);
    pthread_create(&reader, NULL, read_slowly, (void *)(intptr_t)ends[0]);
    sigaction(SIGALRM, &action, NULL);
    timer_create(CLOCK_MONOTONIC, NULL, &timer);
    timer_settime(timer, 0, &every, NULL);
    cr_assert_eq(os_file_write(ends[1], buffer, BYTES), BYTES);
    timer_delete(timer);
    close(ends[1]);
    pthread_join(reader, &sum);
    cr_assert_eq((size_t)sum, before + BYTES);
    free(buffer);
}

Test(os, standard_error_is_written_only_while_it_is_the_same_file)
{
    struct os_file_id id;
    char text[16] = "";
    int first = memfd_create("first", 0), second = memfd_create("second", 0);
    dup2(first, 2);
    cr_assert_eq(os_file_identify(2, &id, NULL), 0);
    os_stderr_write(&id, "one", 3);
    dup2(second, 2);
    os_stderr_write(&id, "two", 3);
    cr_assert_eq(pread(first, text, sizeof text, 0), 3);
    cr_assert_str_eq(text, "one");
    cr_assert_eq(pread(second, text, sizeof text, 0), 0);
}

/* ---- frozen ---- */

Test(os, frozen_nothing_is_called_and_everything_refused)
{
    uint32_t pid = os_process_id();
    char name[16];
    os_freeze(true);
    cr_assert(os_is_frozen());
    cr_assert_null(os_memory_map(4096));
    cr_assert_eq(os_file_open("/", O_RDONLY, 0), -EPERM);
    cr_assert_eq(os_file_write(2, "x", 1), -EPERM);
    cr_assert_eq(os_limit(RLIMIT_FSIZE), UINT64_MAX);
    cr_assert_eq(os_process_id(), pid);
    cr_assert_neq(os_thread_id(), 0);
    os_thread_name(name);
    cr_assert_eq(name[0], 0);
    uint64_t before = os_clock_monotonic_ns();
    cr_assert_geq(os_clock_monotonic_ns(), before);
    cr_assert_gt(os_clock_realtime_ns(), UINT64_C(1600000000000000000));
}

/* Any system call but a write and the end of the process is its death. */
static void filter_set(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void call_everything(void)
{
    static char page[4096] __attribute__((aligned(4096)));
    static const char path[] = "/nowhere";
    struct os_file_id id;
    struct utsname host;
    const struct os_memory_part part = {page, sizeof page};
    char name[16], buffer[sizeof page];
    uint32_t number, owner;
    uint64_t signals;
    uintptr_t low, high;
    int error;
    filter_set();
    os_memory_map(4096), os_memory_reserve(4096), os_memory_unmap(page, 4096);
    os_memory_replace(page, 4096), os_memory_wipe_on_fork(page, 4096);
    os_memory_discard(page, 4096), os_memory_peek(&part, 1, buffer);
    os_file_map(0, 4096, &error), os_file_commit(page, 4096), os_file_allow(page, 4096);
    os_file_open(path, O_RDONLY, 0), os_file_close(99), os_file_read(0, page, 1);
    os_file_write(2, "x", 1), os_file_write_at(2, "x", 1, 0), os_file_truncate(99, 0);
    os_file_allocate(99, 1), os_file_identify(0, &id, NULL), os_file_system(0, &number);
    os_file_remove(path), os_file_read_link(path, page, 1), os_file_lstat(path, &number, &owner);
    os_file_no_copy_on_write(99), os_directory_make(path, 0), os_directory_current(page, 9);
    os_limit(RLIMIT_FSIZE), os_clock_monotonic_ns(), os_clock_realtime_ns();
    os_clock_thread_cpu_ns(), os_clock_tsc_is_allowed(), os_signal_stack(&low, &high);
    os_host(&host), os_process_id(), os_process_parent(), os_process_user(), os_thread_id();
    os_thread_name(name), os_thread_yield(), os_stderr_write(&id, "x", 1);
    os_signals_block(&signals), os_signals_restore(0), os_signals_pending();
    os_on_alternate_stack(), os_word_readable((uintptr_t)page);
    syscall(SYS_exit_group, 7); /* before a noreturn call a sanitizer has calls of its own */
}

Test(os, frozen_no_system_call_is_made)
{
    pid_t child = fork();
    if (child == 0) {
        os_freeze(false);
        call_everything();
    }
    int status = 0;
    waitpid(child, &status, 0);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x", (unsigned)status);
}

/* ---- hidden processes ---- */

static int seen;

static int run_hidden(void *argument)
{
    static const char *const paths[] = {"/nowhere/tool", "/bin/sh", NULL};
    static char *const environment[] = {NULL};
    char *const arguments[] = {(char *)"sh", (char *)"-c", argument, NULL};
    long pid = os_process_spawn(paths, arguments, environment);
    seen = pid > 0 ? os_process_wait(pid) : (int)pid;
    os_process_exit(0);
}

static volatile int children_ended;

static void count_child(int number)
{
    (void)number;
    children_ended++;
}

Test(os, a_hidden_process_starts_a_program_and_the_caller_sees_nothing)
{
    signal(SIGCHLD, count_child);
    void *stack = os_memory_map(65536);
    uint64_t signals;
    os_signals_block(&signals); /* as callers do: the helper shares our memory, handlers included */
    errno = 4711;
    cr_assert_eq(os_process_run_hidden(run_hidden, (void *)"exit 3", stack, 65536), 0);
    cr_assert_eq(errno, 4711);
    os_signals_restore(signals);
    cr_assert_eq(WEXITSTATUS(seen), 3);
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
    cr_assert_eq(errno, ECHILD);
    cr_assert_eq(children_ended, 0);
}

Test(os, a_program_that_is_not_there_is_an_error)
{
    static const char *const paths[] = {"/nowhere/tool", NULL};
    char *const list[] = {(char *)"tool", NULL};
    cr_assert_eq(os_process_spawn(paths, list, list), -ENOENT);
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
}

Test(os, signals_are_blocked_and_restored)
{
    sigset_t before, during, after;
    uint64_t old;
    sigprocmask(SIG_SETMASK, NULL, &before);
    os_signals_block(&old);
    sigprocmask(SIG_SETMASK, NULL, &during);
    os_signals_restore(old);
    sigprocmask(SIG_SETMASK, NULL, &after);
    cr_assert(sigismember(&during, SIGTERM) && sigismember(&during, SIGPROF));
    cr_assert_eq(memcmp(&before, &after, 8), 0);
}
