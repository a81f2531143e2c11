/*
 * wait_calls.c -- sleeping, waiting for descriptors, for semaphores and for messages.
 *
 * Calls that take a mask of signals have the sampler's added to it; the others are wrapped.
 */
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "preload/hook.h"
#include "preload/waits.h"
#include "runtime/setup/sampling.h"

/* libc's checked variants, which no header shows. */
int __poll_chk(struct pollfd *polls, nfds_t count, int timeout, size_t bytes);
int __ppoll_chk(struct pollfd *polls, nfds_t count, const struct timespec *timeout,
                const sigset_t *mask, size_t bytes);

/* aio.h makes one name of these two. */
int aio_suspend(const void *const list[], int count, const struct timespec *timeout);
int aio_suspend64(const void *const list[], int count, const struct timespec *timeout);

PL_REAL_PLACE(nanosleep);
PL_REAL_PLACE(clock_nanosleep);
PL_REAL_PLACE(usleep);
PL_REAL_PLACE(sleep);
PL_REAL_PLACE(thrd_sleep);
PL_REAL_PLACE(poll);
PL_REAL_PLACE(ppoll);
PL_REAL_PLACE(__poll_chk);
PL_REAL_PLACE(__ppoll_chk);
PL_REAL_PLACE(select);
PL_REAL_PLACE(pselect);
PL_REAL_PLACE(epoll_wait);
PL_REAL_PLACE(epoll_pwait);
PL_REAL_PLACE(epoll_pwait2);
PL_REAL_PLACE(sem_timedwait);
PL_REAL_PLACE(sem_clockwait);
PL_REAL_PLACE(semop);
PL_REAL_PLACE(semtimedop);
PL_REAL_PLACE(msgrcv);
PL_REAL_PLACE(msgsnd);
PL_REAL_PLACE(aio_suspend);
PL_REAL_PLACE(aio_suspend64);

/* MASK with the sampler's signal in it, in *ROOM. */
static const sigset_t *mask_with_ours(const sigset_t *mask, sigset_t *room)
{
    int number = rt_sampling_number();
    if (number == 0) {
        return mask;
    }
    *room = *mask;
    sigaddset(room, number);
    return room;
}

/* A call with a mask, which may be NULL. */
#define WAIT_WITH_MASK(function, mask, ...)                                                        \
    ({                                                                                             \
        sigset_t room_;                                                                            \
        const sigset_t *own = (mask) ? mask_with_ours(mask, &room_) : NULL;                        \
        own ? PL_WAIT_MASKED(function, __VA_ARGS__) : PL_WAIT(function, __VA_ARGS__);              \
    })

PL_EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
    return PL_WAIT(nanosleep, time, left);
}

PL_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                              struct timespec *left)
{
    return PL_WAIT(clock_nanosleep, clock, flags, time, left);
}

PL_EXPORT int usleep(useconds_t time)
{
    return PL_WAIT(usleep, time);
}

PL_EXPORT unsigned sleep(unsigned time)
{
    return PL_WAIT(sleep, time);
}

PL_EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    return PL_WAIT(thrd_sleep, time, left);
}

PL_EXPORT int poll(struct pollfd *polls, nfds_t count, int timeout)
{
    return PL_WAIT(poll, polls, count, timeout);
}

PL_EXPORT int __poll_chk(struct pollfd *polls, nfds_t count, int timeout, size_t bytes)
{
    return PL_WAIT(__poll_chk, polls, count, timeout, bytes);
}

PL_EXPORT int ppoll(struct pollfd *polls, nfds_t count, const struct timespec *timeout,
                    const sigset_t *mask)
{
    return WAIT_WITH_MASK(ppoll, mask, polls, count, timeout, own);
}

PL_EXPORT int __ppoll_chk(struct pollfd *polls, nfds_t count, const struct timespec *timeout,
                          const sigset_t *mask, size_t bytes)
{
    return WAIT_WITH_MASK(__ppoll_chk, mask, polls, count, timeout, own, bytes);
}

PL_EXPORT int select(int count, fd_set *reads, fd_set *writes, fd_set *others,
                     struct timeval *timeout)
{
    return PL_WAIT(select, count, reads, writes, others, timeout);
}

PL_EXPORT int pselect(int count, fd_set *reads, fd_set *writes, fd_set *others,
                      const struct timespec *timeout, const sigset_t *mask)
{
    return WAIT_WITH_MASK(pselect, mask, count, reads, writes, others, timeout, own);
}

PL_EXPORT int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
    return PL_WAIT(epoll_wait, epoll, events, most, timeout);
}

PL_EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int most, int timeout,
                          const sigset_t *mask)
{
    return WAIT_WITH_MASK(epoll_pwait, mask, epoll, events, most, timeout, own);
}

PL_EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int most,
                           const struct timespec *timeout, const sigset_t *mask)
{
    return WAIT_WITH_MASK(epoll_pwait2, mask, epoll, events, most, timeout, own);
}

PL_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    return PL_WAIT(sem_timedwait, semaphore, until);
}

PL_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    return PL_WAIT(sem_clockwait, semaphore, clock, until);
}

PL_EXPORT int semop(int set, struct sembuf *operations, size_t count)
{
    return PL_WAIT(semop, set, operations, count);
}

PL_EXPORT int semtimedop(int set, struct sembuf *operations, size_t count,
                         const struct timespec *timeout)
{
    return PL_WAIT(semtimedop, set, operations, count, timeout);
}

PL_EXPORT ssize_t msgrcv(int queue, void *message, size_t bytes, long type, int flags)
{
    return PL_WAIT(msgrcv, queue, message, bytes, type, flags);
}

PL_EXPORT int msgsnd(int queue, const void *message, size_t bytes, int flags)
{
    return PL_WAIT(msgsnd, queue, message, bytes, flags);
}

PL_EXPORT int aio_suspend(const void *const list[], int count, const struct timespec *timeout)
{
    return PL_WAIT(aio_suspend, list, count, timeout);
}

PL_EXPORT int aio_suspend64(const void *const list[], int count, const struct timespec *timeout)
{
    return PL_WAIT(aio_suspend64, list, count, timeout);
}
