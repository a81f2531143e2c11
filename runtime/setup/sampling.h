/*
 * sampling.h -- the signal of the sampler: which number it has, and when it must be gone.
 *
 * The number is a real-time signal that the program has shown no interest in. What the program
 * does to that number it must find as if nobody had taken it: rt_sampling_action() answers for it,
 * and once the program wants it for itself the sampler moves to another one.
 *
 * A new image keeps the signals that are pending, and would die of one: before an exec the timers
 * are deleted and what they have sent is thrown away.
 *
 * Context of all functions: setup; the caller is inside a hook, a constructor or an interposed
 * function.
 */
#ifndef THAG_RT_SAMPLING_H
#define THAG_RT_SAMPLING_H

#include <signal.h>
#include <stdbool.h>

#include "runtime/format/recording_format.h"
#include "runtime/setup/config.h"

/* For a recording that is being made: nothing is sampled yet. */
void rt_sampling_reset(const struct rt_config *config);

/* Begin, if samples are asked for: choose the number, install the handler. */
void rt_sampling_begin(const struct rt_config *config);

/* The same in a forked child that has begun its own recording: it has inherited the handler. */
void rt_sampling_begin_forked(const struct rt_config *config);

/*
 * For the child's side of a fork(): have a signal sent once the child has used some CPU time, so
 * that it begins its recording even if it never meets a hook. A child that execs at once leaves no
 * recording.
 */
void rt_sampling_fork_child(void);

/* Such a child is about to exec without having begun. Nothing happens in one of vfork(). */
void rt_sampling_forked_execs(void);

/* Take no more samples, and leave no trace in the process: no timer, no handler, nothing pending.
 * WHY is what the recording will say. */
void rt_sampling_leave(enum rec_sample_end why);

/* After all: the exec has failed, or the sandbox was refused. */
void rt_sampling_come_back(void);

/* The signal's number; 0: none is in use. */
int rt_sampling_number(void);

/*
 * The program sets or asks for the action of a signal.
 * Inputs:   ACTION as for sigaction(), may be NULL.
 * Result:   true: the number is ours, RET_BEFORE (may be NULL) says what the program believes, and
 *           the kernel must not be asked. false: it is not, or is not any more: the sampler has
 *           another number, and the kernel's action is the default.
 */
bool rt_sampling_action(int number, const struct sigaction *action, struct sigaction *ret_before);

/* Use another number than those that SET holds, if it is one of them. False: there is none, and
 * samples have ended. */
bool rt_sampling_avoid(const sigset_t *set);

#endif
