/*
 * store.h -- the mapped file: its making, its trimming, its last place.
 *
 * The file is made as large as the reservation with one truncate and mapped once; its descriptor is
 * closed at once, so the program may close, count and reuse descriptors as it likes. Growing is
 * mprotect and MADV_POPULATE_WRITE: no path and no descriptor, and a full disk is an error code.
 *
 * Where a mapped page of a file cannot be promised (network and unknown file systems, MAP_SHARED
 * refused), and on request, the live file lies in /dev/shm or $TMPDIR and is copied at the end.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_STORE_H
#define THAG_RT_STORE_H

#include "runtime/setup/session.h"

/*
 * Create and map the recording of SESSION.
 * Result:   0 with rt_recording begun; or -errno with SESSION->path naming what was tried and
 *           nothing left behind.
 */
int rt_store_open(struct rt_session *session);

/* What of a limited address space a recording may reserve, in bytes. */
uint64_t rt_store_share(uint64_t address_space);

/* What was opened cannot be used: leave no file behind. The mapping stays. */
void rt_store_discard(struct rt_session *session);

/*
 * The recording has ended: give back the file's unused length, or copy it to its last place.
 * Failures leave a recording that the reader can use as it is.
 * Result:   0; or -errno if the file may not or cannot be opened by its path any more.
 */
int rt_store_close(const struct rt_session *session);

#endif
