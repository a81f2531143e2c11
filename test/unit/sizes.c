#include "analyzer/model/sizes.h"
#include "analyzer/model/node_sizes.h"

#include <criterion/criterion.h>
#include <string.h>

Test(sizes, limits_are_the_largest_sizes_of_their_classes)
{
    for (unsigned i = 0; i + 1 < AN_SIZE_CLASSES; i++) {
        uint64_t limit = an_sizes_limit(i);
        cr_assert_eq(an_sizes_class(limit), i, "class %u", i);
        cr_assert_eq(an_sizes_class(limit + 1), i + 1, "class %u", i);
    }
}

Test(sizes, powers_of_two_are_limits)
{
    for (unsigned e = 0; e < 47; e++) {
        uint64_t power = UINT64_C(1) << e;
        cr_assert_eq(an_sizes_limit(an_sizes_class(power)), power);
    }
    cr_assert_eq(an_sizes_class(0), 0);
    cr_assert_eq(an_sizes_class(UINT64_MAX), AN_SIZE_CLASSES - 1);
}

Test(sizes, sums_that_would_wrap_stay_at_the_top)
{
    struct an_sizes sizes = {0};
    an_sizes_add(&sizes, UINT64_MAX / 2, 3);
    cr_assert_eq(sizes.bytes[an_sizes_class(UINT64_MAX / 2)], UINT64_MAX);
    an_sizes_add(&sizes, 1, UINT64_MAX);
    an_sizes_add(&sizes, 1, 1);
    cr_assert_eq(sizes.count[0], UINT64_MAX);
}

Test(sizes, quantiles_never_exceed_the_largest_size)
{
    struct an_sizes sizes = {0};
    cr_assert_eq(an_sizes_quantile(&sizes, 500), 0);
    an_sizes_add(&sizes, 16, 90);
    an_sizes_add(&sizes, 1000, 10);
    cr_assert_eq(an_sizes_quantile(&sizes, 500), 16);
    cr_assert_eq(an_sizes_quantile(&sizes, 900), 16);
    cr_assert_eq(an_sizes_quantile(&sizes, 901), 1000);
    cr_assert_eq(an_sizes_quantile(&sizes, 1000), 1000);
}

Test(sizes, the_smallest_is_that_of_all_and_zero_is_a_size)
{
    static struct an_sizes a, b, none;
    an_sizes_add(&a, 70, 1);
    an_sizes_add(&a, 9, 0);
    cr_assert_eq(a.min_bytes, 70);
    an_sizes_merge(&a, &none);
    cr_assert_eq(a.min_bytes, 70);
    an_sizes_add(&b, 65, 1);
    an_sizes_merge(&a, &b);
    cr_assert_eq(a.min_bytes, 65);
    an_sizes_add(&a, 0, 1);
    cr_assert_eq(a.min_bytes, 0);
    cr_assert(a.any);
    cr_assert_not(none.any);
}

Test(sizes, merging_adds_and_keeps_exactness_only_if_both_are_exact)
{
    struct an_sizes a = {.bytes_exact = true}, b = {.bytes_exact = false};
    an_sizes_add(&a, 5, 1);
    an_sizes_add(&b, 5, 2);
    an_sizes_add(&b, 70, 1);
    an_sizes_merge(&a, &b);
    cr_assert_eq(a.count[an_sizes_class(5)], 3);
    cr_assert_eq(a.bytes[an_sizes_class(70)], 70);
    cr_assert_eq(a.max_bytes, 70);
    cr_assert_not(a.bytes_exact);
}

Test(sizes, of_nodes_that_are_wanted_add_up_however_many_there_are)
{
    struct an_node_sizes *by_node = an_node_sizes_new();
    struct an_sizes one = {0}, all = {0};
    /* More pairs than the list first has room for, and each of them often. */
    for (uint64_t i = 0; i < 30000; i++)
        an_node_sizes_add(by_node, i % 3, i % 5000);
    an_node_sizes_sum(by_node, (const uint8_t[]){0, 1, 0}, &one);
    an_node_sizes_sum(by_node, (const uint8_t[]){1, 1, 1}, &all);
    an_node_sizes_free(by_node);
    uint64_t one_count = 0, all_bytes = 0;
    for (unsigned i = 0; i < AN_SIZE_CLASSES; i++) {
        one_count += one.count[i];
        all_bytes += all.bytes[i];
    }
    cr_assert_eq(one_count, 10000);
    cr_assert_eq(all_bytes, UINT64_C(6) * 5000 * 4999 / 2);
    cr_assert_eq(all.max_bytes, 4999);
}
