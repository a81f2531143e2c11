#include "runtime/hot/choice.h"

#include <criterion/criterion.h>
#include <string.h>

#include "runtime/hot/module_map.h"
#include "runtime/hot/recording.h"
#include "test/support/rt_fixture.h"

enum { TID = 7, RANGES = 3 };

/* A list with one module, as the file has it. */
struct list {
    struct rec_list_header header;
    struct rec_list_module module;
    struct rec_list_range range[RANGES];
};

/* Functions of this program that the list may hold. */
static __attribute__((noinline)) int first(int x)
{
    return x * 3;
}

static __attribute__((noinline)) int second(int x)
{
    return x * 5;
}

static struct list list_make(void)
{
    struct list list = {
        .header = {.magic = REC_LIST_MAGIC,
                   .version = REC_LIST_VERSION,
                   .module_count = 1,
                   .range_count = RANGES},
        .module = {.build_id = {1, 2, 3}, .build_id_bytes = 20, .range_count = RANGES},
        .range = {{0x10, 0x20}, {0x20, 0x28}, {0x40, 0x50}},
    };
    return list;
}

/* The same for this program's own build-id, with one range around FUNCTION. */
static struct list list_of(uintptr_t function, bool passes_over)
{
    struct list list = list_make();
    const struct rec_module *own = rt_module_map_record(function, TID);
    cr_assert_not_null(own);
    if (own->build_id_bytes == 0)
        cr_skip_test("this program has no build-id");
    memcpy(list.module.build_id, own->build_id, sizeof list.module.build_id);
    list.module.build_id_bytes = own->build_id_bytes;
    list.header.passes_over = passes_over;
    list.range[0] = (struct rec_list_range){1, 2};
    list.range[1] = (struct rec_list_range){function - own->bias, function - own->bias + 1};
    list.range[2] = (struct rec_list_range){UINT64_MAX - 1, UINT64_MAX};
    return list;
}

Test(rt_choice, a_list_that_holds_together_is_taken)
{
    struct list list = list_make();
    cr_assert_not(rt_choice_is_made());
    cr_assert(rt_choice_set(&list, sizeof list));
    cr_assert(rt_choice_is_made());
}

#define REFUSED(change)                                                                            \
    do {                                                                                           \
        struct list list = list_make();                                                            \
        change;                                                                                    \
        cr_expect_not(rt_choice_set(&list, sizeof list), #change);                                 \
        cr_assert_not(rt_choice_is_made());                                                        \
    } while (0)

Test(rt_choice, a_damaged_list_is_refused_and_changes_nothing)
{
    REFUSED(list.header.magic++);
    REFUSED(list.header.version++);
    REFUSED(list.header.module_count = 2);
    REFUSED(list.header.module_count = UINT32_MAX);
    REFUSED(list.header.range_count = RANGES + 1);
    REFUSED(list.header.range_count = UINT32_MAX);
    REFUSED(list.module.build_id_bytes = 0);
    REFUSED(list.module.build_id_bytes = 33);
    REFUSED(list.module.first_range = 1);
    REFUSED(list.module.range_count = UINT32_MAX);
    REFUSED(list.range[1].start = 0x18);
    REFUSED(list.range[1].end = 0x20);
    REFUSED(list.range[2].start = 0);
    struct list list = list_make();
    for (size_t bytes = 0; bytes < sizeof list; bytes++)
        cr_expect_not(rt_choice_set(&list, bytes), "%zu bytes", bytes);
}

Test(rt_choice, listed_functions_alone_are_recorded)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct list list = list_of((uintptr_t)first, false);
    cr_assert(rt_choice_set(&list, sizeof list));
    for (int i = 0; i < 3; i++) { /* looked up, and then remembered */
        cr_expect(rt_choice_has((uintptr_t)first, TID));
        cr_expect_not(rt_choice_has((uintptr_t)second, TID));
        cr_expect_not(rt_choice_has((uintptr_t)memcpy, TID));
        cr_expect_not(rt_choice_has(16, TID));
    }
    cr_assert_eq(first(2) + second(2), 16);
}

Test(rt_choice, listed_functions_are_passed_over)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct list list = list_of((uintptr_t)first, true);
    cr_assert(rt_choice_set(&list, sizeof list));
    for (int i = 0; i < 3; i++) {
        cr_expect_not(rt_choice_has((uintptr_t)first, TID));
        cr_expect(rt_choice_has((uintptr_t)second, TID));
        cr_expect(rt_choice_has((uintptr_t)memcpy, TID));
    }
}

Test(rt_choice, an_answer_ends_with_its_generation)
{
    rt_fixture_begin(&(struct rt_fixture_settings){0});
    struct list list = list_of((uintptr_t)first, false);
    cr_assert(rt_choice_set(&list, sizeof list));
    cr_assert(rt_choice_has((uintptr_t)first, TID));
    list.range[1].end = list.range[1].start - 1; /* another module, as it were */
    list.range[1].start--;
    cr_expect(rt_choice_has((uintptr_t)first, TID), "remembered");
    rt_module_map.generation++;
    cr_expect_not(rt_choice_has((uintptr_t)first, TID), "looked up again");
}
