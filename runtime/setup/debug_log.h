/*
 * debug_log.h -- $TMPDIR/thag_profiler/BASE-debug.log, for people who ask why.
 *
 * Opened and closed for each line, by path; never from a hook's short way. The folder belongs to
 * the user alone; if somebody else owns it, thag_profiler-UID is used.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_DEBUG_LOG_H
#define THAG_RT_DEBUG_LOG_H

#include "runtime/setup/session.h"

/* Make the log of SESSION if its debug_level asks for one; writes the header, announces the path.
 */
void rt_debug_log_begin(struct rt_session *session);

/* Add one line, with time and thread in front. Nothing happens without a log. */
void rt_debug_log_line(const struct rt_session *session, const char *text);

/* The losses and totals of the recording, at its end. */
void rt_debug_log_end(const struct rt_session *session, const char *reason);

#endif
