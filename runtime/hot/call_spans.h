/*
 * call_spans.h -- single calls over time, in bounded room.
 *
 * A call that took at least the resolution is kept as one span (struct rec_span), shorter ones are
 * in the sums of their node alone. The resolution begins at 0. When a slot has used its room up the
 * resolution doubles, until enough spans are shorter than it, and these are dropped. So a program
 * that makes few calls has all of them, and one that runs for a week a bounded number. The room
 * grows with the time that passes: the cost of its pages is a bounded part of it.
 *
 * In the short way of a hook that is one compare, which at the same time tells of a call that ended
 * before it began; a call that is kept takes the long way. A place is taken in one step, so that no
 * handler comes between. A handler that interrupts the making of room finds no place and counts
 * what it loses.
 *
 * Always true: places lie in chunks, filled in their order; no span is published behind next but
 * by a put that was interrupted, and the next put there replaces it.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_CALL_SPANS_H
#define THAG_RT_CALL_SPANS_H

#include <stdint.h>

#include "runtime/format/recording_format.h"

/* As many as growing step by step to all of the room takes; see chunk_get(). */
enum { RT_SPAN_CHUNKS = 48 };

struct rt_calls;

struct rt_span_chunk {
    struct rec_span *first;
    uint32_t count;
};

/* The spans of one slot. All zero: none yet, every call is to have one. */
struct rt_spans {
    uint64_t least;       /* ticks of a call that gets one; REC_RESOLUTION_NONE: none does */
    uint64_t next, end;   /* addresses: the free places of the current chunk */
    uint32_t stack;       /* number of the stack that the thread is on */
    uint32_t filling;     /* the current chunk */
    uint32_t chunk_count; /* chunks ever got */
    uint32_t pages;       /* in them */
    uint64_t begun;       /* ticks when the first chunk was got */
    uintptr_t busy;       /* frame of the hook that makes room, 0: none */
    struct rt_span_chunk chunk[RT_SPAN_CHUNKS];
};

/* Keep a call, if it takes at least the resolution; there may be a coarser one behind this. */
void rt_spans_add(struct rt_calls *calls, uint32_t node, uint64_t start, uint64_t ticks);

#endif
