/*
 * job.h -- long work on a thread of its own, which can be waited for, watched and given up.
 *
 * A job has two owners: who started it and the thread that does it. Who lets go last releases it,
 * so work that was given up can end in its own time without anybody waiting.
 *
 * Context of all functions: tool, the thread that started the job.
 */
#ifndef THAG_AN_JOB_H
#define THAG_AN_JOB_H

#include <stdatomic.h>

#include "analyzer/support/task.h"

/* First member of what the work needs and makes. */
struct an_job {
    /* The work, with TASK as the task of its thread; results stay in the struct around this. */
    void (*run)(struct an_job *job);
    /* Free all of it. */
    void (*release)(struct an_job *job);
    struct an_task task;
    /* Private to job.c. */
    atomic_uint owners;
    int ended; /* eventfd */
};

/*
 * Start a job whose RUN and RELEASE are set; the rest of this part is filled here.
 * Where there can be no thread the work is done before this returns.
 */
void an_job_start(struct an_job *job);

/* A descriptor that can be read once the work is done. Lifetime: until an_job_drop(). */
int an_job_descriptor(const struct an_job *job);

/* One more owner, who has to drop the job as well: another job that works on its results. */
void an_job_keep(struct an_job *job);

/* Let go of a job. If its work still goes on, nobody wants it any more. */
void an_job_drop(struct an_job *job);

#endif
