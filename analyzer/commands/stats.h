/*
 * stats.h -- statistics of several values from one reading.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_STATS_H
#define THAG_AN_STATS_H

#include "analyzer/commands/command.h"

/*
 * Do what the command does, once for each of VALUES (ended by AN_VALUE_COUNT) that the files have
 * some of.
 * What is said of the heap as a whole is said once. Result: the exit status.
 */
int an_stats_run_values(const struct an_options *options, const enum an_value *values);

#endif
