/*
 * Two profiles on one set of nodes.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "analyzer/model/diff.h"

static struct an_profile before, after;

static void setup(void)
{
    an_profile_init(&before);
    an_profile_init(&after);
}

static void teardown(void)
{
    an_profile_release(&before);
    an_profile_release(&after);
}

TestSuite(diff, .init = setup, .fini = teardown);

static uint32_t node_of(struct an_tree *tree, const char *a, const char *b)
{
    uint32_t node = an_tree_child(tree, 0, an_names_intern(tree->names, a, strlen(a)));

    return b != NULL ? an_tree_child(tree, node, an_names_intern(tree->names, b, strlen(b))) : node;
}

static void add(struct an_profile *profile, const char *a, const char *b, uint64_t amount)
{
    cr_assert_eq(an_tree_add(profile->tree, node_of(profile->tree, a, b), AN_BYTES, amount), 0);
}

Test(diff, both_trees_have_the_same_nodes)
{
    add(&before, "gone", "x", 40);
    add(&before, "main", "kept", 5);
    add(&after, "main", "kept", 7);
    add(&after, "main", "new", 3);
    struct an_diff diff;

    cr_assert_eq(an_diff_make(&before, &after, &diff), 0);
    cr_assert_eq(diff.before->node_count, 6);
    cr_assert_eq(diff.after->node_count, 6);
    for (uint32_t n = 1; n < 6; n++) {
        cr_assert_eq(diff.before->parent[n], diff.after->parent[n]);
        cr_assert_str_eq(an_names_text(diff.before->names, diff.before->name[n], NULL),
                         an_names_text(diff.after->names, diff.after->name[n], NULL));
    }
    an_diff_release(&diff);
}

Test(diff, vanished_and_new_stacks_have_both_amounts)
{
    add(&before, "gone", "x", 40);
    add(&after, "new", NULL, 3);
    struct an_diff diff;

    cr_assert_eq(an_diff_make(&before, &after, &diff), 0);
    uint32_t gone = node_of(diff.after, "gone", "x"), new_one = node_of(diff.after, "new", NULL);
    cr_assert_eq(diff.before->self[AN_BYTES][gone], 40);
    cr_assert_eq(diff.after->self[AN_BYTES][gone], 0);
    cr_assert_eq(diff.before->self[AN_BYTES][new_one], 0);
    cr_assert_eq(diff.after->self[AN_BYTES][new_one], 3);
    an_diff_release(&diff);
}

Test(diff, values_of_one_side_only_are_left_out)
{
    add(&before, "a", NULL, 1);
    add(&after, "a", NULL, 1);
    an_tree_add(after.tree, 0, AN_ALLOCATIONS, 1);
    struct an_diff diff;

    cr_assert_eq(an_diff_make(&before, &after, &diff), 0);
    cr_assert(an_tree_has(diff.after, AN_BYTES));
    cr_assert_not(an_tree_has(diff.after, AN_ALLOCATIONS));
    an_diff_release(&diff);
}

Test(diff, different_scales_become_one)
{
    before.scale[AN_BYTES] = 1;
    after.scale[AN_BYTES] = 100;
    add(&before, "a", NULL, 3);
    add(&after, "a", NULL, 250);
    struct an_diff diff;

    cr_assert_eq(an_diff_make(&before, &after, &diff), 0);
    cr_assert_eq(diff.scale[AN_BYTES], 100);
    cr_assert_eq(diff.before->sum[AN_BYTES], 300);
    cr_assert_eq(diff.after->sum[AN_BYTES], 250);
    an_diff_release(&diff);
}

Test(diff, sums_that_do_not_fit_together_are_an_error)
{
    add(&before, "a", NULL, UINT64_MAX);
    add(&after, "a", NULL, 1);
    struct an_diff diff = {NULL, NULL, {0}};

    cr_assert_eq(an_diff_make(&before, &after, &diff), -EOVERFLOW);
    cr_assert_null(diff.before);
}

Test(diff, normalized_sum_is_exact)
{
    add(&before, "a", NULL, 1);
    add(&before, "b", NULL, 1);
    add(&before, "c", NULL, 1);
    add(&after, "a", NULL, 1000);
    struct an_diff diff;

    cr_assert_eq(an_diff_make(&before, &after, &diff), 0);
    cr_assert_eq(an_diff_normalize(&diff, AN_BYTES), 0);
    uint64_t sum = 0;
    for (uint32_t n = 0; n < diff.before->node_count; n++)
        sum += diff.before->self[AN_BYTES][n];
    cr_assert_eq(sum, 1000);
    cr_assert_eq(diff.before->sum[AN_BYTES], 1000);
    cr_assert_eq(diff.before->self[AN_BYTES][node_of(diff.before, "a", NULL)], 334);
    cr_assert_eq(diff.before->self[AN_BYTES][node_of(diff.before, "b", NULL)], 333);
    an_diff_release(&diff);
}

Test(diff, normalizing_gives_the_rest_to_those_who_lost_most)
{
    add(&before, "a", NULL, 10);
    add(&before, "b", NULL, 19);
    add(&after, "a", NULL, 3);
    struct an_diff diff;

    /* 1.034 and 1.966: both lose, b loses more. */
    cr_assert_eq(an_diff_make(&before, &after, &diff), 0);
    cr_assert_eq(an_diff_normalize(&diff, AN_BYTES), 0);
    cr_assert_eq(diff.before->self[AN_BYTES][node_of(diff.before, "a", NULL)], 1);
    cr_assert_eq(diff.before->self[AN_BYTES][node_of(diff.before, "b", NULL)], 2);
    an_diff_release(&diff);
}

Test(diff, nothing_before_cannot_be_normalized)
{
    add(&before, "a", NULL, 0);
    add(&after, "a", NULL, 3);
    struct an_diff diff;

    cr_assert_eq(an_diff_make(&before, &after, &diff), 0);
    cr_assert_eq(an_diff_normalize(&diff, AN_BYTES), -ENODATA);
    an_diff_release(&diff);
}
