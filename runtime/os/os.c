/*
 * os.c -- memory, files, clocks and identities, by system call.
 */
#include "runtime/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>

#include "runtime/os/raw_syscall.h"

/* Once the program has locked itself in (seccomp), a system call of ours could kill it. */
static struct {
    bool frozen, clocks_stand;
    uint32_t process_id;
    uint64_t monotonic_ns, realtime_ns; /* at the freezing */
} sandbox;

#define CALL0(n)                   (sandbox.frozen ? -EPERM : RAW0(n))
#define CALL1(n, a)                (sandbox.frozen ? -EPERM : RAW1(n, a))
#define CALL2(n, a, b)             (sandbox.frozen ? -EPERM : RAW2(n, a, b))
#define CALL3(n, a, b, c)          (sandbox.frozen ? -EPERM : RAW3(n, a, b, c))
#define CALL4(n, a, b, c, d)       (sandbox.frozen ? -EPERM : RAW4(n, a, b, c, d))
#define CALL5(n, a, b, c, d, e)    (sandbox.frozen ? -EPERM : RAW5(n, a, b, c, d, e))
#define CALL6(n, a, b, c, d, e, f) (sandbox.frozen ? -EPERM : RAW6(n, a, b, c, d, e, f))

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

void os_freeze(bool clocks_go_on)
{
    sandbox.process_id = os_process_id();
    sandbox.monotonic_ns = os_clock_monotonic_ns();
    sandbox.realtime_ns = os_clock_realtime_ns();
    sandbox.clocks_stand = !clocks_go_on;
    sandbox.frozen = true;
}

void os_thaw(void)
{
    sandbox.frozen = sandbox.clocks_stand = false;
}

bool os_is_frozen(void)
{
    return sandbox.frozen;
}

static void *map(size_t bytes, int flags)
{
    long result = CALL6(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return result < 0 && result > -4096 ? NULL : (void *)result;
}

void *os_memory_map(size_t bytes)
{
    return map(bytes, 0);
}

void *os_memory_reserve(size_t bytes)
{
    return map(bytes, MAP_NORESERVE);
}

void os_memory_unmap(void *memory, size_t bytes)
{
    CALL2(SYS_munmap, memory, bytes);
}

int os_memory_replace(void *memory, size_t bytes)
{
    long result = CALL6(SYS_mmap, memory, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return result < 0 && result > -4096 ? (int)result : 0;
}

int os_memory_wipe_on_fork(void *memory, size_t bytes)
{
    CALL3(SYS_madvise, memory, bytes, MADV_NOHUGEPAGE);
    return (int)CALL3(SYS_madvise, memory, bytes, MADV_WIPEONFORK);
}

void os_memory_discard(void *memory, size_t bytes)
{
    CALL3(SYS_madvise, memory, bytes, MADV_DONTNEED);
}

long os_memory_peek(const struct os_memory_part *parts, unsigned count, void *buffer)
{
    struct os_memory_part target = {buffer, 0}; /* laid out as the kernel's iovec */
    for (unsigned i = 0; i < count; i++) {
        target.bytes += parts[i].bytes;
    }
    return CALL6(SYS_process_vm_readv, os_process_id(), &target, 1, parts, count, 0);
}

void *os_file_map(int fd, size_t bytes, int *ret_error)
{
    long result = CALL6(SYS_mmap, 0, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (result < 0 && result > -4096) {
        *ret_error = (int)result;
        return NULL;
    }
    /* Without it the kernel reads ahead at the first touch of a hole, that is, it allocates and
     * zeroes as large a folio as the file has room for: 4 ms and 2 MiB for the first page. */
    CALL3(SYS_madvise, result, bytes, MADV_RANDOM);
    return (void *)result;
}

int os_file_commit(void *memory, size_t bytes)
{
    long result = CALL3(SYS_mprotect, memory, bytes, PROT_READ | PROT_WRITE);
    if (result < 0) {
        return (int)result;
    }
    do {
        result = CALL3(SYS_madvise, memory, bytes, MADV_POPULATE_WRITE);
    } while (result == -EINTR || result == -EAGAIN);
    /* -EFAULT is how a failed allocation of a file's block shows here. */
    return result == -EFAULT ? -ENOSPC : (int)result;
}

int os_file_allow(void *memory, size_t bytes)
{
    return (int)CALL3(SYS_mprotect, memory, bytes, PROT_READ | PROT_WRITE);
}

int os_file_open(const char *path, int flags, unsigned mode)
{
    long result;
    do {
        result = CALL4(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
    } while (result == -EINTR);
    return (int)result;
}

int os_file_close(int fd)
{
    return (int)CALL1(SYS_close, fd);
}

long os_file_read(int fd, void *buffer, size_t bytes)
{
    long result;
    do {
        result = CALL3(SYS_read, fd, buffer, bytes);
    } while (result == -EINTR);
    return result;
}

static long write_all(int fd, const void *buffer, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        long result = CALL3(SYS_write, fd, (const char *)buffer + done, bytes - done);
        if (result == 0) { /* no progress and no reason: it would not end */
            return -EIO;
        }
        if (result < 0 && result != -EINTR) {
            return result;
        }
        done += result > 0 ? (size_t)result : 0;
    }
    return (long)done;
}

/* Both signals go to the thread that writes. They are blocked, and taken back if the write raised
 * one; a signal of the program's own that was waiting goes on waiting. */
long os_file_write(int fd, const void *buffer, size_t bytes)
{
    const uint64_t ours = UINT64_C(1) << (SIGPIPE - 1) | UINT64_C(1) << (SIGXFSZ - 1);
    const struct timespec at_once = {0, 0};
    uint64_t before = 0, waiting = 0;
    CALL4(SYS_rt_sigprocmask, SIG_BLOCK, &ours, &before, sizeof ours);
    CALL2(SYS_rt_sigpending, &waiting, sizeof waiting);
    long result = write_all(fd, buffer, bytes);
    uint64_t raised = ours & ~waiting;
    if ((result == -EPIPE || result == -EFBIG) && raised) {
        CALL4(SYS_rt_sigtimedwait, &raised, NULL, &at_once, sizeof raised);
    }
    CALL4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    return result;
}

long os_file_write_at(int fd, const void *buffer, size_t bytes, uint64_t offset)
{
    long result = CALL3(SYS_lseek, fd, offset, SEEK_SET);
    return result < 0 ? result : os_file_write(fd, buffer, bytes);
}

int os_file_truncate(int fd, uint64_t bytes)
{
    return (int)CALL2(SYS_ftruncate, fd, bytes);
}

int os_file_allocate(int fd, uint64_t bytes)
{
    return (int)CALL4(SYS_fallocate, fd, 0, 0, bytes);
}

/* statx, because its layout is the same on every machine. */
static int identify(int fd, const char *path, unsigned flags, struct statx *ret_status)
{
    return (int)CALL5(SYS_statx, fd, path, flags, STATX_BASIC_STATS, ret_status);
}

int os_file_identify(int fd, struct os_file_id *ret_id, uint64_t *ret_bytes)
{
    struct statx status;
    int result = identify(fd, "", AT_EMPTY_PATH, &status);
    if (result < 0) {
        return result;
    }
    ret_id->device = (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
    ret_id->inode = status.stx_ino;
    if (ret_bytes) {
        *ret_bytes = status.stx_size;
    }
    return 0;
}

int os_file_system(int fd, uint32_t *ret_magic)
{
    struct statfs status;
    int result = (int)CALL2(SYS_fstatfs, fd, &status);
    if (result == 0) {
        *ret_magic = (uint32_t)status.f_type;
    }
    return result;
}

int os_file_remove(const char *path)
{
    return (int)CALL3(SYS_unlinkat, AT_FDCWD, path, 0);
}

long os_file_read_link(const char *path, char *buffer, size_t bytes)
{
    return CALL4(SYS_readlinkat, AT_FDCWD, path, buffer, bytes);
}

int os_file_lstat(const char *path, uint32_t *ret_mode, uint32_t *ret_uid)
{
    struct statx status;
    int result = identify(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &status);
    if (result < 0) {
        return result;
    }
    *ret_mode = status.stx_mode;
    *ret_uid = status.stx_uid;
    return 0;
}

void os_file_no_copy_on_write(int fd)
{
    /* FS_IOC_GETFLAGS, FS_IOC_SETFLAGS and FS_NOCOW_FL: linux/fs.h clashes with sys/mount.h. */
    enum { get_flags = (int)0x80086601, set_flags = 0x40086602, no_cow = 0x00800000 };
    int flags = 0;
    if (CALL3(SYS_ioctl, fd, (unsigned)get_flags, &flags) == 0) {
        flags |= no_cow;
        CALL3(SYS_ioctl, fd, set_flags, &flags);
    }
}

int os_directory_make(const char *path, unsigned mode)
{
    return (int)CALL3(SYS_mkdirat, AT_FDCWD, path, mode);
}

long os_directory_current(char *buffer, size_t bytes)
{
    return CALL2(SYS_getcwd, buffer, bytes);
}

uint64_t os_limit(int resource)
{
    struct rlimit64 limit = {RLIM64_INFINITY, RLIM64_INFINITY};
    if (CALL4(SYS_prlimit64, 0, resource, NULL, &limit) < 0) {
        return UINT64_MAX;
    }
    return limit.rlim_cur;
}

/* libc's clock_gettime: through the vdso it is no system call at all, and it is no cancellation
 * point. errno is only written on a bad clock number. */
static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t os_clock_monotonic_ns(void)
{
    return sandbox.clocks_stand ? sandbox.monotonic_ns : clock_ns(CLOCK_MONOTONIC);
}

uint64_t os_clock_realtime_ns(void)
{
    return sandbox.clocks_stand ? sandbox.realtime_ns : clock_ns(CLOCK_REALTIME);
}

uint64_t os_clock_thread_cpu_ns(void)
{
    return sandbox.frozen ? 0 : clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

bool os_clock_tsc_is_allowed(void)
{
    int mode = PR_TSC_ENABLE;
    CALL2(SYS_prctl, PR_GET_TSC, &mode);
    return mode != PR_TSC_SIGSEGV;
}

bool os_signal_stack(uintptr_t *ret_low, uintptr_t *ret_high)
{
    stack_t stack = {.ss_flags = 0};
    if (CALL2(SYS_sigaltstack, NULL, &stack) < 0 || !(stack.ss_flags & SS_ONSTACK)) {
        return false;
    }
    *ret_low = (uintptr_t)stack.ss_sp;
    *ret_high = *ret_low + stack.ss_size;
    return true;
}

int os_host(struct utsname *ret_host)
{
    return (int)CALL1(SYS_uname, ret_host);
}

uint32_t os_process_id(void)
{
    return sandbox.frozen ? sandbox.process_id : (uint32_t)RAW0(SYS_getpid);
}

uint32_t os_process_parent(void)
{
    return (uint32_t)CALL0(SYS_getppid);
}

uint32_t os_process_user(void)
{
    return (uint32_t)CALL0(SYS_getuid);
}

bool os_process_exists(uint32_t pid)
{
    return CALL2(SYS_kill, pid, 0) != -ESRCH;
}

uint32_t os_thread_id(void)
{
    if (sandbox.frozen) { /* any number that no other thread has: ids are only compared */
        return ((uint32_t)((uintptr_t)__builtin_thread_pointer() >> 4) | 1) & 0x7fffffff;
    }
    return (uint32_t)RAW0(SYS_gettid);
}

void os_thread_name(char ret_name[16])
{
    for (int i = 0; i < 16; i++) {
        ret_name[i] = 0;
    }
    CALL2(SYS_prctl, PR_GET_NAME, ret_name);
}

void os_thread_yield(void)
{
    CALL0(SYS_sched_yield);
}

void os_thread_nap(uint32_t ns)
{
    struct timespec time = {.tv_nsec = ns};
    CALL2(SYS_nanosleep, &time, NULL);
}

void os_process_exit(int status)
{
    for (;;) {
        RAW1(SYS_exit_group, status);
    }
}

void os_stderr_write(const struct os_file_id *id, const char *text, size_t bytes)
{
    struct os_file_id now;
    if (os_file_identify(2, &now, NULL) == 0 && now.device == id->device &&
        now.inode == id->inode) {
        os_file_write(2, text, bytes);
    }
}
