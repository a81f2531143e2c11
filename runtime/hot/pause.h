/*
 * pause.h -- stopping and starting the recording from inside the program.
 *
 * While it is stopped no allocation and no call is booked; frees of recorded blocks are, or they
 * would look like leaks. Stops nest.
 *
 * Context of all functions: hot, also in signal handlers.
 */
#ifndef THAG_RT_PAUSE_H
#define THAG_RT_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

/* Begin anew: STOPPED says whether the program has to start the recording itself. */
void rt_pause_reset(bool stopped);
void rt_pause_stop(void);

/* Take back one stop; nothing if there is none. */
void rt_pause_start(void);
bool rt_pause_is_on(void);

#endif
