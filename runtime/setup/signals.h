/*
 * signals.h -- the keys toggle_signal and snapshot_signal.
 *
 * A signal is taken only if its disposition is the default one; a handler that the program installs
 * later takes its place. Both are said in one line: a key that has no effect is not to be silent.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_SIGNALS_H
#define THAG_RT_SIGNALS_H

#include "runtime/setup/session.h"

void rt_signals_begin(const struct rt_session *session);

/* At the end: did the program take a signal for itself? */
void rt_signals_end(const struct rt_session *session);

#endif
