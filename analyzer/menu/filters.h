/*
 * filters.h -- which functions and stacks a picture leaves out, as the user chooses it.
 *
 * Context of all functions: tool, the main thread. Running out of memory ends the program.
 */
#ifndef THAG_AN_FILTERS_H
#define THAG_AN_FILTERS_H

#include "analyzer/menu/menu_parts.h"
#include "analyzer/model/facts.h"

/* Functions that were marked together. */
struct menu_filter_names {
    enum an_filter_kind kind;
    char *name; /* owned */
};

/* All zero leaves everything in. Released by menu_filter_release(). */
struct menu_filter {
    struct menu_filter_names *names; /* owned */
    uint32_t name_count;
    unsigned keep_facts, drop_facts; /* enum an_fact */
    char *keep_text, *drop_text;     /* owned; for AN_FACT_TEXT */
};
void menu_filter_release(struct menu_filter *filter);
bool menu_filter_is_empty(const struct menu_filter *filter);

/* Add what was chosen to INTO. */
void menu_filter_fill(const struct menu_filter *filter, struct an_filter *into);

/* What a filter leaves of a tree. A stack counts if it has some of VALUE. */
struct menu_counts {
    uint64_t stacks, stacks_kept;
    uint64_t amount, amount_kept;
};
void menu_filter_count(const struct menu_filter *filter, const struct an_tree *tree,
                       enum an_value value, bool in_order, struct menu_counts *ret_counts);

/* "12 of 345 stacks; 1.2 MiB of 3.4 MiB kept (35.3%), 2.2 MiB left out" */
#define MENU_COUNTS_TEXT_MAX 400
void menu_counts_text(const struct menu_counts *counts, uint64_t scale, enum an_unit unit,
                      char ret_text[MENU_COUNTS_TEXT_MAX]);

/*
 * Let the user choose a filter for a picture of RUN that COMMAND draws.
 * Result: CHOSEN when the picture is to be made; RET_FILTER is then filled.
 */
enum an_answer menu_choose_filter(struct menu *menu, const struct menu_run *run,
                                  const struct an_command *command, struct menu_filter *ret_filter);

#endif
