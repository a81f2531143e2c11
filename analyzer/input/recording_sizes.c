/*
 * recording_sizes.c -- the sizes of single allocations, from the counters and their histograms.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/input/recording_counters.h"
#include "analyzer/support/memory.h"

struct sizing {
    const struct an_recording *recording;
    const uint8_t *wanted;
    struct an_sizes *sizes;
    struct an_size_facts *facts; /* of each stack; NULL: not asked for */
    struct an_fault *fault;
    char **content; /* of file.extent[i] where that holds histograms and was needed */
};

/* The UNITS units of 64 bytes at a place that a counter or a histogram names. */
static const void *units_find(const struct sizing *sizing, uint64_t unit, uint64_t units,
                              int *ret_error)
{
    const struct an_recording_file *file = &sizing->recording->file;
    uint64_t offset = unit * REC_HISTOGRAM_UNIT, bytes = units * REC_HISTOGRAM_UNIT;
    const struct rec_extent *extent =
        an_recording_file_extent(file, REC_KIND_HISTOGRAMS, offset, bytes);
    if (extent == NULL) {
        *ret_error = an_fault_set(sizing->fault, -EBADMSG,
                                  "%s: a histogram at offset %" PRIu64 ", where there is none",
                                  file->path, offset);
        return NULL;
    }
    uint64_t begin = extent->first_page * REC_PAGE_BYTES;
    char **content = &sizing->content[extent - file->extent];
    if (*content == NULL) {
        size_t size = extent->page_count * REC_PAGE_BYTES;
        char *copy = an_memory_array(size, 1);
        *ret_error =
            an_recording_file_read(file, begin, copy, size, "the histograms", sizing->fault);
        if (*ret_error != 0) {
            free(copy);
            return NULL;
        }
        *content = copy;
    }
    return *content + (offset - begin);
}

/* Of each COUNT sizes are from LEAST to SIZE. */
static int size_add(const struct sizing *sizing, uint32_t stack, uint64_t count, uint64_t least,
                    uint64_t size)
{
    struct an_sizes *sizes = sizing->sizes;
    uint32_t size_class = an_sizes_class(size);
    uint64_t bytes = 0;
    if (count != 0)
        an_sizes_note_min(sizes, size);
    if (count != 0 && sizing->facts != NULL)
        an_size_facts_join(&sizing->facts[stack],
                           &(struct an_size_facts){count, least, size, size});
    if (!__builtin_mul_overflow(count, size, &bytes) &&
        !__builtin_add_overflow(sizes->bytes[size_class], bytes, &sizes->bytes[size_class]) &&
        !__builtin_add_overflow(sizes->count[size_class], count, &sizes->count[size_class]))
        return 0;
    return an_fault_set(sizing->fault, -EOVERFLOW,
                        "%s: the allocations of up to %" PRIu64
                        " bytes add up to more than 64 bits hold",
                        sizing->recording->file.path, an_sizes_limit(size_class));
}

/* Add the counts of one histogram, which covers OCTAVES powers of two from FIRST on. */
static int histogram_add(const struct sizing *sizing, uint32_t stack,
                         const struct rec_counter *counter)
{
    uint32_t first = REC_SIZES_FIRST(counter->size_mark);
    uint32_t octaves = REC_SIZES_OCTAVES(counter->size_mark);
    int error = 0;
    if (first + octaves > REC_OCTAVES)
        return an_fault_set(sizing->fault, -EBADMSG,
                            "%s: a histogram of the sizes from octave %" PRIu32 " to %" PRIu32
                            ", more than there are",
                            sizing->recording->file.path, first, first + octaves);
    const uint64_t *unit = units_find(sizing, counter->histogram, 1 + (uint64_t)octaves, &error);
    if (unit == NULL)
        return error;
    uint64_t max_bytes = unit[0];
    const uint64_t *count = unit + sizeof(struct rec_histogram) / sizeof(*unit);
    for (uint32_t i = 0; i < octaves * REC_OCTAVE_CLASSES && error == 0; i++) {
        uint32_t size_class = first * REC_OCTAVE_CLASSES + i;
        uint64_t limit = an_sizes_limit(size_class);
        if (count[i] == 0)
            continue;
        /* Classes 1 to 15 hold one size each, class 0 two, the others more. */
        if (size_class == 0 || size_class >= 16)
            sizing->sizes->bytes_exact = false;
        uint64_t least = an_sizes_first(size_class), most = limit < max_bytes ? limit : max_bytes;
        error = size_add(sizing, stack, count[i], least < most ? least : most, most);
    }
    if (max_bytes > sizing->sizes->max_bytes)
        sizing->sizes->max_bytes = max_bytes;
    return error;
}

static int counter_sizes(void *context, uint32_t stack, uint64_t offset,
                         const struct rec_counter *counter)
{
    const struct sizing *sizing = context;
    (void)offset;
    if ((sizing->wanted != NULL && sizing->wanted[stack] == 0) || counter->size_mark == 0)
        return 0;
    if (counter->size_mark >= REC_SIZES_MANY) {
        /* Without a histogram there was no room for one. */
        return counter->histogram == 0 ? 0 : histogram_add(sizing, stack, counter);
    }
    uint64_t size = (uint64_t)counter->size_mark - 1;
    if (size > sizing->sizes->max_bytes)
        sizing->sizes->max_bytes = size;
    return size_add(sizing, stack, counter->allocations, size, size);
}

static int sizing_run(struct sizing *sizing, const struct an_recording_select *select)
{
    uint32_t extents = sizing->recording->file.extent_count;
    sizing->content = an_memory_zeroed((size_t)extents + 1, sizeof(char *));
    int error = an_recording_counters_visit(sizing->recording, select, counter_sizes, sizing,
                                            sizing->fault);
    for (uint32_t i = 0; i < extents; i++)
        free(sizing->content[i]);
    free(sizing->content);
    return error;
}

int an_recording_sizes(const struct an_recording *recording,
                       const struct an_recording_select *select, const uint8_t *wanted,
                       struct an_sizes *ret_sizes, struct an_fault *fault)
{
    struct an_sizes sizes = {.bytes_exact = true};
    struct sizing sizing = {
        .recording = recording, .wanted = wanted, .sizes = &sizes, .fault = fault};
    int error = sizing_run(&sizing, select);
    if (error == 0)
        *ret_sizes = sizes;
    return error;
}

int an_recording_stack_sizes(const struct an_recording *recording,
                             const struct an_recording_select *select,
                             struct an_size_facts *ret_facts, struct an_fault *fault)
{
    struct an_sizes sizes = {.bytes_exact = true};
    struct sizing sizing = {
        .recording = recording, .sizes = &sizes, .facts = ret_facts, .fault = fault};
    for (uint32_t i = 0; i < recording->stack_count; i++)
        ret_facts[i] = AN_SIZE_FACTS_NONE;
    return sizing_run(&sizing, select);
}
