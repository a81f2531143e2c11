/*
 * profile.c -- what was read from one or several files.
 */
#include "analyzer/model/profile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

void an_profile_init(struct an_profile *profile)
{
    memset(profile, 0, sizeof(*profile));
    profile->tree = an_tree_new();
    for (int value = 0; value < AN_VALUE_COUNT; value++)
        profile->scale[value] = 1;
}

void an_profile_release(struct an_profile *profile)
{
    an_tree_free(profile->tree);
    an_timeline_free(profile->timeline);
    free(profile->path);
    free(profile->base_name);
    free(profile->program);
    free(profile->arguments);
    free(profile->directory);
    free(profile->host);
    free(profile->config);
    free(profile->title);
    free(profile->rate);
    free(profile->sizes);
    free(profile->moment);
    for (uint32_t i = 0; i < profile->note_count; i++)
        free(profile->note[i]);
    free(profile->note);
    memset(profile, 0, sizeof(*profile));
}

void an_profile_note(struct an_profile *profile, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    profile->note =
        an_memory_resize(profile->note, (size_t)profile->note_count + 1, sizeof(*profile->note));
    profile->note[profile->note_count++] = an_memory_text(text);
}

void an_profile_bad_line(struct an_profile *profile, uint64_t number)
{
    if (profile->bad.count < AN_BAD_LINES_KEPT)
        profile->bad.number[profile->bad.count] = number;
    profile->bad.count++;
}

/* RET_NODE[n] = the node of INTO, under UNDER, for node n of FROM, made where it is missing. */
static void profile_merge_nodes(struct an_tree *into, uint32_t under, const struct an_tree *from,
                                uint32_t *ret_node)
{
    uint32_t name_count = an_names_count(from->names);
    uint32_t *name = an_memory_array(name_count, sizeof(*name));
    for (uint32_t i = 0; i < name_count; i++) {
        size_t bytes;
        const char *text = an_names_text(from->names, i, &bytes);
        name[i] = an_names_intern(into->names, text, bytes);
    }
    ret_node[0] = under;
    for (uint32_t node = 1; node < from->node_count; node++) {
        uint32_t made = an_tree_child(into, ret_node[from->parent[node]], name[from->name[node]]);
        ret_node[node] = made;
        if (into->module[made] == UINT32_MAX && from->module[node] != UINT32_MAX)
            into->module[made] = name[from->module[node]];
        into->flags[made] |= from->flags[node];
        if (from->facts)
            an_tree_note_calls(into, made, &from->facts[node]);
    }
    free(name);
}

/* Sizes of single allocations are known of all the bytes in a tree, or they are forgotten. */
static void profile_merge_sizes(struct an_tree *into, const struct an_tree *from,
                                const uint32_t *node_map)
{
    bool of_into = into->sizes || !an_tree_has(into, AN_BYTES);
    bool of_from = from->sizes || !an_tree_has(from, AN_BYTES);
    if (!of_into || !of_from) {
        free(into->sizes);
        into->sizes = NULL;
        return;
    }
    for (uint32_t node = 0; from->sizes && node < from->node_count; node++)
        an_tree_note_sizes(into, node_map[node], &from->sizes[node]);
}

/* Scales are powers of ten: the smaller one divides the larger one. */
static int profile_merge_value(struct an_profile *into, const struct an_profile *from,
                               const uint32_t *node_map, enum an_value value)
{
    if (!an_tree_has(from->tree, value))
        return 0;
    if (into->scale[value] < from->scale[value]) {
        if (an_tree_scale(into->tree, value, from->scale[value] / into->scale[value]) != 0)
            return -EOVERFLOW;
        into->scale[value] = from->scale[value];
    }
    uint64_t factor = into->scale[value] / from->scale[value];
    for (uint32_t node = 0; node < from->tree->node_count; node++) {
        uint64_t amount;
        if (__builtin_mul_overflow(from->tree->self[value][node], factor, &amount) ||
            an_tree_add(into->tree, node_map[node], value, amount) != 0)
            return -EOVERFLOW;
    }
    return 0;
}

static void profile_merge_facts(struct an_profile *into, const struct an_profile *from)
{
    /* What a dealloc file's bytes are must not be forgotten. */
    bool freed = into->kind == AN_KIND_DEALLOC || from->kind == AN_KIND_DEALLOC;
    if (into->kind != from->kind)
        into->kind = freed ? AN_KIND_DEALLOC : AN_KIND_UNKNOWN;
    into->file_count += from->file_count;
    if (into->rate && (!from->rate || strcmp(into->rate, from->rate) != 0)) {
        free(into->rate); /* of one of them, not of all */
        into->rate = NULL;
    }
    into->good_lines += from->good_lines;
    for (uint64_t i = 0; i < from->bad.count && i < AN_BAD_LINES_KEPT; i++)
        an_profile_bad_line(into, from->bad.number[i]);
    if (from->bad.count > AN_BAD_LINES_KEPT)
        into->bad.count += from->bad.count - AN_BAD_LINES_KEPT;
    /* Peaks of several processes need not have been at one time: no sum, no maximum is true. */
    into->peak_bytes = 0;
    if (into->sizes && from->sizes) {
        an_sizes_merge(into->sizes, from->sizes);
    } else if (from->sizes) {
        into->sizes = an_memory_array(1, sizeof(*into->sizes));
        *into->sizes = *from->sizes;
    }
    into->moment_count = 0;
    an_timeline_free(into->timeline); /* of another tree, and of one program alone */
    into->timeline = NULL;
    for (uint32_t i = 0; i < from->note_count; i++)
        an_profile_note(into, "%s", from->note[i]);
}

int an_profile_merge(struct an_profile *into, const struct an_profile *from, const char *under)
{
    if (an_tree_has(into->tree, AN_BYTES) && an_tree_has(from->tree, AN_BYTES) &&
        (into->kind == AN_KIND_DEALLOC) != (from->kind == AN_KIND_DEALLOC))
        return -EMEDIUMTYPE;
    uint32_t *node_map = an_memory_array(from->tree->node_count, sizeof(*node_map));
    uint32_t top = 0;
    if (under)
        top =
            an_tree_child(into->tree, 0, an_names_intern(into->tree->names, under, strlen(under)));
    profile_merge_nodes(into->tree, top, from->tree, node_map);
    int failed = 0;
    profile_merge_sizes(into->tree, from->tree, node_map);
    for (int value = 0; value < AN_VALUE_COUNT && !failed; value++)
        failed = profile_merge_value(into, from, node_map, (enum an_value)value);
    free(node_map);
    if (!failed)
        profile_merge_facts(into, from);
    return failed;
}

const char *an_profile_rate(const struct an_profile *profile, enum an_value value)
{
    return value == AN_SAMPLE_TIME || value == AN_SAMPLES ? profile->rate : NULL;
}

bool an_profile_has_timeline(const struct an_profile *profile, enum an_value value)
{
    const struct an_timeline *timeline = profile->timeline;
    return timeline != NULL && timeline->span_count != 0 &&
           value == (timeline->sampled ? AN_SAMPLE_TIME : AN_TIME);
}

enum an_value an_kind_value(enum an_kind kind)
{
    switch (kind) {
    case AN_KIND_INCLUSIVE:
        return AN_INCLUSIVE;
    case AN_KIND_SAMPLE:
        return AN_SAMPLE_TIME;
    case AN_KIND_MEMORY:
    case AN_KIND_MEMORY_DETAIL:
    case AN_KIND_DEALLOC:
        return AN_BYTES;
    default:
        return AN_TIME;
    }
}

bool an_profile_default_value(const struct an_profile *profile, enum an_value *ret_value)
{
    enum an_value own = an_kind_value(profile->kind);
    /* Frees merged with files of times are of their kind still, but no more what is meant. */
    if (profile->kind != AN_KIND_DEALLOC && an_tree_has(profile->tree, own)) {
        *ret_value = own;
        return true;
    }
    static const enum an_value preferred[] = {AN_TIME, AN_SAMPLE_TIME, AN_BYTES};
    for (unsigned i = 0; i < sizeof(preferred) / sizeof(preferred[0]); i++) {
        if (an_tree_has(profile->tree, preferred[i])) {
            *ret_value = preferred[i];
            return true;
        }
    }
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if (an_tree_has(profile->tree, (enum an_value)value)) {
            *ret_value = (enum an_value)value;
            return true;
        }
    }
    return false;
}
