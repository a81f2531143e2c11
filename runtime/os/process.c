/*
 * process.c -- helper processes that the profiled program cannot see.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/os/os.h"
#include "runtime/os/raw_syscall.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { SIGNAL_SET_BYTES = 8, SIGNAL_LAST = 64 };

/* The kernel's own struct sigaction: libc's rt_sigaction wrapper refuses its two private signals.
 */
struct kernel_sigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

void os_signals_block(uint64_t *ret_old)
{
    uint64_t all = ~UINT64_C(0);
    *ret_old = 0;
    if (os_is_frozen()) {
        return;
    }
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &all, ret_old, SIGNAL_SET_BYTES);
}

void os_signals_restore(uint64_t old)
{
    if (os_is_frozen()) {
        return;
    }
    RAW4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, SIGNAL_SET_BYTES);
}

bool os_on_alternate_stack(void)
{
    stack_t stack = {.ss_flags = SS_ONSTACK};
    return os_is_frozen() || RAW2(SYS_sigaltstack, NULL, &stack) < 0 || stack.ss_flags & SS_ONSTACK;
}

uint64_t os_signals_pending(void)
{
    uint64_t pending = 0;
    if (os_is_frozen()) {
        return 0;
    }
    RAW2(SYS_rt_sigpending, &pending, SIGNAL_SET_BYTES);
    return pending;
}

int os_process_run_hidden(int (*function)(void *), void *argument, void *stack, size_t bytes)
{
    /* libc's clone(): the switch of stacks needs assembly, and libc's is right on every machine.
     * Exit signal 0 makes the child invisible to waits without __WCLONE and silent at its end. */
    int saved = errno;
    int pid = clone(function, (char *)stack + bytes, CLONE_VM | CLONE_VFORK, argument);
    int error = errno;
    errno = saved;
    if (pid < 0) {
        return -error;
    }
    long result;
    do {
        result = RAW4(SYS_wait4, pid, NULL, __WCLONE, NULL);
    } while (result == -EINTR);
    return 0;
}

/* Descriptors and signals of the child, as a program expects to find them. */
static void child_settle(void)
{
    RAW3(SYS_close_range, 3, ~0u, 0);
    long null_fd = RAW4(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
    if (null_fd >= 0) {
        RAW3(SYS_dup3, null_fd, 0, 0);
        RAW3(SYS_dup3, null_fd, 1, 0);
        if (null_fd > 2) {
            RAW1(SYS_close, null_fd);
        }
    }
    RAW0(SYS_setsid);
    struct kernel_sigaction usual = {.handler = SIG_DFL};
    for (int number = 1; number <= SIGNAL_LAST; number++) {
        RAW4(SYS_rt_sigaction, number, &usual, NULL, SIGNAL_SET_BYTES);
    }
    os_signals_restore(0);
}

long os_process_spawn(const char *const *paths, char *const *arguments, char *const *environment)
{
    /* vfork semantics by hand: the child borrows this stack until it execs, which is sound because
     * the caller sleeps. An inline raw call, so that no return address is popped twice. */
    volatile int failure = 0;
    long pid = RAW5(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        child_settle();
        for (int i = 0; paths[i]; i++) {
            failure = 0; /* as the parent shall find it if this one succeeds */
            failure = (int)RAW3(SYS_execve, paths[i], arguments, environment);
        }
        os_process_exit(127);
    }
    if (pid > 0 && failure) {
        os_process_wait(pid);
        return failure;
    }
    return pid;
}

int os_process_wait(long pid)
{
    int status = 0;
    long result;
    do {
        result = RAW4(SYS_wait4, pid, &status, 0, NULL);
    } while (result == -EINTR);
    return result < 0 ? (int)result : status;
}
