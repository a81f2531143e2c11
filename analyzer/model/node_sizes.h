/*
 * node_sizes.h -- the sizes of single allocations by the node that made them, as long as it is not
 * known which nodes count: a filter may need the whole tree.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_NODE_SIZES_H
#define THAG_AN_NODE_SIZES_H

#include "analyzer/model/sizes.h"

struct an_node_sizes;

struct an_node_sizes *an_node_sizes_new(void);
void an_node_sizes_free(struct an_node_sizes *sizes);

/* Memory goes with the number of different pairs, not with the number of calls. */
void an_node_sizes_add(struct an_node_sizes *sizes, uint32_t node, uint64_t size_bytes);

/* Add the sizes of all nodes n with WANTED[n] other than 0 to INTO. */
void an_node_sizes_sum(const struct an_node_sizes *sizes, const uint8_t *wanted,
                       struct an_sizes *into);

#endif
