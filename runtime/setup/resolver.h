/*
 * resolver.h -- starting `thag_profile resolve` from inside the program, unseen by it.
 *
 * The program must not see a child, a SIGCHLD, a descriptor or a changed signal: posix_spawn and
 * waitpid would be visible in all three ways. So a helper process that shares our memory, ends
 * without a signal and has all signals blocked starts the tool and waits for it, while the calling
 * thread waits for the helper.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_RESOLVER_H
#define THAG_RT_RESOLVER_H

#include "runtime/setup/session.h"

/* Look for the tool and keep what its start needs; the environment may be gone at the end. */
void rt_resolver_prepare(const struct rt_session *session);

/*
 * Have SESSION's recording resolved, and those of its family that nobody has resolved.
 * Returns when the files are there, or at once if there is no tool.
 */
void rt_resolver_run(const struct rt_session *session);

/* Have the recording at PATH, a copy of SESSION's, resolved; its files are there some time later.
 */
void rt_resolver_name(const struct rt_session *session, const struct rt_text *path);

/* Start the companion that keeps the folded files up to date while the program runs; it is nobody's
 * child here and ends by itself. */
void rt_resolver_follow(const struct rt_session *session);

#endif
