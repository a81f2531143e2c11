/*
 * unwind_libgcc.c -- see the header.
 */
#include "runtime/hot/unwind_libgcc.h"

#include <unwind.h>

#include "runtime/format/recording_format.h"

#include "runtime/hot/rt_forbid.h"

struct collection {
    struct rt_walk *walk;
    const struct rt_registers *registers;
    uint32_t taken; /* frames in walk->frame, innermost first */
    bool inside;    /* the hook's caller was reached */
    bool whole;     /* the outer end was reached: a frame whose return address is undefined */
    bool elided;
};

/* Our own frames come first: they end where the stack pointer is the caller's. */
static _Unwind_Reason_Code collect(struct _Unwind_Context *context, void *argument)
{
    struct collection *collection = argument;
    int exact = 0;
    uintptr_t ip = _Unwind_GetIPInfo(context, &exact);
    if (!collection->inside) {
        if (_Unwind_GetCFA(context) != collection->registers->sp ||
            ip != collection->registers->ip) {
            return _URC_NO_REASON;
        }
        collection->inside = true;
    }
    if (ip < REC_SPECIAL_LIMIT) {
        collection->whole = ip == 0; /* as at the root of a clone() too */
        return _URC_END_OF_STACK;
    }
    if (collection->taken == collection->walk->limit) {
        collection->elided = true;
        return _URC_END_OF_STACK;
    }
    collection->walk->frame[collection->taken++].key = exact ? ip | REC_NODE_EXACT : ip;
    return _URC_NO_REASON;
}

/* Outermost first, with hashes. */
static void turn_round(struct rt_walk *walk)
{
    for (uint32_t i = 0, j = walk->depth - 1; i < j; i++, j--) {
        uint64_t key = walk->frame[i].key;
        walk->frame[i].key = walk->frame[j].key;
        walk->frame[j].key = key;
    }
    uint64_t hash = walk->seed;
    for (uint32_t i = 0; i < walk->depth; i++) {
        hash = rt_hash_step(hash, walk->frame[i].key);
        walk->frame[i].hash = hash;
        walk->frame[i].stack = walk->frame[i].node = 0;
    }
}

uint32_t rt_unwind_libgcc(struct rt_walk *walk, const struct rt_registers *registers)
{
    struct collection collection = {.walk = walk, .registers = registers};
    /* What it returns is no help: "end of stack" for code without unwind data, an error wherever
     * the callback stops it. */
    _Unwind_Backtrace(collect, &collection);
    walk->flags = collection.whole ? 0 : REC_STACK_CUT;
    if (collection.taken == 0) { /* not even the caller was found: its address is still known */
        walk->frame[collection.taken++].key =
            registers->exact ? registers->ip | REC_NODE_EXACT : registers->ip;
    }
    if (collection.elided) {
        walk->frame[collection.taken - 1].key = REC_SPECIAL_ELIDED;
    }
    walk->depth = collection.taken;
    turn_round(walk);
    return walk->depth;
}
