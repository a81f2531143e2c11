/*
 * frames.c -- where in a source we are: the brackets that are open, and the declaration so far.
 */
#include "instrument/frames.h"

#include <stdlib.h>

#include "instrument/memory.h"

void in_frames_start(struct in_frames *frames)
{
    *frames = (struct in_frames){.top = {.kind = IN_FRAME_DECLARATIONS,
                                         .global = true,
                                         .outer = IN_NONE,
                                         .function = IN_NONE,
                                         .owner = IN_NONE,
                                         .last_item = IN_NONE}};
}

void in_frames_release(struct in_frames *frames)
{
    free(frames->outer);
    free(frames->items);
}

static uint32_t frames_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void in_frames_push(struct in_frames *frames, enum in_frame_kind kind, uint32_t open)
{
    frames->outer = in_memory_grow(frames->outer, frames->outer_used, &frames->outer_room,
                                   sizeof(struct in_frame));
    frames->outer[frames->outer_used] = frames->top;
    frames->top = (struct in_frame){.kind = (uint8_t)kind,
                                    .depth = frames->top.depth + 1,
                                    .outer = frames->outer_used++,
                                    .open = open,
                                    .function = IN_NONE,
                                    .owner = frames->top.owner,
                                    .items_below = frames->items_used,
                                    .last_item = IN_NONE};
}

struct in_frame in_frames_pop(struct in_frames *frames)
{
    struct in_frame closed = frames->top;
    frames->top = frames->outer[closed.outer];
    frames->outer_used = frames_larger(closed.outer, frames->outer_floor);
    frames->items_used = frames_larger(closed.items_below, frames->items_floor);
    return closed;
}

void in_frames_add(struct in_frames *frames, const struct in_item *item)
{
    frames->items = in_memory_grow(frames->items, frames->items_used, &frames->items_room,
                                   sizeof(struct in_item));
    frames->items[frames->items_used] = *item;
    frames->items[frames->items_used].before = frames->top.last_item;
    frames->top.last_item = frames->items_used++;
    frames->top.item_count++;
}

void in_frames_clear(struct in_frames *frames)
{
    frames->top.last_item = IN_NONE;
    frames->top.item_count = 0;
    frames->top.lambda_begun = false;
    frames->top.attributed = false;
    frames->items_used = frames_larger(frames->top.items_below, frames->items_floor);
}

uint32_t in_frames_items(const struct in_frames *frames, struct in_item *ret_items, uint32_t limit)
{
    uint32_t count = frames->top.item_count < limit ? frames->top.item_count : limit;
    uint32_t item = frames->top.last_item;
    for (uint32_t left = count; left > 0; left--) {
        ret_items[left - 1] = frames->items[item];
        item = frames->items[item].before;
    }
    return count;
}

void in_frames_keep(struct in_frames *frames)
{
    frames->outer_floor = frames->outer_used;
    frames->items_floor = frames->items_used;
}

void in_frames_unkeep(struct in_frames *frames, uint32_t outer_floor, uint32_t items_floor)
{
    frames->outer_floor = outer_floor;
    frames->items_floor = items_floor;
}
