/*
 * progress.h -- one line on stderr about work that takes over a second, for people only.
 *
 * Context: tool.
 */
#ifndef THAG_AN_PROGRESS_H
#define THAG_AN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct an_progress {
    const char *what;
    const char *detail;
    uint64_t total, done;
    uint64_t begin_ns;
    uint64_t shown_ns;
    bool terminal;
};

void an_progress_begin(struct an_progress *progress, const char *what, uint64_t total);

/*
 * DONE of the total is done; DETAIL is worked on now, and has to live until the next step. Told to
 * the task of this thread if it has one; else on stderr, if that is a terminal.
 */
void an_progress_step(struct an_progress *progress, uint64_t done, const char *detail);

/* MORE is done than at the last call. */
void an_progress_more(struct an_progress *progress, uint64_t more);

/* Wipe the line. */
void an_progress_end(struct an_progress *progress);

#endif
