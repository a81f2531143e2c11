/*
 * choice.c -- see the header.
 */
#include "runtime/hot/choice.h"

#include "runtime/format/recording_format.h"

#include "runtime/hot/rt_forbid.h"

struct rt_choice rt_choice;

uint64_t rt_choice_answer[RT_CHOICE_ANSWERS];

/* The ranges of one module are in order and inside the list. */
static bool module_is_sound(const struct rec_list_header *list,
                            const struct rec_list_module *module,
                            const struct rec_list_range *range)
{
    if (module->build_id_bytes == 0 || module->build_id_bytes > sizeof module->build_id ||
        module->first_range > list->range_count ||
        module->range_count > list->range_count - module->first_range) {
        return false;
    }
    uint64_t behind = 0;
    for (uint32_t i = 0; i < module->range_count; i++) {
        const struct rec_list_range *one = &range[module->first_range + i];
        if (one->start < behind || one->end <= one->start) {
            return false;
        }
        behind = one->end;
    }
    return true;
}

bool rt_choice_set(const void *memory, size_t bytes)
{
    const struct rec_list_header *list = memory;
    if (bytes < sizeof *list || list->magic != REC_LIST_MAGIC ||
        list->version != REC_LIST_VERSION || list->module_count > REC_LIST_MODULES_MAX ||
        list->range_count > REC_LIST_RANGES_MAX ||
        bytes != sizeof *list + list->module_count * sizeof(struct rec_list_module) +
                     list->range_count * sizeof(struct rec_list_range)) {
        return false;
    }
    const struct rec_list_module *module = (const void *)(list + 1);
    const struct rec_list_range *range = (const void *)(module + list->module_count);
    for (uint32_t i = 0; i < list->module_count; i++) {
        if (!module_is_sound(list, &module[i], range)) {
            return false;
        }
    }
    rt_choice = (struct rt_choice){list, module, range};
    return true;
}

static bool is_in_ranges(const struct rec_list_module *module, uint64_t address)
{
    const struct rec_list_range *range = rt_choice.range + module->first_range;
    uint32_t low = 0, high = module->range_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (address >= range[middle].end) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < module->range_count && address >= range[low].start;
}

static bool is_module(const struct rec_list_module *module, const struct rec_module *record)
{
    uint32_t i = 0;
    if (module->build_id_bytes != record->build_id_bytes) {
        return false;
    }
    while (i < module->build_id_bytes && module->build_id[i] == record->build_id[i]) {
        i++;
    }
    return i == module->build_id_bytes;
}

static bool is_listed(uintptr_t function, const struct rec_module *record)
{
    for (uint32_t i = 0; i < rt_choice.list->module_count; i++) {
        if (is_module(&rt_choice.module[i], record)) {
            return is_in_ranges(&rt_choice.module[i], function - record->bias);
        }
    }
    return false;
}

bool rt_choice_has(uintptr_t function, uint32_t tid)
{
    uint64_t key = rt_choice_key(function);
    uint64_t *place = rt_choice_place(function);
    uint64_t known = __atomic_load_n(place, __ATOMIC_RELAXED);
    if ((known & ~UINT64_C(1)) == key) {
        return known & 1;
    }
    const struct rec_module *record = rt_module_map_record(function, tid);
    bool passes_over = rt_choice.list->passes_over != 0;
    bool chosen = (record && is_listed(function, record)) != passes_over;
    if (record) {
        __atomic_store_n(place, key | chosen, __ATOMIC_RELAXED);
    }
    return chosen;
}
