/*
 * store.c -- see the header.
 */
#include "runtime/setup/store.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>

#include "runtime/hot/recording.h"
#include "runtime/setup/naming.h"

enum { LEAST_BYTES = 1 << 20, ADDRESS_SPACE_SHARE = 4 };

/* File systems on which a committed page of a mapped file cannot be lost to a full disk. */
static bool is_dependable(int fd)
{
    static const uint32_t known[] = {
        EXT4_SUPER_MAGIC,
        0x58465342 /* xfs */,
        TMPFS_MAGIC,
        OVERLAYFS_SUPER_MAGIC,
        BTRFS_SUPER_MAGIC /* with the flag that os_file_no_copy_on_write() sets */,
        F2FS_SUPER_MAGIC,
        RAMFS_MAGIC,
    };
    uint32_t magic;
    if (os_file_system(fd, &magic) < 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i] == magic) {
            return true;
        }
    }
    return false;
}

uint64_t rt_store_share(uint64_t address_space)
{
    return address_space / ADDRESS_SPACE_SHARE;
}

/* The reservation: what was asked for, less where the process is limited. */
static uint64_t reservation(const struct rt_session *session)
{
    uint64_t bytes = session->config.max_bytes;
    uint64_t file_limit = os_limit(RLIMIT_FSIZE); /* going past it is a signal, not an error */
    uint64_t space_limit = os_limit(RLIMIT_AS);
    if (file_limit < bytes) {
        bytes = file_limit;
    }
    if (space_limit != UINT64_MAX && rt_store_share(space_limit) < bytes) {
        bytes = rt_store_share(space_limit);
    }
    return bytes & ~(uint64_t)0xffff; /* whole pages of every machine */
}

/* Map FD, a new empty file, and begin the recording in it. */
static int begin_in(struct rt_session *session, int fd, uint64_t bytes)
{
    os_file_no_copy_on_write(fd);
    int result = os_file_truncate(fd, bytes);
    if (result < 0) {
        return result;
    }
    void *memory = os_file_map(fd, bytes, &result);
    if (!memory) {
        return result;
    }
    result = rt_recording_begin(memory, bytes, false);
    if (result == -EINVAL) { /* no MADV_POPULATE_WRITE: every block is allocated here and now */
        result = os_file_allocate(fd, bytes);
        result = result < 0 ? result : os_file_allow(memory, bytes);
        result = result < 0 ? result : rt_recording_begin(memory, bytes, true);
    }
    if (result < 0) {
        os_memory_unmap(memory, bytes);
        return result;
    }
    return os_file_identify(fd, &session->file, NULL);
}

/* A file for the live recording where memory backs it. */
static int live_create(struct rt_session *session)
{
    const char *places[] = {"/dev/shm", rt_environment_get(&session->environment, "TMPDIR"),
                            "/tmp"};
    int fd = -ENOENT;
    for (size_t i = 0; i < sizeof places / sizeof places[0] && fd < 0; i++) {
        if (!places[i] || places[i][0] != '/') {
            continue;
        }
        rt_text_clear(&session->live_path);
        rt_text_add(&session->live_path, places[i]);
        rt_text_add(&session->live_path, "/thag-");
        rt_text_add_number(&session->live_path, os_process_user());
        rt_text_add(&session->live_path, "-");
        rt_text_add(&session->live_path, session->base.at);
        rt_text_add(&session->live_path, "-");
        rt_text_add_number(&session->live_path, os_process_id());
        rt_text_add(&session->live_path, ".thag");
        fd = os_file_open(session->live_path.at, O_RDWR | O_CREAT | O_EXCL, 0600);
    }
    return fd;
}

static int open_elsewhere(struct rt_session *session, uint64_t bytes, bool asked_for)
{
    int fd = live_create(session);
    if (fd < 0) {
        rt_text_clear(&session->live_path);
        return fd;
    }
    int result = begin_in(session, fd, bytes);
    os_file_close(fd);
    if (result < 0) {
        os_file_remove(session->live_path.at);
        rt_text_clear(&session->live_path);
        return result;
    }
    if (!asked_for) {
        static struct rt_text line;
        rt_text_clear(&line);
        rt_text_add(&line, "thag: a recording cannot be mapped in ");
        rt_text_add(&line, session->directory.at);
        rt_text_add(&line, "; it is kept in ");
        rt_text_add(&line, session->live_path.at);
        rt_text_add(&line, " until the program ends");
        rt_session_say(&line);
    }
    return 0;
}

int rt_store_open(struct rt_session *session)
{
    rt_text_clear(&session->live_path);
    uint64_t bytes = reservation(session);
    if (bytes < LEAST_BYTES) {
        rt_text_clear(&session->path);
        rt_text_add(&session->path, session->directory.at);
        return -EFBIG;
    }
    int fd = rt_naming_create(session);
    if (fd < 0) {
        return fd;
    }
    int result = -ENODEV;
    bool asked_for = session->config.store == RT_STORE_MEMORY;
    if (!asked_for && is_dependable(fd)) {
        result = begin_in(session, fd, bytes);
    }
    if (result == -ENODEV || result == -EACCES) {
        result = open_elsewhere(session, bytes, asked_for);
    }
    os_file_close(fd);
    if (result < 0) {
        os_file_remove(session->path.at);
    }
    return result;
}

void rt_store_discard(struct rt_session *session)
{
    if (session->live_path.bytes) {
        os_file_remove(session->live_path.at);
    }
    os_file_remove(session->path.at);
}

/* Copy the used pages out of the mapping, which is where the truth is. */
static int copy_to_place(const struct rt_session *session)
{
    uint64_t bytes = rt_recording.header->used_pages << REC_PAGE_SHIFT;
    int fd = os_file_open(session->path.at, O_WRONLY | O_NOFOLLOW, 0);
    if (fd < 0) {
        return fd;
    }
    struct os_file_id id;
    uint64_t size = 1;
    bool whole = os_file_identify(fd, &id, &size) == 0 && size == 0 &&
                 os_file_write(fd, rt_recording.header, bytes) == (long)bytes;
    os_file_close(fd);
    if (whole) {
        os_file_remove(session->live_path.at);
    }
    return 0;
}

/* The path must still lead to our file: after chroot, or when it was moved away, the length is
 * left to the first reader. No hook may have committed a page that is cut off: its store would be
 * SIGBUS. */
static int trim(const struct rt_session *session)
{
    int fd = os_file_open(session->path.at, O_RDWR | O_NOFOLLOW, 0);
    if (fd < 0) {
        return fd;
    }
    struct os_file_id id;
    if (os_file_identify(fd, &id, NULL) == 0 && id.device == session->file.device &&
        id.inode == session->file.inode) {
        uint64_t pages = rt_recording_close(os_thread_id());
        if (pages) {
            os_file_truncate(fd, pages << REC_PAGE_SHIFT);
        }
    }
    os_file_close(fd);
    return 0;
}

int rt_store_close(const struct rt_session *session)
{
    return session->live_path.bytes ? copy_to_place(session) : trim(session);
}
