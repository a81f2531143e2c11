/*
 * session.h -- what set-up knows about this process's recording: names, settings, identities.
 *
 * One per process, filled by rt_lifecycle_start() and by a forked child's beginning, read at the
 * end. Static: it must not lie on a thread's small stack.
 *
 * Context: setup.
 */
#ifndef THAG_RT_SESSION_H
#define THAG_RT_SESSION_H

#include "runtime/os/os.h"
#include "runtime/setup/config.h"
#include "runtime/setup/environment.h"
#include "runtime/setup/text.h"

struct rt_session {
    struct rt_environment environment;
    struct rt_config config;
    struct rt_text program;       /* path of the executable */
    struct rt_text directory;     /* of the output, absolute */
    struct rt_text base;          /* BASE */
    struct rt_text path;          /* BASE.thag, absolute */
    struct rt_text live_path;     /* the mapped file, if it is another one; else empty */
    struct rt_text log_path;      /* the debug log; empty: none */
    struct os_file_id file;       /* identity of the mapped file */
    struct os_file_id error_file; /* what standard error was at the start */
    uint32_t family_pid;
    uint32_t parent_pid; /* the process that forked this one, as far as it is known */
    bool forked; /* a forked child of a profiled process */
    bool roots;  /* the program has functions that say THAG_ENABLE_PROFILING */
    int32_t utc_offset_s;
    uint64_t start_realtime_ns;
    uint64_t start_monotonic_ns;
};

extern struct rt_session rt_session;

/* One line on standard error, if that is still what it was at the start. A newline is added. */
void rt_session_say(struct rt_text *line);

#endif
