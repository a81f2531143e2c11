/*
 * snapshot.h -- a copy of the recording as it is at one moment, while it goes on.
 */
#ifndef THAG_RT_SNAPSHOT_H
#define THAG_RT_SNAPSHOT_H

/*
 * Copy the recording to BASE-snapN.thag, the first N that is free, and have it resolved.
 *
 * Context:  any thread, also signal handlers: no heap, no lock, no errno.
 * Result:   N; 0 if there is no recording, if another snapshot is being taken at this moment, or if
 *           no copy can be written: then there is no file.
 */
int rt_snapshot_take(void);

#endif
