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
    /* The file of each kind, without its directory; NULL: none. A plain one goes before a packed.
     */
    char *file[AN_KIND_RECORDING + 1];
};

struct an_runs {
    struct an_run *run; /* groups by newest run; in a group the newest first */
    uint32_t count;
};

/* Result: 0 (also without any run), or -errno. Released by an_runs_release(). */
int an_runs_scan(const char *directory, struct an_runs *ret_runs);
void an_runs_release(struct an_runs *runs);

/* What can be looked at in a run. */
enum an_run_side {
    AN_RUN_TIME = 1u << 0,
    AN_RUN_MEMORY = 1u << 1,
    AN_RUN_SAMPLE = 1u << 2,
};

/*
 * The sides that a run has: by the kinds of its folded files, and by what the header of its
 * recording says. A recording that cannot be read has none.
 */
unsigned an_run_sides(const char *directory, const struct an_run *run);

/* "2024-01-02 03:04:05" from the stamp. */
#define AN_RUN_TIME_MAX 24
void an_run_time_text(const struct an_run *run, char ret_text[AN_RUN_TIME_MAX]);

/* "time, memory, recording" */
#define AN_RUN_KINDS_MAX 160
void an_run_kinds_text(const struct an_run *run, char ret_text[AN_RUN_KINDS_MAX]);

/* The words for a kind of file: "time", "memory detail". */
const char *an_kind_title(enum an_kind kind);

#endif
