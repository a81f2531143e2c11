/*
 * config.h -- what the user asked for: THAG_PROFILER and SIZE_TRACKING_THRESHOLD.
 *
 *   THAG_PROFILER=[type][,[output_dir][,[debug_level][,[memory_detail][,key=value...]]]]
 *
 * Words are trimmed and may be in any case; every position may be empty. A value that is not legal
 * is told in one line and switches profiling off: the program itself must not suffer.
 *
 * Context of all functions: setup.
 */
#ifndef THAG_RT_CONFIG_H
#define THAG_RT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/setup/environment.h"
#include "runtime/setup/text.h"

enum rt_debug_level { RT_DEBUG_NONE, RT_DEBUG_QUIET, RT_DEBUG_ANNOUNCE };
enum rt_follow { RT_FOLLOW_NO, RT_FOLLOW_FORK, RT_FOLLOW_ALL };
enum rt_clock_choice { RT_CLOCK_AUTO, RT_CLOCK_TSC, RT_CLOCK_MONOTONIC };
enum rt_store { RT_STORE_FILE, RT_STORE_MEMORY };

struct rt_config {
    bool memory, time, sample; /* all false: profiling is off */
    bool detail;
    enum rt_debug_level debug_level;
    struct rt_text directory; /* as given, ~ expanded; empty: the current one */
    uint64_t threshold_bytes; /* record only larger allocations; 0: all */
    /* keys */
    uint32_t stream_s; /* 0: no streaming */
    enum rt_follow follow;
    enum rt_clock_choice clock;
    bool precise;
    uint32_t sample_hz;
    bool sample_wall;
    uint64_t max_bytes;
    bool resolve;
    struct rt_text resolver; /* empty: to be looked for */
    bool start_on;
    int toggle_signal, snapshot_signal; /* 0: none */
    enum rt_store store;
};

/*
 * Read the variables.
 * Result:   RET_CONFIG filled in any case. false: something was not legal; RET_MESSAGE is one line
 *           for the user, and profiling is off. true with a RET_MESSAGE that is not empty: a
 * warning.
 */
bool rt_config_read(const struct rt_environment *environment, struct rt_config *ret_config,
                    struct rt_text *ret_message);

#endif
