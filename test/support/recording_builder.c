/*
 * recording_builder.c -- composes valid recordings for tests, record by record.
 *
 * Text and histograms are placed before the rest, because other records hold their offsets.
 */
#include "test/support/recording_builder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_PAGE       2u
#define TEXT_PAGES      4u
#define HISTOGRAM_PAGE  (TEXT_PAGE + TEXT_PAGES)
#define HISTOGRAM_PAGES 2u
#define FIRST_FREE_PAGE (HISTOGRAM_PAGE + HISTOGRAM_PAGES)
#define MOST_THREADS    16u

struct list {
    char *bytes;
    size_t count, room, record_bytes;
};

struct builder {
    struct rec_header header;
    char text[TEXT_PAGES * REC_PAGE_BYTES];
    size_t text_bytes;
    char histograms[HISTOGRAM_PAGES * REC_PAGE_BYTES];
    size_t histogram_bytes;
    struct list nodes, stacks, threads, modules, moments;
    struct list counters[MOST_THREADS]; /* each indexed by stack */
    struct list events[MOST_THREADS];
    struct list samples[MOST_THREADS]; /* each indexed by stack */
    struct list samplings[MOST_THREADS];
    /* Calls are named by their number here until the file is made. */
    struct list calls[MOST_THREADS];
    struct list spans[MOST_THREADS];
    unsigned char *file;
    size_t pages;
    size_t extents;
};

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "recording_builder: %s\n", what);
        abort();
    }
}

static void *list_add(struct list *list)
{
    if (list->count == list->room) {
        list->room = list->room == 0 ? 16 : list->room * 2;
        list->bytes = realloc(list->bytes, list->room * list->record_bytes);
        require(list->bytes != NULL, "no memory");
    }
    char *record = list->bytes + list->count++ * list->record_bytes;
    memset(record, 0, list->record_bytes);
    return record;
}

struct builder *builder_new(void)
{
    struct builder *builder = calloc(1, sizeof(*builder));
    require(builder != NULL, "no memory");
    builder->header = (struct rec_header){
        .magic = REC_MAGIC,
        .version = REC_VERSION,
        .header_bytes = sizeof(struct rec_header),
        .byte_order = REC_BYTE_ORDER,
        .page_bytes = REC_PAGE_BYTES,
        .content = REC_CONTENT_HEAP,
        .machine = 62,
        .start_realtime_ns = UINT64_C(1700000000000000000),
        .start_monotonic_ns = UINT64_C(5000000000),
        .end_ns = UINT64_C(7500000000),
        .end_reason = REC_END_RETURN,
        .pid = 4242,
        .parent_pid = 4241,
        .family_pid = 4242,
        .utc_offset_s = 3600,
        .generation = 1,
        .max_threads = 1,
        .peak_epoch = 1,
    };
    builder->nodes.record_bytes = sizeof(struct rec_node);
    builder->stacks.record_bytes = sizeof(struct rec_stack);
    builder->threads.record_bytes = sizeof(struct rec_thread);
    builder->modules.record_bytes = sizeof(struct rec_module);
    builder->moments.record_bytes = sizeof(struct rec_moment);
    for (unsigned i = 0; i < MOST_THREADS; i++) {
        builder->counters[i].record_bytes = sizeof(struct rec_counter);
        builder->events[i].record_bytes = sizeof(struct rec_event);
        builder->samples[i].record_bytes = sizeof(struct rec_sample);
        builder->samplings[i].record_bytes = sizeof(struct rec_sampling);
        builder->calls[i].record_bytes = sizeof(struct rec_call);
        builder->spans[i].record_bytes = sizeof(struct rec_span);
    }
    list_add(&builder->nodes);  /* the root */
    list_add(&builder->stacks); /* never used */
    return builder;
}

void builder_free(struct builder *builder)
{
    free(builder->nodes.bytes);
    free(builder->stacks.bytes);
    free(builder->threads.bytes);
    free(builder->modules.bytes);
    free(builder->moments.bytes);
    for (unsigned i = 0; i < MOST_THREADS; i++) {
        free(builder->counters[i].bytes);
        free(builder->events[i].bytes);
        free(builder->samples[i].bytes);
        free(builder->samplings[i].bytes);
        free(builder->calls[i].bytes);
        free(builder->spans[i].bytes);
    }
    free(builder);
}

struct rec_header *builder_header(struct builder *builder)
{
    return &builder->header;
}

struct rec_text builder_text(struct builder *builder, const char *text, size_t bytes)
{
    require(bytes <= sizeof(builder->text) - builder->text_bytes, "too much text");
    struct rec_text place = {.offset = TEXT_PAGE * REC_PAGE_BYTES + builder->text_bytes,
                             .bytes = (uint32_t)bytes};
    memcpy(builder->text + builder->text_bytes, text, bytes);
    builder->text_bytes += bytes;
    return place;
}

uint32_t builder_node(struct builder *builder, uint32_t parent, uint64_t key, uint32_t generation)
{
    struct rec_node *node = list_add(&builder->nodes);
    *node = (struct rec_node){.key = key, .parent = parent, .generation = generation};
    return (uint32_t)builder->nodes.count - 1;
}

uint32_t builder_stack(struct builder *builder, uint32_t node, uint32_t flags)
{
    struct rec_stack *stack = list_add(&builder->stacks);
    *stack = (struct rec_stack){.node = node, .flags = flags};
    return (uint32_t)builder->stacks.count - 1;
}

uint32_t builder_thread(struct builder *builder, const char *name)
{
    struct rec_thread *thread = list_add(&builder->threads);
    require(builder->threads.count <= MOST_THREADS, "too many threads");
    thread->tid = 4241 + (uint32_t)builder->threads.count;
    thread->times_taken = 1;
    memcpy(thread->name, name, strnlen(name, sizeof(thread->name)));
    thread->first_ns = builder->header.start_monotonic_ns;
    return (uint32_t)builder->threads.count - 1;
}

struct rec_module *builder_module(struct builder *builder, const char *path, uint64_t start,
                                  uint64_t end)
{
    struct rec_text text = builder_text(builder, path, strlen(path));
    struct rec_module *module = list_add(&builder->modules);
    *module = (struct rec_module){
        .start = start, .end = end, .bias = start, .last_generation = UINT32_MAX, .path = text};
    return module;
}

struct rec_node *builder_node_at(struct builder *builder, uint32_t node)
{
    require(node < builder->nodes.count, "no such node");
    return (struct rec_node *)(void *)builder->nodes.bytes + node;
}

struct rec_stack *builder_stack_at(struct builder *builder, uint32_t stack)
{
    require(stack < builder->stacks.count, "no such stack");
    return (struct rec_stack *)(void *)builder->stacks.bytes + stack;
}

struct rec_counter *builder_counter(struct builder *builder, uint32_t thread, uint32_t stack)
{
    require(thread < builder->threads.count, "no such thread");
    struct list *list = &builder->counters[thread];
    while (list->count <= stack)
        list_add(list);
    return (struct rec_counter *)(void *)list->bytes + stack;
}

void builder_blocks(struct builder *builder, uint32_t thread, uint32_t stack, uint64_t count,
                    uint64_t bytes, uint64_t freed)
{
    struct rec_counter *counter = builder_counter(builder, thread, stack);
    counter->allocations += count;
    counter->bytes += count * bytes;
    counter->frees += freed;
    counter->live_bytes += (int64_t)((count - freed) * bytes);
    if (counter->size_mark == 0)
        counter->size_mark = (uint32_t)bytes + 1;
}

void builder_histogram(struct builder *builder, struct rec_counter *counter, uint64_t max_bytes,
                       const uint32_t *classes, const uint64_t *counts, size_t count)
{
    uint32_t first = classes[0] / REC_OCTAVE_CLASSES;
    uint32_t octaves = classes[count - 1] / REC_OCTAVE_CLASSES - first + 1;
    size_t bytes = (1 + (size_t)octaves) * REC_HISTOGRAM_UNIT;
    require(bytes <= sizeof(builder->histograms) - builder->histogram_bytes, "too many histograms");
    char *to = builder->histograms + builder->histogram_bytes;
    counter->size_mark = REC_SIZES_MANY | first << 8 | octaves;
    counter->histogram = (uint32_t)((HISTOGRAM_PAGE * REC_PAGE_BYTES + builder->histogram_bytes) /
                                    REC_HISTOGRAM_UNIT);
    builder->histogram_bytes += bytes;
    memcpy(to, &max_bytes, sizeof(max_bytes));
    for (size_t i = 0; i < count; i++)
        memcpy(to + REC_HISTOGRAM_UNIT +
                   (classes[i] - first * REC_OCTAVE_CLASSES) * sizeof(*counts),
               &counts[i], sizeof(*counts));
}

void builder_moment(struct builder *builder, uint64_t ns, int64_t live_bytes)
{
    struct rec_moment *moment = list_add(&builder->moments);
    *moment = (struct rec_moment){.ns = ns + 1, .live_bytes = live_bytes};
}

uint32_t builder_call(struct builder *builder, uint32_t thread, uint32_t parent, uint64_t function)
{
    require(thread < builder->threads.count, "no such thread");
    struct rec_call *call = list_add(&builder->calls[thread]);
    *call = (struct rec_call){.function = function,
                              .frame = UINT64_MAX,
                              .start = REC_CALL_NO_START,
                              .shortest = UINT64_MAX,
                              .parent = parent};
    builder->header.content |= REC_CONTENT_TIME;
    return (uint32_t)builder->calls[thread].count;
}

struct rec_call *builder_call_at(struct builder *builder, uint32_t thread, uint32_t call)
{
    require(call > 0 && call <= builder->calls[thread].count, "no such call");
    return (struct rec_call *)(void *)builder->calls[thread].bytes + call - 1;
}

void builder_event(struct builder *builder, uint32_t thread, uint64_t ns, uint32_t stack,
                   uint64_t bytes, uint32_t kind_count)
{
    require(thread < builder->threads.count, "no such thread");
    struct rec_event *event = list_add(&builder->events[thread]);
    *event = (struct rec_event){.ns = ns, .bytes = bytes, .stack = stack, .kind_count = kind_count};
    builder->header.content |= REC_CONTENT_DETAIL;
}

void builder_sampled(struct builder *builder, uint32_t thread, uint32_t stack, uint64_t samples,
                     uint64_t ns)
{
    require(thread < builder->threads.count, "no such thread");
    struct list *list = &builder->samples[thread];
    while (list->count <= stack)
        list_add(list);
    struct rec_sample *sample = (struct rec_sample *)(void *)list->bytes + stack;
    sample->samples += samples;
    sample->ns += ns;
    builder->header.content |= REC_CONTENT_SAMPLE;
    builder->header.sample_clock = REC_SAMPLE_CPU;
    builder->header.sample_hz = 1000;
}

void builder_sampling(struct builder *builder, uint32_t thread, uint64_t ns, uint32_t stack,
                      uint32_t length_us)
{
    require(thread < builder->threads.count, "no such thread");
    struct rec_sampling *sampling = list_add(&builder->samplings[thread]);
    *sampling = (struct rec_sampling){.ns = ns + 1, .stack = stack, .length_us = length_us};
}

struct rec_span *builder_span(struct builder *builder, uint32_t thread, uint32_t call,
                              uint64_t start, uint64_t ticks)
{
    require(thread < builder->threads.count, "no such thread");
    struct rec_span *span = list_add(&builder->spans[thread]);
    *span = (struct rec_span){.start = start, .ticks = ticks, .node = call};
    return span;
}

struct rec_thread *builder_thread_at(struct builder *builder, uint32_t thread)
{
    require(thread < builder->threads.count, "no such thread");
    return (struct rec_thread *)(void *)builder->threads.bytes + thread;
}

static void extent_add(struct builder *builder, enum rec_kind kind, uint32_t owner,
                       uint64_t first_page, uint64_t pages)
{
    struct rec_extent extent = {
        .kind = kind, .owner = owner, .first_page = first_page, .page_count = pages};
    require(builder->extents < REC_EXTENT_FIRST, "too many extents");
    memcpy(builder->file + REC_PAGE_BYTES + builder->extents++ * sizeof(extent), &extent,
           sizeof(extent));
}

static void list_put(struct builder *builder, const struct list *list, enum rec_kind kind,
                     uint32_t owner)
{
    size_t bytes = list->count * list->record_bytes;
    size_t pages = (bytes + REC_PAGE_BYTES - 1) / REC_PAGE_BYTES;
    if (bytes == 0)
        return;
    builder->file = realloc(builder->file, (builder->pages + pages) * REC_PAGE_BYTES);
    require(builder->file != NULL, "no memory");
    unsigned char *to = builder->file + builder->pages * REC_PAGE_BYTES;
    memset(to, 0, pages * REC_PAGE_BYTES);
    memcpy(to, list->bytes, bytes);
    extent_add(builder, kind, owner, builder->pages, pages);
    builder->pages += pages;
}

/* Numbers of nodes are places in the file. */
static void calls_put(struct builder *builder, uint32_t thread)
{
    struct list *list = &builder->calls[thread];
    size_t first = builder->pages * REC_PAGE_BYTES;
    list_put(builder, list, REC_KIND_CALLS, thread);
    for (size_t i = 0; i < list->count; i++) {
        struct rec_call *call = (struct rec_call *)(void *)(builder->file + first) + i;
        if (call->parent != 0)
            call->parent += (uint32_t)(first / REC_CALL_BYTES) - 1;
    }
    list = &builder->spans[thread];
    uint64_t place = builder->pages * REC_PAGE_BYTES;
    list_put(builder, list, REC_KIND_SPANS, thread);
    for (size_t i = 0; i < list->count; i++) {
        struct rec_span *span = (struct rec_span *)(void *)(builder->file + place) + i;
        if (span->node != 0)
            span->node += (uint32_t)(first / REC_CALL_BYTES) - 1;
    }
}

unsigned char *builder_bytes(struct builder *builder, size_t *ret_bytes)
{
    builder->pages = FIRST_FREE_PAGE;
    builder->extents = 0;
    builder->file = calloc(builder->pages, REC_PAGE_BYTES);
    require(builder->file != NULL, "no memory");
    memcpy(builder->file + TEXT_PAGE * REC_PAGE_BYTES, builder->text, sizeof(builder->text));
    memcpy(builder->file + HISTOGRAM_PAGE * REC_PAGE_BYTES, builder->histograms,
           sizeof(builder->histograms));
    extent_add(builder, REC_KIND_TEXT, 0, TEXT_PAGE, TEXT_PAGES);
    extent_add(builder, REC_KIND_HISTOGRAMS, 0, HISTOGRAM_PAGE, HISTOGRAM_PAGES);
    list_put(builder, &builder->nodes, REC_KIND_NODES, 0);
    list_put(builder, &builder->stacks, REC_KIND_STACKS, 0);
    list_put(builder, &builder->threads, REC_KIND_THREADS, 0);
    list_put(builder, &builder->modules, REC_KIND_MODULES, 0);
    list_put(builder, &builder->moments, REC_KIND_TIMELINE, 0);
    for (uint32_t i = 0; i < builder->threads.count; i++)
        list_put(builder, &builder->counters[i], REC_KIND_COUNTERS, i);
    for (uint32_t i = 0; i < builder->threads.count; i++)
        list_put(builder, &builder->events[i], REC_KIND_EVENTS, i);
    for (uint32_t i = 0; i < builder->threads.count; i++) {
        list_put(builder, &builder->samples[i], REC_KIND_SAMPLES, i);
        list_put(builder, &builder->samplings[i], REC_KIND_SAMPLINGS, i);
    }
    for (uint32_t i = 0; i < builder->threads.count; i++)
        calls_put(builder, i);
    struct rec_header *header = &builder->header;
    header->used_pages = builder->pages;
    header->reservation_bytes = builder->pages * REC_PAGE_BYTES;
    header->extent_count = builder->extents;
    header->extent_segment[0] = 1;
    header->node_count = builder->nodes.count;
    header->stack_count = builder->stacks.count;
    header->thread_count = builder->threads.count;
    header->module_count = builder->modules.count;
    header->moment_count = builder->moments.count;
    memcpy(builder->file, header, sizeof(*header));
    *ret_bytes = builder->pages * REC_PAGE_BYTES;
    return builder->file;
}

void builder_save(struct builder *builder, const char *path)
{
    size_t bytes = 0;
    unsigned char *content = builder_bytes(builder, &bytes);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(fd >= 0, "cannot create the file");
    require(write(fd, content, bytes) == (ssize_t)bytes, "cannot write the file");
    close(fd);
    free(content);
}

static void sample_header(struct builder *builder)
{
    static const char arguments[] = "sample\0two words\0it's";
    struct rec_header *header = builder_header(builder);
    header->program = builder_text(builder, "/opt/sample", 11);
    header->arguments = builder_text(builder, arguments, sizeof(arguments));
    header->directory = builder_text(builder, "/home/user", 10);
    header->base_name = builder_text(builder, "sample-20231114-231320", 22);
    header->host = builder_text(builder, "machine", 7);
    header->live_bytes = 100;
    header->peak_bytes = 900;
    header->max_threads = 2;
    header->pending_bound_bytes = 64;
}

struct builder *builder_sample(void)
{
    struct builder *builder = builder_new();
    sample_header(builder);
    builder_module(builder, "/opt/sample", 0x400000, 0x500000)->flags = REC_MODULE_MAIN;
    builder_module(builder, "/opt/libpart.so", 0x7f0000000000, 0x7f0000100000);
    uint32_t main_thread = builder_thread(builder, "sample");
    uint32_t worker = builder_thread(builder, "worker");
    uint32_t outer = builder_node(builder, 0, 0x401000, 0);
    uint32_t middle = builder_node(builder, outer, 0x402000, 0);
    uint32_t leaf = builder_node(builder, middle, 0x7f0000001000, 0);
    uint32_t other = builder_node(builder, outer, 0x403000, 0);
    uint32_t cut = builder_node(builder, 0, REC_SPECIAL_CUT, 0);
    uint32_t jit = builder_node(builder, cut, 0x123456789000, 0);
    uint32_t stack = builder_stack(builder, leaf, 0);
    builder_blocks(builder, main_thread, stack, 10, 100, 9);
    builder_blocks(builder, worker, stack, 5, 20, 5);
    stack = builder_stack(builder, other, 0);
    builder_blocks(builder, worker, stack, 3, 7, 3);
    const uint32_t classes[] = {2, 6, 18};
    const uint64_t counts[] = {1, 1, 1};
    builder_histogram(builder, builder_counter(builder, worker, stack), 21, classes, counts, 3);
    stack = builder_stack(builder, jit, REC_STACK_CUT);
    builder_blocks(builder, main_thread, stack, 1, 4096, 1);
    builder_moment(builder, 0, 0);
    builder_moment(builder, 1000000, 900);
    builder_moment(builder, 2000000, 100);
    return builder;
}
