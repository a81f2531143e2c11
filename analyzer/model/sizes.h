/*
 * sizes.h -- how large single allocations were: a count and a sum of bytes per size class.
 *
 * The classes are those of recording_format.h: eight per power of two, so that all power-of-two
 * limits are limits of classes and a percentile is right to an eighth.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_SIZES_H
#define THAG_AN_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#define AN_SIZE_CLASSES 496

struct an_sizes {
    uint64_t count[AN_SIZE_CLASSES];
    uint64_t bytes[AN_SIZE_CLASSES];
    bool any;           /* there is an allocation: the next two mean something */
    uint64_t min_bytes; /* the smallest single size; like a percentile never under the true one */
    uint64_t max_bytes; /* the largest */
    bool bytes_exact;   /* else BYTES are sums over the classes' upper limits */
};

/* The class of a size, and the largest size that falls into a class. */
unsigned an_sizes_class(uint64_t size_bytes);
uint64_t an_sizes_limit(unsigned class_number);
uint64_t an_sizes_first(unsigned class_number); /* the smallest that does */

/* Add COUNT allocations of SIZE_BYTES each; sums that would pass 2^64 - 1 stay there. */
void an_sizes_add(struct an_sizes *sizes, uint64_t size_bytes, uint64_t count);

/* Take SIZE_BYTES for the smallest size if it is smaller than that of all before. */
void an_sizes_note_min(struct an_sizes *sizes, uint64_t size_bytes);

/* Add what OTHER has. */
void an_sizes_merge(struct an_sizes *sizes, const struct an_sizes *other);

/*
 * The size which PERMILLE of all allocations do not exceed, as the upper limit of its class but
 * never over max_bytes. 0 without allocations.
 */
uint64_t an_sizes_quantile(const struct an_sizes *sizes, unsigned permille);

#endif
