#include "test/fake/unwind_fake.h"

#include "runtime/hot/unwind.h"

__thread struct unwind_fake unwind_fake;
uint32_t unwind_fake_forgets;

void unwind_fake_set(uint64_t key)
{
    unwind_fake.key[0] = key;
    unwind_fake.depth = 1;
}

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
    __atomic_fetch_add(&unwind_fake_forgets, 1, __ATOMIC_RELAXED);
}

uint32_t rt_unwind(struct rt_walk *walk, const struct rt_registers *registers)
{
    (void)registers;
    uint64_t hash = walk->seed;
    for (uint32_t i = 0; i < unwind_fake.depth; i++) {
        hash = rt_hash_step(hash, unwind_fake.key[i]);
        walk->frame[i] = (struct rt_frame){.key = unwind_fake.key[i], .hash = hash};
    }
    walk->depth = unwind_fake.depth;
    walk->flags = unwind_fake.flags;
    return walk->depth;
}

uintptr_t rt_unwind_frame(const struct rt_registers *registers)
{
    (void)registers;
    return 0;
}
