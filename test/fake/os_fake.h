/*
 * os_fake.h -- runtime/os with refusals: each call goes through to the real one, unless the test
 * wants it to fail.
 *
 * Linked before the archive it takes the place of the real door.
 */
#ifndef THAG_TEST_OS_FAKE_H
#define THAG_TEST_OS_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum os_fake_call {
    OS_FAKE_CLOCK_MONOTONIC, /* cannot be refused, only seen */
    OS_FAKE_DIRECTORY_CURRENT,
    OS_FAKE_DIRECTORY_MAKE,
    OS_FAKE_FILE_ALLOCATE,
    OS_FAKE_FILE_ALLOW,
    OS_FAKE_FILE_COMMIT,
    OS_FAKE_FILE_IDENTIFY,
    OS_FAKE_FILE_LSTAT,
    OS_FAKE_FILE_MAP,
    OS_FAKE_FILE_OPEN,
    OS_FAKE_FILE_READ,
    OS_FAKE_FILE_READ_LINK,
    OS_FAKE_FILE_REMOVE,
    OS_FAKE_FILE_SYSTEM,
    OS_FAKE_FILE_TRUNCATE,
    OS_FAKE_FILE_WRITE,
    OS_FAKE_HOST,
    OS_FAKE_LIMIT,
    OS_FAKE_MEMORY_MAP,
    OS_FAKE_MEMORY_REPLACE,
    OS_FAKE_MEMORY_RESERVE,
    OS_FAKE_MEMORY_UNMAP, /* cannot be refused, only seen */
    OS_FAKE_MEMORY_WIPE_ON_FORK,
    OS_FAKE_PROCESS_RUN_HIDDEN,
    OS_FAKE_THREAD_NAP,   /* cannot be refused, only seen */
    OS_FAKE_THREAD_YIELD, /* cannot be refused, only seen */
    OS_FAKE_CALLS,
};

enum { OS_FAKE_LIST = 10, OS_FAKE_TEXT_BYTES = 1200 };

struct os_fake {
    uint64_t seen[OS_FAKE_CALLS]; /* calls of each kind */
    uint64_t counted;             /* calls that could have been refused */
    uint64_t refused;
    /* What is refused: the counted call with this number, and with FOR_GOOD all behind it.
     * 0: none. */
    uint64_t refuse_at;
    bool for_good;
    int error; /* positive; 0: ENOMEM, ENOSPC or what is usual for the call */
    /* All calls of these kinds are refused with that error: bit 1 << enum os_fake_call. */
    uint64_t refuse_kinds;
    int kinds_error;
    /* Called at every call, may leave by longjmp(), as a signal handler may. */
    void (*look)(enum os_fake_call call);
    /* What was written to standard error, cut to its room. */
    char said[8192];
    size_t said_bytes;
    /* The answer of os_limit(); 0: ask the real one. */
    uint64_t limit;
    const char *link;           /* the answer of os_file_read_link(); NULL: ask the real one */
    uint32_t file_system_magic; /* the answer of os_file_system(); 0: ask the real one */
    /* The last program that was started, its lists cut to their room, and how many there were. */
    struct {
        unsigned count, waits;
        char path[OS_FAKE_LIST][OS_FAKE_TEXT_BYTES];
        char argument[OS_FAKE_LIST][OS_FAKE_TEXT_BYTES];
        char variable[OS_FAKE_LIST][OS_FAKE_TEXT_BYTES];
    } spawned;
};

extern struct os_fake os_fake;

#endif
