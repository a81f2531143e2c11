/*
 * waits.c -- see the header.
 */
#include "preload/waits.h"

#include "runtime/hot/thread_state.h"
#include "runtime/setup/sampling.h"

/* A wait whose caller's frame lies further in than that of SP's, or just there, was left by a jump
 * out of a handler: it will not unblock the signal. */
static bool wait_is_dead(const struct rt_sampler *sampler, uintptr_t sp)
{
    return sampler->waiting && sampler->wait_caller.sp <= sp;
}

/* The program had the signal blocked, and may have for long. What is pending is of the time before
 * this call; here is a place as good as any to take it. */
static void pending_take(struct rt_sampler *sampler, int number)
{
    sampler->deaf = true;
    os_signal_unblock(number);
    os_signal_block(number);
    sampler->deaf = false;
}

static struct pl_wait block(struct rt_sampler *sampler, uintptr_t sp, int number)
{
    struct pl_wait wait = {sampler, number, false};
    if (os_signal_block(number) && !wait_is_dead(sampler, sp)) {
        if (sampler->waiting) { /* a handler, inside a wait: that one will unblock it */
            return (struct pl_wait){NULL, 0, false};
        }
        wait.again = true;
        pending_take(sampler, number);
    }
    return wait;
}

struct pl_wait pl_wait_begin_sampled(const struct rt_registers *caller, uintptr_t function,
                                     bool masked)
{
    struct pl_wait wait = {NULL, 0, false};
    int number = rt_sampling_number();
    struct rt_thread *thread = rt_tls.thread;
    bool ours = thread && rt_thread_is_ours(thread);
    struct rt_sampler *sampler = ours ? thread->sampler : NULL;
    if (number == 0 || (ours && !sampler)) {
        return wait;
    }
    if (!sampler) { /* a forked child that has not begun: its timer may yet come */
        wait.blocked = masked || os_signal_block(number) ? 0 : number;
        return wait;
    }
    if (!masked) {
        wait = block(sampler, caller->sp, number);
    } else if (!sampler->waiting || wait_is_dead(sampler, caller->sp)) {
        wait.sampler = sampler;
    }
    if (wait.sampler) {
        sampler->wait_caller = *caller;
        sampler->wait_function = function;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        sampler->waiting = true;
    }
    return wait;
}

void pl_wait_end_sampled(struct pl_wait wait)
{
    if (wait.blocked) {
        os_signal_unblock(wait.blocked); /* what is pending is delivered here */
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (wait.sampler) {
        wait.sampler->waiting = false;
    }
    if (wait.again) {
        os_signal_block(wait.blocked);
    }
}
