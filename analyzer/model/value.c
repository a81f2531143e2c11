/*
 * value.c -- the weights that a call tree can carry, with their names and units.
 */
#include "analyzer/model/value.h"

#include <string.h>

struct value_row {
    const char *name;
    const char *title;
    enum an_unit unit;
};

static const struct value_row value_rows[AN_VALUE_COUNT] = {
    [AN_TIME] = {"time", "time", AN_UNIT_NS},
    [AN_INCLUSIVE] = {"inclusive", "inclusive time", AN_UNIT_NS},
    [AN_CALLS] = {"calls", "calls", AN_UNIT_COUNT},
    [AN_ON_CPU] = {"on_cpu", "time on the CPU", AN_UNIT_NS},
    [AN_OFF_CPU] = {"off_cpu", "time off the CPU", AN_UNIT_NS},
    [AN_SAMPLE_TIME] = {"sample_time", "sampled time", AN_UNIT_NS},
    [AN_SAMPLES] = {"samples", "samples", AN_UNIT_COUNT},
    [AN_BYTES] = {"bytes", "bytes allocated", AN_UNIT_BYTES},
    [AN_ALLOCATIONS] = {"allocations", "allocations", AN_UNIT_COUNT},
    [AN_FREES] = {"frees", "frees", AN_UNIT_COUNT},
    [AN_LIVE_BYTES] = {"live_bytes", "bytes live at the end", AN_UNIT_BYTES},
    [AN_LIVE_BLOCKS] = {"live_blocks", "blocks live at the end", AN_UNIT_COUNT},
    [AN_PEAK_BYTES] = {"peak_bytes", "bytes live at the peak", AN_UNIT_BYTES},
    [AN_TEMPORARY] = {"temporary", "temporary allocations", AN_UNIT_COUNT},
};

const char *an_value_name(enum an_value value)
{
    return value_rows[value].name;
}

const char *an_value_title(enum an_value value)
{
    return value_rows[value].title;
}

enum an_unit an_value_unit(enum an_value value)
{
    return value_rows[value].unit;
}

bool an_value_find(const char *name, enum an_value *ret_value)
{
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        if (strcmp(value_rows[value].name, name) == 0) {
            *ret_value = (enum an_value)value;
            return true;
        }
    }
    return false;
}

static const char *const unit_names[] = {
    [AN_UNIT_NS] = "ns",
    [AN_UNIT_US] = "us",
    [AN_UNIT_BYTES] = "bytes",
    [AN_UNIT_COUNT] = "count",
};

const char *an_unit_name(enum an_unit unit)
{
    return unit_names[unit];
}

bool an_unit_find(const char *name, enum an_unit *ret_unit)
{
    for (unsigned unit = 0; unit < sizeof(unit_names) / sizeof(unit_names[0]); unit++) {
        if (strcmp(unit_names[unit], name) == 0) {
            *ret_unit = (enum an_unit)unit;
            return true;
        }
    }
    return false;
}
