/*
 * module_map.c -- which module an address of a recording lies in.
 *
 * Modules of one range ("place") are kept together by generation: a program that loads a plugin a
 * hundred thousand times, always to the same place, costs one binary search.
 */
#include "analyzer/symbols/module_map.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

#define MOST_OVERLAPS 4096u

struct place {
    uint64_t start, end;
    uint64_t reach;        /* the highest end of this and all places before */
    uint32_t first, count; /* of module[] */
};

struct an_module_map {
    struct an_mapped_module *module; /* by start, end, first_generation */
    struct place *place;
    uint32_t place_count;
};

static int module_order(const void *left, const void *right)
{
    const struct an_mapped_module *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    if (a->first_generation != b->first_generation)
        return a->first_generation < b->first_generation ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

struct an_module_map *an_module_map_new(const struct an_mapped_module *module, uint32_t count)
{
    struct an_module_map *map = an_memory_zeroed(1, sizeof(*map));
    map->module = an_memory_array((size_t)count + 1, sizeof(*map->module));
    map->place = an_memory_array((size_t)count + 1, sizeof(*map->place));
    if (count != 0)
        memcpy(map->module, module, count * sizeof(*module));
    qsort(map->module, count, sizeof(*map->module), module_order);
    uint64_t reach = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct an_mapped_module *next = &map->module[i];
        struct place *last = map->place_count == 0 ? NULL : &map->place[map->place_count - 1];
        if (next->end > reach)
            reach = next->end;
        if (last != NULL && last->start == next->start && last->end == next->end)
            last->count++;
        else
            map->place[map->place_count++] = (struct place){
                .start = next->start, .end = next->end, .reach = reach, .first = i, .count = 1};
    }
    return map;
}

void an_module_map_free(struct an_module_map *map)
{
    if (map == NULL)
        return;
    free(map->module);
    free(map->place);
    free(map);
}

static const struct an_mapped_module *place_find(const struct an_module_map *map,
                                                 const struct place *place, uint32_t generation)
{
    uint32_t low = place->first, high = place->first + place->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map->module[middle].first_generation <= generation)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == place->first || map->module[low - 1].last_generation < generation)
        return NULL;
    return &map->module[low - 1];
}

bool an_module_map_find(const struct an_module_map *map, uint64_t address, uint32_t generation,
                        uint32_t *ret_index)
{
    uint32_t low = 0, high = map->place_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (map->place[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t steps = 0; low != 0 && steps < MOST_OVERLAPS; low--, steps++) {
        const struct place *place = &map->place[low - 1];
        if (place->reach <= address)
            return false;
        const struct an_mapped_module *module =
            address < place->end ? place_find(map, place, generation) : NULL;
        if (module != NULL) {
            *ret_index = module->index;
            return true;
        }
    }
    return false;
}
