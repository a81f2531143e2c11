#include "test/fake/os_fake.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

#include "runtime/os/os.h"

struct os_fake os_fake;

/* 0, or -errno if the call is to fail. USUAL is the error that such a call meets in life. */
static int ask(enum os_fake_call call, int usual)
{
    os_fake.seen[call]++;
    if (os_fake.look) {
        os_fake.look(call);
    }
    if (os_fake.refuse_kinds >> call & 1) {
        os_fake.refused++;
        return -(os_fake.kinds_error ? os_fake.kinds_error : usual);
    }
    if (usual == 0) {
        return 0;
    }
    uint64_t number = ++os_fake.counted;
    if (os_fake.refuse_at &&
        (number == os_fake.refuse_at || (os_fake.for_good && number > os_fake.refuse_at))) {
        os_fake.refused++;
        return -(os_fake.error ? os_fake.error : usual);
    }
    return 0;
}

#define REAL(name) extern __typeof__(name) real_##name

/* A function that passes its answer on, and one that answers an error by -errno. */
#define PASS(call, usual, name, ...)                                                               \
    REAL(name);                                                                                    \
    int refusal = ask(call, usual);                                                                \
    return refusal < 0 ? refusal : real_##name(__VA_ARGS__)

void *os_memory_map(size_t bytes)
{
    REAL(os_memory_map);
    return ask(OS_FAKE_MEMORY_MAP, ENOMEM) < 0 ? NULL : real_os_memory_map(bytes);
}

void *os_memory_reserve(size_t bytes)
{
    REAL(os_memory_reserve);
    return ask(OS_FAKE_MEMORY_RESERVE, ENOMEM) < 0 ? NULL : real_os_memory_reserve(bytes);
}

void os_memory_unmap(void *memory, size_t bytes)
{
    REAL(os_memory_unmap);
    real_os_memory_unmap(memory, bytes);
    ask(OS_FAKE_MEMORY_UNMAP, 0); /* behind it: who is left here may no longer use the memory */
}

int os_memory_replace(void *memory, size_t bytes)
{
    PASS(OS_FAKE_MEMORY_REPLACE, ENOMEM, os_memory_replace, memory, bytes);
}

int os_memory_wipe_on_fork(void *memory, size_t bytes)
{
    PASS(OS_FAKE_MEMORY_WIPE_ON_FORK, EINVAL, os_memory_wipe_on_fork, memory, bytes);
}

void *os_file_map(int fd, size_t bytes, int *ret_error)
{
    REAL(os_file_map);
    int refusal = ask(OS_FAKE_FILE_MAP, ENOMEM);
    if (refusal < 0) {
        *ret_error = refusal;
        return NULL;
    }
    return real_os_file_map(fd, bytes, ret_error);
}

int os_file_commit(void *memory, size_t bytes)
{
    PASS(OS_FAKE_FILE_COMMIT, ENOSPC, os_file_commit, memory, bytes);
}

int os_file_allow(void *memory, size_t bytes)
{
    PASS(OS_FAKE_FILE_ALLOW, ENOMEM, os_file_allow, memory, bytes);
}

int os_file_open(const char *path, int flags, unsigned mode)
{
    PASS(OS_FAKE_FILE_OPEN, EMFILE, os_file_open, path, flags, mode);
}

long os_file_read(int fd, void *buffer, size_t bytes)
{
    PASS(OS_FAKE_FILE_READ, EIO, os_file_read, fd, buffer, bytes);
}

long os_file_write(int fd, const void *buffer, size_t bytes)
{
    PASS(OS_FAKE_FILE_WRITE, ENOSPC, os_file_write, fd, buffer, bytes);
}

int os_file_truncate(int fd, uint64_t bytes)
{
    PASS(OS_FAKE_FILE_TRUNCATE, EFBIG, os_file_truncate, fd, bytes);
}

int os_file_allocate(int fd, uint64_t bytes)
{
    PASS(OS_FAKE_FILE_ALLOCATE, ENOSPC, os_file_allocate, fd, bytes);
}

int os_file_identify(int fd, struct os_file_id *ret_id, uint64_t *ret_bytes)
{
    PASS(OS_FAKE_FILE_IDENTIFY, EBADF, os_file_identify, fd, ret_id, ret_bytes);
}

int os_file_system(int fd, uint32_t *ret_magic)
{
    if (os_fake.file_system_magic) {
        *ret_magic = os_fake.file_system_magic;
        return 0;
    }
    PASS(OS_FAKE_FILE_SYSTEM, ENOSYS, os_file_system, fd, ret_magic);
}

int os_file_remove(const char *path)
{
    PASS(OS_FAKE_FILE_REMOVE, EPERM, os_file_remove, path);
}

long os_file_read_link(const char *path, char *buffer, size_t bytes)
{
    if (os_fake.link) { /* not terminated, as the kernel's */
        size_t length = strlen(os_fake.link);
        length = length < bytes ? length : bytes;
        memcpy(buffer, os_fake.link, length);
        return (long)length;
    }
    PASS(OS_FAKE_FILE_READ_LINK, ENOENT, os_file_read_link, path, buffer, bytes);
}

int os_file_lstat(const char *path, uint32_t *ret_mode, uint32_t *ret_uid)
{
    PASS(OS_FAKE_FILE_LSTAT, EACCES, os_file_lstat, path, ret_mode, ret_uid);
}

int os_directory_make(const char *path, unsigned mode)
{
    PASS(OS_FAKE_DIRECTORY_MAKE, EACCES, os_directory_make, path, mode);
}

long os_directory_current(char *buffer, size_t bytes)
{
    PASS(OS_FAKE_DIRECTORY_CURRENT, ENOENT, os_directory_current, buffer, bytes);
}

uint64_t os_limit(int resource)
{
    REAL(os_limit);
    if (ask(OS_FAKE_LIMIT, EPERM) < 0) {
        return UINT64_MAX;
    }
    return os_fake.limit ? os_fake.limit : real_os_limit(resource);
}

uint64_t os_clock_monotonic_ns(void)
{
    REAL(os_clock_monotonic_ns);
    ask(OS_FAKE_CLOCK_MONOTONIC, 0);
    return real_os_clock_monotonic_ns();
}

int os_host(struct utsname *ret_host)
{
    PASS(OS_FAKE_HOST, EPERM, os_host, ret_host);
}

/* No helper process in a test: the function runs here, and its end is a jump. */
static jmp_buf hidden_end;

int os_process_run_hidden(int (*function)(void *), void *argument, void *stack, size_t bytes)
{
    (void)stack;
    (void)bytes;
    int refusal = ask(OS_FAKE_PROCESS_RUN_HIDDEN, EAGAIN);
    if (refusal == 0 && setjmp(hidden_end) == 0) {
        function(argument);
    }
    return refusal;
}

void os_process_exit(int status)
{
    (void)status;
    longjmp(hidden_end, 1);
}

static void list_copy(char ret_list[][OS_FAKE_TEXT_BYTES], char *const *list)
{
    for (unsigned i = 0; i < OS_FAKE_LIST; i++) {
        ret_list[i][0] = 0;
    }
    for (unsigned i = 0; i < OS_FAKE_LIST && list[i]; i++) {
        strncat(ret_list[i], list[i], OS_FAKE_TEXT_BYTES - 1);
    }
}

/* Nothing is started: what would be is kept. */
long os_process_spawn(const char *const *paths, char *const *arguments, char *const *environment)
{
    list_copy(os_fake.spawned.path, (char *const *)paths);
    list_copy(os_fake.spawned.argument, arguments);
    list_copy(os_fake.spawned.variable, environment);
    os_fake.spawned.count++;
    return 1;
}

int os_process_wait(long pid)
{
    (void)pid;
    os_fake.spawned.waits++;
    return 0;
}

void os_stderr_write(const struct os_file_id *id, const char *text, size_t bytes)
{
    (void)id;
    size_t room = sizeof os_fake.said - 1 - os_fake.said_bytes;
    bytes = bytes < room ? bytes : room;
    memcpy(os_fake.said + os_fake.said_bytes, text, bytes);
    os_fake.said_bytes += bytes;
}

void os_thread_yield(void)
{
    REAL(os_thread_yield);
    ask(OS_FAKE_THREAD_YIELD, 0);
    real_os_thread_yield();
}

void os_thread_nap(uint32_t ns)
{
    REAL(os_thread_nap);
    ask(OS_FAKE_THREAD_NAP, 0);
    real_os_thread_nap(ns);
}
