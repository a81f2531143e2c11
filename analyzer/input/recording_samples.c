/*
 * recording_samples.c -- see the header.
 */
#include "analyzer/input/recording_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/support/memory.h"

/* True if records of an extent are to be looked at; RET_ERROR says why they cannot be. */
static bool extent_wanted(const struct an_recording *recording, const struct rec_extent *extent,
                          const struct an_recording_select *select, int *ret_error,
                          struct an_fault *fault)
{
    if (extent->owner < recording->thread_count)
        return an_recording_slot_selected(recording, extent->owner, select);
    if (an_recording_file_ended(&recording->file))
        *ret_error = an_fault_set(fault, -EBADMSG,
                                  "%s: offset %" PRIu64 ": samples of slot %" PRIu32
                                  ", but there are only %" PRIu32,
                                  recording->file.path, extent->first_page * REC_PAGE_BYTES,
                                  extent->owner, recording->thread_count);
    return false; /* else a slot that was taken after this snapshot began */
}

static int sample_add(struct an_recording *recording, uint64_t stack, uint64_t offset,
                      const struct rec_sample *sample, struct an_fault *fault)
{
    if (stack >= recording->stack_count) {
        if (!an_recording_file_ended(&recording->file))
            return 0; /* younger than this snapshot */
        return an_fault_set(fault, -EBADMSG,
                            "%s: offset %" PRIu64 ": samples of stack %" PRIu64
                            ", but there are only %" PRIu32,
                            recording->file.path, offset, stack, recording->stack_count);
    }
    struct an_stack_values *value = &recording->value[stack];
    if (__builtin_add_overflow(value->samples, sample->samples, &value->samples) ||
        __builtin_add_overflow(value->sample_ns, sample->ns, &value->sample_ns))
        return an_fault_set(fault, -EOVERFLOW,
                            "%s: offset %" PRIu64 ": the samples of stack %" PRIu64
                            " add up to more than 64 bits hold",
                            recording->file.path, offset, stack);
    return 0;
}

static int page_sum(struct an_recording *recording, const struct rec_extent *extent, uint64_t page,
                    struct rec_sample *samples, struct an_fault *fault)
{
    uint64_t offset = (extent->first_page + page) * REC_PAGE_BYTES;
    uint64_t first = extent->first_index + page * REC_SAMPLES_PER_PAGE;
    int error = an_recording_file_read(&recording->file, offset, samples, REC_PAGE_BYTES,
                                       "the samples", fault);
    for (uint32_t i = 0; i < REC_SAMPLES_PER_PAGE && error == 0; i++) {
        if ((samples[i].samples | samples[i].ns) != 0)
            error =
                sample_add(recording, first + i, offset + i * sizeof(*samples), &samples[i], fault);
    }
    return error;
}

int an_recording_samples_sum(struct an_recording *recording,
                             const struct an_recording_select *select, struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    struct rec_sample *samples = an_memory_array(REC_SAMPLES_PER_PAGE, sizeof(*samples));
    int error = 0;
    for (uint32_t e = 0; e < file->extent_count && error == 0; e++) {
        const struct rec_extent *extent = &file->extent[e];
        if (extent->kind != REC_KIND_SAMPLES ||
            !extent_wanted(recording, extent, select, &error, fault))
            continue;
        for (uint64_t page = 0; page < extent->page_count && error == 0; page++)
            error = page_sum(recording, extent, page, samples, fault);
    }
    free(samples);
    return error;
}

const char *an_recording_sample_clock_words(const struct rec_header *header)
{
    return header->sample_clock == REC_SAMPLE_WALL ? "time, waiting included" : "CPU time";
}

void an_recording_rate_text(const struct rec_header *header, uint64_t samples, uint64_t ns,
                            char *ret_text, size_t room)
{
    double reached = ns == 0 ? 0 : (double)samples * 1e9 / (double)ns;
    snprintf(ret_text, room, "%" PRIu32 " Hz asked, %.0f Hz reached", header->sample_hz, reached);
}
