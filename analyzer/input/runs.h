/*
 * runs.h -- the runs that were recorded into a directory, grouped by program.
 *
 * A run is the recording and the folded files of one BASE. Its program is the text before the time
 * stamp, dashes and dots kept; a file without a stamp is a program and a run of its own, dated by
 * its last change.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_RUNS_H
#define THAG_AN_RUNS_H

#include <stdint.h>

#include "analyzer/model/profile.h"

#define AN_RUN_STAMP_BYTES sizeof("YYYYMMDD-HHMMSS")

struct an_run {
    char *base;
    char *program;
    char stamp[AN_RUN_STAMP_BYTES]; /* sorts like the time */
    uint32_t kinds;                 /* the files there are, bits 1 << enum an_kind */
    uint64_t bytes;                 /* of all files together, as they occupy the disk */
};

struct an_runs {
    struct an_run *run; /* groups by newest run; in a group the newest first */
    uint32_t count;
};

/* Result: 0 (also without any run), or -errno. Released by an_runs_release(). */
int an_runs_scan(const char *directory, struct an_runs *ret_runs);
void an_runs_release(struct an_runs *runs);

/* The words for a kind of file: "time", "memory detail". */
const char *an_kind_title(enum an_kind kind);

#endif
