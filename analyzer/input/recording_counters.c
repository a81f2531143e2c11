/*
 * recording_counters.c -- sums the counters of all slots.
 */
#include "analyzer/input/recording_counters.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

/* Read at a time: few system calls, little memory. */
#define BATCH_PAGES 32u

static bool counter_used(const struct rec_counter *counter)
{
    return (counter->allocations | counter->bytes | counter->frees | (uint64_t)counter->live_bytes |
            (uint64_t)counter->saved_bytes) != 0;
}

/* True if records of an extent are to be looked at; RET_ERROR says why it cannot be. */
static bool extent_wanted(const struct an_recording *recording, const struct rec_extent *extent,
                          const struct an_recording_select *select, int *ret_error,
                          struct an_fault *fault)
{
    if (extent->kind != REC_KIND_COUNTERS)
        return false;
    if (extent->owner < recording->thread_count)
        return an_recording_slot_selected(recording, extent->owner, select);
    if (an_recording_file_ended(&recording->file))
        *ret_error = an_fault_set(fault, -EBADMSG,
                                  "%s: offset %" PRIu64 ": counters of slot %" PRIu32
                                  ", but there are only %" PRIu32,
                                  recording->file.path, extent->first_page * REC_PAGE_BYTES,
                                  extent->owner, recording->thread_count);
    return false; /* else a slot that was taken after this snapshot began */
}

struct batch {
    uint64_t first_stack;
    uint64_t offset;
    uint64_t count;
    struct rec_counter *counter;
};

static int batch_visit(const struct an_recording *recording, const struct batch *batch,
                       int (*visit)(void *context, uint32_t stack, uint64_t offset,
                                    const struct rec_counter *counter),
                       void *context, struct an_fault *fault)
{
    for (uint64_t i = 0; i < batch->count; i++) {
        if (!counter_used(&batch->counter[i]))
            continue;
        uint64_t stack = batch->first_stack + i;
        uint64_t offset = batch->offset + i * sizeof(struct rec_counter);
        if (stack >= recording->stack_count) {
            if (!an_recording_file_ended(&recording->file))
                continue; /* younger than this snapshot */
            return an_fault_set(fault, -EBADMSG,
                                "%s: offset %" PRIu64 ": counter of stack %" PRIu64
                                ", but there are only %" PRIu32,
                                recording->file.path, offset, stack, recording->stack_count);
        }
        int error = visit(context, (uint32_t)stack, offset, &batch->counter[i]);
        if (error != 0)
            return error;
    }
    return 0;
}

int an_recording_counters_visit(const struct an_recording *recording,
                                const struct an_recording_select *select,
                                int (*visit)(void *context, uint32_t stack, uint64_t offset,
                                             const struct rec_counter *counter),
                                void *context, struct an_fault *fault)
{
    const struct an_recording_file *file = &recording->file;
    struct batch batch = {.counter = an_memory_array(BATCH_PAGES, REC_PAGE_BYTES)};
    int error = 0;
    for (uint32_t e = 0; e < file->extent_count && error == 0; e++) {
        const struct rec_extent *extent = &file->extent[e];
        if (!extent_wanted(recording, extent, select, &error, fault))
            continue;
        for (uint64_t page = 0; page < extent->page_count && error == 0; page += BATCH_PAGES) {
            uint64_t pages = extent->page_count - page;
            if (pages > BATCH_PAGES)
                pages = BATCH_PAGES;
            batch.first_stack = extent->first_index + page * REC_COUNTERS_PER_PAGE;
            batch.offset = (extent->first_page + page) * REC_PAGE_BYTES;
            batch.count = pages * REC_COUNTERS_PER_PAGE;
            error = an_recording_file_read(file, batch.offset, batch.counter,
                                           pages * REC_PAGE_BYTES, "the counters", fault);
            if (error == 0)
                error = batch_visit(recording, &batch, visit, context, fault);
        }
    }
    free(batch.counter);
    return error;
}

struct summing {
    struct an_recording *recording;
    struct an_fault *fault;
};

/* Amounts that may be negative are summed in the bits of the unsigned fields. */
static bool signed_add(uint64_t *sum, int64_t amount)
{
    int64_t result;
    if (__builtin_add_overflow((int64_t)*sum, amount, &result))
        return false;
    *sum = (uint64_t)result;
    return true;
}

static int counter_sum(void *context, uint32_t stack, uint64_t offset,
                       const struct rec_counter *counter)
{
    const struct summing *summing = context;
    struct an_stack_values *value = &summing->recording->value[stack];
    int64_t peak = counter->epoch == summing->recording->file.header.peak_epoch
                       ? counter->saved_bytes
                       : counter->live_bytes;
    if (!__builtin_add_overflow(value->allocations, counter->allocations, &value->allocations) &&
        !__builtin_add_overflow(value->bytes, counter->bytes, &value->bytes) &&
        !__builtin_add_overflow(value->frees, counter->frees, &value->frees) &&
        !__builtin_add_overflow(value->temporary, counter->temporary, &value->temporary) &&
        signed_add(&value->live_bytes, counter->live_bytes) && signed_add(&value->peak_bytes, peak))
        return 0;
    return an_fault_set(summing->fault, -EOVERFLOW,
                        "%s: offset %" PRIu64 ": the values of stack %" PRIu32
                        " add up to more than 64 bits hold",
                        summing->recording->file.path, offset, stack);
}

int an_recording_counters_sum(struct an_recording *recording,
                              const struct an_recording_select *select, struct an_fault *fault)
{
    struct summing summing = {.recording = recording, .fault = fault};
    int error = an_recording_counters_visit(recording, select, counter_sum, &summing, fault);
    if (error != 0)
        return error;
    /* One thread's share may well be negative: it frees what others allocated. */
    bool whole = select == NULL || select->thread == NULL;
    for (uint32_t i = 0; i < recording->stack_count; i++) {
        struct an_stack_values *value = &recording->value[i];
        uint64_t *amount[] = {&value->live_bytes, &value->peak_bytes};
        for (int a = 0; a < 2; a++) {
            if ((int64_t)*amount[a] >= 0)
                continue;
            *amount[a] = 0;
            recording->negative_sums += whole;
        }
        if (value->frees <= value->allocations)
            value->live_blocks = value->allocations - value->frees;
        else
            recording->negative_sums += whole;
    }
    return 0;
}
