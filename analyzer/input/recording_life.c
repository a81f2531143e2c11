/*
 * recording_life.c -- whether a recording may still grow, and giving back what it reserved.
 *
 * A process number alone proves little: numbers are reused, and mean something else in another
 * container. What proves more is that the recorder holds the file mapped for writing: a read lease
 * is refused as long as anyone does, wherever he is. It needs a file system that knows leases and
 * that maps the file itself (overlayfs maps another one).
 */
#include "analyzer/input/recording_life.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS      UINT64_C(1000000000)
#define CLOCK_SLACK_NS (10 * SECOND_NS) /* somebody may have set the clock */
#define XFS_MAGIC      0x58465342

enum answer { NO, YES, CANNOT_TELL };

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static bool leases_tell(int fd)
{
    static const uint64_t known[] = {EXT4_SUPER_MAGIC, XFS_MAGIC, TMPFS_MAGIC, BTRFS_SUPER_MAGIC,
                                     F2FS_SUPER_MAGIC};
    struct statfs status;
    if (fstatfs(fd, &status) != 0)
        return false;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if ((uint64_t)status.f_type == known[i])
            return true;
    }
    return false;
}

/* Whether anyone has the file open or mapped for writing. */
static enum answer has_writer(int fd)
{
    if (!leases_tell(fd))
        return CANNOT_TELL;
    /* Whoever opens the file just then waits, and we would get SIGIO. */
    void (*before)(int) = signal(SIGIO, SIG_IGN);
    int failed = fcntl(fd, F_SETLEASE, F_RDLCK) == 0 ? 0 : errno;
    if (failed == 0)
        fcntl(fd, F_SETLEASE, F_UNLCK);
    signal(SIGIO, before);
    if (failed == 0)
        return NO;
    return failed == EAGAIN ? YES : CANNOT_TELL;
}

bool an_recording_same_host(const struct an_recording_file *file)
{
    struct utsname here;
    struct an_fault fault;
    char *host = NULL;
    size_t bytes = 0;
    if (uname(&here) != 0 || an_recording_file_text(file, &file->header.host, 4096, "the host",
                                                    &host, &bytes, &fault) != 0)
        return false;
    bool same = host != NULL && strcmp(host, here.nodename) == 0;
    free(host);
    return same;
}

/* The state letter and the start, in ns since boot, of a process. */
static bool process_read(uint32_t pid, char *ret_state, uint64_t *ret_start_ns)
{
    char path[32], text[1024];
    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (got <= 0)
        return false;
    text[got] = '\0';
    /* The name stands in parentheses and may hold anything. */
    const char *end = strrchr(text, ')');
    unsigned long long ticks = 0;
    if (end == NULL || sscanf(end + 1,
                              " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                              "%*d %*d %llu",
                              ret_state, &ticks) != 2)
        return false;
    *ret_start_ns = (uint64_t)ticks * (SECOND_NS / (uint64_t)sysconf(_SC_CLK_TCK));
    return true;
}

/* Whether the recorded process lives, as far as process numbers can tell. */
static enum answer process_lives(const struct an_recording_file *file)
{
    const struct rec_header *header = &file->header;
    char state = '\0';
    uint64_t process_start_ns = 0;
    if (!an_recording_same_host(file))
        return CANNOT_TELL;
    uint64_t since_boot_ns = clock_ns(CLOCK_BOOTTIME);
    uint64_t boot_ns = clock_ns(CLOCK_REALTIME) - since_boot_ns;
    if (header->start_realtime_ns + CLOCK_SLACK_NS < boot_ns)
        return NO; /* an earlier boot */
    if (!process_read(header->pid, &state, &process_start_ns) || state == 'Z' || state == 'X')
        return NO;
    /* The monotonic clock stands still in suspend, starts of processes count on. */
    uint64_t suspended_ns = since_boot_ns - clock_ns(CLOCK_MONOTONIC);
    return process_start_ns <= header->start_monotonic_ns + suspended_ns + SECOND_NS / 50 ? YES
                                                                                          : NO;
}

uint64_t an_recording_process_start_ns(const struct an_recording_file *file)
{
    const struct rec_header *header = &file->header;
    char state = '\0';
    uint64_t process_start_ns = 0;
    if (process_lives(file) != YES || !process_read(header->pid, &state, &process_start_ns))
        return header->start_realtime_ns;
    uint64_t age_ns = clock_ns(CLOCK_BOOTTIME) - process_start_ns;
    /* The kernel tells it to a tick. */
    uint64_t start_ns = clock_ns(CLOCK_REALTIME) - age_ns - SECOND_NS / 50;
    return start_ns < header->start_realtime_ns ? start_ns : header->start_realtime_ns;
}

bool an_recording_running(const struct an_recording_file *file)
{
    const struct rec_header *header = &file->header;
    if (header->end_ns != 0 && header->end_reason != REC_END_EXEC)
        return false;
    enum answer writer = has_writer(file->fd);
    if (writer == NO)
        return false;
    enum answer lives = process_lives(file);
    if (header->end_ns != 0) /* an exec that may fail yet */
        return writer == YES && lives != NO;
    /* A forked child that never used the heap may keep the mapping of its ended parent. */
    return lives == YES || (lives == CANNOT_TELL && writer == YES);
}

bool an_recording_trim(const struct an_recording_file *file)
{
    struct rec_header header;
    struct an_fault fault;
    struct stat status, writable;
    if (file->bytes <= file->header.used_pages * REC_PAGE_BYTES)
        return false;
    enum answer writer = has_writer(file->fd);
    if (writer == YES || (writer == CANNOT_TELL && process_lives(file) != NO))
        return false;
    if (an_recording_file_read(file, 0, &header, sizeof(header), "the header", &fault) != 0 ||
        header.magic != REC_MAGIC || header.used_pages < file->header.used_pages)
        return false;
    int fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    uint64_t bytes = header.used_pages * REC_PAGE_BYTES;
    bool cut = fstat(file->fd, &status) == 0 && fstat(fd, &writable) == 0 &&
               status.st_ino == writable.st_ino && status.st_dev == writable.st_dev &&
               (uint64_t)status.st_size > bytes && ftruncate(fd, (off_t)bytes) == 0;
    close(fd);
    return cut;
}
