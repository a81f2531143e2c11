/*
 * recording_reader.c -- the tables of a recording, checked.
 */
#include "analyzer/input/recording_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/recording_calls.h"
#include "analyzer/input/recording_counters.h"
#include "analyzer/input/recording_life.h"
#include "analyzer/input/recording_samples.h"
#include "analyzer/support/memory.h"

/* The longest list of arguments that Linux hands to a program, with room to spare. */
#define ARGUMENTS_LIMIT (64u << 20)

/* One kind of table: dense records, spread over extents. */
struct table {
    enum rec_kind kind;
    size_t record_bytes;
    const char *what;
};

static const struct table table_nodes = {REC_KIND_NODES, sizeof(struct rec_node), "the nodes"};
static const struct table table_stacks = {REC_KIND_STACKS, sizeof(struct rec_stack), "the stacks"};
static const struct table table_threads = {REC_KIND_THREADS, sizeof(struct rec_thread),
                                           "the threads"};
static const struct table table_modules = {REC_KIND_MODULES, sizeof(struct rec_module),
                                           "the modules"};
static const struct table table_moments = {REC_KIND_TIMELINE, sizeof(struct rec_moment),
                                           "the timeline"};

static uint64_t extent_records(const struct rec_extent *extent, const struct table *table)
{
    return extent->page_count * REC_PAGE_BYTES / table->record_bytes;
}

/* Where record INDEX lies in the file, for messages; 0 if nowhere. */
static uint64_t record_offset(const struct an_recording_file *file, const struct table *table,
                              uint64_t index)
{
    for (uint32_t i = 0; i < file->extent_count; i++) {
        const struct rec_extent *extent = &file->extent[i];
        if (extent->kind == (uint32_t)table->kind && index >= extent->first_index &&
            index - extent->first_index < extent_records(extent, table))
            return extent->first_page * REC_PAGE_BYTES +
                   (index - extent->first_index) * table->record_bytes;
    }
    return 0;
}

/*
 * How many of COUNT claimed records can be there. A numbering with holes is taken as it is (a
 * process may die while it adds an extent), but never for more records than the file could hold.
 */
static int table_limit(const struct an_recording_file *file, const struct table *table,
                       uint64_t count, uint32_t *ret_limit, struct an_fault *fault)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < file->extent_count; i++) {
        const struct rec_extent *extent = &file->extent[i];
        if (extent->kind != (uint32_t)table->kind)
            continue;
        uint64_t last = extent->first_index + extent_records(extent, table);
        if (last > file->header.used_pages * (REC_PAGE_BYTES / table->record_bytes))
            return an_fault_set(fault, -EBADMSG,
                                "%s: offset %" PRIu64 ": %s are numbered up to %" PRIu64
                                ", for which the file has no room",
                                file->path, extent->first_page * REC_PAGE_BYTES, table->what, last);
        if (last > end)
            end = last;
    }
    if (end > count)
        end = count;
    *ret_limit = end > UINT32_MAX ? UINT32_MAX : (uint32_t)end;
    return 0;
}

/* Read the first LIMIT records; those that no extent holds stay zero, which is "not filled". */
static int table_read(const struct an_recording_file *file, const struct table *table,
                      uint32_t limit, void **ret_records, struct an_fault *fault)
{
    char *records = an_memory_zeroed((size_t)limit + 1, table->record_bytes);
    for (uint32_t i = 0; i < file->extent_count; i++) {
        const struct rec_extent *extent = &file->extent[i];
        if (extent->kind != (uint32_t)table->kind || extent->first_index >= limit)
            continue;
        uint64_t count = extent_records(extent, table);
        if (count > limit - extent->first_index)
            count = limit - extent->first_index;
        int error = an_recording_file_read(file, extent->first_page * REC_PAGE_BYTES,
                                           records + extent->first_index * table->record_bytes,
                                           count * table->record_bytes, table->what, fault);
        if (error != 0) {
            free(records);
            return error;
        }
    }
    *ret_records = records;
    return 0;
}

static int table_load(const struct an_recording_file *file, const struct table *table,
                      uint64_t count, void **ret_records, uint32_t *ret_count,
                      struct an_fault *fault)
{
    uint32_t limit = 0;
    int error = table_limit(file, table, count, &limit, fault);
    if (error == 0)
        error = table_read(file, table, limit, ret_records, fault);
    if (error == 0)
        *ret_count = limit;
    return error;
}

static int nodes_load(struct an_recording *recording, struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    void *records = NULL;
    int error = table_load(file, &table_nodes, file->header.node_count, &records,
                           &recording->node_count, fault);
    if (error != 0)
        return error;
    recording->node = records;
    for (uint32_t i = 1; i < recording->node_count; i++) {
        if (recording->node[i].key != 0 && recording->node[i].parent >= i)
            return an_fault_set(fault, -EBADMSG,
                                "%s: offset %" PRIu64 ": node %" PRIu32 " has the parent %" PRIu32
                                ", which is not below it",
                                file->path, record_offset(file, &table_nodes, i), i,
                                recording->node[i].parent);
    }
    return 0;
}

static int stacks_load(struct an_recording *recording, struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    void *records = NULL;
    uint32_t filled = 0;
    int error = table_limit(file, &table_stacks, recording->stack_count, &filled, fault);
    if (error != 0)
        return error;
    error = table_read(file, &table_stacks, recording->stack_count, &records, fault);
    if (error == 0)
        recording->stack = records;
    return error;
}

/* After the nodes are there: what the stacks refer to. */
static int stacks_check(struct an_recording *recording, struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    for (uint32_t i = 0; i < recording->stack_count; i++) {
        struct rec_stack *stack = &recording->stack[i];
        if (stack->node >= file->header.node_count && stack->node != 0)
            return an_fault_set(fault, -EBADMSG,
                                "%s: offset %" PRIu64 ": stack %" PRIu32 " names the node %" PRIu32
                                " of %" PRIu64,
                                file->path, record_offset(file, &table_stacks, i), i, stack->node,
                                file->header.node_count);
        if (stack->node >= recording->node_count || recording->node[stack->node].key == 0)
            stack->node = 0;
        if (stack->node == 0 && recording->value[i].allocations + recording->value[i].frees +
                                        recording->value[i].samples !=
                                    0)
            recording->nameless_stacks++;
    }
    return 0;
}

static int module_check(const struct an_recording_file *file, uint32_t index,
                        const struct rec_module *module, struct an_fault *fault)
{
    const char *flaw = NULL;
    if (module->end <= module->start)
        flaw = "ends before it begins";
    else if (module->last_generation < module->first_generation)
        flaw = "was unloaded before it was loaded";
    else if (module->build_id_bytes > sizeof(module->build_id))
        flaw = "has a build-id that is too long";
    if (flaw == NULL)
        return 0;
    return an_fault_set(fault, -EBADMSG, "%s: offset %" PRIu64 ": module %" PRIu32 " %s",
                        file->path, record_offset(file, &table_modules, index), index, flaw);
}

static int modules_load(struct an_recording *recording, struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    void *records = NULL;
    uint32_t count = 0;
    int error =
        table_load(file, &table_modules, file->header.module_count, &records, &count, fault);
    if (error != 0)
        return error;
    const struct rec_module *record = records;
    recording->module = an_memory_zeroed((size_t)count + 1, sizeof(*recording->module));
    for (uint32_t i = 0; i < count && error == 0; i++) {
        if (record[i].start == 0)
            continue;
        size_t bytes = 0;
        char *path = NULL;
        error = module_check(file, i, &record[i], fault);
        if (error == 0)
            error = an_recording_file_text(file, &record[i].path, PATH_MAX, "a module's path",
                                           &path, &bytes, fault);
        if (error == 0)
            recording->module[recording->module_count++] = (struct an_recording_module){
                .record = record[i], .path = path == NULL ? an_memory_text("") : path};
    }
    free(records);
    return error;
}

static int threads_load(struct an_recording *recording, struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    void *records = NULL;
    int error = table_load(file, &table_threads, file->header.thread_count, &records,
                           &recording->thread_count, fault);
    if (error == 0)
        recording->thread = records;
    return error;
}

static int moment_order(const void *left, const void *right)
{
    const struct rec_moment *a = left, *b = right;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static int moments_load(struct an_recording *recording, struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    uint64_t claimed = file->header.moment_count;
    void *records = NULL;
    uint32_t count = 0;
    int error = table_load(file, &table_moments, claimed < REC_MOMENTS ? claimed : REC_MOMENTS,
                           &records, &count, fault);
    if (error != 0)
        return error;
    recording->moment = records;
    for (uint32_t i = 0; i < count; i++) {
        if (recording->moment[i].ns != 0)
            recording->moment[recording->moment_count++] = recording->moment[i];
    }
    qsort(recording->moment, recording->moment_count, sizeof(*recording->moment), moment_order);
    return 0;
}

static int texts_load(struct an_recording *recording, struct an_fault *fault)
{
    const struct rec_header *header = &recording->file.header;
    size_t bytes = 0;
    const struct {
        const struct rec_text *text;
        uint32_t limit;
        const char *what;
        char **ret;
    } texts[] = {
        {&header->program, PATH_MAX, "the program's path", &recording->program},
        {&header->directory, PATH_MAX, "the working directory", &recording->directory},
        {&header->base_name, PATH_MAX, "the base name", &recording->base_name},
        {&header->host, PATH_MAX, "the host's name", &recording->host},
        {&header->config, ARGUMENTS_LIMIT, "the configuration", &recording->config},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int error = an_recording_file_text(&recording->file, texts[i].text, texts[i].limit,
                                           texts[i].what, texts[i].ret, &bytes, fault);
        if (error != 0)
            return error;
    }
    return an_recording_file_text(&recording->file, &header->arguments, ARGUMENTS_LIMIT,
                                  "the arguments", &recording->arguments,
                                  &recording->arguments_bytes, fault);
}

/* The stacks of this snapshot: those claimed by now. Later ones belong to a later snapshot. */
static int stacks_begin(struct an_recording *recording, struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    uint32_t limit = 0;
    int error = table_limit(file, &table_stacks, file->header.stack_count + 1, &limit, fault);
    if (error != 0)
        return error;
    recording->stack_count = limit == 0 ? 1 : limit;
    recording->value = an_memory_zeroed(recording->stack_count, sizeof(*recording->value));
    return 0;
}

static int recording_load(struct an_recording *recording, const struct an_recording_select *select,
                          struct an_fault *fault)
{
    recording->was_running = an_recording_running(&recording->file);
    int error = threads_load(recording, fault);
    if (error == 0)
        error = stacks_begin(recording, fault);
    if (error == 0)
        error = an_recording_counters_sum(recording, select, fault);
    if (error == 0)
        error = an_recording_samples_sum(recording, select, fault);
    if (error == 0)
        error = an_recording_calls_load(recording, select, fault);
    if (error == 0 && !an_recording_file_ended(&recording->file))
        error = an_recording_file_refresh(&recording->file, fault);
    if (error == 0)
        error = stacks_load(recording, fault);
    if (error == 0 && !an_recording_file_ended(&recording->file))
        error = an_recording_file_refresh(&recording->file, fault);
    if (error == 0)
        error = nodes_load(recording, fault);
    if (error == 0)
        error = stacks_check(recording, fault);
    if (error == 0)
        error = modules_load(recording, fault);
    if (error == 0)
        error = moments_load(recording, fault);
    if (error == 0)
        error = texts_load(recording, fault);
    return error;
}

static int recording_begin(struct an_recording_file file, const struct an_recording_select *select,
                           struct an_recording *ret_recording, struct an_fault *fault)
{
    struct an_recording recording = {.file = file};
    int error = recording_load(&recording, select, fault);
    if (error != 0) {
        an_recording_close(&recording);
        return error;
    }
    *ret_recording = recording;
    return 0;
}

int an_recording_open(const char *path, const struct an_recording_select *select,
                      struct an_recording *ret_recording, struct an_fault *fault)
{
    struct an_recording_file file;
    int error = an_recording_file_open(path, &file, fault);
    return error != 0 ? error : recording_begin(file, select, ret_recording, fault);
}

int an_recording_open_descriptor(int fd, const char *path, const struct an_recording_select *select,
                                 struct an_recording *ret_recording, struct an_fault *fault)
{
    struct an_recording_file file;
    int error = an_recording_file_open_descriptor(fd, path, &file, fault);
    return error != 0 ? error : recording_begin(file, select, ret_recording, fault);
}

void an_recording_close(struct an_recording *recording)
{
    an_recording_file_close(&recording->file);
    for (uint32_t i = 0; i < recording->module_count; i++)
        free(recording->module[i].path);
    free(recording->module);
    free(recording->node);
    free(recording->stack);
    free(recording->value);
    free(recording->thread);
    free(recording->call);
    free(recording->moment);
    free(recording->program);
    free(recording->arguments);
    free(recording->directory);
    free(recording->base_name);
    free(recording->host);
    free(recording->config);
    *recording = (struct an_recording){.file = {.fd = -1}};
}

bool an_recording_slot_selected(const struct an_recording *recording, uint32_t slot,
                                const struct an_recording_select *select)
{
    if (select == NULL || select->thread == NULL)
        return true;
    const char *name = recording->thread[slot].name;
    size_t bytes = strnlen(name, sizeof(recording->thread[slot].name));
    return strlen(select->thread) == bytes && memcmp(select->thread, name, bytes) == 0;
}

uint64_t an_recording_end_ns(const struct an_recording *recording)
{
    const struct rec_header *header = &recording->file.header;
    if (header->end_ns != 0)
        return header->end_ns > header->start_monotonic_ns ? header->end_ns
                                                           : header->start_monotonic_ns;
    uint64_t last = header->start_monotonic_ns;
    for (uint32_t i = 0; i < recording->thread_count; i++) {
        if (recording->thread[i].first_ns > last)
            last = recording->thread[i].first_ns;
        if (recording->thread[i].last_ns > last)
            last = recording->thread[i].last_ns;
    }
    if (recording->moment_count != 0) {
        uint64_t ns = recording->moment[recording->moment_count - 1].ns - 1;
        if (ns < UINT64_MAX - header->start_monotonic_ns && header->start_monotonic_ns + ns > last)
            last = header->start_monotonic_ns + ns;
    }
    return last;
}

bool an_recording_total(const struct an_recording *recording, struct an_stack_values *ret_total)
{
    struct an_stack_values total = {0};
    bool over = false;
    for (uint32_t i = 0; i < recording->stack_count; i++) {
        const struct an_stack_values *value = &recording->value[i];
        over |= __builtin_add_overflow(total.allocations, value->allocations, &total.allocations);
        over |= __builtin_add_overflow(total.bytes, value->bytes, &total.bytes);
        over |= __builtin_add_overflow(total.frees, value->frees, &total.frees);
        over |= __builtin_add_overflow(total.live_bytes, value->live_bytes, &total.live_bytes);
        over |= __builtin_add_overflow(total.live_blocks, value->live_blocks, &total.live_blocks);
        over |= __builtin_add_overflow(total.temporary, value->temporary, &total.temporary);
        over |= __builtin_add_overflow(total.samples, value->samples, &total.samples);
        over |= __builtin_add_overflow(total.sample_ns, value->sample_ns, &total.sample_ns);
    }
    if (!over)
        *ret_total = total;
    return !over;
}

uint64_t an_recording_threads(const struct an_recording *recording)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < recording->thread_count; i++)
        if ((recording->thread[i].flags & REC_THREAD_TASK) == 0)
            count += recording->thread[i].times_taken;
    return count;
}

uint64_t an_recording_peak_bound(const struct rec_header *header)
{
    uint64_t bound = 0;
    if (header->max_threads <= 1)
        return 0;
    if (__builtin_mul_overflow(header->max_threads, header->pending_bound_bytes, &bound))
        return UINT64_MAX;
    return bound;
}
