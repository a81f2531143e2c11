/*
 * relatives.h -- the recordings in a directory that belong to one run of a program: its own, those
 * of the images that took its place by exec, and those of its children.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_RELATIVES_H
#define THAG_AN_RELATIVES_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/profile.h"
#include "runtime/format/recording_format.h"

struct an_relative {
    char *path; /* as the directory was given; without one where that is "." */
    struct rec_header header;
};

struct an_relatives {
    struct an_relative *relative;
    size_t count;
};

/*
 * Look through DIRECTORY for what process PID and its children recorded.
 *
 * Inputs:   START_NS is a moment of CLOCK_REALTIME before the process began: older recordings are
 *           of another one with the same number.
 * Result:   released by an_relatives_release(); none if the directory cannot be read.
 */
void an_relatives_find(const char *directory, uint32_t pid, uint64_t start_ns,
                       struct an_relatives *ret_relatives);
void an_relatives_release(struct an_relatives *relatives);

/* The last image of process PID that was recorded. NULL: none was. */
const struct an_relative *an_relatives_own(const struct an_relatives *relatives, uint32_t pid);

/* The one with the largest heap. NULL: there is none. */
const struct an_relative *an_relatives_largest(const struct an_relatives *relatives);

/* The path without ".thag", freed by free(). */
char *an_relative_stem(const struct an_relative *relative);

#define AN_RELATIVE_FILES (AN_KIND_RECORDING + 1)

/*
 * The files that there are of a recording: what was made of it, and itself.
 * Result: their number; RET_PATHS' texts are freed by free().
 */
size_t an_relative_files(const struct an_relative *relative, char *ret_paths[AN_RELATIVE_FILES]);

#endif
