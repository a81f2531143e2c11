/*
 * module_map.h -- which module an address of a recording lies in.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_MODULE_MAP_H
#define THAG_AN_MODULE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct an_module_map;

/* One module as it was mapped. */
struct an_mapped_module {
    uint64_t start, end; /* start < end */
    uint32_t first_generation, last_generation;
    uint32_t index; /* the caller's own number for it */
};

/* Built from COUNT modules in any order, which are copied. Freed by an_module_map_free(). */
struct an_module_map *an_module_map_new(const struct an_mapped_module *module, uint32_t count);
void an_module_map_free(struct an_module_map *map);

/*
 * The module at ADDRESS while GENERATION was the address map's.
 *
 * Result:   false if there was none. RET_INDEX is the caller's number.
 * Never:    takes long on modules that overlap without end: after 4096 of them it gives up.
 */
bool an_module_map_find(const struct an_module_map *map, uint64_t address, uint32_t generation,
                        uint32_t *ret_index);

#endif
