/*
 * lifecycle.h -- the recorder's beginning, its end, and its new beginning in a forked child.
 *
 * The beginning comes with the first hook after relocation, which may be before any constructor has
 * run; so it asks nothing of libc that needs a constructor.
 *
 * Context of all functions: setup; the caller is inside a hook or a constructor.
 */
#ifndef THAG_RT_LIFECYCLE_H
#define THAG_RT_LIFECYCLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/format/recording_format.h"

/* What only the interposing library knows. */
struct rt_host {
    bool glibc_allocator; /* blocks keep to glibc's 32-byte granules */
    int (*thread_attributes)(pthread_t, pthread_attr_t *); /* libc's pthread_getattr_np() */
    uint64_t before_start_allocations, before_start_bytes; /* served from the static arena */
};

/*
 * Begin, once per process: read the settings, make the recording, open the gate -- or shut it for
 * good, with one line for the user if something is wrong.
 * Other callers return at once while one is at it; the gate tells them what to do.
 */
void rt_lifecycle_start(const struct rt_host *host);

/*
 * The calling process is a forked child that has met its first hook: let go of the parent's
 * recording and begin its own, or none (follow=no).
 */
void rt_lifecycle_fork_child(void);

/*
 * The program is about to limit its memory, RLIMIT_AS or RLIMIT_DATA, to BYTES: the recorder gives
 * back what it has reserved and not used, and takes less from now on.
 */
void rt_lifecycle_memory_limited(int kind, uint64_t bytes);

/*
 * The program may not lock as much memory as there is: the recorder gives back all that it has
 * reserved but for what it needs soon. False if it has nothing to give.
 */
bool rt_lifecycle_memory_scarce(void);

/*
 * The process ends by REASON: book what threads hold back, stamp the end, have the recording
 * resolved. Does nothing in a process that has no recording of its own, and the second time.
 */
void rt_lifecycle_end(enum rec_end reason, int status);

/* The environment entry that tells an exec'ed image which family it belongs to, "THAG_PARENT=PID".
 * NULL: nothing to tell. Lifetime: the process's. */
const char *rt_lifecycle_family_entry(void);

/*
 * The program is about to put itself under a seccomp filter: one last step of room, then no further
 * system call of ours, no growth and no resolver. What no longer fits is counted as lost.
 * STRICT is seccomp's oldest mode, in which reading the time-stamp counter is deadly, too.
 */
void rt_lifecycle_sandboxed(bool strict);

/* The kernel has refused the filter: all is as before. */
void rt_lifecycle_sandbox_refused(void);

/*
 * This process is about to be replaced by another image: stamp the end, which nobody will do later.
 * Result:   false if there is nothing to stamp. true: if the exec fails,
 *           rt_lifecycle_exec_failed() must take the stamp back.
 */
bool rt_lifecycle_exec_begins(void);
void rt_lifecycle_exec_failed(void);

#endif
