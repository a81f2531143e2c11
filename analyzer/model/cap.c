/*
 * cap.c -- keeps the largest callees of every frame.
 */
#include "analyzer/model/cap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/model/order.h"
#include "analyzer/support/memory.h"

#define CAP_KEPT UINT32_MAX

struct cap {
    const struct an_tree *from;
    struct an_tree *into;
    uint32_t *owner; /* of a node that is left out: the last one above that stays; else CAP_KEPT */
    uint32_t *count; /* of a node that stays: how many are left out right below it */
    uint32_t *box;   /* of such a node: what stands for them in INTO; 0: not made yet */
    uint32_t *place; /* of each node in INTO */
};

static void cap_choose(struct cap *cap, const uint64_t *total, uint64_t most)
{
    struct an_order *order = an_order_new(cap->from, AN_BY_VALUE, total);
    for (uint32_t node = 0; node < cap->from->node_count; node++)
        cap->owner[node] = CAP_KEPT;
    for (uint32_t node = 0; node < cap->from->node_count; node++) {
        uint32_t owner = cap->owner[node] == CAP_KEPT ? node : cap->owner[node];
        uint64_t rank = 0;
        for (uint32_t i = order->first[node]; i < order->first[node + 1]; i++, rank++) {
            if (owner == node && rank < most)
                continue;
            cap->owner[order->child[i]] = owner;
            cap->count[owner]++;
        }
    }
    an_order_free(order);
}

static uint32_t cap_box(struct cap *cap, uint32_t owner)
{
    if (cap->box[owner] == 0) {
        char text[48];
        uint32_t count = cap->count[owner];
        int bytes = snprintf(text, sizeof(text), "(%" PRIu32 " smaller frame%s)", count,
                             count == 1 ? "" : "s");
        uint32_t name = an_names_intern(cap->into->names, text, (size_t)bytes);
        cap->box[owner] = an_tree_append(cap->into, cap->place[owner], name);
        cap->into->flags[cap->box[owner]] |= AN_NODE_MERGED;
    }
    return cap->box[owner];
}

static uint32_t cap_copy(struct cap *cap, uint32_t node)
{
    const struct an_tree *from = cap->from;
    struct an_tree *into = cap->into;
    size_t bytes;
    const char *text = an_names_text(from->names, from->name[node], &bytes);
    uint32_t place = an_tree_child(into, cap->place[from->parent[node]],
                                   an_names_intern(into->names, text, bytes));
    into->flags[place] |= from->flags[node];
    if (from->module[node] != UINT32_MAX) {
        text = an_names_text(from->names, from->module[node], &bytes);
        into->module[place] = an_names_intern(into->names, text, bytes);
    }
    if (from->facts)
        an_tree_note_calls(into, place, &from->facts[node]);
    return place;
}

static void cap_copy_values(const struct cap *cap, uint32_t node)
{
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        /* The sum is that of a tree, so it fits. */
        if (an_tree_has(cap->from, (enum an_value)value))
            (void)an_tree_add(cap->into, cap->place[node], (enum an_value)value,
                              cap->from->self[value][node]);
    }
    if (cap->from->sizes)
        an_tree_note_sizes(cap->into, cap->place[node], &cap->from->sizes[node]);
}

struct an_tree *an_cap_apply(const struct an_tree *tree, const uint64_t *total, uint64_t most)
{
    uint32_t count = tree->node_count;
    struct cap cap = {.from = tree, .into = an_tree_new()};
    cap.owner = an_memory_array(count, sizeof(*cap.owner));
    cap.count = an_memory_zeroed(count, sizeof(*cap.count));
    cap.box = an_memory_zeroed(count, sizeof(*cap.box));
    cap.place = an_memory_zeroed(count, sizeof(*cap.place));
    cap_choose(&cap, total, most);
    for (uint32_t node = 0; node < count; node++) {
        if (cap.owner[node] != CAP_KEPT)
            cap.place[node] = cap_box(&cap, cap.owner[node]);
        else if (node)
            cap.place[node] = cap_copy(&cap, node);
        cap_copy_values(&cap, node);
    }
    free(cap.owner);
    free(cap.count);
    free(cap.box);
    free(cap.place);
    return cap.into;
}
