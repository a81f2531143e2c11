/*
 * roots.h -- does the program have functions that say THAG_ENABLE_PROFILING, and in which words?
 *
 * The macro leaves notes in the program and its libraries, so that this is known before any of them
 * runs. What is loaded later cannot be foreseen.
 *
 * Context: setup.
 */
#ifndef THAG_RT_SETUP_ROOTS_H
#define THAG_RT_SETUP_ROOTS_H

#include "runtime/setup/session.h"

/*
 * Look for notes and let them decide: SESSION->roots, and the type of the run where THAG_PROFILER
 * is not set. Where no root is left that may be entered, the type is none.
 */
void rt_roots_find(struct rt_session *session);

#endif
