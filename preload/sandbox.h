/*
 * sandbox.h -- around a call that may put the program under a seccomp filter.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_PL_SANDBOX_H
#define THAG_PL_SANDBOX_H

#include <stdbool.h>

/* The call is about to be made. True if it is the first sandbox: only that can be left again. */
bool pl_sandbox_begins(bool strict);

/* It has been made, with RESULT; WAS_FREE is what pl_sandbox_begins() said. */
void pl_sandbox_ends(bool was_free, long result);

#endif
