/*
 * conditions.c -- the branches of #if.
 */
#include "instrument/conditions.h"

#include <stdlib.h>

#include "instrument/memory.h"

void in_conditions_release(struct in_conditions *conditions)
{
    free(conditions->open);
}

static void conditions_open(struct in_conditions *conditions, struct in_frames *frames,
                            const struct in_token *directive)
{
    bool hidden = in_conditions_is_dead(conditions);
    conditions->open = in_memory_grow(conditions->open, conditions->count, &conditions->room,
                                      sizeof(struct in_condition_state));
    conditions->open[conditions->count++] = (struct in_condition_state){
        .start = frames->top,
        .taken = directive->condition == IN_CONDITION_ALWAYS,
        .liveness = hidden                                       ? IN_HIDDEN
                    : directive->condition == IN_CONDITION_NEVER ? IN_DEAD
                                                                 : IN_LIVE,
        .outer_floor = frames->outer_floor,
        .items_floor = frames->items_floor};
    in_frames_keep(frames);
}

static void conditions_branch(struct in_condition_state *state, struct in_frames *frames,
                              enum in_policy policy, const struct in_token *directive)
{
    if (state->liveness == IN_HIDDEN)
        return;
    if (state->liveness == IN_LIVE && (!state->has_ended || policy == IN_POLICY_LAST)) {
        state->ended = frames->top;
        state->has_ended = true;
        in_frames_keep(frames);
    }
    frames->top = state->start;
    bool is_else = directive->directive == IN_DIRECTIVE_ELSE;
    bool never = state->taken || (!is_else && directive->condition == IN_CONDITION_NEVER);
    state->liveness = never ? IN_DEAD : IN_LIVE;
    state->has_else |= is_else;
    state->taken |= !is_else && directive->condition == IN_CONDITION_ALWAYS;
}

/* Where the code behind the #endif is. */
static struct in_frame conditions_choose(const struct in_condition_state *state,
                                         const struct in_frame *last, enum in_policy policy)
{
    switch (policy) {
    case IN_POLICY_FIRST:
        return state->has_ended ? state->ended : *last;
    case IN_POLICY_LAST:
        if (state->liveness == IN_DEAD)
            return state->has_ended ? state->ended : *last;
        /* Without an #else the code may well not be there. */
        if (!state->has_else && !state->has_ended && last->depth != state->start.depth)
            return state->start;
        return *last;
    case IN_POLICY_LEVEL:
        return state->has_ended && last->depth != state->start.depth ? state->ended : *last;
    default:
        return *last;
    }
}

static void conditions_close(struct in_conditions *conditions, struct in_frames *frames,
                             enum in_policy policy)
{
    const struct in_condition_state *state = &conditions->open[--conditions->count];
    if (state->liveness != IN_HIDDEN)
        frames->top = conditions_choose(state, &frames->top, policy);
    in_frames_unkeep(frames, state->outer_floor, state->items_floor);
}

void in_conditions_step(struct in_conditions *conditions, struct in_frames *frames,
                        enum in_policy policy, const struct in_token *directive)
{
    if (directive->directive == IN_DIRECTIVE_IF)
        conditions_open(conditions, frames, directive);
    else if (conditions->count == 0)
        return;
    else if (directive->directive == IN_DIRECTIVE_ENDIF)
        conditions_close(conditions, frames, policy);
    else
        conditions_branch(&conditions->open[conditions->count - 1], frames, policy, directive);
}
