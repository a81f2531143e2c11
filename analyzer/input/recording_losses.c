/*
 * recording_losses.c -- what a recording says was lost or is limited, in words.
 */
#include "analyzer/input/recording_losses.h"

#include <inttypes.h>
#include <string.h>

static uint64_t spans_lost(const struct an_recording *recording)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < recording->thread_count; i++)
        lost += recording->thread[i].spans_lost;
    return lost;
}

void an_recording_losses(const struct an_recording *recording, struct an_recording_loss *ret_loss)
{
    const struct rec_header *header = &recording->file.header;
    const struct an_recording_loss losses[AN_RECORDING_LOSSES] = {
        {"events_lost", header->events_lost, "allocations and frees could not be recorded at all"},
        {"stacks_unknown", header->stacks_unknown,
         "events have no call stack; they are counted under [unknown]"},
        {"before_start_allocations", header->before_start_allocations,
         "allocations were made before the recorder could start"},
        {"before_start_bytes", header->before_start_bytes,
         "bytes were allocated before the recorder could start"},
        {"unknown_frees", header->unknown_frees,
         "freed blocks were not allocated under the recorder"},
        {"nested_calls", header->nested_calls,
         "heap calls from inside the allocator itself are part of their outer call"},
        {"guard_takeovers", header->guard_takeovers,
         "times a signal handler jumped out of the recorder; the event of that moment may be "
         "missing"},
        {"full", header->full_ns != 0 ? 1 : 0,
         "time the file or the disk was full: nothing after it is recorded"},
        {"events_merged", header->events_merged,
         "events of detail mode were added to others of their stack: the room for them was full"},
        {"negative_sums", recording->negative_sums, "sums came out negative and are shown as 0"},
        {"nameless_stacks", recording->nameless_stacks,
         "stacks were not written before the process ended; they are counted under [unknown]"},
        {"calls_folded", header->calls_folded,
         "calls had no room of their own; their time is their callers'"},
        {"clock_steps_back", header->clock_steps_back,
         "calls ended before they began, by their clock; they count as 0"},
        {"sample_lost_ms", header->sample_lost_ns / 1000000,
         "ms were not sampled: threads blocked every signal up to the end"},
        {"sample_refused", header->sample_refused,
         "threads were not sampled: the kernel gave them no timer (see ulimit -i)"},
        {"sample_end_signals", header->sample_end == REC_SAMPLE_END_SIGNALS,
         "time samples ended early: the program uses all real-time signals itself"},
        {"sample_end_sandbox", header->sample_end == REC_SAMPLE_END_SANDBOX,
         "time samples ended early: the program put itself under a seccomp filter"},
        {"spans_lost", spans_lost(recording),
         "calls are in the sums but not in the flamechart: a signal handler made them while the "
         "recorder made room"},
    };
    memcpy(ret_loss, losses, sizeof(losses));
}

void an_recording_losses_note(const struct an_recording *recording, struct an_profile *profile)
{
    /* Normal in any program: not worth a sentence under every table. */
    static const char *const silent[] = {"before_start_allocations", "before_start_bytes",
                                         "unknown_frees", "nested_calls"};
    struct an_recording_loss loss[AN_RECORDING_LOSSES];
    an_recording_losses(recording, loss);
    for (int i = 0; i < AN_RECORDING_LOSSES; i++) {
        bool skip = loss[i].count == 0;
        for (size_t s = 0; s < sizeof(silent) / sizeof(silent[0]); s++)
            skip |= strcmp(loss[i].key, silent[s]) == 0;
        if (!skip)
            an_profile_note(profile, "%" PRIu64 " %s", loss[i].count, loss[i].words);
    }
}
