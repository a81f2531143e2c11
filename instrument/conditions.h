/*
 * conditions.h -- the branches of #if: each begins in the same place of the source's brackets.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_IN_CONDITIONS_H
#define THAG_IN_CONDITIONS_H

#include "instrument/frames.h"
#include "instrument/lexer.h"
#include "instrument/scan.h"

enum in_liveness {
    IN_LIVE,
    IN_DEAD,   /* this branch is never compiled */
    IN_HIDDEN, /* nor is the whole of it */
};

/* One #if that is open. */
struct in_condition_state {
    struct in_frame start; /* at the #if */
    struct in_frame ended; /* at the end of a live branch, if HAS_ENDED */
    bool has_ended, has_else;
    bool taken; /* a branch was always compiled, no later one is */
    uint8_t liveness;
    uint32_t outer_floor, items_floor; /* what was kept before */
};

struct in_conditions {
    struct in_condition_state *open;
    uint32_t count, room;
};

void in_conditions_release(struct in_conditions *conditions);

/* True if code here is never compiled. */
static inline bool in_conditions_is_dead(const struct in_conditions *conditions)
{
    return conditions->count > 0 && conditions->open[conditions->count - 1].liveness != IN_LIVE;
}

/* An #if, #elif, #else or #endif: sets FRAMES to where the code behind it is. */
void in_conditions_step(struct in_conditions *conditions, struct in_frames *frames,
                        enum in_policy policy, const struct in_token *directive);

#endif
