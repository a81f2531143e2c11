/*
 * sampling.c -- see the header.
 */
#include "runtime/setup/sampling.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/sampler.h"
#include "runtime/hot/thread_state.h"
#include "runtime/os/os.h"
#include "runtime/setup/lifecycle.h"
#include "runtime/setup/session.h"

/* The last one is valgrind's, the first ones are what programs use. */
enum { NUMBER_FIRST = 63, NUMBER_LAST = 40 };

/* A forked child that has used so much without a hook has not come to exec. */
enum { FORKED_NS = 5 * 1000 * 1000 };

static struct {
    int number;                /* 0: none */
    struct sigaction believed; /* by the program, of that number */
    uint32_t forked_pid;       /* the child that FORKED_TIMER is for */
    int forked_timer;
} signal_of;

/* libc's, which knows how to return from a handler; the name is interposed by ourselves. */
static int action_set(int number, const struct sigaction *action, struct sigaction *ret_before)
{
    static int (*real)(int, const struct sigaction *, struct sigaction *);
    if (!real) {
        real = (__typeof__(real))dlsym(RTLD_NEXT, "sigaction");
    }
    int saved = errno;
    int result = real ? real(number, action, ret_before) : -1;
    errno = saved;
    return result;
}

static bool handler_install(int number)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    action.sa_sigaction = rt_sampler_handle;
    sigfillset(&action.sa_mask);
    if (action_set(number, &action, NULL) != 0) {
        return false;
    }
    os_signal_block_in_handler(number);
    return true;
}

/* What nobody has an eye on: its action is the default, it is not blocked, none is pending. */
static bool number_is_free(int number, const struct rt_config *config)
{
    uint64_t bit = UINT64_C(1) << (number - 1), blocked;
    os_signals_block(&blocked);
    os_signals_restore(blocked);
    return number != config->toggle_signal && number != config->snapshot_signal &&
           os_signal_disposition(number) == OS_SIGNAL_DEFAULT && !(blocked & bit) &&
           !(os_signals_pending() & bit);
}

/* Take a number that is not in AVOIDED (may be NULL), and have it handled. */
static bool number_choose(const sigset_t *avoided)
{
    for (int number = NUMBER_FIRST; number >= NUMBER_LAST; number--) {
        if ((!avoided || !sigismember(avoided, number)) &&
            number_is_free(number, &rt_session.config) && handler_install(number)) {
            signal_of.number = number;
            signal_of.believed = (struct sigaction){.sa_handler = SIG_DFL};
            return true;
        }
    }
    signal_of.number = 0;
    return false;
}

/* The number goes back to the program: nothing of ours is pending, the action is what it believes.
 */
static void number_give_back(void)
{
    os_signal_reset(signal_of.number, OS_SIGNAL_IGNORED);
    if (signal_of.believed.sa_handler != SIG_IGN) {
        os_signal_reset(signal_of.number, OS_SIGNAL_DEFAULT);
    }
}

/* A signal that is not a timer's does what it would have done without us. */
static void stranger(int number)
{
    if (signal_of.believed.sa_handler == SIG_DFL) {
        os_signal_reset(number, OS_SIGNAL_DEFAULT);
        os_signal_raise(number); /* delivered when the handler returns */
    }
}

/* In a handler, in a forked child. If a hook was interrupted, that will notice the fork itself. */
static void forked(void)
{
    struct rt_thread *thread;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (rt_tls.guard) {
        return;
    }
    rt_lifecycle_fork_child();
    if (rt_gate_read() == &rt_gate_open &&
        rt_thread_enter_slowly(frame, &thread) == RT_ENTRY_TAKEN) {
        rt_thread_leave();
    }
}

void rt_sampling_reset(const struct rt_config *config)
{
    rt_sampler_reset(config->sample_wall ? OS_TIMER_WALL : OS_TIMER_CPU,
                     config->sample ? config->sample_hz : 0);
}

void rt_sampling_begin(const struct rt_config *config)
{
    if (!config->sample) {
        return;
    }
    rt_sampler_stranger = stranger;
    rt_sampler_forked = forked;
    if (number_choose(NULL)) {
        rt_sampler_start(signal_of.number);
    } else {
        rt_recording.header->sample_end = REC_SAMPLE_END_SIGNALS;
    }
}

static void forked_timer_delete(void)
{
    if (signal_of.forked_pid && signal_of.forked_pid == os_process_id()) {
        os_timer_delete(signal_of.forked_timer);
        signal_of.forked_pid = 0;
    }
}

/*
 * Whether a forked child can go on with its parent's number. It may have given it back for an exec
 * that failed, or have changed its action by a system call: no timer may meet the default.
 */
static bool number_is_held(void)
{
    struct sigaction now;
    if (signal_of.number == 0 || action_set(signal_of.number, NULL, &now) != 0) {
        return false;
    }
    if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == rt_sampler_handle) {
        return true;
    }
    if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) { /* it is the program's */
        return number_choose(NULL);
    }
    signal_of.believed = now;
    return handler_install(signal_of.number);
}

void rt_sampling_begin_forked(const struct rt_config *config)
{
    if (!config->sample) {
        return;
    }
    forked_timer_delete();
    signal_of.forked_pid = 0;
    if (number_is_held()) {
        rt_sampling.since_fork = true;
        rt_sampler_start(signal_of.number);
    } else {
        rt_recording.header->sample_end = REC_SAMPLE_END_SIGNALS;
    }
}

void rt_sampling_fork_child(void)
{
    uint32_t pid = os_process_id();
    if (!rt_sampling.on || rt_process_is_ours() || signal_of.forked_pid == pid ||
        rt_session.config.follow == RT_FOLLOW_NO) {
        return;
    }
    uint32_t tid = os_thread_id();
    int timer = os_timer_create(OS_TIMER_CPU, tid, signal_of.number, &rt_sampling);
    if (timer >= 0) {
        signal_of.forked_timer = timer;
        signal_of.forked_pid = pid;
        os_timer_start(timer, os_timer_clock_ns(OS_TIMER_CPU, tid) + FORKED_NS, 0);
    }
}

void rt_sampling_forked_execs(void)
{
    if (signal_of.forked_pid && signal_of.forked_pid == os_process_id()) {
        forked_timer_delete();
        number_give_back();
    }
}

void rt_sampling_leave(enum rec_sample_end why)
{
    if (!rt_sampling.on) {
        return;
    }
    rt_sampler_stop();
    number_give_back();
    rt_recording.header->sample_end = why;
}

void rt_sampling_come_back(void)
{
    if (!rt_sampling.on && signal_of.number && handler_install(signal_of.number)) {
        rt_recording.header->sample_end = REC_SAMPLE_END_NONE;
        rt_sampler_start(signal_of.number);
    }
}

int rt_sampling_number(void)
{
    return __atomic_load_n(&rt_sampling.on, __ATOMIC_ACQUIRE) ? signal_of.number : 0;
}

/* Another number than those in AVOIDED. */
static bool move(const sigset_t *avoided)
{
    rt_sampler_stop();
    number_give_back();
    if (number_choose(avoided)) {
        rt_sampler_start(signal_of.number);
        return true;
    }
    rt_recording.header->sample_end = REC_SAMPLE_END_SIGNALS;
    return false;
}

bool rt_sampling_avoid(const sigset_t *set)
{
    int number = rt_sampling_number();
    return number == 0 || !sigismember(set, number) || move(set);
}

bool rt_sampling_action(int number, const struct sigaction *action, struct sigaction *ret_before)
{
    if (number == 0 || number != rt_sampling_number()) {
        return false;
    }
    if (action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
        sigset_t wanted;
        sigemptyset(&wanted);
        sigaddset(&wanted, number);
        if (rt_process_is_ours()) {
            move(&wanted);
        } else { /* a forked child that has not begun chooses when it does */
            forked_timer_delete();
        }
        return false;
    }
    struct sigaction before = signal_of.believed;
    if (action) {
        signal_of.believed = *action;
    }
    if (ret_before) {
        *ret_before = before;
    }
    return true;
}
