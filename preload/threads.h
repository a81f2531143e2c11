/*
 * threads.h -- forks, for the sampler.
 */
#ifndef THAG_PL_THREADS_H
#define THAG_PL_THREADS_H

/* Have forked children seen, if samples are taken. Context: setup, the library's constructor. */
void pl_threads_watch_forks(void);

#endif
