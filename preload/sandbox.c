/*
 * sandbox.c -- noticing that the program locks itself in.
 *
 * A seccomp filter comes by prctl() or by syscall(); both are watched, and the recorder makes its
 * last system calls before the filter is set. Everything else passes through unchanged.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/hook.h"
#include "runtime/setup/lifecycle.h"

PL_EXPORT int prctl(int option, ...);

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
    if (option == PR_SET_SECCOMP) {
        rt_lifecycle_sandboxed();
    }
    return real(option, argument[0], argument[1], argument[2], argument[3]);
}

#if defined(__x86_64__)
/*
 * syscall() may be asked for clone and vfork, which return twice, so nothing of ours may stay on
 * the stack: the wrapper looks at the number and jumps on. Only the calls of interest, and the
 * first call of all, which finds libc's function, go through C.
 */
__attribute__((used, visibility("hidden"))) long (*pl_real_syscall)(long, ...);
__attribute__((used, visibility("hidden"))) void pl_syscall_notice(long number, long first);

void pl_syscall_notice(long number, long first)
{
    if (!pl_real_syscall) {
        pl_real_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    }
    if (number == SYS_seccomp || (number == SYS_prctl && first == PR_SET_SECCOMP)) {
        rt_lifecycle_sandboxed();
    }
}

#define STRING_(x) #x
#define STRING(x)  STRING_(x)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    cmpq $" STRING(SYS_seccomp) ", %rdi\n"
                                         "    je 1f\n"
                                         "    cmpq $" STRING(
                                             SYS_prctl) ", %rdi\n"
                                                        "    je 1f\n"
                                                        "    movq pl_real_syscall(%rip), %rax\n"
                                                        "    testq %rax, %rax\n"
                                                        "    je 1f\n"
                                                        "    jmp *%rax\n"
                                                        "1:  pushq %rdi\n"
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
                                                        "    call pl_syscall_notice\n"
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
                                                        "    jmp *pl_real_syscall(%rip)\n"
                                                        "    .cfi_endproc\n"
                                                        ".size syscall, . - syscall\n");
#endif
