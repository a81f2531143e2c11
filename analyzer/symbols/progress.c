/*
 * progress.c -- one line on stderr about work that takes over a second.
 */
#include "analyzer/symbols/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/support/task.h"

#define SECOND_NS UINT64_C(1000000000)

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

void an_progress_begin(struct an_progress *progress, const char *what, uint64_t total)
{
    *progress = (struct an_progress){
        .what = what,
        .detail = "",
        .total = total,
        .terminal = !an_task_current() && isatty(2) == 1,
    };
    if (progress->terminal)
        progress->begin_ns = now_ns();
}

static void line_show(struct an_progress *progress)
{
    an_task_step(progress->what, progress->done, progress->total);
    if (!progress->terminal)
        return;
    uint64_t now = now_ns();
    if (now - progress->begin_ns < SECOND_NS || now - progress->shown_ns < SECOND_NS / 10)
        return;
    progress->shown_ns = now;
    fprintf(stderr, "\r\033[K%s: %" PRIu64 " of %" PRIu64 ", %.60s", progress->what, progress->done,
            progress->total, progress->detail);
}

void an_progress_step(struct an_progress *progress, uint64_t done, const char *detail)
{
    progress->done = done;
    progress->detail = detail;
    line_show(progress);
}

void an_progress_more(struct an_progress *progress, uint64_t more)
{
    progress->done += more;
    line_show(progress);
}

void an_progress_end(struct an_progress *progress)
{
    if (progress->shown_ns != 0)
        fputs("\r\033[K", stderr);
}
