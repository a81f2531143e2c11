/*
 * waits.h -- calls that no signal of the sampler may disturb.
 *
 * A handler with SA_RESTART is not enough for the calls that signal(7) lists as never restarted:
 * they return EINTR early, and others that have done a part return less than they would have.
 * While such a call runs the sampler's signal is blocked. It stays pending, and is delivered when
 * it is unblocked behind the call: then its overruns say how long the wait was, and it is booked
 * on the waiting function.
 *
 * Without samples a wrapper is two compares around a call of libc's function.
 *
 * Context of all functions: hot, unless said otherwise.
 */
#ifndef THAG_PL_WAITS_H
#define THAG_PL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/hook.h"
#include "preload/real_places.h"
#include "runtime/hot/sampler.h"
#include "runtime/os/timer.h"

/* A wait that has begun; all zero: none, for nothing is sampled. */
struct pl_wait {
    struct rt_sampler *sampler;
    int blocked; /* the signal that is to be unblocked; 0: none */
    bool again;  /* and blocked again: the program itself had it so */
};

/*
 * CALLER called the wrapper of libc's FUNCTION, which is about to wait. MASKED: the call itself
 * blocks the signal, by a mask that it is given.
 */
struct pl_wait pl_wait_begin_sampled(const struct rt_registers *caller, uintptr_t function,
                                     bool masked);
void pl_wait_end_sampled(struct pl_wait wait);

/* Call libc's FUNCTION, as a wait if WAITS. */
#define PL_WAIT_IF(waits, function, ...) PL_WAIT_(waits, false, function, __VA_ARGS__)
#define PL_WAIT(function, ...)           PL_WAIT_(true, false, function, ##__VA_ARGS__)
#define PL_WAIT_MASKED(function, ...)    PL_WAIT_(true, true, function, __VA_ARGS__)
#define PL_WAIT_(waits, masked, function, ...)                                                     \
    ({                                                                                             \
        __typeof__(&(function)) libcs_ = PL_REAL(function);                                        \
        struct pl_wait wait_ = {NULL, 0, false};                                                   \
        if (rt_unlikely(rt_sampling.on) && (waits)) {                                              \
            struct rt_registers caller_ = PL_CALLER_REGISTERS();                                   \
            wait_ = pl_wait_begin_sampled(&caller_, (uintptr_t)libcs_, masked);                    \
        }                                                                                          \
        __typeof__(libcs_(__VA_ARGS__)) result_ = libcs_(__VA_ARGS__);                             \
        if (rt_unlikely(wait_.sampler || wait_.blocked)) {                                         \
            pl_wait_end_sampled(wait_);                                                            \
        }                                                                                          \
        result_;                                                                                   \
    })

#endif
