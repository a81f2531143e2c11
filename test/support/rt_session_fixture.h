/*
 * rt_session_fixture.h -- a session as set-up fills it, in a folder of its own.
 */
#ifndef THAG_TEST_RT_SESSION_FIXTURE_H
#define THAG_TEST_RT_SESSION_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/setup/session.h"

/* When the session began: 2023-11-14 22:13:20 UTC. */
#define RT_SESSION_FIXTURE_STAMP "20231114-221320"

/* Fill rt_session; its directory is an empty one, gone at the process's end. VARIABLES, which ends
 * in NULL, is its environment and must live on. */
void rt_session_fixture_begin(char *const *variables);

/* The path of NAME in the session's directory; good until the next call but one. */
const char *rt_session_fixture_path(const char *name);

/* The size of a file in the session's directory, -1 if there is none. */
long rt_session_fixture_size(const char *name);

/* Make a file there with TEXT in it. */
void rt_session_fixture_write(const char *name, const char *text);

/* All of a file there, NUL terminated, at most 64 KiB; good until the next call. */
const char *rt_session_fixture_read(const char *name);

/* Files and folders that are there now. */
unsigned rt_session_fixture_count(void);
unsigned rt_session_fixture_entries(const char *folder);

/* Remove the files of a folder there. */
void rt_session_fixture_empty(const char *folder);

#endif
