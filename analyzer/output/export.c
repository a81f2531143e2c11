/*
 * export.c -- a profile as JSON, CSV, speedscope and Chrome trace events.
 */
#include "analyzer/output/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/walk.h"
#include "analyzer/output/amount.h"
#include "analyzer/output/export_parts.h"
#include "analyzer/support/memory.h"
#include "analyzer/version.h"

void an_export_name(struct an_json *json, const struct an_tree *tree, uint32_t name)
{
    size_t bytes;
    const char *text = an_names_text(tree->names, name, &bytes);
    an_json_text(json, text, bytes);
}

static void export_json_facts(struct an_json *json, const struct an_profile *profile)
{
    an_json_pair_text(json, "format", "thag");
    an_json_pair_number(json, "version", 1);
    an_json_pair_text(json, "exporter", "thag_profile " THAG_VERSION);
    an_json_pair_text(json, "file", profile->path);
    an_json_pair_number(json, "files", profile->file_count);
    an_json_pair_text(json, "program", profile->program);
    an_json_pair_text(json, "arguments", profile->arguments);
    an_json_pair_text(json, "host", profile->host);
    an_json_pair_number(json, "pid", profile->pid);
    an_json_pair_number(json, "start_realtime_ns", profile->start_realtime_ns);
    an_json_pair_number(json, "duration_ns", profile->duration_ns);
    an_json_pair_number(json, "peak_bytes", profile->peak_bytes);
    an_json_pair_number(json, "bad_lines", profile->bad.count);
    an_json_key(json, "notes");
    an_json_list_open(json);
    for (uint32_t i = 0; i < profile->note_count; i++)
        an_json_text(json, profile->note[i], strlen(profile->note[i]));
    an_json_list_close(json);
}

static void export_json_values(struct an_json *json, const struct an_profile *profile)
{
    an_json_key(json, "values");
    an_json_list_open(json);
    for (int i = 0; i < AN_VALUE_COUNT; i++) {
        enum an_value value = (enum an_value)i;
        if (!an_tree_has(profile->tree, value))
            continue;
        an_json_object_open(json);
        an_json_pair_text(json, "name", an_value_name(value));
        an_json_pair_text(json, "title", an_value_title(value));
        an_json_pair_text(json, "unit", an_unit_name(an_value_unit(value)));
        an_json_key(json, "sum");
        an_json_amount(json, profile->tree->sum[value], profile->scale[value]);
        an_json_object_close(json);
    }
    an_json_list_close(json);
}

static void export_json_node(struct an_json *json, const struct an_profile *profile, uint32_t node)
{
    const struct an_tree *tree = profile->tree;
    an_json_line(json);
    an_json_object_open(json);
    an_json_pair_number(json, "id", node);
    if (node) {
        an_json_pair_number(json, "parent", tree->parent[node]);
        an_json_key(json, "name");
        an_export_name(json, tree, tree->name[node]);
    }
    if (tree->module[node] != UINT32_MAX) {
        an_json_key(json, "module");
        an_export_name(json, tree, tree->module[node]);
    }
    if (tree->flags[node] & AN_NODE_INLINED) {
        an_json_key(json, "inlined");
        an_json_bool(json, true);
    }
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if (!tree->self[value] || !tree->self[value][node])
            continue;
        an_json_key(json, an_value_name((enum an_value)value));
        an_json_amount(json, tree->self[value][node], profile->scale[value]);
    }
    an_json_object_close(json);
}

void an_export_json(const struct an_profile *profile, FILE *out)
{
    struct an_json json;
    an_json_begin(&json, out);
    an_json_object_open(&json);
    export_json_facts(&json, profile);
    export_json_values(&json, profile);
    an_json_key(&json, "nodes");
    an_json_list_open(&json);
    for (uint32_t node = 0; node < profile->tree->node_count; node++)
        export_json_node(&json, profile, node);
    an_json_list_close(&json);
    an_json_object_close(&json);
    an_json_end(&json);
}

static bool export_owns_anything(const struct an_tree *tree, uint32_t node)
{
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if (tree->self[value] && tree->self[value][node])
            return true;
    }
    return false;
}

/* "main;f;g" into TEXT, which grows. Result: its length. */
static size_t export_stack_text(const struct an_tree *tree, uint32_t node, char **text,
                                size_t *room)
{
    size_t bytes = 0, part;
    for (uint32_t n = node; n; n = tree->parent[n]) {
        an_names_text(tree->names, tree->name[n], &part);
        bytes += part + 1;
    }
    if (bytes > *room) {
        *room = bytes * 2;
        *text = an_memory_resize(*text, *room, 1);
    }
    size_t at = bytes;
    for (uint32_t n = node; n; n = tree->parent[n]) {
        const char *name = an_names_text(tree->names, tree->name[n], &part);
        (*text)[--at] = ';';
        at -= part;
        memcpy(*text + at, name, part);
    }
    return bytes ? bytes - 1 : 0;
}

void an_export_csv(const struct an_profile *profile, FILE *out)
{
    const struct an_tree *tree = profile->tree;
    char *text = NULL;
    size_t room = 0;
    fputs("stack", out);
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if (tree->self[value])
            fprintf(out, ",%s", an_value_name((enum an_value)value));
    }
    putc('\n', out);
    for (uint32_t node = 0; node < tree->node_count; node++) {
        if (!export_owns_anything(tree, node))
            continue;
        size_t bytes = export_stack_text(tree, node, &text, &room);
        an_csv_text(out, text, bytes);
        for (int value = 0; value < AN_VALUE_COUNT; value++) {
            char number[AN_AMOUNT_MAX];
            if (!tree->self[value])
                continue;
            an_amount_exact(tree->self[value][node], profile->scale[value], number);
            fprintf(out, ",%s", number);
        }
        putc('\n', out);
    }
    free(text);
}

static const char *export_speedscope_unit(enum an_value value)
{
    switch (an_value_unit(value)) {
    case AN_UNIT_NS:
        return "nanoseconds";
    case AN_UNIT_US:
        return "microseconds";
    case AN_UNIT_BYTES:
        return "bytes";
    default:
        return "none";
    }
}

static void export_speedscope_frames(struct an_json *json, const struct an_tree *tree)
{
    /* A frame per name, numbered alike; names of modules among them are never referred to. */
    an_json_key(json, "shared");
    an_json_object_open(json);
    an_json_key(json, "frames");
    an_json_list_open(json);
    for (uint32_t name = 0; name < an_names_count(tree->names); name++) {
        an_json_line(json);
        an_json_object_open(json);
        an_json_key(json, "name");
        an_export_name(json, tree, name);
        an_json_object_close(json);
    }
    an_json_list_close(json);
    an_json_object_close(json);
}

void an_export_speedscope_event(struct an_json *json, const char *type, uint32_t frame, uint64_t at,
                                uint64_t scale)
{
    an_json_object_open(json);
    an_json_pair_text(json, "type", type);
    an_json_pair_number(json, "frame", frame);
    an_json_key(json, "at");
    an_json_amount(json, at, scale);
    an_json_object_close(json);
}

static void export_speedscope_profile(struct an_json *json, const struct an_profile *profile,
                                      enum an_value value, enum an_order_by order)
{
    const struct an_tree *tree = profile->tree;
    uint64_t scale = profile->scale[value], at = 0;
    uint64_t *total = an_memory_array(tree->node_count, sizeof(*total));
    an_tree_totals(tree, value, total);
    an_json_line(json);
    an_json_object_open(json);
    an_json_pair_text(json, "type", "evented");
    an_json_pair_text(json, "name", an_value_title(value));
    an_json_pair_text(json, "unit", export_speedscope_unit(value));
    an_json_pair_number(json, "startValue", 0);
    an_json_key(json, "endValue");
    an_json_amount(json, total[0], scale);
    an_json_key(json, "events");
    an_json_list_open(json);
    struct an_walk walk;
    uint32_t node;
    enum an_step step;
    an_walk_begin(&walk, tree, order, total);
    while ((step = an_walk_step(&walk, &node)) != AN_STEP_END) {
        bool enters = step == AN_STEP_ENTER;
        /* A frame's own part comes before what it calls. */
        if (total[node])
            an_export_speedscope_event(json, enters ? "O" : "C", tree->name[node], at, scale);
        if (enters)
            at += tree->self[value][node];
    }
    an_walk_end(&walk);
    an_json_list_close(json);
    an_json_object_close(json);
    free(total);
}

/* Values whose amounts add up over the tree. */
static bool export_adds_up(const struct an_tree *tree, enum an_value value)
{
    return an_tree_has(tree, value) && value != AN_INCLUSIVE;
}

void an_export_speedscope(const struct an_profile *profile, enum an_value value,
                          enum an_order_by order, FILE *out)
{
    struct an_json json;
    uint32_t active = 0;
    bool timed = an_profile_has_timeline(profile, value);
    an_json_begin(&json, out);
    an_json_object_open(&json);
    an_json_pair_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    an_json_pair_text(&json, "exporter", "thag_profile " THAG_VERSION);
    an_json_pair_text(&json, "name", profile->title ? profile->title : profile->path);
    export_speedscope_frames(&json, profile->tree);
    an_json_key(&json, "profiles");
    an_json_list_open(&json);
    if (timed)
        an_export_speedscope_lanes(&json, profile);
    for (int i = 0; i < AN_VALUE_COUNT; i++) {
        if (!export_adds_up(profile->tree, (enum an_value)i))
            continue;
        export_speedscope_profile(&json, profile, (enum an_value)i, order);
        active += i < (int)value && !timed;
    }
    an_json_list_close(&json);
    an_json_pair_number(&json, "activeProfileIndex", active);
    an_json_object_close(&json);
    an_json_end(&json);
}

static void export_chrome_event(struct an_json *json, const struct an_profile *profile,
                                enum an_value value, uint32_t node, uint64_t at, uint64_t total)
{
    const struct an_tree *tree = profile->tree;
    /* The format's unit is the microsecond; other units are shown as if they were. */
    uint64_t scale = profile->scale[value] * (an_value_unit(value) == AN_UNIT_NS ? 1000 : 1);
    an_json_line(json);
    an_json_object_open(json);
    an_json_pair_text(json, "ph", "X");
    an_json_key(json, "name");
    an_export_name(json, tree, tree->name[node]);
    an_json_key(json, "ts");
    an_json_amount(json, at, scale);
    an_json_key(json, "dur");
    an_json_amount(json, total, scale);
    an_json_pair_number(json, "pid", profile->pid);
    an_json_pair_number(json, "tid", 1);
    an_json_key(json, "args");
    an_json_object_open(json);
    for (int i = 0; i < AN_VALUE_COUNT; i++) {
        if (!tree->self[i] || !tree->self[i][node])
            continue;
        char key[40];
        snprintf(key, sizeof(key), "self_%s", an_value_name((enum an_value)i));
        an_json_key(json, key);
        an_json_amount(json, tree->self[i][node], profile->scale[i]);
    }
    an_json_object_close(json);
    an_json_object_close(json);
}

/* One track on which every node lasts as long as its total. */
static void export_chrome_sums(struct an_json *json, const struct an_profile *profile,
                               enum an_value value, enum an_order_by order)
{
    const struct an_tree *tree = profile->tree;
    uint64_t *total = an_memory_array(tree->node_count, sizeof(*total));
    uint64_t at = 0;
    struct an_walk walk;
    uint32_t node;
    enum an_step step;
    an_tree_totals(tree, value, total);
    an_walk_begin(&walk, tree, order, total);
    while ((step = an_walk_step(&walk, &node)) != AN_STEP_END) {
        if (step != AN_STEP_ENTER)
            continue;
        if (total[node])
            export_chrome_event(json, profile, value, node, at, total[node]);
        at += tree->self[value][node];
    }
    an_walk_end(&walk);
    free(total);
}

void an_export_chrome(const struct an_profile *profile, enum an_value value, enum an_order_by order,
                      FILE *out)
{
    struct an_json json;
    an_json_begin(&json, out);
    an_json_object_open(&json);
    an_json_pair_text(&json, "displayTimeUnit", "ns");
    an_json_key(&json, "otherData");
    an_json_object_open(&json);
    an_json_pair_text(&json, "exporter", "thag_profile " THAG_VERSION);
    an_json_pair_text(&json, "file", profile->path);
    an_json_pair_text(&json, "value", an_value_name(value));
    an_json_pair_text(&json, "unit", an_unit_name(an_value_unit(value)));
    an_json_object_close(&json);
    an_json_key(&json, "traceEvents");
    an_json_list_open(&json);
    if (an_profile_has_timeline(profile, value))
        an_export_chrome_lanes(&json, profile);
    else
        export_chrome_sums(&json, profile, value, order);
    an_json_list_close(&json);
    an_json_object_close(&json);
    an_json_end(&json);
}
