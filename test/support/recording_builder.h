/*
 * recording_builder.h -- composes valid recordings for tests, record by record.
 *
 * Only by recording_format.h: it shares no code with recorder or reader, so that one mistake cannot
 * be on both sides.
 *
 * Context of all functions: tests. A full builder or a lack of memory aborts.
 */
#ifndef THAG_TEST_RECORDING_BUILDER_H
#define THAG_TEST_RECORDING_BUILDER_H

#include <stddef.h>

#include "runtime/format/recording_format.h"

struct builder;

/* A recording of an ended process, with a header and nothing else. Freed by builder_free(). */
struct builder *builder_new(void);
void builder_free(struct builder *builder);

/* The header, to be changed at will; counts and page numbers are filled by builder_bytes(). */
struct rec_header *builder_header(struct builder *builder);

struct rec_text builder_text(struct builder *builder, const char *text, size_t bytes);

/* Result: the number of what was added. */
uint32_t builder_node(struct builder *builder, uint32_t parent, uint64_t key, uint32_t generation);
uint32_t builder_stack(struct builder *builder, uint32_t node, uint32_t flags);
uint32_t builder_thread(struct builder *builder, const char *name);

/* A module from START to END, never unloaded, with a bias of START. Lifetime: to the next call. */
struct rec_module *builder_module(struct builder *builder, const char *path, uint64_t start,
                                  uint64_t end);
struct rec_node *builder_node_at(struct builder *builder, uint32_t node);
struct rec_stack *builder_stack_at(struct builder *builder, uint32_t stack);

/* The counter of a stack in a slot; all zero at first. Lifetime: until the next call. */
struct rec_counter *builder_counter(struct builder *builder, uint32_t thread, uint32_t stack);

/* COUNT blocks of BYTES bytes allocated, of which FREED were freed. */
void builder_blocks(struct builder *builder, uint32_t thread, uint32_t stack, uint64_t count,
                    uint64_t bytes, uint64_t freed);

/* Give a counter a histogram: COUNTS[i] allocations in class CLASSES[i], ascending. */
void builder_histogram(struct builder *builder, struct rec_counter *counter, uint64_t max_bytes,
                       const uint32_t *classes, const uint64_t *counts, size_t count);

void builder_moment(struct builder *builder, uint64_t ns, int64_t live_bytes);

/* An event of detail mode in the stream of a slot; KIND_COUNT as in struct rec_event. */
void builder_event(struct builder *builder, uint32_t thread, uint64_t ns, uint32_t stack,
                   uint64_t bytes, uint32_t kind_count);

/* SAMPLES of a stack in a slot that stand for NS; a point of them in time. */
void builder_sampled(struct builder *builder, uint32_t thread, uint32_t stack, uint64_t samples,
                     uint64_t ns);
void builder_sampling(struct builder *builder, uint32_t thread, uint64_t ns, uint32_t stack,
                      uint32_t length_us);

/*
 * A call under PARENT (0: none) of the same slot: not open, never called. Result: its number, from
 * 1 on in each slot. Lifetime of _at(): until the next call is made.
 */
uint32_t builder_call(struct builder *builder, uint32_t thread, uint32_t parent, uint64_t function);
struct rec_call *builder_call_at(struct builder *builder, uint32_t thread, uint32_t call);

/* A single call of CALL, on the thread's own stack. Lifetime: until the next one is made. */
struct rec_span *builder_span(struct builder *builder, uint32_t thread, uint32_t call,
                              uint64_t start, uint64_t ticks);
struct rec_thread *builder_thread_at(struct builder *builder, uint32_t thread);

/* The whole file. Freed by free(). */
unsigned char *builder_bytes(struct builder *builder, size_t *ret_bytes);

/* Write the whole file to PATH. */
void builder_save(struct builder *builder, const char *path);

/* A program with two modules, three stacks, two threads, sizes and a timeline. */
struct builder *builder_sample(void);

#endif
