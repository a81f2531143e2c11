/*
 * recording_life.h -- whether a recording may still grow, and giving back what it reserved.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_RECORDING_LIFE_H
#define THAG_AN_RECORDING_LIFE_H

#include "analyzer/input/recording_file.h"

/*
 * True while the recorded process may still write. Not while it is a zombie; not for another
 * process with the same number; not for a program that was replaced by exec.
 */
bool an_recording_running(const struct an_recording_file *file);

/*
 * When the recorded process began, by CLOCK_REALTIME: exec keeps the process, so images before this
 * one may have recordings of their own. As good as the system's clock; start_realtime_ns of the
 * recording if the process is gone or on another host.
 */
uint64_t an_recording_process_start_ns(const struct an_recording_file *file);

/* True if the recording was made on this host: process numbers and /tmp mean the same. */
bool an_recording_same_host(const struct an_recording_file *file);

/*
 * Cut a recording that a killed process left at its reserved size down to what it holds. Nothing
 * happens to one that is not longer, may not be written, or may still be mapped by anyone.
 *
 * Result:   true if it was cut.
 * Never:    cuts a file under a running recorder, which that would kill.
 */
bool an_recording_trim(const struct an_recording_file *file);

#endif
