/*
 * export.h -- a profile in the formats of other tools.
 *
 * All are written as they go: beside the tree they need a few words per node. Write errors stay in
 * OUT, see ferror().
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_EXPORT_H
#define THAG_AN_EXPORT_H

#include <stdio.h>

#include "analyzer/model/order.h"
#include "analyzer/model/profile.h"

/* All values of all nodes, a flat list in which parents come before children. */
void an_export_json(const struct an_profile *profile, FILE *out);

/* All values, a line per stack that owns anything. */
void an_export_csv(const struct an_profile *profile, FILE *out);

/*
 * For speedscope.app: a profile per value that adds up, VALUE the one shown first. Frames open and
 * close instead of repeating each stack, so the size follows the number of nodes. With a timeline
 * of VALUE one profile per lane comes before them, of single calls at their times.
 */
void an_export_speedscope(const struct an_profile *profile, enum an_value value,
                          enum an_order_by order, FILE *out);

/*
 * For Perfetto and chrome://tracing: with a timeline of VALUE a track per lane, of single calls at
 * their times, and live memory as a counter. Without one, a track on which every node lasts as long
 * as its total: a picture of sums, not of what happened when.
 */
void an_export_chrome(const struct an_profile *profile, enum an_value value, enum an_order_by order,
                      FILE *out);

/*
 * For pprof: gzip-compressed protocol buffer, all values that add up, VALUE the default.
 * Result: 0; -EOVERFLOW if an amount passes 2^63 - 1, which the format cannot hold; -EIO.
 */
int an_export_pprof(const struct an_profile *profile, enum an_value value, FILE *out);

#endif
