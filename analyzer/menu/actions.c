/*
 * actions.c -- what can be done with one run.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/menu/filters.h"
#include "analyzer/menu/menu_parts.h"
#include "analyzer/support/memory.h"

struct action {
    const char *title;
    enum an_answer (*run)(struct menu *menu, const struct menu_run *run);
    bool draws; /* needs more than sums over callees */
};

/* Say what a command said; its complaints first, and at last how to have the same again. */
static enum an_answer action_show_result(struct menu *menu, const char *question,
                                         const struct menu_command *command,
                                         const struct menu_result *result)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    menu_print_wrapped(menu, out, result->messages);
    fputs(result->messages[0] && result->text[0] ? "\n" : "", out);
    fputs(result->text, out);
    if (result->status == AN_EXIT_FINE)
        menu_command_print(menu, out, command);
    fclose(out);
    enum an_answer answer = menu_read(menu, question, text);
    free(text);
    return answer;
}

static enum an_answer action_print(struct menu *menu, const char *question,
                                   const struct menu_command *commands, uint32_t count)
{
    struct menu_result result;
    enum an_answer answer = menu_perform(menu, question, commands, count, &result);
    if (answer != AN_ANSWER_CHOSEN)
        return answer;
    answer = action_show_result(menu, question, commands, &result);
    menu_result_release(&result);
    return answer;
}

static enum an_answer action_flamegraph(struct menu *menu, const struct menu_run *run)
{
    return menu_draw(menu, run, &an_command_graph, NULL);
}

/*
 * The same run, read from the folded file of KIND if there is one. The path is freed by free().
 */
static struct menu_run action_other_file(struct menu *menu, const struct menu_run *run,
                                         enum an_kind kind)
{
    struct menu_run other = *run;
    const char *file = run->run->file[kind];
    other.path = file ? menu_file_path(menu->directory, file) : an_memory_text(run->path);
    return other;
}

/* The detail file has each allocation in its order; what else there is of the heap are sums. */
static struct menu_run action_in_order(struct menu *menu, const struct menu_run *run)
{
    bool memory = run->subject->subject == AN_SUBJECT_MEMORY;
    return action_other_file(menu, run, memory ? AN_KIND_MEMORY_DETAIL : AN_KIND_UNKNOWN);
}

static enum an_answer action_flamechart(struct menu *menu, const struct menu_run *run)
{
    struct menu_run ordered = action_in_order(menu, run);
    enum an_answer answer = menu_draw(menu, &ordered, &an_command_chart, NULL);
    free(ordered.path);
    return answer;
}

static enum an_answer action_draw_filtered(struct menu *menu, const struct menu_run *run,
                                           const struct an_command *command)
{
    struct menu_filter filter;
    enum an_answer answer = menu_choose_filter(menu, run, command, &filter);
    if (answer != AN_ANSWER_CHOSEN)
        return answer;
    answer = menu_draw(menu, run, command, &filter);
    menu_filter_release(&filter);
    return answer;
}

static enum an_answer action_flamegraph_filtered(struct menu *menu, const struct menu_run *run)
{
    return action_draw_filtered(menu, run, &an_command_graph);
}

static enum an_answer action_flamechart_filtered(struct menu *menu, const struct menu_run *run)
{
    struct menu_run ordered = action_in_order(menu, run);
    enum an_answer answer = action_draw_filtered(menu, &ordered, &an_command_chart);
    free(ordered.path);
    return answer;
}

static enum an_answer action_statistics(struct menu *menu, const struct menu_run *run,
                                        const char *sort)
{
    static const char *const rows[] = {"per function", "per call stack", "per source file",
                                       "per module"};
    static const char *const by[] = {"function", "stack", "file", "module"};
    struct menu_question question = {"A row for what?", NULL, rows, 4};
    uint32_t row = 0;
    for (;;) {
        enum an_answer answer = menu_choose(menu, &question, &row);
        if (answer != AN_ANSWER_CHOSEN)
            return answer;
        struct menu_command command = {.command = &an_command_stats};
        menu_command_add(&command, run->path);
        menu_command_add(&command, "--by");
        menu_command_add(&command, by[row]);
        menu_command_add(&command, "--sort");
        menu_command_add(&command, sort);
        if (menu_run_is_recording(run)) {
            menu_command_add(&command, "--value");
            menu_command_add(&command, an_value_name(run->subject->value));
        }
        answer = action_print(menu, "Statistics", &command, 1);
        if (answer == AN_ANSWER_QUIT)
            return answer;
    }
}

static enum an_answer action_by_time(struct menu *menu, const struct menu_run *run)
{
    bool inclusive = an_input_kind(run->path) == AN_KIND_INCLUSIVE;
    return action_statistics(menu, run, inclusive ? "total" : "self");
}

static enum an_answer action_by_calls(struct menu *menu, const struct menu_run *run)
{
    return action_statistics(menu, run, "calls");
}

/* Totals, peak and leaks in the heading; then the top of each value. */
static enum an_answer action_memory(struct menu *menu, const struct menu_run *run)
{
    static const enum an_value values[] = {AN_BYTES,      AN_ALLOCATIONS, AN_PEAK_BYTES,
                                           AN_LIVE_BYTES, AN_TEMPORARY,   AN_VALUE_COUNT};
    struct menu_command command = {.command = &an_command_stats, .values = values};
    menu_command_add(&command, run->path);
    menu_command_add(&command, "--top");
    menu_command_add(&command, "10");
    return action_print(menu, "Memory statistics", &command, 1);
}

/* Of allocations; and of frees, where each of them was recorded. */
static enum an_answer action_sizes(struct menu *menu, const struct menu_run *run)
{
    const char *frees = run->run->file[AN_KIND_DEALLOC];
    struct menu_command command[2] = {{.command = &an_command_sizes},
                                      {.command = &an_command_sizes}};
    char *path = NULL;
    bool recorded = menu_run_is_recording(run);
    struct menu_run single =
        action_other_file(menu, run, recorded ? AN_KIND_UNKNOWN : AN_KIND_MEMORY_DETAIL);
    menu_command_add(&command[0], single.path);
    if (frees) {
        path = menu_file_path(menu->directory, frees);
        menu_command_add(&command[1], path);
    }
    enum an_answer answer = action_print(menu, "Sizes", command, path ? 2 : 1);
    free(single.path);
    free(path);
    return answer;
}

static const struct action time_actions[] = {
    {"flamegraph", action_flamegraph, true},
    {"flamegraph, filtered", action_flamegraph_filtered, true},
    {"flamechart", action_flamechart, true},
    {"flamechart, filtered", action_flamechart_filtered, true},
    {"statistics by time", action_by_time, false},
    {"statistics by calls", action_by_calls, false},
    {"back", NULL, false},
};

static const struct action memory_actions[] = {
    {"flamegraph", action_flamegraph, true},
    {"flamegraph, filtered", action_flamegraph_filtered, true},
    {"flamechart", action_flamechart, true},
    {"flamechart, filtered", action_flamechart_filtered, true},
    {"memory statistics", action_memory, false},
    {"(de)allocation size distribution", action_sizes, false},
    {"back", NULL, false},
};
#define ACTIONS_MAX 7

enum an_answer menu_actions(struct menu *menu, const struct menu_run *run)
{
    bool memory = run->subject->subject == AN_SUBJECT_MEMORY;
    bool sums = an_input_kind(run->path) == AN_KIND_INCLUSIVE;
    const struct action *all = memory ? memory_actions : time_actions, *shown[ACTIONS_MAX];
    const char *titles[ACTIONS_MAX];
    struct menu_question question = {"What should be made of it?", NULL, titles, 0};
    uint32_t row = 0;
    for (int i = 0; i < ACTIONS_MAX; i++) {
        if (sums && all[i].draws)
            continue;
        shown[question.count] = &all[i];
        titles[question.count++] = all[i].title;
    }
    for (;;) {
        const char *place[] = {run->subject->title, run->run->base, NULL};
        menu_set_place(menu, place);
        enum an_answer answer = menu_choose(menu, &question, &row);
        if (answer == AN_ANSWER_CHOSEN && !shown[row]->run)
            answer = AN_ANSWER_BACK;
        if (answer != AN_ANSWER_CHOSEN)
            return answer;
        if (shown[row]->run(menu, run) == AN_ANSWER_QUIT)
            return AN_ANSWER_QUIT;
    }
}
