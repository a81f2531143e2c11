/*
 * function_list.h -- functions that the function hooks are to record, or to pass over.
 *
 * Written before a program starts, named to it by the variable THAG_FUNCTIONS, read once. One
 * header, then its modules, then its ranges:
 *
 *     struct rec_list_header, struct rec_list_module[], struct rec_list_range[]
 *
 * Always true in a valid list:
 *   - a module's ranges lie in the list, in ascending order, and do not overlap;
 *   - each module has a build-id: what has none cannot be told apart.
 *
 * Includes nothing but stdint.h.
 */
#ifndef THAG_REC_FUNCTION_LIST_H
#define THAG_REC_FUNCTION_LIST_H

#include <stdint.h>

#define REC_LIST_MAGIC       UINT64_C(0x736e757467616874) /* "thagtuns", little-endian */
#define REC_LIST_VERSION     1u
#define REC_LIST_MODULES_MAX 4096u
#define REC_LIST_RANGES_MAX  (1u << 21)

struct rec_list_header {
    uint64_t magic;
    uint32_t version;
    uint32_t passes_over; /* 1: the functions of the list are passed over; 0: all others are */
    uint32_t module_count;
    uint32_t range_count;
};

struct rec_list_module {
    uint8_t build_id[32];
    uint32_t build_id_bytes;
    uint32_t first_range;
    uint32_t range_count;
    uint32_t reserved;
};

/* Addresses in the file's own numbering, END behind the last. */
struct rec_list_range {
    uint64_t start, end;
};

_Static_assert(sizeof(struct rec_list_header) == 24, "struct rec_list_header has another size");
_Static_assert(sizeof(struct rec_list_module) == 48, "struct rec_list_module has another size");
_Static_assert(sizeof(struct rec_list_range) == 16, "struct rec_list_range has another size");

#endif
