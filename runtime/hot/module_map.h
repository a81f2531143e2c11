/*
 * module_map.h -- which module an address belongs to, and when that changed.
 *
 * Modules are found by _dl_find_object(), which takes no lock: when a frame is seen for the first
 * time its module is looked up and, if new, recorded. Nothing is listed while the loader works.
 *
 * A hook that was called by the dynamic loader itself raises the epoch: every load and unload, also
 * libc's internal ones, allocates or frees inside the loader. At the next hook of each thread the
 * known modules are looked at again. If one is gone, all that is known about code is forgotten. If
 * another module lies where a gone one was, the generation is raised: from then on the same address
 * makes another stack.
 *
 * Words used here:
 *   epoch       counts visits of the loader; says "look again", nothing else.
 *   generation  as in recording_format.h.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_MODULE_MAP_H
#define THAG_RT_MODULE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct rec_module;

struct rt_module_map {
    uint32_t epoch;
    uint32_t generation;
    uintptr_t loader_start, loader_bytes; /* text of the dynamic loader; bytes 0: not known */
};

extern struct rt_module_map rt_module_map __attribute__((visibility("hidden")));

static inline uint32_t rt_module_map_epoch(void)
{
    return __atomic_load_n(&rt_module_map.epoch, __ATOMIC_ACQUIRE);
}

/* For a walk that begins: at its first use the modules are looked at again. The loader's last call
 * was perhaps a free(), and nobody has looked since. */
static inline uint32_t rt_module_map_unreviewed(void)
{
    return rt_module_map_epoch() - 1;
}

/* Called with a hook's return address: notes a visit of the loader. */
static inline void rt_module_map_notice(uintptr_t return_address)
{
    if (__builtin_expect(return_address - rt_module_map.loader_start < rt_module_map.loader_bytes,
                         0)) {
        __atomic_fetch_add(&rt_module_map.epoch, 1, __ATOMIC_RELEASE);
    }
}

/*
 * Look at all known modules again after the epoch has changed.
 * Result:   the current epoch as it was before looking: what the caller's walk is now valid for.
 *           If the map could not be locked, an older one.
 */
uint32_t rt_module_map_review(uint32_t tid);

/*
 * Record the module of ADDRESS if it has one that is new.
 * To be called for the address of each new node, before the node is published.
 */
void rt_module_map_note(uintptr_t address, uint32_t tid);

/*
 * The same, and its record. Lifetime: the recording's.
 * Result:   NULL: no module is there, or none could be recorded now.
 */
const struct rec_module *rt_module_map_record(uintptr_t address, uint32_t tid);

/* Module number INDEX as it was recorded; NULL: there is none, or not yet. */
const struct rec_module *rt_module_map_at(uint32_t index);

/* Begin anew, with the loader's text as of now. */
void rt_module_map_reset(void);
void rt_module_map_recover(uint32_t tid);

#endif
