#include "analyzer/input/recording_reader.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/support/recording_builder.h"

static char path[64];
static struct builder *builder;

static void setup(void)
{
    snprintf(path, sizeof(path), "/tmp/thag-reader-XXXXXX");
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    builder = builder_sample();
}

static void teardown(void)
{
    builder_free(builder);
    unlink(path);
}

TestSuite(recording_reader, .init = setup, .fini = teardown);

static int reopen(struct an_recording *recording, struct an_fault *fault)
{
    builder_save(builder, path);
    return an_recording_open(path, NULL, recording, fault);
}

/* The file is refused with ERROR, and the message names it and says WORDS. */
static void refused(int error, const char *words)
{
    struct an_recording recording;
    struct an_fault fault = {{0}};
    cr_assert_eq(reopen(&recording, &fault), error, "%s", fault.text);
    cr_assert_eq(strncmp(fault.text, path, strlen(path)), 0, "%s", fault.text);
    cr_assert_not_null(strstr(fault.text, words), "%s", fault.text);
}

/* Change bytes of the finished file. */
static void patch(size_t offset, const void *bytes, size_t count)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    cr_assert_eq(pwrite(fd, bytes, count, (off_t)offset), (ssize_t)count);
    close(fd);
}

static void patched_is_refused(size_t offset, uint64_t value, size_t bytes, const char *words)
{
    struct an_recording recording;
    struct an_fault fault = {{0}};
    builder_save(builder, path);
    patch(offset, &value, bytes);
    cr_assert_eq(an_recording_open(path, NULL, &recording, &fault), -EBADMSG, "%s", words);
    cr_assert_not_null(strstr(fault.text, words), "%s", fault.text);
}

Test(recording_reader, values_are_summed_over_slots)
{
    struct an_recording recording;
    struct an_fault fault;
    cr_assert_eq(reopen(&recording, &fault), 0, "%s", fault.text);
    const struct an_stack_values *value = &recording.value[1];
    cr_assert_eq(value->allocations, 15);
    cr_assert_eq(value->bytes, 1100);
    cr_assert_eq(value->frees, 14);
    cr_assert_eq(value->live_blocks, 1);
    cr_assert_eq(value->live_bytes, 100);
    cr_assert_eq(recording.negative_sums, 0);
    an_recording_close(&recording);
}

Test(recording_reader, thread_filter_takes_only_its_slots)
{
    struct an_recording recording;
    struct an_fault fault;
    struct an_recording_select select = {.thread = "worker"};
    builder_save(builder, path);
    cr_assert_eq(an_recording_open(path, &select, &recording, &fault), 0);
    cr_assert_eq(recording.value[1].allocations, 5);
    cr_assert_eq(recording.value[3].allocations, 0);
    an_recording_close(&recording);
    select.thread = "work"; /* a prefix is another name */
    cr_assert_eq(an_recording_open(path, &select, &recording, &fault), 0);
    cr_assert_eq(recording.value[1].allocations, 0);
    an_recording_close(&recording);
}

Test(recording_reader, peak_is_saved_value_of_the_last_epoch_else_live)
{
    struct an_recording recording;
    struct an_fault fault;
    builder_header(builder)->peak_epoch = 7;
    struct rec_counter *counter = builder_counter(builder, 0, 1);
    counter->epoch = 7;
    counter->saved_bytes = 333;
    counter = builder_counter(builder, 1, 1);
    counter->epoch = 6;
    counter->saved_bytes = 5000;
    counter->live_bytes = 20;
    cr_assert_eq(reopen(&recording, &fault), 0);
    cr_assert_eq(recording.value[1].peak_bytes, 353);
    an_recording_close(&recording);
}

Test(recording_reader, negative_slot_is_fine_but_negative_sum_is_counted)
{
    struct an_recording recording;
    struct an_fault fault;
    builder_counter(builder, 1, 1)->live_bytes = -50;
    cr_assert_eq(reopen(&recording, &fault), 0);
    cr_assert_eq(recording.value[1].live_bytes, 50);
    cr_assert_eq(recording.negative_sums, 0);
    an_recording_close(&recording);
    builder_counter(builder, 1, 1)->live_bytes = -101;
    cr_assert_eq(reopen(&recording, &fault), 0);
    cr_assert_eq(recording.value[1].live_bytes, 0);
    cr_assert_eq(recording.value[1].peak_bytes, 0);
    cr_assert_eq(recording.negative_sums, 2);
    an_recording_close(&recording);
}

Test(recording_reader, sum_over_64_bits_is_refused)
{
    builder_counter(builder, 0, 1)->bytes = UINT64_MAX - 5;
    refused(-EOVERFLOW, "64 bits");
    builder_counter(builder, 0, 1)->bytes = 1;
    builder_counter(builder, 0, 1)->live_bytes = INT64_MAX;
    builder_counter(builder, 1, 1)->live_bytes = 1;
    refused(-EOVERFLOW, "64 bits");
}

Test(recording_reader, header_of_another_kind_is_refused)
{
    struct rec_header *header = builder_header(builder);
    header->version = 2;
    refused(-ENOTSUP, "version");
    header->version = REC_VERSION;
    header->byte_order = 0x04030201;
    refused(-EBADMSG, "byte order");
    header->byte_order = REC_BYTE_ORDER;
    header->page_bytes = 16384;
    refused(-EBADMSG, "pages");
    header->page_bytes = REC_PAGE_BYTES;
    header->header_bytes = 8;
    refused(-EBADMSG, "header");
    header->header_bytes = sizeof(*header);
    header->magic = 0;
    refused(-EBADMSG, "had not begun");
    header->magic = 42;
    refused(-EBADMSG, "no thag recording");
}

Test(recording_reader, parent_that_is_not_below_its_node_is_refused)
{
    builder_node_at(builder, 2)->parent = 2;
    refused(-EBADMSG, "parent");
    builder_node_at(builder, 2)->parent = 3;
    refused(-EBADMSG, "parent");
}

Test(recording_reader, stack_of_a_missing_node_is_refused)
{
    builder_stack_at(builder, 1)->node = 4000;
    refused(-EBADMSG, "stack 1 names the node 4000");
}

Test(recording_reader, stack_that_was_not_filled_keeps_its_weight)
{
    struct an_recording recording;
    struct an_fault fault;
    builder_stack_at(builder, 2)->node = 0;
    cr_assert_eq(reopen(&recording, &fault), 0);
    cr_assert_eq(recording.nameless_stacks, 1);
    cr_assert_eq(recording.value[2].allocations, 3);
    an_recording_close(&recording);
}

Test(recording_reader, module_with_impossible_numbers_is_refused)
{
    struct rec_module *module = builder_module(builder, "/x", 0x9000, 0x8000);
    refused(-EBADMSG, "ends before");
    module->end = 0xa000;
    module->build_id_bytes = 33;
    refused(-EBADMSG, "build-id");
    module->build_id_bytes = 0;
    module->first_generation = 3;
    module->last_generation = 2;
    refused(-EBADMSG, "unloaded");
    module->last_generation = 3;
    module->path.bytes = 5000;
    refused(-EBADMSG, "more than is possible");
    module->path.bytes = 2;
    module->path.offset = UINT64_MAX - 1;
    refused(-EBADMSG, "where there is no text");
    module->path.offset = 0;
    module->path.bytes = 4;
    refused(-EBADMSG, "where there is no text");
}

/* Entry I of the extent table, field at BYTE of it. */
static size_t entry(unsigned i, size_t byte)
{
    return REC_PAGE_BYTES + i * sizeof(struct rec_extent) + byte;
}

Test(recording_reader, extent_outside_of_the_file_is_refused)
{
    size_t first = offsetof(struct rec_extent, first_page);
    size_t count = offsetof(struct rec_extent, page_count);
    patched_is_refused(entry(2, first), 0, 8, "does not lie inside");
    patched_is_refused(entry(2, first), UINT64_MAX, 8, "does not lie inside");
    patched_is_refused(entry(2, count), UINT64_MAX, 8, "does not lie inside");
    patched_is_refused(entry(2, count), 0, 8, "does not lie inside");
    patched_is_refused(entry(2, 0), 99, 4, "unknown kind");
    patched_is_refused(entry(2, first), 2, 8, "same page");
    patched_is_refused(entry(2, offsetof(struct rec_extent, first_index)), 1 << 20, 8, "no room");
    patched_is_refused(entry(2, offsetof(struct rec_extent, first_index)), UINT64_MAX, 8,
                       "numbered");
    patched_is_refused(offsetof(struct rec_header, extent_segment), 1000, 8, "segment 0");
    patched_is_refused(offsetof(struct rec_header, used_pages), 3, 8, "does not lie inside");
    patched_is_refused(offsetof(struct rec_header, node_count), UINT64_MAX, 8, "nodes");
}

Test(recording_reader, counters_of_a_missing_slot_or_stack_are_refused)
{
    builder_save(builder, path);
    /* Entries: text, histograms, nodes, stacks, threads, modules, timeline, counters. */
    patched_is_refused(entry(7, offsetof(struct rec_extent, owner)), 9, 4, "slot 9");
    patched_is_refused(offsetof(struct rec_header, stack_count), 1, 8, "stack 3");
}

Test(recording_reader, every_cut_is_refused_and_none_crashes)
{
    struct an_recording recording;
    struct an_fault fault;
    size_t bytes = 0;
    free(builder_bytes(builder, &bytes));
    for (size_t cut = 0; cut < bytes; cut += cut < 700 ? 1 : 509) {
        builder_save(builder, path);
        cr_assert_eq(truncate(path, (off_t)cut), 0);
        fault.text[0] = '\0';
        cr_assert_eq(an_recording_open(path, NULL, &recording, &fault), -EBADMSG, "%zu", cut);
        cr_assert_neq(fault.text[0], '\0');
    }
}

Test(recording_reader, foreign_files_are_refused)
{
    struct an_recording recording;
    struct an_fault fault;
    cr_assert_eq(an_recording_open("/tmp", NULL, &recording, &fault), -EBADMSG);
    cr_assert_not_null(strstr(fault.text, "not a regular file"));
    cr_assert_eq(an_recording_open("/dev/null", NULL, &recording, &fault), -EBADMSG);
    cr_assert_eq(an_recording_open("/proc/self/exe", NULL, &recording, &fault), -EBADMSG);
    cr_assert_not_null(strstr(fault.text, "no thag recording"), "%s", fault.text);
    cr_assert_eq(an_recording_open("/nowhere", NULL, &recording, &fault), -ENOENT);
    cr_assert_not_null(strstr(fault.text, "/nowhere"));
}

Test(recording_reader, live_recording_in_its_reservation_is_read)
{
    struct an_recording recording;
    struct an_fault fault;
    builder_header(builder)->end_ns = 0;
    builder_save(builder, path);
    cr_assert_eq(truncate(path, (off_t)4 << 30), 0);
    cr_assert_eq(an_recording_open(path, NULL, &recording, &fault), 0, "%s", fault.text);
    cr_assert_eq(recording.value[1].allocations, 15);
    cr_assert_eq(an_recording_end_ns(&recording), UINT64_C(5002000000));
    an_recording_close(&recording);
}

Test(recording_reader, younger_counters_of_a_live_recording_are_left_for_the_next_time)
{
    struct an_recording recording;
    struct an_fault fault;
    builder_header(builder)->end_ns = 0;
    builder_save(builder, path);
    uint64_t count = 1;
    patch(offsetof(struct rec_header, stack_count), &count, sizeof(count));
    cr_assert_eq(an_recording_open(path, NULL, &recording, &fault), 0, "%s", fault.text);
    cr_assert_eq(recording.value[1].allocations, 15);
    cr_assert_eq(recording.stack_count, 2);
    an_recording_close(&recording);
}

Test(recording_reader, sizes_come_from_the_one_size_or_the_histogram)
{
    struct an_recording recording;
    struct an_fault fault;
    struct an_sizes sizes;
    cr_assert_eq(reopen(&recording, &fault), 0);
    cr_assert_eq(an_recording_sizes(&recording, NULL, NULL, &sizes, &fault), 0, "%s", fault.text);
    cr_assert_eq(sizes.count[an_sizes_class(100)], 10);
    cr_assert_eq(sizes.count[an_sizes_class(20)], 5);
    cr_assert_eq(sizes.count[an_sizes_class(7)], 1);
    cr_assert_eq(sizes.count[2], 1);
    cr_assert_eq(sizes.count[18], 1);
    cr_assert_eq(sizes.bytes[18], 21);
    cr_assert_eq(sizes.bytes[an_sizes_class(100)], 1000);
    cr_assert_eq(sizes.min_bytes, 3);
    cr_assert_eq(sizes.max_bytes, 4096);
    cr_assert_not(sizes.bytes_exact);
    const uint8_t wanted[] = {0, 1, 0, 0};
    cr_assert_eq(an_recording_sizes(&recording, NULL, wanted, &sizes, &fault), 0);
    cr_assert_eq(sizes.count[an_sizes_class(4096)], 0);
    cr_assert_eq(sizes.min_bytes, 20);
    cr_assert_eq(sizes.max_bytes, 100);
    cr_assert(sizes.bytes_exact);
    an_recording_close(&recording);
}

Test(recording_reader, histogram_elsewhere_is_refused)
{
    struct an_recording recording;
    struct an_fault fault;
    struct an_sizes sizes;
    struct rec_counter *counter = builder_counter(builder, 0, 1);
    counter->size_mark = REC_SIZES_MANY | 1;
    counter->histogram = UINT32_MAX;
    cr_assert_eq(reopen(&recording, &fault), 0);
    cr_assert_eq(an_recording_sizes(&recording, NULL, NULL, &sizes, &fault), -EBADMSG);
    an_recording_close(&recording);
    counter->histogram = builder_counter(builder, 1, 2)->histogram;
    counter->size_mark = REC_SIZES_MANY | 60 << 8 | 3;
    cr_assert_eq(reopen(&recording, &fault), 0);
    cr_assert_eq(an_recording_sizes(&recording, NULL, NULL, &sizes, &fault), -EBADMSG);
    cr_assert_not_null(strstr(fault.text, "octave"));
    an_recording_close(&recording);
}

Test(recording_reader, timeline_is_in_order_of_time)
{
    struct an_recording recording;
    struct an_fault fault;
    builder_moment(builder, 500000, 77);
    cr_assert_eq(reopen(&recording, &fault), 0);
    cr_assert_eq(recording.moment_count, 4);
    cr_assert_eq(recording.moment[1].live_bytes, 77);
    an_recording_close(&recording);
}
