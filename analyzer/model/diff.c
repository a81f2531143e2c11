/*
 * diff.c -- makes two trees with the same nodes, and compares them on one scale.
 */
#include "analyzer/model/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

#define NO_MODULE UINT32_MAX

static uint32_t name_copy(struct an_tree *tree, const struct an_tree *source, uint32_t name)
{
    size_t bytes;
    const char *text = an_names_text(source->names, name, &bytes);

    return an_names_intern(tree->names, text, bytes);
}

/*
 * Make the nodes of SOURCE in TREE. Done with the same sources in the same order, two trees come
 * out with the same numbers. Result: the node of TREE for each of SOURCE; freed by free().
 */
static uint32_t *nodes_copy(struct an_tree *tree, const struct an_tree *source)
{
    uint32_t *node_of = an_memory_array(source->node_count, sizeof(*node_of));

    node_of[0] = 0;
    for (uint32_t n = 1; n < source->node_count; n++) {
        uint32_t name = name_copy(tree, source, source->name[n]);
        uint32_t node = an_tree_child(tree, node_of[source->parent[n]], name);
        if (source->module[n] != NO_MODULE)
            tree->module[node] = name_copy(tree, source, source->module[n]);
        tree->flags[node] |= source->flags[n];
        node_of[n] = node;
    }
    return node_of;
}

/* Powers of ten: the larger one is a multiple of the smaller. */
static uint64_t common_scale(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int value_copy(struct an_tree *tree, const struct an_tree *source, const uint32_t *node_of,
                      enum an_value value, uint64_t factor)
{
    int result = an_tree_add(tree, 0, value, 0);

    for (uint32_t n = 0; n < source->node_count && result == 0; n++) {
        uint64_t amount;
        if (__builtin_mul_overflow(source->self[value][n], factor, &amount))
            result = -EOVERFLOW;
        else if (amount != 0)
            result = an_tree_add(tree, node_of[n], value, amount);
    }
    return result;
}

static int values_copy(struct an_diff *diff, const struct an_profile *before,
                       const struct an_profile *after, const uint32_t *before_node,
                       const uint32_t *after_node)
{
    for (int v = 0; v < AN_VALUE_COUNT; v++) {
        enum an_value value = (enum an_value)v;
        uint64_t scale = common_scale(before->scale[v], after->scale[v]);
        uint64_t both;

        diff->scale[v] = scale;
        if (!an_tree_has(before->tree, value) || !an_tree_has(after->tree, value))
            continue;
        int result =
            value_copy(diff->before, before->tree, before_node, value, scale / before->scale[v]);
        if (result == 0)
            result =
                value_copy(diff->after, after->tree, after_node, value, scale / after->scale[v]);
        if (result != 0)
            return result;
        if (__builtin_add_overflow(diff->before->sum[v], diff->after->sum[v], &both))
            return -EOVERFLOW;
    }
    return 0;
}

int an_diff_make(const struct an_profile *before, const struct an_profile *after,
                 struct an_diff *ret_diff)
{
    struct an_diff diff = {.before = an_tree_new(), .after = an_tree_new()};
    /* The newer profile first: its order of sight is the one that counts. */
    uint32_t *after_node = nodes_copy(diff.before, after->tree);
    uint32_t *before_node = nodes_copy(diff.before, before->tree);

    free(nodes_copy(diff.after, after->tree));
    free(nodes_copy(diff.after, before->tree));
    int result = values_copy(&diff, before, after, before_node, after_node);
    free(before_node);
    free(after_node);
    if (result != 0)
        an_diff_release(&diff);
    else
        *ret_diff = diff;
    return result;
}

void an_diff_release(struct an_diff *diff)
{
    an_tree_free(diff->before);
    an_tree_free(diff->after);
    diff->before = diff->after = NULL;
}

/* What the division left over at a node. */
struct rest {
    uint64_t rest;
    uint32_t node;
};

static int compare_rests(const void *a, const void *b)
{
    const struct rest *left = a, *right = b;

    if (left->rest != right->rest)
        return left->rest < right->rest ? 1 : -1;
    return (left->node > right->node) - (left->node < right->node);
}

int an_diff_normalize(struct an_diff *diff, enum an_value value)
{
    struct an_tree *before = diff->before;
    uint64_t from = before->sum[value], to = diff->after->sum[value], twice;
    uint64_t left = to;

    if (from == 0)
        return -ENODATA;
    if (__builtin_mul_overflow(to, 2, &twice))
        return -EOVERFLOW;
    struct rest *rest = an_memory_array(before->node_count, sizeof(*rest));
    for (uint32_t n = 0; n < before->node_count; n++) {
        unsigned __int128 scaled = (unsigned __int128)before->self[value][n] * to;
        before->self[value][n] = (uint64_t)(scaled / from);
        left -= before->self[value][n];
        rest[n] = (struct rest){(uint64_t)(scaled % from), n};
    }
    /* The rests add up to LEFT times FROM, and each is below FROM: more than LEFT are not 0. */
    qsort(rest, before->node_count, sizeof(*rest), compare_rests);
    for (uint32_t i = 0; i < left; i++)
        before->self[value][rest[i].node]++;
    before->sum[value] = to;
    free(rest);
    return 0;
}
