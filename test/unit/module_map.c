#include "analyzer/symbols/module_map.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct an_mapped_module three[] = {
    {0x5000, 0x6000, 0, UINT32_MAX, 0},
    {0x1000, 0x2000, 0, 4, 1},
    {0x1000, 0x2000, 5, 9, 2},
};

static int find(const struct an_module_map *map, uint64_t address, uint32_t generation)
{
    uint32_t index = 77;
    if (an_module_map_find(map, address, generation, &index))
        return (int)index;
    cr_assert_eq(index, 77, "untouched when nothing is found");
    return -1;
}

Test(module_map, address_is_found_only_inside_of_start_and_end)
{
    struct an_module_map *map = an_module_map_new(three, 3);
    cr_assert_eq(find(map, 0x4fff, 0), -1);
    cr_assert_eq(find(map, 0x5000, 0), 0);
    cr_assert_eq(find(map, 0x5fff, 12345), 0);
    cr_assert_eq(find(map, 0x6000, 0), -1);
    cr_assert_eq(find(map, 0, 0), -1);
    cr_assert_eq(find(map, UINT64_MAX, 0), -1);
    an_module_map_free(map);
}

Test(module_map, second_module_at_the_same_place_has_its_own_generations)
{
    struct an_module_map *map = an_module_map_new(three, 3);
    cr_assert_eq(find(map, 0x1800, 0), 1);
    cr_assert_eq(find(map, 0x1800, 4), 1);
    cr_assert_eq(find(map, 0x1800, 5), 2);
    cr_assert_eq(find(map, 0x1800, 9), 2);
    cr_assert_eq(find(map, 0x1800, 10), -1);
    an_module_map_free(map);
}

Test(module_map, module_inside_of_a_larger_one_does_not_hide_it)
{
    const struct an_mapped_module nested[] = {{0x1000, 0x9000, 0, 9, 0}, {0x2000, 0x3000, 0, 2, 1}};
    struct an_module_map *map = an_module_map_new(nested, 2);
    cr_assert_eq(find(map, 0x2800, 1), 1);
    cr_assert_eq(find(map, 0x2800, 5), 0);
    cr_assert_eq(find(map, 0x8000, 1), 0);
    an_module_map_free(map);
}

Test(module_map, plugin_loaded_a_hundred_thousand_times_is_found_fast, .timeout = 20)
{
    const uint32_t count = 100000;
    struct an_mapped_module *module = malloc(count * sizeof(*module));
    for (uint32_t i = 0; i < count; i++)
        module[i] = (struct an_mapped_module){0x1000, 0x2000, i, i, i};
    struct an_module_map *map = an_module_map_new(module, count);
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(find(map, 0x1234, i), (int)i);
    an_module_map_free(map);
    free(module);
}

Test(module_map, no_module_at_all_is_fine)
{
    struct an_module_map *map = an_module_map_new(NULL, 0);
    cr_assert_eq(find(map, 0x1000, 0), -1);
    an_module_map_free(map);
}
