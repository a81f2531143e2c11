/*
 * recording_profile.c -- the one model, filled from a recording.
 */
#include "analyzer/input/recording_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/recording_calls.h"
#include "analyzer/input/recording_life.h"
#include "analyzer/input/recording_losses.h"
#include "analyzer/input/recording_samples.h"
#include "analyzer/input/recording_samplings.h"
#include "analyzer/input/recording_size_facts.h"
#include "analyzer/input/recording_spans.h"
#include "analyzer/support/memory.h"
#include "analyzer/symbols/coroutine.h"
#include "analyzer/symbols/module_map.h"
#include "analyzer/symbols/perf_map.h"

#define LOWEST_ADDRESS UINT64_C(0x10000) /* below it nothing is ever mapped */
#define USER_ADDRESSES (UINT64_C(1) << 57)

/* What is known of a recording while it becomes a tree. */
struct filling {
    const struct an_recording *recording;
    struct an_symbols *symbols;
    struct an_profile *profile;
    struct an_module_map *map;
    struct an_perf_map *jit; /* NULL: none, or not looked for yet */
    bool jit_sought;
    uint32_t *module; /* of each module record: its module file */
    uint32_t *site;   /* of each node that is needed; 0: not needed, else number + 1 */
    uint32_t *tree_node;
    uint32_t *tree_name; /* of name numbers of the symbols: number in the tree, or UINT32_MAX */
    uint32_t tree_name_count;
    uint32_t *tree_module; /* of module files: name in the tree, or UINT32_MAX */
    bool lines;
    uint32_t *call_site; /* of each call: number + 1, or 0 */
    bool raw;
    enum { TIMELINE_NONE, TIMELINE_CALLS, TIMELINE_SAMPLES } timeline;
    bool *own;       /* of each node: it lies in the recorder's own code */
    uint32_t *place; /* of each stack in the tree, also of those without values; NULL: not wanted */
};

void an_recording_modules(const struct an_recording *recording, struct an_symbols *symbols,
                          uint32_t *ret_module)
{
    for (uint32_t i = 0; i < recording->module_count; i++) {
        const struct rec_module *record = &recording->module[i].record;
        struct an_build_id build_id = {.bytes = record->build_id_bytes};
        memcpy(build_id.value, record->build_id, record->build_id_bytes);
        ret_module[i] = an_symbols_module(symbols, recording->module[i].path, &build_id,
                                          (record->flags & REC_MODULE_VDSO) != 0,
                                          recording->file.header.start_realtime_ns);
    }
}

static struct an_module_map *map_new(const struct an_recording *recording)
{
    uint32_t count = recording->module_count;
    struct an_mapped_module *module = an_memory_array((size_t)count + 1, sizeof(*module));
    for (uint32_t i = 0; i < count; i++) {
        const struct rec_module *record = &recording->module[i].record;
        module[i] = (struct an_mapped_module){.start = record->start,
                                              .end = record->end,
                                              .first_generation = record->first_generation,
                                              .last_generation = record->last_generation,
                                              .index = i};
    }
    struct an_module_map *map = an_module_map_new(module, count);
    free(module);
    return map;
}

static const char *special_name(uint64_t key)
{
    switch (key) {
    case REC_SPECIAL_CUT:
        return "[cut]";
    case REC_SPECIAL_BEFORE_START:
        return "[before start]";
    case REC_SPECIAL_ELIDED:
        return "[...]";
    case REC_SPECIAL_BLOCKED:
        return "[signals blocked]";
    case REC_SPECIAL_UNSAMPLED:
        return "[not sampled]";
    case REC_SPECIAL_UNMARKED:
        return "[unmarked]";
    default:
        return "[unknown]";
    }
}

/* A call may be the last instruction of a module: the return address is already outside. */
static uint64_t node_inside(const struct rec_node *node)
{
    uint64_t address = REC_NODE_ADDRESS(node->key);
    return (node->key & REC_NODE_EXACT) != 0 ? address : address - 1;
}

void an_recording_node_modules(const struct an_recording *recording, uint32_t *ret_record)
{
    struct an_module_map *map = map_new(recording);
    for (uint32_t i = 0; i < recording->node_count; i++) {
        const struct rec_node *node = &recording->node[i];
        if (node->key < REC_SPECIAL_LIMIT ||
            !an_module_map_find(map, node_inside(node), node->generation, &ret_record[i]))
            ret_record[i] = UINT32_MAX;
    }
    an_module_map_free(map);
}

/* Code that no file holds: by the name that its maker wrote down. */
static const char *jit_name(struct filling *filling, uint64_t address)
{
    const struct rec_header *header = &filling->recording->file.header;
    if (!filling->jit_sought && an_recording_same_host(&filling->recording->file)) {
        char path[64];
        snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", header->pid);
        filling->jit = an_perf_map_read(path, header->uid, header->start_realtime_ns);
    }
    filling->jit_sought = true;
    const char *name = an_perf_map_name(filling->jit, address);
    return name == NULL ? "[jit]" : name;
}

/* A section's name is written in the recording. */
static uint32_t section_site(struct filling *filling, uint64_t key)
{
    const struct rec_text where = {.offset = REC_CALL_NAME_AT(key),
                                   .bytes = REC_CALL_NAME_BYTES(key)};
    struct an_fault fault;
    char *text = NULL;
    size_t bytes = 0;
    int error = an_recording_file_text(&filling->recording->file, &where, UINT16_MAX,
                                       "a section's name", &text, &bytes, &fault);
    uint32_t site =
        an_symbols_literal(filling->symbols, error == 0 && text != NULL ? text : "[unknown]");
    free(text);
    return site;
}

static uint32_t node_site(struct filling *filling, const struct rec_node *node)
{
    uint64_t address = REC_NODE_ADDRESS(node->key);
    bool exact = (node->key & REC_NODE_EXACT) != 0;
    if (node->key < REC_SPECIAL_LIMIT)
        return an_symbols_literal(filling->symbols, special_name(node->key));
    if (node->key == REC_CALL_ATTACHED)
        return an_symbols_literal(filling->symbols, special_name(node->key)); /* never shown */
    if ((node->key & REC_CALL_NAMED) != 0)
        return section_site(filling, node->key);
    uint64_t inside = node_inside(node);
    uint32_t index = 0;
    if (an_module_map_find(filling->map, inside, node->generation, &index)) {
        uint64_t bias = filling->recording->module[index].record.bias;
        return an_symbols_site(filling->symbols, filling->module[index], address - bias, exact);
    }
    /* Code that no file holds was made at run time; what cannot be code is a broken walk. */
    bool plausible = inside >= LOWEST_ADDRESS && inside < USER_ADDRESSES;
    return an_symbols_literal(filling->symbols,
                              plausible ? jit_name(filling, inside) : "[unknown]");
}

/* Which nodes lie in the recorder's own code: frames of hooks that samples have gone through. */
static void own_find(struct filling *filling)
{
    const struct an_recording *recording = filling->recording;
    for (uint32_t m = 0; m < recording->module_count; m++) {
        const struct rec_module *module = &recording->module[m].record;
        for (uint32_t i = 1;
             (module->flags & REC_MODULE_RECORDER) != 0 && i < recording->node_count; i++) {
            uint64_t inside = node_inside(&recording->node[i]);
            filling->own[i] |= recording->node[i].key >= REC_SPECIAL_LIMIT &&
                               inside >= module->start && inside < module->end;
        }
    }
}

static bool value_any(const struct an_stack_values *value)
{
    return (value->allocations | value->bytes | value->frees | value->live_bytes |
            value->peak_bytes | value->temporary | value->samples | value->sample_ns) != 0;
}

/* Find the sites of all nodes that lie on a stack with values. */
static void sites_collect(struct filling *filling)
{
    const struct an_recording *recording = filling->recording;
    for (uint32_t i = 0; i < recording->stack_count; i++) {
        if (filling->place != NULL || value_any(&recording->value[i]))
            filling->site[recording->stack[i].node] = 1;
    }
    for (uint32_t i = recording->node_count; i-- > 1;) {
        if (filling->site[i] != 0 && recording->node[i].key != 0)
            filling->site[recording->node[i].parent] = 1;
    }
    for (uint32_t i = 1; i < recording->node_count; i++) {
        if (filling->site[i] != 0)
            filling->site[i] = 1 + node_site(filling, &recording->node[i]);
    }
}

/* Its key is the first address of a function. */
static bool call_is_function(const struct an_call *call)
{
    return call->function >= REC_SPECIAL_LIMIT &&
           (call->function & (REC_CALL_INSIDE | REC_CALL_NAMED)) == 0;
}

static void call_sites_collect(struct filling *filling)
{
    const struct an_recording *recording = filling->recording;
    for (uint32_t i = 0; i < recording->call_count; i++) {
        const struct an_call *call = &recording->call[i];
        struct rec_node node = {
            .key = call_is_function(call) ? call->function | REC_NODE_EXACT : call->function,
            .generation = call->generation,
        };
        filling->call_site[i] = 1 + node_site(filling, &node);
    }
}

static uint32_t plain_name(struct filling *filling, uint32_t name)
{
    if (filling->tree_name[name] == UINT32_MAX) {
        size_t bytes = 0;
        const char *text = an_names_text(an_symbols_names(filling->symbols), name, &bytes);
        char *coroutine = an_coroutine_name(text, bytes);
        if (coroutine != NULL) {
            text = coroutine;
            bytes = strlen(coroutine);
        }
        filling->tree_name[name] = an_names_intern(filling->profile->tree->names, text, bytes);
        free(coroutine);
    }
    return filling->tree_name[name];
}

static uint32_t frame_name(struct filling *filling, const struct an_site_frame *frame)
{
    if (!filling->lines || frame->file == UINT32_MAX)
        return plain_name(filling, frame->name);
    const struct an_names *names = an_symbols_names(filling->symbols);
    size_t bytes = 0, file_bytes = 0;
    const char *function =
        an_names_text(filling->profile->tree->names, plain_name(filling, frame->name), &bytes);
    const char *file = an_names_text(names, frame->file, &file_bytes);
    char *text = an_memory_array(bytes + file_bytes + 24, 1);
    int length = sprintf(text, "%s (%s:%" PRIu32 ")", function, file, frame->line);
    uint32_t name = an_names_intern(filling->profile->tree->names, text, (size_t)length);
    free(text);
    return name;
}

static uint32_t module_name(struct filling *filling, uint32_t module)
{
    if (module == UINT32_MAX)
        return UINT32_MAX;
    if (filling->tree_module[module] == UINT32_MAX) {
        const char *base = an_symbols_module_file(filling->symbols, module)->base_name;
        filling->tree_module[module] =
            an_names_intern(filling->profile->tree->names, base, strlen(base));
    }
    return filling->tree_module[module];
}

/* The tree nodes of one node of the recording: one per function that it stands for. */
static uint32_t node_expand(struct filling *filling, uint32_t parent, const struct rec_node *node,
                            uint32_t site)
{
    struct an_tree *tree = filling->profile->tree;
    uint32_t count = 0, module = 0;
    const struct an_site_frame *frame = an_symbols_frames(filling->symbols, site, &count, &module);
    uint32_t first = (node->key & REC_CALL_INSIDE) != 0 && count != 0 ? count - 1 : 0;
    if ((node->key & REC_NODE_FUNCTION) != 0 && count > 1)
        count = 1;
    for (uint32_t i = first; i < count; i++) {
        uint32_t before = tree->node_count;
        parent = an_tree_child(tree, parent, frame_name(filling, &frame[i]));
        if (parent < before)
            continue;
        tree->module[parent] = module_name(filling, module);
        if (i != first)
            tree->flags[parent] |= AN_NODE_INLINED;
        if (node->key == REC_SPECIAL_ELIDED)
            tree->flags[parent] |= AN_NODE_MERGED;
    }
    return parent;
}

static void tree_build(struct filling *filling)
{
    const struct an_recording *recording = filling->recording;
    struct an_tree *tree = filling->profile->tree;
    filling->tree_name_count = an_names_count(an_symbols_names(filling->symbols));
    filling->tree_name =
        an_memory_array((size_t)filling->tree_name_count + 1, sizeof(*filling->tree_name));
    memset(filling->tree_name, 0xff, filling->tree_name_count * sizeof(*filling->tree_name));
    uint32_t modules = an_symbols_module_count(filling->symbols);
    filling->tree_module = an_memory_array((size_t)modules + 1, sizeof(*filling->tree_module));
    memset(filling->tree_module, 0xff, modules * sizeof(*filling->tree_module));
    uint32_t unknown = UINT32_MAX;
    for (uint32_t i = 1; i < recording->node_count; i++) {
        const struct rec_node *node = &recording->node[i];
        if (filling->site[i] == 0)
            continue;
        uint32_t parent = filling->tree_node[node->parent];
        if (filling->own[i]) {
            filling->tree_node[i] = parent;
            continue;
        }
        if (node->parent != 0 && recording->node[node->parent].key == 0) {
            if (unknown == UINT32_MAX)
                unknown = an_tree_child(tree, 0, an_names_intern(tree->names, "[unknown]", 9));
            parent = unknown;
        }
        filling->tree_node[i] = node_expand(filling, parent, node, filling->site[i] - 1);
    }
}

static uint32_t stack_place(struct filling *filling, uint32_t stack)
{
    struct an_tree *tree = filling->profile->tree;
    uint32_t leaf = filling->recording->stack[stack].node;
    uint32_t node = filling->tree_node[leaf];
    if (filling->own[leaf]) /* a sample met the recorder at work */
        return an_tree_child(tree, node, an_names_intern(tree->names, "[thag]", 6));
    return node != 0 ? node : an_tree_child(tree, 0, an_names_intern(tree->names, "[unknown]", 9));
}

static int stack_add(struct filling *filling, uint32_t stack)
{
    struct an_tree *tree = filling->profile->tree;
    const struct an_stack_values *value = &filling->recording->value[stack];
    uint32_t node = stack_place(filling, stack);
    const struct {
        enum an_value value;
        uint64_t amount;
    } amounts[] = {
        {AN_BYTES, value->bytes},
        {AN_ALLOCATIONS, value->allocations},
        {AN_FREES, value->frees},
        {AN_LIVE_BYTES, value->live_bytes},
        {AN_LIVE_BLOCKS, value->live_blocks},
        {AN_PEAK_BYTES, value->peak_bytes},
        {AN_TEMPORARY, value->temporary},
        {AN_SAMPLE_TIME, value->sample_ns},
        {AN_SAMPLES, value->samples},
    };
    bool heap = (filling->recording->file.header.content & REC_CONTENT_HEAP) != 0;
    bool sampled = (filling->recording->file.header.content & REC_CONTENT_SAMPLE) != 0;
    int error = 0;
    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]) && error == 0; i++) {
        bool sample = amounts[i].value == AN_SAMPLE_TIME || amounts[i].value == AN_SAMPLES;
        if (sample ? sampled : heap)
            error = an_tree_add(tree, node, amounts[i].value, amounts[i].amount);
    }
    return error;
}

static int values_add(struct filling *filling, struct an_fault *fault)
{
    static const enum an_value heap[] = {AN_BYTES,       AN_ALLOCATIONS, AN_FREES,    AN_LIVE_BYTES,
                                         AN_LIVE_BLOCKS, AN_PEAK_BYTES,  AN_TEMPORARY};
    const struct an_recording *recording = filling->recording;
    int error = 0;
    if ((recording->file.header.content & REC_CONTENT_HEAP) != 0) {
        for (size_t i = 0; i < sizeof(heap) / sizeof(heap[0]); i++)
            an_tree_add(filling->profile->tree, 0, heap[i], 0);
    }
    if ((recording->file.header.content & REC_CONTENT_SAMPLE) != 0) {
        an_tree_add(filling->profile->tree, 0, AN_SAMPLE_TIME, 0);
        an_tree_add(filling->profile->tree, 0, AN_SAMPLES, 0);
    }
    for (uint32_t i = 0; i < recording->stack_count && error == 0; i++) {
        if (filling->place != NULL)
            filling->place[i] = stack_place(filling, i);
        if (value_any(&recording->value[i]))
            error = stack_add(filling, i);
    }
    if (error != 0)
        return an_fault_set(fault, error,
                            "%s: the values of all stacks add up to more than 64 bits hold",
                            recording->file.path);
    return 0;
}

/* The name of a function that was the first on a fibre. */
static uint32_t async_name(struct filling *filling, uint32_t name)
{
    struct an_names *names = filling->profile->tree->names;
    size_t bytes = 0;
    const char *text = an_names_text(names, name, &bytes);
    if (strncmp(text, "async::", 7) == 0)
        return name; /* a coroutine's body */
    char *prefixed = an_memory_array(bytes + sizeof("async::"), 1);
    int length = sprintf(prefixed, "async::%.*s", (int)bytes, text);
    uint32_t result = an_names_intern(names, prefixed, (size_t)length);
    free(prefixed);
    return result;
}

/* The tree node of a call, whose parent's is in PLACE. */
static uint32_t call_place(struct filling *filling, uint32_t index, const uint32_t *place)
{
    const struct an_call *call = &filling->recording->call[index];
    struct an_tree *tree = filling->profile->tree;
    if (call->timeless)
        return call->parent == UINT32_MAX ? 0 : place[call->parent];
    uint32_t parent = place[call->parent];
    uint32_t count = 0, module = 0;
    const struct an_site_frame *frame =
        an_symbols_frames(filling->symbols, filling->call_site[index] - 1, &count, &module);
    bool inner = (call->function & REC_CALL_INSIDE) != 0 && count != 0;
    uint32_t name = frame_name(filling, &frame[inner ? count - 1 : 0]);
    if (filling->recording->call[call->parent].function == REC_SPECIAL_FIBRE)
        name = async_name(filling, name);
    uint32_t before = tree->node_count;
    uint32_t node = an_tree_child(tree, parent, name);
    if (node >= before) {
        tree->module[node] = module_name(filling, module);
        if (call->function == REC_SPECIAL_ELIDED)
            tree->flags[node] |= AN_NODE_MERGED;
    }
    return node;
}

/*
 * How long single calls took. What was taken out of all calls of the node and of those below is
 * taken out of each in equal parts, so that the average stays between the two.
 */
static void call_note(struct filling *filling, const struct an_call *call, uint32_t node,
                      uint64_t cost_ns)
{
    const struct an_recording *recording = filling->recording;
    uint64_t each = filling->raw || call->calls == 0 ? 0 : call->all_cost_ticks / call->calls;
    struct an_call_facts facts = {.shortest = UINT64_MAX, .cost = cost_ns};
    if (call->longest_ticks != 0 || call->shortest_ticks != UINT64_MAX) {
        uint64_t shortest = call->shortest_ticks, longest = call->longest_ticks;
        facts.shortest = an_recording_calls_ns(recording, shortest > each ? shortest - each : 0);
        facts.longest = an_recording_calls_ns(recording, longest > each ? longest - each : 0);
    }
    an_tree_note_calls(filling->profile->tree, node, &facts);
}

static int call_add(struct filling *filling, const struct an_call *call, uint32_t node)
{
    struct an_tree *tree = filling->profile->tree;
    uint64_t cost = call->ticks < call->cost_ticks ? call->ticks : call->cost_ticks;
    uint64_t ticks = filling->raw ? call->ticks : call->ticks - cost;
    uint64_t time = an_recording_calls_ns(filling->recording, ticks);
    uint64_t off = call->off_cpu_ns < time ? call->off_cpu_ns : time;
    bool is_marker = call->function == REC_SPECIAL_ELIDED; /* for calls that have nodes of theirs */
    int error = an_tree_add(tree, node, AN_TIME, time);
    if (error == 0)
        error = an_tree_add(tree, node, AN_CALLS, is_marker ? 0 : call->calls);
    if (error == 0)
        error = an_tree_add(tree, node, AN_ON_CPU, time - off);
    if (error == 0)
        error = an_tree_add(tree, node, AN_OFF_CPU, off);
    uint64_t cost_ns = an_recording_calls_ns(filling->recording, cost);
    call_note(filling, call, node, filling->raw ? 0 : cost_ns);
    return error;
}

/* Inclusive times, out of the exclusive ones: what a child is shown to take is in its parent. */
static int inclusive_add(struct an_tree *tree)
{
    uint64_t *total = an_memory_array((size_t)tree->node_count + 1, sizeof(*total));
    an_tree_totals(tree, AN_TIME, total);
    int error = 0;
    for (uint32_t i = 1; i < tree->node_count && error == 0; i++)
        error = an_tree_add(tree, i, AN_INCLUSIVE, total[i]);
    free(total);
    return error;
}

static int calls_add(struct filling *filling, struct an_fault *fault)
{
    const struct an_recording *recording = filling->recording;
    if (recording->call_count == 0 || (recording->file.header.content & REC_CONTENT_TIME) == 0)
        return 0; /* marks have a tree also where only the heap is recorded */
    uint32_t *place = an_memory_array((size_t)recording->call_count + 1, sizeof(*place));
    int error = 0;
    for (uint32_t i = 0; i < recording->call_count && error == 0; i++) {
        place[i] = call_place(filling, i, place);
        if (place[i] != 0 && !recording->call[i].timeless)
            error = call_add(filling, &recording->call[i], place[i]);
    }
    if (error == 0)
        error = inclusive_add(filling->profile->tree);
    if (error == 0 && filling->timeline == TIMELINE_CALLS) {
        error = an_recording_spans(recording, filling->profile->tree, place,
                                   &filling->profile->timeline, fault);
        free(place);
        return error;
    }
    free(place);
    if (error != 0)
        return an_fault_set(fault, error,
                            "%s: the times of all calls add up to more than 64 bits hold",
                            recording->file.path);
    return 0;
}

/* The samples' timeline serves where no calls were recorded, and where it is asked for. */
static int timeline_wanted(const struct an_recording *recording,
                           const struct an_recording_options *options)
{
    uint32_t content = recording->file.header.content;
    bool calls = recording->call_count != 0 && (content & REC_CONTENT_TIME) != 0;
    bool samples = (content & REC_CONTENT_SAMPLE) != 0 && (!calls || options->timeline_sampled);
    return !options->timeline ? TIMELINE_NONE : samples ? TIMELINE_SAMPLES : TIMELINE_CALLS;
}

static int samplings_add(struct filling *filling, const char *thread, struct an_fault *fault)
{
    const struct an_recording *recording = filling->recording;
    const struct an_recording_select select = {.thread = thread};
    uint32_t *place = an_memory_zeroed((size_t)recording->stack_count + 1, sizeof(*place));
    for (uint32_t i = 0; i < recording->stack_count; i++) {
        if (recording->value[i].samples != 0)
            place[i] = stack_place(filling, i);
    }
    int error = an_recording_samplings(recording, &select, filling->profile->tree, place,
                                       &filling->profile->timeline, fault);
    free(place);
    return error;
}

/* Characters that no shell gives a meaning. */
static bool argument_plain(const char *argument, size_t bytes)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";
    return bytes != 0 && strspn(argument, plain) == bytes;
}

char *an_recording_arguments(const struct an_recording *recording)
{
    size_t bytes = recording->arguments_bytes;
    if (recording->arguments == NULL)
        return NULL;
    if (bytes != 0 && recording->arguments[bytes - 1] == '\0')
        bytes--;
    /* A quote becomes four bytes; two more quotes and a blank for each argument. */
    char *text = an_memory_array(bytes + 1, 5), *to = text;
    for (size_t at = 0; at <= bytes;) {
        const char *argument = recording->arguments + at;
        size_t length = strnlen(argument, bytes - at);
        bool plain = argument_plain(argument, length);
        if (at != 0)
            *to++ = ' ';
        if (!plain)
            *to++ = '\'';
        for (size_t i = 0; i < length; i++) {
            if (argument[i] == '\'')
                to = stpcpy(to, "'\\''");
            else
                *to++ = argument[i];
        }
        if (!plain)
            *to++ = '\'';
        at += length + 1;
    }
    *to = '\0';
    return text;
}

static char *text_copy(const char *text)
{
    return text == NULL ? NULL : an_memory_text(text);
}

/* Before anything is filtered out. */
static void rate_fill(const struct an_recording *recording, struct an_profile *profile)
{
    const struct an_tree *tree = profile->tree;
    char text[100];
    if (recording->file.header.sample_clock == REC_SAMPLE_NONE)
        return;
    an_recording_rate_text(&recording->file.header, tree->sum[AN_SAMPLES],
                           tree->sum[AN_SAMPLE_TIME], text, sizeof(text));
    profile->rate = an_memory_text(text);
}

static void facts_fill(const struct an_recording *recording, struct an_profile *profile)
{
    const struct rec_header *header = &recording->file.header;
    profile->kind = AN_KIND_RECORDING;
    profile->path = an_memory_text(recording->file.path);
    profile->file_count = 1;
    profile->base_name = text_copy(recording->base_name);
    profile->program = text_copy(recording->program);
    profile->arguments = an_recording_arguments(recording);
    profile->directory = text_copy(recording->directory);
    profile->host = text_copy(recording->host);
    profile->config = text_copy(recording->config);
    profile->pid = header->pid;
    profile->parent_pid = header->parent_pid;
    profile->start_realtime_ns = header->start_realtime_ns;
    profile->utc_offset_s = header->utc_offset_s;
    profile->duration_ns = an_recording_end_ns(recording) - header->start_monotonic_ns;
    profile->end_reason = header->end_reason;
    profile->exit_status = header->exit_status;
    profile->thread_count = an_recording_threads(recording);
    profile->peak_bytes = header->peak_bytes > 0 ? (uint64_t)header->peak_bytes : 0;
    profile->peak_bound_bytes = an_recording_peak_bound(header);
    profile->moment =
        an_memory_array((size_t)recording->moment_count + 1, sizeof(*profile->moment));
    profile->moment_count = recording->moment_count;
    for (uint32_t i = 0; i < recording->moment_count; i++) {
        int64_t live = recording->moment[i].live_bytes;
        profile->moment[i] = (struct an_moment){.ns = recording->moment[i].ns - 1,
                                                .live_bytes = live > 0 ? (uint64_t)live : 0};
    }
    rate_fill(recording, profile);
    an_recording_losses_note(recording, profile);
}

/* Say which debug data is there and cannot be used; a line each for the first ones. */
static void trouble_note(const struct filling *filling)
{
    enum { MOST_LINES = 3 };
    uint32_t lines = 0;
    for (uint32_t i = 0; i < an_symbols_module_count(filling->symbols); i++) {
        const char *trouble = an_symbols_module_trouble(filling->symbols, i);
        if (trouble != NULL && lines++ < MOST_LINES)
            an_profile_note(filling->profile, "%s: its debug data %s",
                            an_symbols_module_file(filling->symbols, i)->path, trouble);
    }
    if (lines > MOST_LINES)
        an_profile_note(filling->profile, "%" PRIu32 " more modules have such debug data",
                        lines - MOST_LINES);
}

/* Say which modules could not be named; a line each for the first ones. */
static void nameless_note(const struct filling *filling)
{
    enum { MOST_LINES = 3 };
    struct an_profile *profile = filling->profile;
    uint8_t *seen = an_memory_zeroed((size_t)an_symbols_module_count(filling->symbols) + 1, 1);
    for (uint32_t i = 0; i < filling->recording->module_count; i++) {
        const struct an_module_file *file =
            an_symbols_module_file(filling->symbols, filling->module[i]);
        bool nameless = file->state == AN_MODULE_OTHER_BUILD || file->state == AN_MODULE_MISSING;
        if (!nameless || seen[filling->module[i]] != 0)
            continue;
        seen[filling->module[i]] = 1;
        if (profile->nameless_modules++ < MOST_LINES)
            an_profile_note(profile, "%s %s: its functions have no names", file->path,
                            file->state == AN_MODULE_MISSING
                                ? "is not here"
                                : "is another build than the one that ran");
    }
    if (profile->nameless_modules > MOST_LINES)
        an_profile_note(profile, "%" PRIu32 " more modules have no names",
                        profile->nameless_modules - MOST_LINES);
    free(seen);
}

/* Of each stack whether its own values stay; freed by free(). */
static uint8_t *sizes_wanted(const struct filling *filling, const struct an_filter *filter)
{
    uint32_t count = filling->recording->stack_count;
    uint8_t *wanted = an_memory_array((size_t)count + 1, 1);
    uint8_t *kept = an_filter_kept(filter, filling->profile->tree);
    for (uint32_t i = 0; i < count; i++)
        wanted[i] = kept[filling->place[i]];
    free(kept);
    return wanted;
}

static int sizes_fill(const struct filling *filling, const struct an_recording_options *options,
                      struct an_fault *fault)
{
    struct an_recording_select select = {.thread = options->thread};
    struct an_sizes *sizes = an_memory_zeroed(1, sizeof(*sizes));
    uint8_t *wanted = options->sizes_of ? sizes_wanted(filling, options->sizes_of) : NULL;
    int error = an_recording_sizes(filling->recording, &select, wanted, sizes, fault);
    free(wanted);
    if (error == 0)
        filling->profile->sizes = sizes;
    else
        free(sizes);
    if (error != 0 && !options->sizes) {
        an_profile_note(filling->profile, "sizes of single allocations are left out: %s",
                        fault->text);
        return 0;
    }
    return error;
}

int an_recording_fill(const struct an_recording *recording,
                      const struct an_recording_options *options, struct an_symbols *symbols,
                      struct an_profile *ret_profile, struct an_fault *fault)
{
    return an_recording_fill_places(recording, options, symbols, ret_profile, NULL, fault);
}

int an_recording_fill_places(const struct an_recording *recording,
                             const struct an_recording_options *options, struct an_symbols *symbols,
                             struct an_profile *ret_profile, uint32_t *ret_node,
                             struct an_fault *fault)
{
    size_t nodes = (size_t)recording->node_count + 1;
    uint32_t *own_place = NULL;
    bool sizes = options->sizes || options->sizes_if_readable;
    if (ret_node == NULL && ((sizes && options->sizes_of) || options->node_sizes))
        own_place = an_memory_array((size_t)recording->stack_count + 1, sizeof(*own_place));
    struct filling filling = {
        .recording = recording,
        .symbols = symbols,
        .profile = ret_profile,
        .map = map_new(recording),
        .module = an_memory_array((size_t)recording->module_count + 1, sizeof(uint32_t)),
        .site = an_memory_zeroed(nodes, sizeof(uint32_t)),
        .tree_node = an_memory_zeroed(nodes, sizeof(uint32_t)),
        .call_site = an_memory_zeroed((size_t)recording->call_count + 1, sizeof(uint32_t)),
        .own = an_memory_zeroed(nodes, sizeof(bool)),
        .lines = options->symbols.lines,
        .raw = options->raw,
        .timeline = timeline_wanted(recording, options),
        .place = own_place ? own_place : ret_node,
    };
    an_recording_modules(recording, symbols, filling.module);
    own_find(&filling);
    sites_collect(&filling);
    call_sites_collect(&filling);
    an_symbols_resolve(symbols);
    tree_build(&filling);
    int error = values_add(&filling, fault);
    if (error == 0)
        error = calls_add(&filling, fault);
    if (error == 0 && filling.timeline == TIMELINE_SAMPLES)
        error = samplings_add(&filling, options->thread, fault);
    facts_fill(recording, ret_profile);
    nameless_note(&filling);
    trouble_note(&filling);
    an_module_map_free(filling.map);
    an_perf_map_free(filling.jit);
    free(filling.module);
    free(filling.site);
    free(filling.own);
    free(filling.call_site);
    free(filling.tree_node);
    free(filling.tree_name);
    free(filling.tree_module);
    if (error == 0 && sizes)
        error = sizes_fill(&filling, options, fault);
    if (error == 0 && options->node_sizes)
        an_recording_note_sizes(recording, options->thread, filling.place, ret_profile);
    free(own_place);
    return error;
}

static int recording_load(struct an_recording *recording,
                          const struct an_recording_options *options,
                          struct an_profile *ret_profile, struct an_fault *fault)
{
    struct an_symbols *symbols = an_symbols_new(&options->symbols);
    int error = an_recording_fill(recording, options, symbols, ret_profile, fault);
    an_symbols_free(symbols);
    an_recording_close(recording);
    return error;
}

int an_recording_load(const char *path, const struct an_recording_options *options,
                      struct an_profile *ret_profile, struct an_fault *fault)
{
    struct an_recording recording;
    struct an_recording_select select = {.thread = options->thread};
    int error = an_recording_open(path, &select, &recording, fault);
    if (error != 0)
        return error;
    an_recording_trim(&recording.file);
    return recording_load(&recording, options, ret_profile, fault);
}

int an_recording_load_descriptor(int fd, const char *path,
                                 const struct an_recording_options *options,
                                 struct an_profile *ret_profile, struct an_fault *fault)
{
    struct an_recording recording;
    struct an_recording_select select = {.thread = options->thread};
    int error = an_recording_open_descriptor(fd, path, &select, &recording, fault);
    return error != 0 ? error : recording_load(&recording, options, ret_profile, fault);
}
