/*
 * recording_size_facts.c -- the smallest and the largest single allocation of each tree node.
 */
#include "analyzer/input/recording_size_facts.h"

#include <stdlib.h>

#include "analyzer/input/recording_events.h"
#include "analyzer/support/memory.h"

/* What the events say of a stack. */
struct event_sizes {
    uint64_t count; /* of events that are one allocation */
    uint64_t smallest;
};

static int event_note(void *context, const struct rec_event *event)
{
    struct event_sizes *sizes = &((struct event_sizes *)context)[event->stack];
    bool freed = (event->kind_count & REC_EVENT_FREE) != 0;
    if (freed || REC_EVENT_COUNT(event->kind_count) != 1)
        return 0;
    if (sizes->count++ == 0 || event->bytes < sizes->smallest)
        sizes->smallest = event->bytes;
    return 0;
}

/* Events that were merged, or that are of other threads, do not make up a stack's count. */
static void facts_sharpen(const struct an_recording *recording, struct an_size_facts *facts)
{
    struct event_sizes *sizes =
        an_memory_zeroed((size_t)recording->stack_count + 1, sizeof(*sizes));
    struct an_fault fault;
    int error = an_recording_events_visit(recording, event_note, sizes, &fault);
    for (uint32_t i = 0; i < recording->stack_count && error == 0; i++) {
        bool all = sizes[i].count == facts[i].count;
        if (all && sizes[i].smallest >= facts[i].least && sizes[i].smallest <= facts[i].smallest)
            facts[i].least = facts[i].smallest = sizes[i].smallest;
    }
    free(sizes);
}

/*
 * The smallest is not over the average of all but the largest, and of two it is the other one.
 * Without this the bound of a class may stand above the average that is shown beside it.
 */
static void facts_bound(struct an_size_facts *facts, const struct an_stack_values *value)
{
    if (facts->count < 2 || facts->count != value->allocations || facts->largest > value->bytes)
        return;
    uint64_t average = (value->bytes - facts->largest) / (facts->count - 1);
    if (average < facts->least || average >= facts->smallest)
        average = facts->smallest;
    facts->smallest = average;
    if (facts->count == 2 && average == value->bytes - facts->largest)
        facts->least = average;
}

void an_recording_note_sizes(const struct an_recording *recording, const char *thread,
                             const uint32_t *place, struct an_profile *profile)
{
    const struct an_recording_select select = {.thread = thread};
    size_t room = (size_t)recording->stack_count + 1;
    struct an_size_facts *facts = an_memory_array(room, sizeof(*facts));
    struct an_fault fault;
    int error = an_recording_stack_sizes(recording, &select, facts, &fault);
    if (error == 0 && thread == NULL)
        facts_sharpen(recording, facts);
    for (uint32_t i = 0; i < recording->stack_count && error == 0; i++) {
        if (facts[i].count == 0)
            continue;
        facts_bound(&facts[i], &recording->value[i]);
        an_tree_note_sizes(profile->tree, place[i], &facts[i]);
    }
    if (error != 0)
        an_profile_note(profile, "%s; sizes of single allocations are not shown", fault.text);
    free(facts);
}
