/*
 * choice.h -- which functions the function hooks record: all, or those that a list leaves.
 *
 * The answer for an address is kept in a table, so that the list is searched once per function.
 * Nothing here is touched while there is no list: the hooks' gate then never is
 * RT_CALL_GATE_CHOSEN.
 *
 * Context of all functions: hot.
 */
#ifndef THAG_RT_CHOICE_H
#define THAG_RT_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/format/function_list.h"
#include "runtime/hot/module_map.h"

struct rt_choice {
    const struct rec_list_header *list; /* NULL: every function is recorded */
    const struct rec_list_module *module;
    const struct rec_list_range *range;
};

extern struct rt_choice rt_choice __attribute__((visibility("hidden")));

static inline bool rt_choice_is_made(void)
{
    return rt_choice.list != NULL;
}

/*
 * Take a list that lies in BYTES bytes of MEMORY and stays there.
 * Result:   false if it does not hold together; then nothing has changed.
 */
bool rt_choice_set(const void *memory, size_t bytes);

/*
 * Answers: generation (17 bits), address (46 bits), chosen (1 bit) in one word, so that there is no
 * half of one. Direct-mapped: what another function displaces is looked up again.
 */
enum { RT_CHOICE_ANSWERS = 8192, RT_CHOICE_ADDRESS_BITS = 46 };
extern uint64_t rt_choice_answer[RT_CHOICE_ANSWERS] __attribute__((visibility("hidden")));

static inline uint64_t rt_choice_key(uintptr_t function)
{
    uint64_t generation = __atomic_load_n(&rt_module_map.generation, __ATOMIC_RELAXED);
    return (generation + 1) << (RT_CHOICE_ADDRESS_BITS + 1) |
           ((uint64_t)function & ((UINT64_C(1) << RT_CHOICE_ADDRESS_BITS) - 1)) << 1;
}

/* Functions begin at multiples of 16. */
static inline uint64_t *rt_choice_place(uintptr_t function)
{
    return &rt_choice_answer[(function >> 4 ^ function >> 17) % RT_CHOICE_ANSWERS];
}

/* True if it is known already that the function is passed over. */
static inline bool rt_choice_passes(uintptr_t function)
{
    return __atomic_load_n(rt_choice_place(function), __ATOMIC_RELAXED) == rt_choice_key(function);
}

/* Is the function at this address recorded? Only to be asked where a choice is made. A module that
 * cannot be made out has no functions in the list. */
bool rt_choice_has(uintptr_t function, uint32_t tid);

#endif
