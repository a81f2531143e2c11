/*
 * syscall.c -- syscall(), by which a program does what the other wrappers watch.
 *
 * It may be asked for clone and vfork, which return twice, so nothing of ours may stay on the
 * stack: the wrapper looks at the number and jumps on. Only the calls of interest go through C, and
 * so does the search for libc's function before the first call. While samples are taken all calls
 * are of interest but those that return twice.
 */
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/hook.h"
#include "preload/real_places.h"
#include "preload/sandbox.h"
#include "preload/waits.h"
#include "runtime/setup/lifecycle.h"

#if defined(__x86_64__)
__attribute__((used, visibility("hidden"))) long (*pl_real_syscall)(long, ...);
__attribute__((used, visibility("hidden"))) void pl_syscall_find(void);
__attribute__((used, visibility("hidden"))) long pl_syscall_watched(long number, long a, long b,
                                                                    long c, long d, long e, long f);

PL_REAL_PLACE_AT(pl_real_syscall, syscall);

void pl_syscall_find(void)
{
    pl_real_find_place((void **)&pl_real_syscall, "syscall");
}

_Static_assert(offsetof(struct rt_sampling, on) == 0, "the assembly below looks at it");

/* Those that are never restarted after a signal. Masks that they take are left as they are: the
 * signal is blocked before. */
static bool is_wait(long number)
{
    switch (number) {
    case SYS_futex:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_pause:
    case SYS_rt_sigtimedwait:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_io_getevents:
    case SYS_io_uring_enter:
        return true;
    default:
        return false;
    }
}

static bool is_exec(long number)
{
    return number == SYS_execve || number == SYS_execveat;
}

/* What the system call waits for is known by its caller; libc's function is all that is left. */
static long syscall_waiting(const struct rt_registers *caller, long number, const long *argument)
{
    struct pl_wait wait = pl_wait_begin_sampled(caller, (uintptr_t)pl_real_syscall, false);
    long result = pl_real_syscall(number, argument[0], argument[1], argument[2], argument[3],
                                  argument[4], argument[5]);
    pl_wait_end_sampled(wait);
    return result;
}

long pl_syscall_watched(long number, long a, long b, long c, long d, long e, long f)
{
    bool by_prctl = number == SYS_prctl && a == PR_SET_SECCOMP;
    bool by_seccomp =
        number == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER);
    long result;
    if (rt_sampling.on && is_wait(number)) {
        struct rt_registers caller = PL_CALLER_REGISTERS();
        return syscall_waiting(&caller, number, (const long[]){a, b, c, d, e, f});
    }
    if (is_exec(number)) {
        bool stamped = rt_lifecycle_exec_begins();
        result = pl_real_syscall(number, a, b, c, d, e, f);
        if (stamped) {
            rt_lifecycle_exec_failed();
        }
        return result;
    }
    if (!by_prctl && !by_seccomp) {
        return pl_real_syscall(number, a, b, c, d, e, f);
    }
    bool was_free =
        pl_sandbox_begins(by_prctl ? b == SECCOMP_MODE_STRICT : a == SECCOMP_SET_MODE_STRICT);
    result = pl_real_syscall(number, a, b, c, d, e, f);
    pl_sandbox_ends(was_free, result);
    return result;
}

#define STRING_(x) #x
#define STRING(x)  STRING_(x)
/* clang-format off */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    cmpq $0, pl_real_syscall(%rip)\n"
        "    je 2f\n"
        "1:  cmpq $" STRING(SYS_seccomp) ", %rdi\n"
        "    je pl_syscall_watched\n"
        "    cmpq $" STRING(SYS_prctl) ", %rdi\n"
        "    je pl_syscall_watched\n"
        "    cmpb $0, rt_sampling(%rip)\n" /* .on */
        "    jne 3f\n"
        "4:  jmp *pl_real_syscall(%rip)\n"
        "3:  cmpq $" STRING(SYS_clone) ", %rdi\n"
        "    je 4b\n"
        "    cmpq $" STRING(SYS_clone3) ", %rdi\n"
        "    je 4b\n"
        "    cmpq $" STRING(SYS_fork) ", %rdi\n"
        "    je 4b\n"
        "    cmpq $" STRING(SYS_vfork) ", %rdi\n"
        "    je 4b\n"
        "    jmp pl_syscall_watched\n"
        "2:  pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rdx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rcx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r8\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %r9\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call pl_syscall_find\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r9\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r8\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rcx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp 1b\n"
        "    .cfi_endproc\n"
        ".size syscall, . - syscall\n");
/* clang-format on */
#endif
