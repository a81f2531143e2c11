/*
 * value.h -- the weights that a call tree can carry, with their names and units.
 */
#ifndef THAG_AN_VALUE_H
#define THAG_AN_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are offered. The names are those of --value. */
enum an_value {
    AN_TIME,        /* exclusive time of calls, ns */
    AN_INCLUSIVE,   /* inclusive time of calls, ns */
    AN_CALLS,       /* finished and open calls */
    AN_ON_CPU,      /* exclusive time on the CPU, ns */
    AN_OFF_CPU,     /* exclusive time off the CPU, ns */
    AN_SAMPLE_TIME, /* sampled time, ns */
    AN_SAMPLES,     /* samples */
    AN_BYTES,       /* bytes allocated */
    AN_ALLOCATIONS, /* allocations */
    AN_FREES,       /* frees of these allocations */
    AN_LIVE_BYTES,  /* bytes not freed at the end */
    AN_LIVE_BLOCKS, /* blocks not freed at the end */
    AN_PEAK_BYTES,  /* bytes live at the global peak */
    AN_TEMPORARY,   /* allocations freed before the thread's next one */
    AN_VALUE_COUNT,
};

enum an_unit { AN_UNIT_NS, AN_UNIT_US, AN_UNIT_BYTES, AN_UNIT_COUNT };

/* The name of a value as --value takes it, and the words for people ("bytes allocated"). */
const char *an_value_name(enum an_value value);
const char *an_value_title(enum an_value value);
enum an_unit an_value_unit(enum an_value value);

/* The short name of a unit as --unit takes it: "ns", "us", "bytes", "count". */
const char *an_unit_name(enum an_unit unit);

/* False if NAME is no value's (no unit's) name; RET_VALUE (RET_UNIT) is then untouched. */
bool an_value_find(const char *name, enum an_value *ret_value);
bool an_unit_find(const char *name, enum an_unit *ret_unit);

#endif
