/*
 * job.c -- long work on a thread of its own.
 */
#include "analyzer/menu/job.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* What a thread does to itself. */
static const int job_own_signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

static void job_let_go(struct an_job *job)
{
    if (atomic_fetch_sub(&job->owners, 1) != 1)
        return;
    if (job->ended >= 0)
        close(job->ended);
    job->release(job);
}

static void *job_thread(void *context)
{
    struct an_job *job = context;
    uint64_t one = 1;
    an_task_enter(&job->task);
    job->run(job);
    an_task_enter(NULL);
    /* It cannot fail: the counter is far from full. */
    if (write(job->ended, &one, sizeof(one)) < 0)
        job->task.unwanted = true;
    job_let_go(job);
    return NULL;
}

void an_job_start(struct an_job *job)
{
    pthread_t thread;
    job->task.unwanted = false;
    job->task.what = NULL;
    job->task.done = job->task.total = 0;
    job->owners = 2;
    job->ended = eventfd(0, EFD_CLOEXEC);
    /* Signals are for the thread that talks with the user. */
    sigset_t others, before;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof(job_own_signals) / sizeof(job_own_signals[0]); i++)
        sigdelset(&others, job_own_signals[i]);
    pthread_sigmask(SIG_BLOCK, &others, &before);
    int failed = pthread_create(&thread, NULL, job_thread, job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        job_thread(job);
    else
        pthread_detach(thread);
}

int an_job_descriptor(const struct an_job *job)
{
    return job->ended;
}

void an_job_keep(struct an_job *job)
{
    atomic_fetch_add(&job->owners, 1);
}

void an_job_drop(struct an_job *job)
{
    job->task.unwanted = true;
    job_let_go(job);
}
