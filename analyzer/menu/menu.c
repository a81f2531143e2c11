/*
 * menu.c -- the guided menu: what to look at, which program, which run.
 */
#include "analyzer/menu/menu.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/menu/groups.h"
#include "analyzer/menu/menu_parts.h"
#include "analyzer/menu/prompts.h"
#include "analyzer/menu/screen/screen.h"
#include "analyzer/output/amount.h"
#include "analyzer/support/memory.h"

const struct menu_subject menu_subjects[AN_SUBJECT_COUNT] = {
    {AN_SUBJECT_TIME, AN_RUN_TIME, AN_TIME, "time", true},
    {AN_SUBJECT_MEMORY, AN_RUN_MEMORY, AN_BYTES, "memory", true},
    {AN_SUBJECT_SAMPLE, AN_RUN_SAMPLE, AN_SAMPLE_TIME, "samples", false},
};

void menu_set_place(struct menu *menu, const char *const *words)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    an_command_print_name(out, menu->title);
    for (; *words; words++) {
        fputs(" > ", out);
        an_command_print_name(out, *words);
    }
    fclose(out);
    free((char *)menu->front->place);
    menu->front->place = text;
}

/* What is to be said once goes above the list that comes next. */
static enum an_answer menu_show(struct menu *menu, struct an_list *list)
{
    char notice[sizeof(menu->notice)];
    strcpy(notice, menu->notice);
    menu->notice[0] = '\0';
    if (notice[0] && !list->note)
        list->note = notice;
    enum an_answer answer = menu->front->show(menu->front, list);
    list->note = NULL;
    return answer;
}

enum an_answer menu_choose(struct menu *menu, const struct menu_question *question, uint32_t *row)
{
    static const struct an_table_column column[] = {{"", AN_ALIGN_LEFT}};
    struct an_table *table = an_table_new(column, 1);
    struct an_list list;
    for (uint32_t i = 0; i < question->count; i++)
        an_table_cell(table, question->rows[i]);
    an_list_init(&list, AN_LIST_CHOOSE, question->question, table);
    list.note = question->note;
    an_list_select(&list, *row);
    enum an_answer answer = menu_show(menu, &list);
    if (answer == AN_ANSWER_CHOSEN)
        *row = an_list_row(&list);
    an_list_release(&list);
    return answer;
}

enum an_answer menu_read(struct menu *menu, const char *question, const char *text)
{
    struct an_list list;
    an_list_init_text(&list, question, text);
    enum an_answer answer = menu_show(menu, &list);
    an_list_release(&list);
    return answer;
}

static enum an_answer menu_choose_group(struct menu *menu, const struct menu_runs *runs,
                                        const char *question, uint32_t *group)
{
    struct an_list list;
    an_list_init(&list, AN_LIST_CHOOSE, question, menu_group_table(runs));
    list.titled = true;
    an_list_select(&list, *group);
    enum an_answer answer = menu_show(menu, &list);
    if (answer == AN_ANSWER_CHOSEN)
        *group = an_list_row(&list);
    an_list_release(&list);
    return answer;
}

/* RET_RUN's path is the caller's to free. */
static enum an_answer menu_choose_run(struct menu *menu, const struct menu_runs *runs,
                                      uint32_t group, const char *question, uint32_t *row,
                                      struct menu_run *ret_run)
{
    struct an_list list;
    an_list_init(&list, AN_LIST_CHOOSE, question, menu_run_table(runs, group));
    list.titled = true;
    an_list_select(&list, *row);
    enum an_answer answer = menu_show(menu, &list);
    if (answer == AN_ANSWER_CHOSEN) {
        *row = an_list_row(&list);
        *ret_run = menu_run_at(runs, group, *row);
    }
    an_list_release(&list);
    return answer;
}

static enum an_answer menu_single(struct menu *menu, const struct menu_runs *runs, uint32_t group)
{
    uint32_t row = 0;
    for (;;) {
        struct menu_run run;
        const char *place[] = {runs->subject->title, menu_group_program(runs, group), NULL};
        menu_set_place(menu, place);
        enum an_answer answer = menu_choose_run(menu, runs, group, "Which run?", &row, &run);
        if (answer != AN_ANSWER_CHOSEN)
            return answer;
        answer = menu_actions(menu, &run);
        free(run.path);
        if (answer == AN_ANSWER_QUIT)
            return answer;
    }
}

static enum an_answer menu_after(struct menu *menu, const struct menu_runs *runs, uint32_t group,
                                 const struct menu_run *before)
{
    uint32_t row = 0;
    for (;;) {
        struct menu_run after;
        const char *place[] = {runs->subject->title, before->run->base, NULL};
        menu_set_place(menu, place);
        enum an_answer answer =
            menu_choose_run(menu, runs, group, "Which run is the one after?", &row, &after);
        if (answer != AN_ANSWER_CHOSEN)
            return answer;
        answer = menu_compare(menu, before, &after);
        free(after.path);
        if (answer == AN_ANSWER_QUIT)
            return answer;
    }
}

static enum an_answer menu_differential(struct menu *menu, const struct menu_runs *runs,
                                        uint32_t group)
{
    /* The one before the newest is what one mostly starts from. */
    uint32_t row = menu_group_size(runs, group) > 1 ? 1 : 0;
    for (;;) {
        struct menu_run before;
        const char *place[] = {runs->subject->title, menu_group_program(runs, group), NULL};
        menu_set_place(menu, place);
        enum an_answer answer =
            menu_choose_run(menu, runs, group, "Which run is the one before?", &row, &before);
        if (answer != AN_ANSWER_CHOSEN)
            return answer;
        answer = menu_after(menu, runs, group, &before);
        free(before.path);
        if (answer == AN_ANSWER_QUIT)
            return answer;
    }
}

static enum an_answer menu_groups(struct menu *menu, const struct menu_runs *runs,
                                  bool differential)
{
    uint32_t group = 0;
    for (;;) {
        const char *place[] = {runs->subject->title, NULL};
        menu_set_place(menu, place);
        enum an_answer answer = menu_choose_group(menu, runs, "Which program?", &group);
        if (answer != AN_ANSWER_CHOSEN)
            return answer;
        answer =
            differential ? menu_differential(menu, runs, group) : menu_single(menu, runs, group);
        if (answer == AN_ANSWER_QUIT)
            return answer;
    }
}

/* An analysis of the first list. */
struct menu_analysis {
    const struct menu_subject *subject; /* NULL: leave */
    bool differential;
};
#define MENU_ANALYSES_MAX (2 * AN_SUBJECT_COUNT + 1)

static struct an_table *menu_analysis_table(const struct an_runs *runs, const unsigned *sides,
                                            struct menu_analysis *ret_analysis)
{
    static const struct an_table_column columns[] = {{"", AN_ALIGN_LEFT}, {"", AN_ALIGN_LEFT}};
    struct an_table *table = an_table_new(columns, 2);
    uint32_t count = 0;
    for (int i = 0; i < AN_SUBJECT_COUNT; i++) {
        const struct menu_subject *subject = &menu_subjects[i];
        uint32_t found = 0;
        for (uint32_t run = 0; run < runs->count; run++)
            found += (sides[run] & subject->side) != 0;
        for (int differential = 0; differential < 2 && (found || subject->always); differential++) {
            char title[60], text[60], count_text[AN_AMOUNT_MAX];
            an_amount_text(found, 1, AN_UNIT_COUNT, count_text);
            snprintf(title, sizeof(title), "%s %s", subject->title,
                     differential ? "differential" : "single");
            snprintf(text, sizeof(text), "%s run%s", count_text, found == 1 ? "" : "s");
            an_table_cell(table, title);
            an_table_cell(table, differential ? "" : text);
            ret_analysis[count++] = (struct menu_analysis){subject, differential};
        }
    }
    an_table_cell(table, "exit");
    an_table_cell(table, "");
    ret_analysis[count] = (struct menu_analysis){NULL, false};
    return table;
}

/* Result: CHOSEN: go on with the first list, which may look different now. */
static enum an_answer menu_analyse(struct menu *menu, const struct an_runs *runs,
                                   const unsigned *sides, uint32_t *row)
{
    static const char *const nowhere[] = {NULL};
    struct menu_analysis analysis[MENU_ANALYSES_MAX];
    struct an_list list;
    menu_set_place(menu, nowhere);
    an_list_init(&list, AN_LIST_CHOOSE, "What do you want to look at?",
                 menu_analysis_table(runs, sides, analysis));
    if (runs->count == 0 && !menu->notice[0])
        list.note = "No recorded runs are in this directory.";
    an_list_select(&list, *row);
    enum an_answer answer = menu_show(menu, &list);
    if (answer == AN_ANSWER_CHOSEN)
        *row = an_list_row(&list);
    an_list_release(&list);
    if (answer != AN_ANSWER_CHOSEN || !analysis[*row].subject)
        return AN_ANSWER_QUIT;
    struct menu_runs chosen;
    menu_runs_select(&chosen, menu->directory, runs, sides, analysis[*row].subject,
                     analysis[*row].differential);
    answer = menu_groups(menu, &chosen, analysis[*row].differential);
    menu_runs_release(&chosen);
    return answer == AN_ANSWER_QUIT ? answer : AN_ANSWER_CHOSEN;
}

/* The directory is looked at again whenever the first list is shown. */
static int menu_loop(struct menu *menu)
{
    uint32_t row = 0;
    enum an_answer answer = AN_ANSWER_CHOSEN;
    while (answer == AN_ANSWER_CHOSEN) {
        struct an_runs runs;
        int failed = an_runs_scan(menu->directory, &runs);
        if (failed)
            return failed;
        unsigned *sides = an_memory_array(runs.count, sizeof(*sides));
        for (uint32_t i = 0; i < runs.count; i++)
            sides[i] = an_run_sides(menu->directory, &runs.run[i]);
        answer = menu_analyse(menu, &runs, sides, &row);
        free(sides);
        an_runs_release(&runs);
    }
    return 0;
}

int an_menu_run(const char *directory)
{
    struct menu menu = {.directory = directory, .title = directory};
    char *real = realpath(directory, NULL);
    struct an_runs runs;
    struct an_fault fault = {""};
    /* The last part of the path; the root has none. */
    if (real && real[1])
        menu.title = strrchr(real, '/') + 1;
    /* Before the screen is taken, so that the message stays. */
    int failed = an_runs_scan(directory, &runs);
    if (!failed) {
        an_runs_release(&runs);
        if (an_settings_load(&menu.settings, &fault) != 0)
            snprintf(menu.notice, sizeof(menu.notice), "Settings are ignored: %.900s", fault.text);
        menu.front = an_screen_open();
        if (!menu.front)
            menu.front = an_prompts_open(stdin, stdout);
        failed = menu_loop(&menu);
        char *place = (char *)menu.front->place;
        menu.front->close(menu.front);
        free(place);
        an_settings_release(&menu.settings);
    }
    free(real);
    if (failed)
        return an_command_fail(&an_command_list, AN_EXIT_INPUT, "%s: %s", directory,
                               strerror(-failed));
    return AN_EXIT_FINE;
}
