/*
 * unwind_libunwind.c -- the back end for architectures without a rule walker.
 *
 * libunwind walks from its own frame outwards; the frames of the recorder and of the hook are
 * skipped. Keys are gathered in WALK->frame, innermost first, and turned round at the end.
 * It keeps nothing between two walks.
 */
#include <stdbool.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "runtime/format/recording_format.h"
#include "runtime/hot/unwind.h"

#include "runtime/hot/rt_forbid.h"

size_t rt_walk_bytes(uint32_t limit)
{
    (void)limit;
    return 0;
}

void rt_walk_reset(struct rt_walk *walk, uint64_t seed)
{
    walk->seed = seed;
    walk->depth = 0;
    walk->flags = 0;
}

void rt_unwind_forget_code(void)
{
    unw_flush_cache(unw_local_addr_space, 0, 0);
}

/*
 * The key of the frame at CURSOR, or 0 where the stack ends. libunwind has no public word for "the
 * frame before was a signal frame", so the walk remembers it in AFTER_SIGNAL.
 */
static uint64_t cursor_key(unw_cursor_t *cursor, bool *after_signal)
{
    unw_word_t ip = 0;
    if (unw_get_reg(cursor, UNW_REG_IP, &ip) < 0 || ip < REC_SPECIAL_LIMIT) {
        return 0;
    }
    uint64_t key = *after_signal ? ip | REC_NODE_EXACT : ip;
    *after_signal = unw_is_signal_frame(cursor) > 0;
    return key;
}

/* Gathers keys from the hook's caller on. Returns how many; sets the flags and *RET_ELIDED. */
static uint32_t keys_gather(struct rt_walk *walk, uint64_t caller, bool *ret_elided)
{
    unw_context_t context;
    unw_cursor_t cursor;
    uint32_t count = 0;
    bool found = false, after_signal = false;
    if (unw_getcontext(&context) < 0 || unw_init_local(&cursor, &context) < 0) {
        walk->flags |= REC_STACK_CUT;
        return 0;
    }
    int left;
    do {
        uint64_t key = cursor_key(&cursor, &after_signal);
        if (key == 0) {
            return count;
        }
        found = found || key == caller;
        if (found && count == walk->limit) {
            *ret_elided = true;
            return count;
        }
        if (found) {
            walk->frame[count++].key = key;
        }
        left = unw_step(&cursor);
    } while (left > 0);
    walk->flags |= left < 0 ? REC_STACK_CUT : 0;
    return count;
}

uint32_t rt_unwind(struct rt_walk *walk, const struct rt_registers *registers)
{
    bool elided = false;
    walk->flags = 0;
    uint64_t first = registers->exact ? registers->ip | REC_NODE_EXACT : registers->ip;
    uint32_t count = keys_gather(walk, first, &elided);
    if (count == 0) {
        walk->frame[count++].key = first;
        walk->flags = REC_STACK_CUT;
    }
    for (uint32_t low = 0, high = count - 1; low < high; low++, high--) {
        uint64_t key = walk->frame[low].key;
        walk->frame[low].key = walk->frame[high].key;
        walk->frame[high].key = key;
    }
    if (elided) {
        walk->frame[0].key = REC_SPECIAL_ELIDED;
        walk->flags |= REC_STACK_CUT;
    }
    uint64_t hash = walk->seed;
    for (uint32_t i = 0; i < count; i++) {
        hash = rt_hash_step(hash, walk->frame[i].key);
        walk->frame[i].hash = hash;
        walk->frame[i].stack = walk->frame[i].node = 0;
    }
    walk->depth = count;
    return count;
}

uintptr_t rt_unwind_frame(const struct rt_registers *registers)
{
    (void)registers;
    return 0;
}
