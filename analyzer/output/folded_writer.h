/*
 * folded_writer.h -- a call tree as folded stacks, for flamegraph.pl, inferno, speedscope and ours.
 *
 * "frame;frame;frame N", one line per stack, root first. `;` and control characters in names are
 * replaced, as are bytes that are no UTF-8: no reader of such files agrees on anything else.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_FOLDED_WRITER_H
#define THAG_AN_FOLDED_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/model/order.h"
#include "analyzer/model/tree.h"

struct an_folded_output {
    enum an_value value;
    uint64_t scale;   /* amounts are that many times too large */
    bool nanoseconds; /* times in ns; else in microseconds */
    /* Amounts that are no whole number of the unit are written with a fraction; else rounded to the
     * nearest. */
    bool exact;
    enum an_order_by order; /* of siblings: by name, by value or as they were seen */
};

/*
 * Write a line for every node that owns some of the value, also if that rounds to 0; of times, for
 * all that was called too, however short it was, or where calls are not known for every last
 * function.
 * Write errors stay in OUT, see ferror().
 */
void an_folded_write(const struct an_tree *tree, const struct an_folded_output *output, FILE *out);

/* One frame as it stands in a folded line. */
void an_folded_write_frame(FILE *out, const char *name, size_t bytes);

#endif
