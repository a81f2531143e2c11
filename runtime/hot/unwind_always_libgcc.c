/*
 * unwind_always_libgcc.c -- the back end (option unwinder=libgcc) in which libgcc walks each stack.
 */
#include "runtime/hot/unwind_libgcc.h"

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
    /* libgcc asks the loader anew for each frame. */
}

uint32_t rt_unwind(struct rt_walk *walk, const struct rt_registers *registers)
{
    return rt_unwind_libgcc(walk, registers);
}

uintptr_t rt_unwind_frame(const struct rt_registers *registers)
{
    (void)registers;
    return 0;
}
