/*
 * calibrate.h -- which clock the function hooks read, and what a pair of them costs.
 *
 * Done at the first function hook: a program without any does not pay for it.
 *
 * Context: setup; the caller is inside a function hook, any thread.
 */
#ifndef THAG_RT_CALIBRATE_H
#define THAG_RT_CALIBRATE_H

#include <stdbool.h>

/*
 * Once per recording: choose the clock, measure, and write both into the header. Other threads that
 * come meanwhile wait for the choice.
 * Result:   false only in a handler that has interrupted the one who is at it: no clock yet.
 */
bool rt_calibrate(void);

#endif
