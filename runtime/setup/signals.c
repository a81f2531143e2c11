/*
 * signals.c -- see the header.
 */
#include "runtime/setup/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "runtime/hot/pause.h"
#include "runtime/hot/thread_state.h"
#include "runtime/setup/snapshot.h"

/* Signals that were taken at the start; 0: none. */
static struct {
    int toggle, snapshot;
} taken;

static void on_toggle(int number)
{
    (void)number;
    if (rt_gate_read() == &rt_gate_open) {
        rt_pause_toggle();
    }
}

static void on_snapshot(int number)
{
    (void)number;
    rt_snapshot_take();
}

static void say(const char *key, int number, const char *why)
{
    static struct rt_text line;
    rt_text_clear(&line);
    rt_text_add(&line, "thag: THAG_PROFILER: ");
    rt_text_add(&line, key);
    rt_text_add(&line, ": ");
    rt_text_add(&line, why);
    rt_text_add(&line, " signal ");
    rt_text_add_number(&line, (uint64_t)number);
    rt_text_add(&line, "; the key has no effect");
    rt_session_say(&line);
}

/* 0, or -EBUSY if NUMBER has another action than the default one, which stays. */
static int signal_take(int number, void (*handler)(int))
{
    int saved = errno;
    struct sigaction before;
    struct sigaction ours = {.sa_flags = SA_RESTART | SA_ONSTACK};
    ours.sa_handler = handler;
    sigfillset(&ours.sa_mask);
    int result = -EINVAL;
    if (sigaction(number, NULL, &before) == 0) {
        bool usual = !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL;
        result = !usual ? -EBUSY : sigaction(number, &ours, NULL) == 0 ? 0 : -EINVAL;
    }
    errno = saved;
    return result;
}

static bool signal_is_ours(int number, void (*handler)(int))
{
    int saved = errno;
    struct sigaction now;
    bool ours = os_is_frozen() || sigaction(number, NULL, &now) != 0 || now.sa_handler == handler;
    errno = saved;
    return ours;
}

static int take(const char *key, int number, void (*handler)(int))
{
    int result = number ? signal_take(number, handler) : -ENOENT;
    if (result == -EBUSY) {
        say(key, number, "the program was started to handle or ignore");
    }
    return result == 0 ? number : 0;
}

void rt_signals_begin(const struct rt_session *session)
{
    taken.toggle = take("toggle_signal", session->config.toggle_signal, on_toggle);
    taken.snapshot = take("snapshot_signal", session->config.snapshot_signal, on_snapshot);
}

void rt_signals_end(const struct rt_session *session)
{
    static const char why[] = "the program uses";
    if (session->forked) {
        return; /* the first process says it */
    }
    if (taken.toggle && !signal_is_ours(taken.toggle, on_toggle)) {
        say("toggle_signal", taken.toggle, why);
    }
    if (taken.snapshot && !signal_is_ours(taken.snapshot, on_snapshot)) {
        say("snapshot_signal", taken.snapshot, why);
    }
}
