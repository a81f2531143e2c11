/*
 * signals.c -- what the program does with signals, as far as the sampler's is concerned.
 *
 * It finds that number as if nobody had taken it: its action is what the program has set, it is
 * not pending, and no wait for signals ends with it. Once the program wants the number for itself
 * the sampler moves to another one. All other numbers pass through.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "preload/hook.h"
#include "preload/waits.h"
#include "runtime/setup/sampling.h"

/* Old programs call them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

int __sigaction(int number, const struct sigaction *action, struct sigaction *before);
sighandler_t __sysv_signal(int number, sighandler_t handler);

PL_REAL_PLACE(sigaction);
PL_REAL_PLACE(__sigaction);
PL_REAL_PLACE(signal);
PL_REAL_PLACE(ssignal);
PL_REAL_PLACE(__sysv_signal);
PL_REAL_PLACE(sysv_signal);
PL_REAL_PLACE(sigset);
PL_REAL_PLACE(sigignore);
PL_REAL_PLACE(sigpending);
PL_REAL_PLACE(sigprocmask);
PL_REAL_PLACE(pthread_sigmask);
PL_REAL_PLACE(sigwait);
PL_REAL_PLACE(sigwaitinfo);
PL_REAL_PLACE(sigtimedwait);
PL_REAL_PLACE(sigsuspend);
PL_REAL_PLACE(pause);
PL_REAL_PLACE(signalfd);

PL_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    return rt_sampling_action(number, action, before) ? 0
                                                      : PL_REAL(sigaction)(number, action, before);
}

PL_EXPORT int __sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    return rt_sampling_action(number, action, before)
               ? 0
               : PL_REAL(__sigaction)(number, action, before);
}

/* True if the number is the sampler's and HANDLER one of the two that are none. */
static bool handler_set(int number, sighandler_t handler, sighandler_t *ret_before)
{
    struct sigaction action = {.sa_handler = handler}, before;
    if (number != rt_sampling_number() || handler == SIG_ERR ||
        !rt_sampling_action(number, &action, &before)) {
        return false;
    }
    *ret_before = before.sa_handler;
    return true;
}

PL_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    sighandler_t before;
    return handler_set(number, handler, &before) ? before : PL_REAL(signal)(number, handler);
}

PL_EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
    sighandler_t before;
    return handler_set(number, handler, &before) ? before : PL_REAL(ssignal)(number, handler);
}

PL_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
    sighandler_t before;
    return handler_set(number, handler, &before) ? before : PL_REAL(sysv_signal)(number, handler);
}

PL_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    sighandler_t before;
    return handler_set(number, handler, &before) ? before : PL_REAL(__sysv_signal)(number, handler);
}

/* SIG_HOLD, too, is a wish for the number. */
PL_EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
    sighandler_t before;
    return handler_set(number, handler, &before) ? before : PL_REAL(sigset)(number, handler);
}

PL_EXPORT int sigignore(int number)
{
    sighandler_t before;
    return handler_set(number, SIG_IGN, &before) ? 0 : PL_REAL(sigignore)(number);
}

PL_EXPORT int sigpending(sigset_t *ret_set)
{
    int result = PL_REAL(sigpending)(ret_set);
    int number = rt_sampling_number();
    if (result == 0 && number) {
        sigdelset(ret_set, number);
    }
    return result;
}

/* A set that has all real-time signals in it was filled, and is no wish for any of them. */
static bool is_filled(const sigset_t *set)
{
    bool all = true;
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        all = all && sigismember(set, number) == 1;
    }
    return all;
}

/* Who blocks the number alone is going to wait for it. A filled mask is left as it is: what it was
 * filled for is not ours to know. */
static void mask_look(int how, const sigset_t *set)
{
    int number = rt_sampling_number();
    if (rt_unlikely(number != 0) && set && how != SIG_UNBLOCK && sigismember(set, number) == 1 &&
        !is_filled(set)) {
        rt_sampling_avoid(set);
    }
}

/* The calling thread's sampler, if the signal will not be blocked any more: what it has pending is
 * delivered in the call. */
static struct rt_sampler *mask_opens(int how, const sigset_t *set)
{
    int number = rt_sampling_number();
    struct rt_thread *thread = rt_tls.thread;
    if (rt_likely(number == 0) || !set || how == SIG_BLOCK ||
        (sigismember(set, number) == 1) != (how == SIG_UNBLOCK) || !thread ||
        !rt_thread_is_ours(thread)) {
        return NULL;
    }
    return thread->sampler;
}

#define MASK_CHANGE(function, how, set, before)                                                    \
    ({                                                                                             \
        mask_look(how, set);                                                                       \
        struct rt_sampler *sampler_ = mask_opens(how, set);                                        \
        if (sampler_) {                                                                            \
            sampler_->unblocking = true;                                                           \
        }                                                                                          \
        int result_ = PL_REAL(function)(how, set, before);                                         \
        if (sampler_) {                                                                            \
            sampler_->unblocking = false;                                                          \
        }                                                                                          \
        result_;                                                                                   \
    })

PL_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    return MASK_CHANGE(sigprocmask, how, set, before);
}

PL_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    return MASK_CHANGE(pthread_sigmask, how, set, before);
}

/* SET as a wait for signals shall have it: without the sampler's, in *ROOM. */
static const sigset_t *set_without_ours(const sigset_t *set, sigset_t *room)
{
    int number = rt_sampling_number();
    if (number == 0 || !set || sigismember(set, number) != 1) {
        return set;
    }
    if (!is_filled(set)) {
        rt_sampling_avoid(set);
        return set;
    }
    *room = *set;
    sigdelset(room, number);
    return room;
}

PL_EXPORT int sigwait(const sigset_t *set, int *ret_number)
{
    sigset_t room;
    const sigset_t *others = set_without_ours(set, &room);
    return PL_WAIT(sigwait, others, ret_number);
}

PL_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *ret_info)
{
    sigset_t room;
    const sigset_t *others = set_without_ours(set, &room);
    return PL_WAIT(sigwaitinfo, others, ret_info);
}

PL_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *ret_info, const struct timespec *timeout)
{
    sigset_t room;
    const sigset_t *others = set_without_ours(set, &room);
    return PL_WAIT(sigtimedwait, others, ret_info, timeout);
}

PL_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    sigset_t room;
    return PL_REAL(signalfd)(fd, set_without_ours(set, &room), flags);
}

PL_EXPORT int sigsuspend(const sigset_t *mask)
{
    sigset_t with_ours;
    int number = rt_sampling_number();
    if (number == 0) {
        return PL_REAL(sigsuspend)(mask);
    }
    with_ours = *mask;
    sigaddset(&with_ours, number);
    return PL_WAIT_MASKED(sigsuspend, &with_ours);
}

PL_EXPORT int pause(void)
{
    return PL_WAIT(pause);
}
