/*
 * graph.h -- what the commands share that make a page.
 *
 * Context of all functions: tool.
 */
#ifndef THAG_AN_GRAPH_H
#define THAG_AN_GRAPH_H

#include "analyzer/commands/command.h"
#include "analyzer/output/page.h"

/* "DIR/STEM-KIND.html" beside INPUT, or here for standard input. Freed by free(). */
char *an_graph_default_path(const struct an_options *options, const char *input, const char *kind);

/* --format, else what the name of the output says. */
enum an_page_format an_graph_format(const struct an_options *options);

/*
 * Write TREE as PAGE says to -o or DEFAULT_PATH, print the path, show it where that is wanted.
 * Result: the exit status.
 */
int an_graph_make(const struct an_command *command, const struct an_options *options,
                  const char *default_path, const struct an_tree *tree,
                  const struct an_page_options *page);

#endif
