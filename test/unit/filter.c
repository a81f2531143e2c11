#include "analyzer/model/filter.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The oracle works on stacks one by one, in the words of filter.h, on functions that are called
 * "a" to "f". A stack is text of these letters.
 */
#define STACK_MAX 12

struct rules {
    const char *letters[AN_FILTER_KIND_COUNT]; /* NULL: no such rule */
};

static bool has_any(const char *stack, const char *letters)
{
    return strpbrk(stack, letters) != NULL;
}

/* False if the stack goes; else RET_STACK is what it looks like. */
static bool filter_one(const struct rules *rules, const char *stack, char *ret_stack)
{
    size_t length = strlen(stack);
    const char *const *letters = rules->letters;
    if (letters[AN_FILTER_INCLUDE] && !has_any(stack, letters[AN_FILTER_INCLUDE]))
        return false;
    if (letters[AN_FILTER_EXCLUDE] && has_any(stack, letters[AN_FILTER_EXCLUDE]))
        return false;
    for (const char *f = letters[AN_FILTER_FOCUS]; f && *f; f++) {
        if (!strchr(stack, *f))
            return false;
    }
    if (letters[AN_FILTER_EXCLUDE_SELF] && length &&
        strchr(letters[AN_FILTER_EXCLUDE_SELF], stack[length - 1]))
        return false;
    if (letters[AN_FILTER_SHOW_FROM]) {
        stack = strpbrk(stack, letters[AN_FILTER_SHOW_FROM]);
        if (!stack)
            return false;
    }
    for (; *stack; stack++) {
        if (!letters[AN_FILTER_HIDE] || !strchr(letters[AN_FILTER_HIDE], *stack))
            *ret_stack++ = *stack;
    }
    *ret_stack = '\0';
    return true;
}

static void add_stack(struct an_tree *tree, const char *stack, uint64_t amount)
{
    uint32_t node = 0;
    for (; *stack; stack++)
        node = an_tree_child(tree, node, an_names_intern(tree->names, stack, 1));
    cr_assert_eq(an_tree_add(tree, node, AN_TIME, amount), 0);
    cr_assert_eq(an_tree_add(tree, node, AN_CALLS, 1), 0);
}

static uint32_t find_stack(const struct an_tree *tree, const char *stack)
{
    uint32_t node = 0;
    for (; *stack; stack++) {
        uint32_t child;
        for (child = node + 1; child < tree->node_count; child++) {
            if (tree->parent[child] == node &&
                an_names_text(tree->names, tree->name[child], NULL)[0] == *stack)
                break;
        }
        if (child == tree->node_count)
            return UINT32_MAX;
        node = child;
    }
    return node;
}

static struct an_filter *filter_of(const struct rules *rules)
{
    struct an_filter *filter = an_filter_new(false);
    struct an_fault fault;
    for (int kind = 0; kind < AN_FILTER_KIND_COUNT; kind++) {
        const char *letters = rules->letters[kind];
        for (; letters && *letters; letters++) {
            char pattern[] = {'^', *letters, '$', '\0'};
            cr_assert_eq(an_filter_add(filter, (enum an_filter_kind)kind, pattern, &fault), 0);
        }
    }
    return filter;
}

static void pick_letters(char *ret_letters, size_t most)
{
    size_t count = (size_t)rand() % most + 1;
    for (size_t i = 0; i < count; i++)
        ret_letters[i] = (char)('a' + rand() % 6);
    ret_letters[count] = '\0';
}

/* Every node of TREE has what the stacks of WANTED say, and there is nothing else. */
static void assert_same_values(const struct an_tree *tree, const struct an_tree *wanted, int round)
{
    cr_assert_eq(tree->sum[AN_TIME], wanted->sum[AN_TIME], "round %d", round);
    cr_assert_eq(tree->sum[AN_CALLS], wanted->sum[AN_CALLS], "round %d", round);
    for (uint32_t node = 0; node < wanted->node_count; node++) {
        char stack[STACK_MAX + 1];
        size_t at = STACK_MAX;
        stack[at] = '\0';
        for (uint32_t n = node; n; n = wanted->parent[n])
            stack[--at] = an_names_text(wanted->names, wanted->name[n], NULL)[0];
        uint32_t found = find_stack(tree, stack + at);
        if (wanted->self[AN_CALLS] && wanted->self[AN_CALLS][node]) {
            cr_assert_neq(found, UINT32_MAX, "round %d: %s", round, stack + at);
            cr_assert_eq(tree->self[AN_TIME][found], wanted->self[AN_TIME][node], "round %d: %s",
                         round, stack + at);
        }
    }
}

Test(filter, filtering_then_summing_is_summing_then_filtering)
{
    srand(4711);
    for (int round = 0; round < 3000; round++) {
        char letters[AN_FILTER_KIND_COUNT][4];
        struct rules rules = {{NULL}};
        for (int kind = 0; kind < AN_FILTER_KIND_COUNT; kind++) {
            pick_letters(letters[kind], kind == AN_FILTER_FOCUS ? 2 : 3);
            rules.letters[kind] = rand() % 3 ? NULL : letters[kind];
        }
        struct an_tree *all = an_tree_new(), *wanted = an_tree_new();
        for (int i = 0; i < 30; i++) {
            char stack[STACK_MAX + 1], kept[STACK_MAX + 1];
            pick_letters(stack, STACK_MAX);
            add_stack(all, stack, (uint64_t)i + 1);
            if (filter_one(&rules, stack, kept))
                add_stack(wanted, kept, (uint64_t)i + 1);
        }
        struct an_filter *filter = filter_of(&rules);
        struct an_tree *filtered = an_filter_apply(filter, all, false);
        assert_same_values(filtered, wanted, round);
        uint8_t *stays = an_filter_kept(filter, all);
        uint64_t sum = 0;
        for (uint32_t node = 0; node < all->node_count; node++)
            sum += stays[node] ? all->self[AN_TIME][node] : 0;
        cr_assert_eq(sum, wanted->sum[AN_TIME], "round %d", round);
        free(stays);
        an_tree_free(all);
        an_tree_free(wanted);
        an_tree_free(filtered);
        an_filter_free(filter);
    }
}

static struct an_tree *apply(enum an_filter_kind kind, const char *pattern, bool ignore_case)
{
    struct an_tree *tree = an_tree_new();
    struct an_fault fault;
    add_stack(tree, "a", 1);
    add_stack(tree, "ab", 20);
    add_stack(tree, "abc", 300);
    add_stack(tree, "ac", 4000);
    struct an_filter *filter = an_filter_new(ignore_case);
    cr_assert_eq(an_filter_add(filter, kind, pattern, &fault), 0);
    struct an_tree *filtered = an_filter_apply(filter, tree, false);
    an_filter_free(filter);
    an_tree_free(tree);
    return filtered;
}

Test(filter, exclude_drops_the_function_and_all_it_calls)
{
    struct an_tree *tree = apply(AN_FILTER_EXCLUDE, "b", false);
    cr_assert_eq(tree->sum[AN_TIME], 4001);
    cr_assert_eq(find_stack(tree, "ab"), UINT32_MAX);
    an_tree_free(tree);
}

Test(filter, exclude_self_keeps_what_the_function_calls)
{
    struct an_tree *tree = apply(AN_FILTER_EXCLUDE_SELF, "b", false);
    cr_assert_eq(tree->sum[AN_TIME], 4301);
    cr_assert_eq(tree->self[AN_TIME][find_stack(tree, "ab")], 0);
    cr_assert_eq(tree->self[AN_TIME][find_stack(tree, "abc")], 300);
    an_tree_free(tree);
}

Test(filter, case_counts_unless_it_is_ignored)
{
    struct an_tree *tree = apply(AN_FILTER_EXCLUDE, "B", false);
    cr_assert_eq(tree->sum[AN_TIME], 4321);
    an_tree_free(tree);
    tree = apply(AN_FILTER_EXCLUDE, "B", true);
    cr_assert_eq(tree->sum[AN_TIME], 4001);
    an_tree_free(tree);
}

Test(filter, what_leaves_nothing_leaves_an_empty_tree_with_its_values)
{
    struct an_tree *tree = apply(AN_FILTER_INCLUDE, "nothing", false);
    cr_assert_eq(tree->node_count, 1);
    cr_assert(an_tree_has(tree, AN_TIME));
    cr_assert_eq(tree->sum[AN_TIME], 0);
    an_tree_free(tree);
}

Test(filter, a_bad_expression_is_told_with_its_place)
{
    struct an_filter *filter = an_filter_new(false);
    struct an_fault fault = {""};
    cr_assert_eq(an_filter_add(filter, AN_FILTER_HIDE, "a(b", &fault), -EINVAL);
    cr_assert(strstr(fault.text, "'a(b'") != NULL, "%s", fault.text);
    cr_assert(strstr(fault.text, "character 4") != NULL, "%s", fault.text);
    cr_assert(an_filter_is_empty(filter));
    an_filter_free(filter);
}

Test(filter, names_are_matched_as_they_are_and_bad_bytes_do_no_harm)
{
    struct an_tree *tree = an_tree_new();
    uint32_t name = an_names_intern(tree->names, "operator()\xff(int)", 16);
    cr_assert_eq(an_tree_add(tree, an_tree_child(tree, 0, name), AN_TIME, 5), 0);
    add_stack(tree, "a", 1);
    struct an_filter *filter = an_filter_new(false);
    struct an_fault fault;
    an_filter_add_name(filter, AN_FILTER_EXCLUDE, "operator()\xff(int)");
    struct an_tree *filtered = an_filter_apply(filter, tree, false);
    cr_assert_eq(filtered->sum[AN_TIME], 1);
    an_tree_free(filtered);
    an_filter_free(filter);

    filter = an_filter_new(false);
    cr_assert_eq(an_filter_add(filter, AN_FILTER_INCLUDE, "^operator.*int", &fault), 0);
    cr_assert_eq(an_filter_add(filter, AN_FILTER_INCLUDE, "int", &fault), 0);
    filtered = an_filter_apply(filter, tree, false);
    cr_assert_eq(filtered->sum[AN_TIME], 5);
    an_tree_free(filtered);
    an_filter_free(filter);
    an_tree_free(tree);
}

Test(filter, a_pattern_that_explodes_gives_up)
{
    struct an_tree *tree = an_tree_new();
    struct an_fault fault;
    char text[64];
    memset(text, 'a', sizeof(text));
    text[63] = '!';
    uint32_t name = an_names_intern(tree->names, text, sizeof(text));
    cr_assert_eq(an_tree_add(tree, an_tree_child(tree, 0, name), AN_TIME, 5), 0);
    struct an_filter *filter = an_filter_new(false);
    cr_assert_eq(an_filter_add(filter, AN_FILTER_EXCLUDE, "^(a+)+$", &fault), 0);
    struct an_tree *filtered = an_filter_apply(filter, tree, false);
    cr_assert_eq(filtered->sum[AN_TIME], 5);
    an_tree_free(filtered);
    an_filter_free(filter);
    an_tree_free(tree);
}

Test(filter, in_order_trees_merge_adjacent_frames_only)
{
    struct an_tree *tree = an_tree_new();
    struct an_fault fault;
    uint32_t x = an_names_intern(tree->names, "x", 1), y = an_names_intern(tree->names, "y", 1);
    uint32_t h = an_names_intern(tree->names, "h", 1);
    /* x, h>x, y, x: hiding h makes the first two adjacent. */
    const uint32_t made[] = {an_tree_append(tree, 0, x),
                             an_tree_append(tree, an_tree_append(tree, 0, h), x),
                             an_tree_append(tree, 0, y), an_tree_append(tree, 0, x)};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(an_tree_add(tree, made[i], AN_TIME, 1), 0);
    struct an_filter *filter = an_filter_new(false);
    cr_assert_eq(an_filter_add(filter, AN_FILTER_HIDE, "h", &fault), 0);
    struct an_tree *filtered = an_filter_apply(filter, tree, true);
    cr_assert_eq(filtered->node_count, 4);
    cr_assert_eq(filtered->self[AN_TIME][1], 2);
    cr_assert_eq(filtered->self[AN_TIME][3], 1);
    an_tree_free(filtered);
    an_filter_free(filter);
    an_tree_free(tree);
}

Test(filter, sizes_go_where_the_values_go)
{
    struct an_fault fault;
    struct an_filter *filter = an_filter_new(false);
    struct an_tree *tree = an_tree_new();
    add_stack(tree, "ab", 1);
    add_stack(tree, "ac", 1);
    an_tree_note_sizes(tree, find_stack(tree, "ab"), &(struct an_size_facts){1, 7, 7, 7});
    an_tree_note_sizes(tree, find_stack(tree, "ac"), &(struct an_size_facts){2, 90, 95, 99});
    cr_assert_eq(an_filter_add(filter, AN_FILTER_HIDE, "b", &fault), 0);
    cr_assert_eq(an_filter_add(filter, AN_FILTER_EXCLUDE, "c", &fault), 0);
    struct an_tree *filtered = an_filter_apply(filter, tree, false);
    const struct an_size_facts *facts = &filtered->sizes[find_stack(filtered, "a")];
    cr_assert_eq(facts->count, 1);
    cr_assert_eq(facts->smallest, 7);
    cr_assert_eq(facts->largest, 7);
    an_tree_free(filtered);
    an_tree_free(tree);
    an_filter_free(filter);
}

Test(filter, a_value_that_goes_leaves_no_empty_stack_behind)
{
    struct an_fault fault;
    struct an_filter *filter = an_filter_new(false);
    struct an_tree *tree = an_tree_new();
    add_stack(tree, "abac", 11);
    add_stack(tree, "ad", 0); /* as it was written */
    tree->self[AN_CALLS][find_stack(tree, "ad")] = 0;
    cr_assert_eq(an_filter_add(filter, AN_FILTER_EXCLUDE_SELF, "c", &fault), 0);
    struct an_tree *filtered = an_filter_apply(filter, tree, false);
    cr_assert_eq(find_stack(filtered, "ab"), UINT32_MAX);
    cr_assert_neq(find_stack(filtered, "ad"), UINT32_MAX);
    an_tree_free(filtered);
    an_tree_free(tree);
    an_filter_free(filter);
}
