/*
 * os.h -- the one door to the operating system. Nothing else in runtime/ makes a system call.
 *
 * The calls are made directly, not through libc's wrappers: those write errno, and open, read,
 * write and close are cancellation points -- a thread of the program that is being cancelled must
 * not end inside our hook.
 *
 * Said once for all: results are 0 or more, or -errno; errno is never touched; a call that a signal
 * interrupts is made again.
 *
 * Context of all functions: hot, except those marked setup.
 * Tests link test/fake/os_fake.c instead, which can refuse any call.
 */
#ifndef THAG_OS_H
#define THAG_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identity of a file: what a descriptor is compared with before our bytes go into it. */
struct os_file_id {
    uint64_t device, inode;
};

/*
 * From now on no system call is made but the one that ends the process: the program has put itself
 * under a seccomp filter, and a call that it forbids could be its death. All calls that would need
 * one fail with -EPERM or do nothing.
 * CLOCKS_GO_ON: reading them needs no system call and is allowed. Else they stand still.
 */
void os_freeze(bool clocks_go_on);

/* The filter was refused: as before os_freeze(). */
void os_thaw(void);
bool os_is_frozen(void);

/* Private zero-filled memory, whole machine pages. NULL if it is refused. */
void *os_memory_map(size_t bytes);

/* The same without a promise that there is memory behind it (MAP_NORESERVE). */
void *os_memory_reserve(size_t bytes);
void os_memory_unmap(void *memory, size_t bytes);

/* Private zero pages over whatever is mapped at MEMORY, which keeps its address. */
int os_memory_replace(void *memory, size_t bytes);

/* Forked children find zeros here; no huge pages. -EINVAL where the kernel cannot. */
int os_memory_wipe_on_fork(void *memory, size_t bytes);

/* Give the pages back; they read as zeros afterwards. */
void os_memory_discard(void *memory, size_t bytes);

/* A part of our own memory to copy from. */
struct os_memory_part {
    const void *memory;
    size_t bytes;
};

/*
 * Copy PARTS, one behind the other, into BUFFER, which has room for all.
 * Result:   bytes copied, less than all if the rest is not readable; -EFAULT if nothing is; -EPERM
 *           or -ENOSYS where the kernel does not do it.
 * Never:    faults, whoever unmaps the memory meanwhile.
 */
long os_memory_peek(const struct os_memory_part *parts, unsigned count, void *buffer);

/* A PROT_NONE, MAP_SHARED view of BYTES of a file. NULL if it is refused; RET_ERROR says why. */
void *os_file_map(int fd, size_t bytes, int *ret_error);

/*
 * Make part of such a view writable and give every page of it backing now, so that a store can
 * never meet a full disk (which would be SIGBUS).
 * Result: 0, -ENOSPC and the like, or -EINVAL on a kernel before 5.14.
 */
int os_file_commit(void *memory, size_t bytes);

/* Make part of such a view writable as it is: all blocks of the file are there already. */
int os_file_allow(void *memory, size_t bytes);

int os_file_open(const char *path, int flags, unsigned mode);
int os_file_close(int fd);
long os_file_read(int fd, void *buffer, size_t bytes);

/*
 * Write all of BUFFER, however many calls it takes.
 * Result:   BYTES, or -errno with a part of it written.
 * Never:    raises SIGPIPE or SIGXFSZ, which would end the program because of bytes of ours.
 */
long os_file_write(int fd, const void *buffer, size_t bytes);
/* The same at OFFSET of the file. */
long os_file_write_at(int fd, const void *buffer, size_t bytes, uint64_t offset);
int os_file_truncate(int fd, uint64_t bytes);
int os_file_allocate(int fd, uint64_t bytes);
int os_file_identify(int fd, struct os_file_id *ret_id, uint64_t *ret_bytes);
/* The magic number of the file system that FD lies on (linux/magic.h). */
int os_file_system(int fd, uint32_t *ret_magic);
int os_file_remove(const char *path);
long os_file_read_link(const char *path, char *buffer, size_t bytes);
int os_file_lstat(const char *path, uint32_t *ret_mode, uint32_t *ret_uid);

/* Overwriting such a file must not need new blocks (btrfs). Failure is of no account. */
void os_file_no_copy_on_write(int fd);
int os_directory_make(const char *path, unsigned mode);
long os_directory_current(char *buffer, size_t bytes);

/* Soft limit of a resource (RLIMIT_...); UINT64_MAX: none or unknown. */
uint64_t os_limit(int resource);

uint64_t os_clock_monotonic_ns(void);
uint64_t os_clock_realtime_ns(void);

/* CPU time of the calling thread; a system call. 0 once frozen. */
uint64_t os_clock_thread_cpu_ns(void);

/* False if the program has had reading the time stamp counter made a fault (PR_TSC_SIGSEGV). */
bool os_clock_tsc_is_allowed(void);

/* The alternate signal stack, if the calling thread is running on it now. False: it is not. */
bool os_signal_stack(uintptr_t *ret_low, uintptr_t *ret_high);

/* Name and release of the machine. */
struct utsname;
int os_host(struct utsname *ret_host);

uint32_t os_process_id(void);
uint32_t os_process_parent(void);
uint32_t os_process_user(void);
/* False also for one that this process cannot see. */
bool os_process_exists(uint32_t pid);
uint32_t os_thread_id(void);

/* The thread's name, NUL padded; empty if the kernel does not tell. */
void os_thread_name(char ret_name[16]);
void os_thread_yield(void);
/* Sleep for NS nanoseconds, below 1e9, or until a signal comes. */
void os_thread_nap(uint32_t ns);
_Noreturn void os_process_exit(int status);

/* Block all signals of this thread; RET_OLD is for os_signals_restore(). */
void os_signals_block(uint64_t *ret_old);
void os_signals_restore(uint64_t old);

/* Whether the caller runs on its alternate signal stack; true if the kernel does not tell. */
bool os_on_alternate_stack(void);

/* Signals that wait for this thread or for the process. */
uint64_t os_signals_pending(void);

/*
 * Run FUNCTION(ARGUMENT) on the stack [STACK, STACK + BYTES) in a process of its own that shares
 * our memory, while the caller waits. The program's waitpid() cannot see that process and no
 * SIGCHLD comes from it. FUNCTION must leave by os_process_exit().
 * Result: 0 when it has ended, or -errno.
 */
int os_process_run_hidden(int (*function)(void *), void *argument, void *stack, size_t bytes);

/*
 * Start a program as a child of the caller, which waits until it has been exec'ed: its own session,
 * default signals, none blocked, only descriptor 2 kept, 0 and 1 on /dev/null.
 * PATHS is tried in turn, up to the NULL. To be called from os_process_run_hidden() alone.
 * Result: the pid, or -errno.
 */
long os_process_spawn(const char *const *paths, char *const *arguments, char *const *environment);

/* Wait for a child; its wait status, or -errno. Goes on over signals. */
int os_process_wait(long pid);

/* Write all of TEXT to standard error, if that is still the file with this identity. */
void os_stderr_write(const struct os_file_id *id, const char *text, size_t bytes);

#endif
