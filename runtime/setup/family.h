/*
 * family.h -- whose descendant this process is.
 *
 * Words used here:
 *   family  the process in which the user put the preload, and all that it started. It goes by the
 *           pid of that process.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_FAMILY_H
#define THAG_RT_FAMILY_H

#include <stdint.h>

#include "runtime/setup/environment.h"

/*
 * The family of the calling process, OWN its pid.
 *
 * The exec wrappers put THAG_PARENT into the new image's environment. Where libc execs by itself
 * (system, popen) or the program makes the system call there is none: then the ancestors that are
 * recording now are looked for in /proc.
 * Result:   a pid; OWN if there is no recording ancestor or /proc does not tell.
 */
uint32_t rt_family_find(const struct rt_environment *environment, uint32_t own);

#endif
