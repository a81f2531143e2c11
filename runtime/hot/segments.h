/*
 * segments.h -- tables in the recording that grow without moving.
 *
 * A table whose first segment has 2^shift records doubles with each further segment: segment s
 * holds 2^(shift + s) records, and record i lies in the segment of the highest bit of
 * i + 2^shift. So a table starts with one page, and a record's address stays valid for ever.
 */
#ifndef THAG_RT_SEGMENTS_H
#define THAG_RT_SEGMENTS_H

#include <stdint.h>

/* The last segment of the largest first one, 2^9, has 2^31 records: their count fits a word. */
enum { SEGMENTS = 23 };

struct segments_place {
    uint32_t segment;
    uint32_t first;   /* number of the segment's first record */
    uint32_t index;   /* within the segment */
    uint32_t records; /* in the segment */
};

static inline struct segments_place segments_place(uint32_t record, unsigned shift)
{
    uint64_t position = (uint64_t)record + (UINT64_C(1) << shift);
    uint32_t segment = 63u - (uint32_t)__builtin_clzll(position) - shift;
    uint64_t base = UINT64_C(1) << (shift + segment);
    return (struct segments_place){segment, (uint32_t)(base - (UINT64_C(1) << shift)),
                                   (uint32_t)(position - base), (uint32_t)base};
}

#endif
