/*
 * groups.h -- the runs of a directory that have what is looked at, by program.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_GROUPS_H
#define THAG_AN_GROUPS_H

#include "analyzer/menu/menu_parts.h"

struct menu_group {
    uint32_t first, count; /* places in struct menu_runs.run */
};

struct menu_runs {
    const char *directory;
    const struct menu_subject *subject;
    const struct an_run **run; /* groups by newest run; in a group the newest first */
    uint32_t run_count;
    struct menu_group *group;
    uint32_t group_count;
};

/*
 * RUNS is as an_runs_scan() left it, SIDES has what each of them has. Both have to live as long as
 * RET_RUNS, which menu_runs_release() ends. DIFFERENTIAL: only those that can be compared, which
 * inclusive times cannot.
 */
void menu_runs_select(struct menu_runs *ret_runs, const char *directory, const struct an_runs *runs,
                      const unsigned *sides, const struct menu_subject *subject, bool differential);
void menu_runs_release(struct menu_runs *runs);

const char *menu_group_program(const struct menu_runs *runs, uint32_t group);
uint32_t menu_group_size(const struct menu_runs *runs, uint32_t group);

/* A row for each group, and for each run of one, in their order. */
struct an_table *menu_group_table(const struct menu_runs *runs);
struct an_table *menu_run_table(const struct menu_runs *runs, uint32_t group);

/*
 * Run ROW of a group, with the path of the file that is to be read: the recording if it has the
 * subject, else the folded file that says most of it. The path is freed by free().
 */
struct menu_run menu_run_at(const struct menu_runs *runs, uint32_t group, uint32_t row);

#endif
