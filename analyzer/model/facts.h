/*
 * facts.h -- what is true of the allocations of a stack, beyond the names on it.
 *
 * A fact is told from the values of the stack's last function. In a tree in the order of time one
 * stack has several nodes; they are taken together.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_FACTS_H
#define THAG_AN_FACTS_H

#include "analyzer/model/tree.h"

enum an_fact {
    AN_FACT_LARGE = 1u << 0,     /* allocated over AN_FACT_LARGE_BYTES in all */
    AN_FACT_TEMPORARY = 1u << 1, /* freed before the thread's next allocation, at least once */
    AN_FACT_LEAKED = 1u << 2,    /* blocks are left at the end */
    AN_FACT_FREQUENT = 1u << 3,  /* over AN_FACT_FREQUENT_PERMILLE of all allocations */
    AN_FACT_TEXT = 1u << 4,      /* some function has a text in its name; never told by these */
};

#define AN_FACT_LARGE_BYTES       (1u << 20)
#define AN_FACT_FREQUENT_PERMILLE 10u

/* The facts that the values of TREE can tell. */
unsigned an_facts_known(const struct an_tree *tree);

/* The facts of each node's stack. node_count entries, freed by free(). */
uint8_t *an_facts_of(const struct an_tree *tree);

#endif
