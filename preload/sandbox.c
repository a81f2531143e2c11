/*
 * sandbox.c -- noticing that the program locks itself in.
 *
 * A seccomp filter comes by prctl() or by syscall(); both are watched, and the recorder makes its
 * last system calls before the filter is set. If the kernel refuses the filter -- programs ask in
 * that way what it can do -- all goes on as before. Everything else passes through unchanged.
 */
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/hook.h"
#include "runtime/os/os.h"
#include "runtime/setup/lifecycle.h"

PL_EXPORT int prctl(int option, ...);

/* True if this is the first sandbox: only that can be left again. */
static bool sandbox_begins(bool strict)
{
    bool was_free = !os_is_frozen();
    rt_lifecycle_sandboxed(strict);
    return was_free;
}

static void sandbox_ends(bool was_free, long result)
{
    if (was_free && result < 0) {
        rt_lifecycle_sandbox_refused();
    }
}

int prctl(int option, ...)
{
    static int (*real)(int, ...);
    unsigned long argument[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++) { /* as libc does: what was not passed is not looked at */
        argument[i] = va_arg(list, unsigned long);
    }
    va_end(list);
    if (!real) {
        real = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
    }
    if (option != PR_SET_SECCOMP) {
        return real(option, argument[0], argument[1], argument[2], argument[3]);
    }
    bool was_free = sandbox_begins(argument[0] == SECCOMP_MODE_STRICT);
    int result = real(option, argument[0], argument[1], argument[2], argument[3]);
    sandbox_ends(was_free, result);
    return result;
}

#if defined(__x86_64__)
/*
 * syscall() may be asked for clone and vfork, which return twice, so nothing of ours may stay on
 * the stack: the wrapper looks at the number and jumps on. Only the calls of interest go through C,
 * and so does the search for libc's function before the first call.
 */
__attribute__((used, visibility("hidden"))) long (*pl_real_syscall)(long, ...);
__attribute__((used, visibility("hidden"))) void pl_syscall_find(void);
__attribute__((used, visibility("hidden"))) long pl_syscall_watched(long number, long a, long b,
                                                                    long c, long d, long e, long f);

void pl_syscall_find(void)
{
    pl_real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

long pl_syscall_watched(long number, long a, long b, long c, long d, long e, long f)
{
    bool by_prctl = number == SYS_prctl && a == PR_SET_SECCOMP;
    bool by_seccomp =
        number == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER);
    if (!by_prctl && !by_seccomp) {
        return pl_real_syscall(number, a, b, c, d, e, f);
    }
    bool was_free =
        sandbox_begins(by_prctl ? b == SECCOMP_MODE_STRICT : a == SECCOMP_SET_MODE_STRICT);
    long result = pl_real_syscall(number, a, b, c, d, e, f);
    sandbox_ends(was_free, result);
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
        "    jmp *pl_real_syscall(%rip)\n"
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
