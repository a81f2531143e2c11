/*
 * filter.h -- leaves frames and values out of a call tree, by the names of functions.
 *
 * A stack is the way from the root to a node; its value is the node's own. For every stack, as it
 * was read:
 *   include       it stays only if a function of it matches one of these;
 *   focus         it stays only if each of these matches a function of it;
 *   exclude       it goes if any function of it matches ("exclude recursively");
 *   exclude_self  it goes if its last function matches; what that one calls stays ("exclude
 *                 exactly");
 *   show_from     it goes unless a function matches, and frames above the outermost match are cut;
 *   facts         what is true of its allocations, see facts.h and an_filter_add_facts();
 *   hide          matching frames are taken out; what they call moves up to their caller, their
 *                 own value too.
 * Filtering the stacks one by one and then summing gives the same as filtering the tree.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_FILTER_H
#define THAG_AN_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/model/facts.h"
#include "analyzer/model/tree.h"
#include "analyzer/support/fault.h"

enum an_filter_kind {
    AN_FILTER_INCLUDE,
    AN_FILTER_FOCUS,
    AN_FILTER_EXCLUDE,
    AN_FILTER_EXCLUDE_SELF,
    AN_FILTER_SHOW_FROM,
    AN_FILTER_HIDE,
    AN_FILTER_KIND_COUNT,
};

/* No more focuses than this; of the other kinds there is no limit. */
#define AN_FILTER_FOCUS_MAX 32

struct an_filter;

struct an_filter *an_filter_new(bool ignore_case);
void an_filter_free(struct an_filter *filter);

/*
 * Add a regular expression (PCRE2). It is searched for anywhere in a function's name.
 * Result: 0, or -EINVAL with FAULT saying what is wrong with it.
 */
int an_filter_add(struct an_filter *filter, enum an_filter_kind kind, const char *pattern,
                  struct an_fault *fault);

/* Add a function by its exact name. */
void an_filter_add_name(struct an_filter *filter, enum an_filter_kind kind, const char *name);

/*
 * Add facts (enum an_fact) of which any will do: KEEP leaves only stacks that have one in, else
 * such stacks go. TEXT goes with AN_FACT_TEXT: some function of the stack has it in its name, in
 * any case. Without that bit it may be NULL. Once for each KEEP.
 */
void an_filter_add_facts(struct an_filter *filter, bool keep, unsigned facts, const char *text);

/* An expression that finds TEXT and nothing else. Freed by free(). */
char *an_filter_quote(const char *text);

/* True if nothing was added. */
bool an_filter_is_empty(const struct an_filter *filter);

/* True if the name of BYTES bytes is meant by anything of KIND that was added. */
bool an_filter_means(const struct an_filter *filter, enum an_filter_kind kind, const char *name,
                     size_t bytes);

/* True if anything of KIND was added. */
bool an_filter_has(const struct an_filter *filter, enum an_filter_kind kind);

/*
 * A new tree of what stays, with the same values present. IN_ORDER: the tree is one in the order of
 * time, of which only adjacent nodes are merged.
 */
struct an_tree *an_filter_apply(const struct an_filter *filter, const struct an_tree *tree,
                                bool in_order);

/* The same, and for each node of TREE its node in the new one; UINT32_MAX: it is taken out. */
struct an_tree *an_filter_apply_placing(const struct an_filter *filter, const struct an_tree *tree,
                                        bool in_order, uint32_t *ret_node);

/* For each node of TREE 1 where its own value stays, else 0. Freed by free(). */
uint8_t *an_filter_kept(const struct an_filter *filter, const struct an_tree *tree);

#endif
