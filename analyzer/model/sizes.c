/*
 * sizes.c -- how large single allocations were.
 */
#include "analyzer/model/sizes.h"

#include "runtime/format/recording_format.h"

_Static_assert(AN_SIZE_CLASSES == REC_OCTAVES * REC_OCTAVE_CLASSES, "as in the recording");

unsigned an_sizes_class(uint64_t size_bytes)
{
    uint64_t v = size_bytes ? size_bytes - 1 : 0;
    if (v < 8)
        return (unsigned)v;
    unsigned e = 63u - (unsigned)__builtin_clzll(v);
    unsigned class_number = 8 * (e - 2) + ((v >> (e - 3)) & 7);
    return class_number < AN_SIZE_CLASSES ? class_number : AN_SIZE_CLASSES - 1;
}

uint64_t an_sizes_limit(unsigned class_number)
{
    if (class_number < 8)
        return class_number + 1;
    if (class_number >= AN_SIZE_CLASSES - 1)
        return UINT64_MAX;
    unsigned e = class_number / 8 + 2;
    uint64_t first = (UINT64_C(8) + class_number % 8) << (e - 3);
    return first + (UINT64_C(1) << (e - 3));
}

uint64_t an_sizes_first(unsigned class_number)
{
    return class_number == 0 ? 0 : an_sizes_limit(class_number - 1) + 1;
}

static uint64_t sizes_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void an_sizes_note_min(struct an_sizes *sizes, uint64_t size_bytes)
{
    if (!sizes->any || size_bytes < sizes->min_bytes)
        sizes->min_bytes = size_bytes;
    sizes->any = true;
}

void an_sizes_add(struct an_sizes *sizes, uint64_t size_bytes, uint64_t count)
{
    unsigned class_number = an_sizes_class(size_bytes);
    uint64_t bytes;
    if (__builtin_mul_overflow(size_bytes, count, &bytes))
        bytes = UINT64_MAX;
    sizes->count[class_number] = sizes_sum(sizes->count[class_number], count);
    sizes->bytes[class_number] = sizes_sum(sizes->bytes[class_number], bytes);
    if (count)
        an_sizes_note_min(sizes, size_bytes);
    if (size_bytes > sizes->max_bytes)
        sizes->max_bytes = size_bytes;
}

void an_sizes_merge(struct an_sizes *sizes, const struct an_sizes *other)
{
    for (unsigned i = 0; i < AN_SIZE_CLASSES; i++) {
        sizes->count[i] = sizes_sum(sizes->count[i], other->count[i]);
        sizes->bytes[i] = sizes_sum(sizes->bytes[i], other->bytes[i]);
    }
    if (other->any)
        an_sizes_note_min(sizes, other->min_bytes);
    if (other->max_bytes > sizes->max_bytes)
        sizes->max_bytes = other->max_bytes;
    sizes->bytes_exact = sizes->bytes_exact && other->bytes_exact;
}

uint64_t an_sizes_quantile(const struct an_sizes *sizes, unsigned permille)
{
    unsigned __int128 total = 0;
    for (unsigned i = 0; i < AN_SIZE_CLASSES; i++)
        total += sizes->count[i];
    unsigned __int128 seen = 0;
    for (unsigned i = 0; i < AN_SIZE_CLASSES; i++) {
        seen += sizes->count[i];
        if (sizes->count[i] && seen * 1000 >= total * permille) {
            uint64_t limit = an_sizes_limit(i);
            return limit < sizes->max_bytes ? limit : sizes->max_bytes;
        }
    }
    return 0;
}
