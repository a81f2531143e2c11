/*
 * raw_syscall.h -- one system call by number, without libc. Private to runtime/os.
 */
#ifndef THAG_OS_RAW_SYSCALL_H
#define THAG_OS_RAW_SYSCALL_H

#if defined(__x86_64__)
static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
}
#else
#error "the recorder knows the system calls of x86-64 and aarch64"
#endif

#define RAW0(n)             raw_syscall(n, 0, 0, 0, 0, 0, 0)
#define RAW1(n, a)          raw_syscall(n, (long)(a), 0, 0, 0, 0, 0)
#define RAW2(n, a, b)       raw_syscall(n, (long)(a), (long)(b), 0, 0, 0, 0)
#define RAW3(n, a, b, c)    raw_syscall(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define RAW4(n, a, b, c, d) raw_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define RAW5(n, a, b, c, d, e)                                                                     \
    raw_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define RAW6(n, a, b, c, d, e, f)                                                                  \
    raw_syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#endif
