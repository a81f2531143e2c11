/*
 * record_report.h -- what a program that has just run left, and what to type next.
 *
 * Context: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_RECORD_REPORT_H
#define THAG_AN_RECORD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct an_record_run {
    const char *program;   /* as the user named it */
    const char *directory; /* where its recordings are */
    const char *settings;  /* its THAG_PROFILER */
    uint32_t pid;
    uint64_t start_ns; /* CLOCK_REALTIME, before it began */
    bool was_told;     /* the user knows already that nothing can be recorded */
};

/*
 * Resolve what the program could not have resolved (a signal ended it) and say on stderr what was
 * recorded.
 */
void an_record_report(const struct an_record_run *run);

#endif
