/*
 * naming.h -- BASE, and the file that is opened under it.
 *
 * BASE is the executable's base name and the local time of the start. Nothing is ever overwritten:
 * if a file of that BASE exists, or the process is a forked child, -PID is added, and then -PID-N
 * for as long as a file of that name exists.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_NAMING_H
#define THAG_RT_NAMING_H

#include "runtime/setup/session.h"

/* The path of the running executable, " (deleted)" cut off. */
void rt_naming_program(const struct rt_environment *environment, struct rt_text *ret_program);

/*
 * DIRECTORY made absolute in RET_DIRECTORY, and made with its parents if it is not there.
 * Result:   0, or -errno with RET_DIRECTORY naming what was tried.
 */
int rt_naming_directory(const struct rt_text *directory, struct rt_text *ret_directory);

/*
 * Create SESSION->path = directory/BASE.thag, which did not exist.
 * Inputs:   session with program, directory, forked, start_realtime_ns and utc_offset_s set.
 * Result:   a descriptor, with base and path set; or -errno, with the path that was tried.
 */
int rt_naming_create(struct rt_session *session);

#endif
