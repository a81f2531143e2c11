/*
 * naming.c -- see the header.
 */
#include "runtime/setup/naming.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>

#include "runtime/setup/local_time.h"

enum { FILE_MODE = 0600, DIRECTORY_MODE = 0777, TRIES_MAX = 10000 };

/* Every file that a run may leave; a BASE is free if none of them is there. */
static const char *const suffixes[] = {
    ".thag",
    ".folded",
    "-inclusive.folded",
    "-sample.folded",
    "-memory.folded",
    "-memory_detail.folded",
    "-memory_detail_dealloc.folded",
};

void rt_naming_program(const struct rt_environment *environment, struct rt_text *ret_program)
{
    static char link[RT_TEXT_BYTES];
    static const char deleted[] = " (deleted)";
    rt_text_clear(ret_program);
    long bytes = os_file_read_link("/proc/self/exe", link, sizeof link);
    if (bytes > 0) {
        size_t tail = sizeof deleted - 1;
        if ((size_t)bytes > tail &&
            __builtin_memcmp(link + (size_t)bytes - tail, deleted, tail) == 0) {
            bytes -= (long)tail;
        }
        rt_text_add_bytes(ret_program, link, (size_t)bytes);
        return;
    }
    /* No /proc: the path that was given to execve, which need not be absolute. */
    const char *given = (const char *)rt_environment_auxiliary(environment, AT_EXECFN);
    rt_text_add(ret_program, given && *given ? given : "program");
}

int rt_naming_directory(const struct rt_text *directory, struct rt_text *ret_directory)
{
    static char current[RT_TEXT_BYTES];
    rt_text_clear(ret_directory);
    if (directory->at[0] != '/') {
        long bytes = os_directory_current(current, sizeof current);
        if (bytes < 0 || current[0] != '/') { /* "(unreachable)" lies outside of our root */
            rt_text_add(ret_directory, directory->bytes ? directory->at : ".");
            return bytes < 0 ? (int)bytes : -ENOENT;
        }
        rt_text_add(ret_directory, current);
        rt_text_add(ret_directory, directory->bytes ? "/" : "");
    }
    rt_text_add(ret_directory, directory->at);
    while (ret_directory->bytes > 1 && ret_directory->at[ret_directory->bytes - 1] == '/') {
        ret_directory->at[--ret_directory->bytes] = 0;
    }
    if (directory->cut || ret_directory->cut) {
        return -ENAMETOOLONG;
    }
    for (char *slash = ret_directory->at + 1;; slash++) {
        if (*slash && *slash != '/') {
            continue;
        }
        char kept = *slash;
        *slash = 0;
        int result = os_directory_make(ret_directory->at, DIRECTORY_MODE);
        *slash = kept;
        if (!kept) {
            return result == -EEXIST ? 0 : result;
        }
    }
}

static bool exists(const struct rt_session *session, const char *suffix)
{
    static struct rt_text path;
    uint32_t mode, owner;
    rt_text_clear(&path);
    rt_text_add(&path, session->directory.at);
    rt_text_add(&path, "/");
    rt_text_add(&path, session->base.at);
    rt_text_add(&path, suffix);
    return os_file_lstat(path.at, &mode, &owner) == 0;
}

static bool base_is_taken(const struct rt_session *session)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (exists(session, suffixes[i])) {
            return true;
        }
    }
    return false;
}

/* TRY 0: the plain name; 1: with the pid; from 2: with the pid and TRY - 1. */
static void base_set(struct rt_session *session, unsigned try)
{
    rt_text_clear(&session->base);
    rt_text_add(&session->base, rt_text_base_name(session->program.at));
    rt_text_add(&session->base, "-");
    rt_local_stamp_add(&session->base,
                       (int64_t)(session->start_realtime_ns / 1000000000u) + session->utc_offset_s);
    if (try > 0) {
        rt_text_add(&session->base, "-");
        rt_text_add_number(&session->base, os_process_id());
    }
    if (try > 1) {
        rt_text_add(&session->base, "-");
        rt_text_add_number(&session->base, try - 1);
    }
    rt_text_clear(&session->path);
    rt_text_add(&session->path, session->directory.at);
    rt_text_add(&session->path, "/");
    rt_text_add(&session->path, session->base.at);
    rt_text_add(&session->path, ".thag");
}

int rt_naming_create(struct rt_session *session)
{
    for (unsigned try = session->forked ? 1 : 0; try < TRIES_MAX; try++) {
        base_set(session, try);
        if (session->path.cut) {
            return -ENAMETOOLONG;
        }
        if (base_is_taken(session)) {
            continue;
        }
        int fd = os_file_open(session->path.at, O_RDWR | O_CREAT | O_EXCL, FILE_MODE);
        if (fd != -EEXIST) {
            return fd;
        }
    }
    return -EEXIST;
}
