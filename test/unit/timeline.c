#include "analyzer/model/timeline.h"

#include <criterion/criterion.h>
#include <string.h>

#include "analyzer/model/filter.h"
#include "analyzer/support/memory.h"

static struct an_tree *tree;
static uint32_t outer, middle, leaf;

static uint32_t child(uint32_t parent, const char *name)
{
    uint32_t node = an_tree_child(tree, parent, an_names_intern(tree->names, name, strlen(name)));
    cr_assert_eq(an_tree_add(tree, node, AN_TIME, 1), 0);
    return node;
}

static void setup(void)
{
    tree = an_tree_new();
    outer = child(0, "main");
    middle = child(outer, "work");
    leaf = child(middle, "leaf");
}

static void teardown(void)
{
    an_tree_free(tree);
}

TestSuite(timeline, .init = setup, .fini = teardown);

/* A lane of main, work and leaf, and another one of leaf alone. */
static struct an_timeline *sample(void)
{
    const struct an_span spans[] = {
        {.start_ns = 20, .duration_ns = 10, .node = leaf},
        {.start_ns = 10, .duration_ns = 50, .node = middle},
        {.start_ns = 10, .duration_ns = 90, .node = outer},
        {.start_ns = 5, .duration_ns = 10, .node = leaf},
    };
    struct an_timeline *timeline = an_memory_zeroed(1, sizeof(*timeline));
    timeline->span = an_memory_array(4, sizeof(*spans));
    memcpy(timeline->span, spans, sizeof(spans));
    timeline->span_count = 4;
    timeline->rest = an_memory_zeroed(tree->node_count, sizeof(*timeline->rest));
    timeline->rest[leaf] = (struct an_rest){7, 70};
    timeline->lane = an_memory_zeroed(2, sizeof(*timeline->lane));
    timeline->lane[0] =
        (struct an_lane){.name = an_memory_text("one"), .least_ns = 3, .first = 0, .count = 3};
    timeline->lane[1] =
        (struct an_lane){.name = an_memory_text("two"), .least_ns = 7, .first = 3, .count = 1};
    timeline->lane_count = 2;
    an_timeline_arrange(timeline, tree);
    return timeline;
}

/* Filter the tree by one rule, and the timeline with it. */
static void filter(struct an_timeline *timeline, enum an_filter_kind kind, const char *name)
{
    struct an_filter *rules = an_filter_new(false);
    uint32_t node[4];
    an_filter_add_name(rules, kind, name);
    struct an_tree *filtered = an_filter_apply_placing(rules, tree, false, node);
    an_timeline_renumber(timeline, filtered, node, tree->node_count);
    an_filter_free(rules);
    an_tree_free(tree);
    tree = filtered;
}

Test(timeline, callers_come_first_where_calls_begin_at_once)
{
    struct an_timeline *timeline = sample();
    cr_assert_eq(timeline->span[0].node, outer);
    cr_assert_eq(timeline->span[1].node, middle);
    cr_assert_eq(timeline->span[2].node, leaf);
    cr_assert_eq(timeline->span[2].row, 2);
    cr_assert_eq(timeline->lane[0].rows, 3);
    cr_assert_eq(an_timeline_least_ns(timeline), 7);
    an_timeline_free(timeline);
}

Test(timeline, what_is_hidden_moves_its_callees_up)
{
    struct an_timeline *timeline = sample();
    filter(timeline, AN_FILTER_HIDE, "work");
    cr_assert_eq(timeline->span_count, 3);
    cr_assert_eq(timeline->lane[0].count, 2);
    cr_assert_eq(timeline->lane[0].rows, 2);
    cr_assert_eq(timeline->span[1].start_ns, 20);
    cr_assert_eq(timeline->span[1].row, 1);
    cr_assert_eq(timeline->lane[1].first, 2);
    cr_assert_eq(timeline->rest[2].calls, 7);
    cr_assert_eq(timeline->rest[2].ns, 70);
    an_timeline_free(timeline);
}

Test(timeline, a_lane_without_spans_goes)
{
    struct an_timeline *timeline = sample();
    filter(timeline, AN_FILTER_EXCLUDE, "leaf");
    cr_assert_eq(timeline->lane_count, 1);
    cr_assert_str_eq(timeline->lane[0].name, "one");
    cr_assert_eq(timeline->span_count, 2);
    an_timeline_free(timeline);
}
