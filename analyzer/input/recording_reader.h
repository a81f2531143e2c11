/*
 * recording_reader.h -- the tables of a recording, checked, and its counters summed over threads.
 *
 * Works on a recording that is still being written. Tables are read in the order counters, stacks,
 * nodes, modules: each one only refers to what was published before it, so whatever a counter
 * names is there by the time that it is looked for.
 *
 * Always true after an_recording_open():
 *   - node[i].parent < i for every filled node (key != 0) but the root;
 *   - stack[i].node is a filled node, or 0 for a stack id that nothing is known of;
 *   - the sums of all stacks fit the values' types, and so does their total.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_RECORDING_READER_H
#define THAG_AN_RECORDING_READER_H

#include "analyzer/input/recording_file.h"
#include "analyzer/model/profile.h"

/* The sums of one stack over all slots. */
struct an_stack_values {
    uint64_t allocations;
    uint64_t bytes;
    uint64_t frees;
    uint64_t live_bytes;
    uint64_t live_blocks;
    uint64_t peak_bytes;
    uint64_t temporary;
    uint64_t samples;
    uint64_t sample_ns;
};

struct an_recording_module {
    struct rec_module record;
    char *path; /* owned, never NULL; "" if the recording has none */
};

/* One node of a thread's call tree; see recording_calls.h. */
struct an_call {
    uint64_t function; /* address, or enum rec_special */
    uint32_t number;   /* in the recording; they rise */
    uint32_t generation;
    uint32_t parent;
    uint32_t slot;
    bool open;
    bool timeless; /* its time is its parent's */
    uint64_t calls;
    uint64_t ticks;      /* exclusive, as recorded */
    uint64_t cost_ticks; /* of these, what the recorder itself took; may be more than there are */
    uint64_t all_cost_ticks; /* what can be taken out of it and of all below it */
    uint64_t off_cpu_ns;
    uint64_t shortest_ticks, longest_ticks; /* inclusive; UINT64_MAX, 0: there was none */
    uint64_t open_start, open_ticks;        /* of the call that is open, up to the end */
};

struct an_recording {
    struct an_recording_file file;
    struct rec_node *node;
    uint32_t node_count;
    struct rec_stack *stack;
    struct an_stack_values *value; /* as many as stacks */
    uint32_t stack_count;          /* id 0 included */
    struct rec_thread *thread;
    uint32_t thread_count;
    struct an_recording_module *module;
    uint32_t module_count;
    struct an_call *call; /* parents first */
    uint32_t call_count;
    struct rec_moment *moment; /* in the order of time */
    uint32_t moment_count;
    /* Texts of the header; NULL where there is none. */
    char *program, *arguments, *directory, *base_name, *host, *config;
    size_t arguments_bytes; /* NULs included */
    bool was_running;       /* the process could still write when the reading began */
    /* Sums over slots that came out negative and were set to 0. */
    uint64_t negative_sums;
    /* Values of stack ids that the recording does not describe (a process killed in the act). */
    uint64_t nameless_stacks;
};

struct an_recording_select {
    const char *thread; /* only the slots of this thread name; NULL: all */
};

/*
 * Read a recording.
 *
 * Inputs:   SELECT may be NULL: everything.
 * Result:   0, RET_RECORDING is then released by an_recording_close(); or -errno with FAULT set.
 * Never:    uses more memory than a few times the size of the file, whatever it holds.
 */
int an_recording_open(const char *path, const struct an_recording_select *select,
                      struct an_recording *ret_recording, struct an_fault *fault);

/* The same for a file that is open as FD, which is taken over; PATH is for messages alone. */
int an_recording_open_descriptor(int fd, const char *path, const struct an_recording_select *select,
                                 struct an_recording *ret_recording, struct an_fault *fault);

void an_recording_close(struct an_recording *recording);

/*
 * Sizes of single allocations.
 *
 * Inputs:   WANTED, if not NULL, has a byte for each stack id: 0 leaves the stack out.
 *           SELECT is as for an_recording_open().
 * Result:   0, and RET_SIZES is filled; or -errno with FAULT set.
 */
int an_recording_sizes(const struct an_recording *recording,
                       const struct an_recording_select *select, const uint8_t *wanted,
                       struct an_sizes *ret_sizes, struct an_fault *fault);

/*
 * The same for each stack by itself. RET_FACTS has room for stack_count of them; its content means
 * nothing after an error.
 */
int an_recording_stack_sizes(const struct an_recording *recording,
                             const struct an_recording_select *select,
                             struct an_size_facts *ret_facts, struct an_fault *fault);

/* True if SELECT, which may be NULL, asks for slot SLOT. */
bool an_recording_slot_selected(const struct an_recording *recording, uint32_t slot,
                                const struct an_recording_select *select);

/*
 * The sum of all stacks; its peak_bytes stay 0, for peaks of stacks are not of one moment.
 * Result: false if a value passes 64 bits; RET_TOTAL is then untouched.
 */
bool an_recording_total(const struct an_recording *recording, struct an_stack_values *ret_total);

/* How many threads ran: each taking of a slot is one. */
uint64_t an_recording_threads(const struct an_recording *recording);

/* How far the true peak may lie above header->peak_bytes: 0 while there was only one thread. */
uint64_t an_recording_peak_bound(const struct rec_header *header);

/* When the recording ended, as far as is known: its end stamp, or the last sign of life in it. */
uint64_t an_recording_end_ns(const struct an_recording *recording);

#endif
