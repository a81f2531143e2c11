/*
 * filters.c -- lets the user choose what a picture leaves out, and says what that leaves.
 */
#include "analyzer/menu/filters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/statistics.h"
#include "analyzer/output/amount.h"
#include "analyzer/support/memory.h"

/* The file, read once to offer its functions and to count. */
struct filter_reading {
    struct an_job job; /* first */
    struct an_input_options options;
    char *path;
    int failed;
    struct an_fault fault;
    struct an_profile profile; /* if it did not fail */
};

/* A count that goes on; the reading stays the menu's, which waits for it. */
struct filter_counting {
    struct an_job job; /* first */
    struct menu_filter filter;
    struct filter_reading *reading;
    enum an_value value;
    struct menu_counts counts;
};

/* The state of the choice. */
struct filter_choice {
    struct menu *menu;
    const struct menu_run *run;
    struct filter_reading *reading;
    enum an_value value;
    const char *picture; /* "flamegraph" */
    struct menu_filter filter;
    struct menu_counts counts;
};

enum filter_row {
    FILTER_ROW_MAKE,
    FILTER_ROW_EXCLUDE,
    FILTER_ROW_EXCLUDE_SELF,
    FILTER_ROW_INCLUDE,
    FILTER_ROW_KEEP_FACTS,
    FILTER_ROW_DROP_FACTS,
    FILTER_ROW_RESET,
    FILTER_ROW_COUNT,
};

/* As the commands have it: a recording's chart has its order from the timeline, not from the tree.
 */
static bool reading_in_order(const struct filter_reading *reading)
{
    return reading->options.in_order && !reading->profile.recorded;
}

static void reading_run(struct an_job *job)
{
    struct filter_reading *reading = (struct filter_reading *)job;
    reading->failed =
        an_input_open(reading->path, &reading->options, &reading->profile, &reading->fault);
}

static void reading_release(struct an_job *job)
{
    struct filter_reading *reading = (struct filter_reading *)job;
    if (!reading->failed)
        an_profile_release(&reading->profile);
    free(reading->path);
    free(reading);
}

static enum an_answer filter_read(struct menu *menu, const struct menu_run *run, bool in_order,
                                  struct filter_reading **ret_reading)
{
    struct filter_reading *reading = an_memory_zeroed(1, sizeof(*reading));
    reading->job.run = reading_run;
    reading->job.release = reading_release;
    reading->path = an_memory_text(run->path);
    reading->options.in_order = in_order;
    reading->failed = -1;
    an_job_start(&reading->job);
    enum an_answer answer = menu->front->wait(menu->front, "Reading the run", &reading->job);
    if (answer == AN_ANSWER_CHOSEN && reading->failed) {
        answer = menu_read(menu, "This run cannot be read", reading->fault.text);
        answer = answer == AN_ANSWER_QUIT ? answer : AN_ANSWER_BACK;
    }
    if (answer == AN_ANSWER_CHOSEN)
        *ret_reading = reading;
    else
        an_job_drop(&reading->job);
    return answer;
}

static void counting_run(struct an_job *job)
{
    struct filter_counting *counting = (struct filter_counting *)job;
    menu_filter_count(&counting->filter, counting->reading->profile.tree, counting->value,
                      reading_in_order(counting->reading), &counting->counts);
}

static void filter_copy(const struct menu_filter *from, struct menu_filter *ret_copy)
{
    *ret_copy = *from;
    ret_copy->names = an_memory_array(from->name_count, sizeof(*from->names));
    for (uint32_t i = 0; i < from->name_count; i++)
        ret_copy->names[i] =
            (struct menu_filter_names){from->names[i].kind, an_memory_text(from->names[i].name)};
    ret_copy->keep_text = from->keep_text ? an_memory_text(from->keep_text) : NULL;
    ret_copy->drop_text = from->drop_text ? an_memory_text(from->drop_text) : NULL;
}

static void counting_release(struct an_job *job)
{
    struct filter_counting *counting = (struct filter_counting *)job;
    menu_filter_release(&counting->filter);
    an_job_drop(&counting->reading->job);
    free(counting);
}

static enum an_answer filter_count(struct filter_choice *choice)
{
    struct menu *menu = choice->menu;
    struct filter_counting *counting = an_memory_zeroed(1, sizeof(*counting));
    counting->job.run = counting_run;
    counting->job.release = counting_release;
    counting->reading = choice->reading;
    counting->value = choice->value;
    filter_copy(&choice->filter, &counting->filter);
    an_job_keep(&choice->reading->job);
    an_job_start(&counting->job);
    enum an_answer answer = menu->front->wait(menu->front, "Counting", &counting->job);
    if (answer == AN_ANSWER_CHOSEN)
        choice->counts = counting->counts;
    an_job_drop(&counting->job);
    return answer;
}

static bool filter_has_name(const struct menu_filter *filter, enum an_filter_kind kind,
                            const char *name)
{
    for (uint32_t i = 0; i < filter->name_count; i++) {
        if (filter->names[i].kind == kind && strcmp(filter->names[i].name, name) == 0)
            return true;
    }
    return false;
}

static void filter_remove_kind(struct menu_filter *filter, enum an_filter_kind kind)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < filter->name_count; i++) {
        if (filter->names[i].kind == kind)
            free(filter->names[i].name);
        else
            filter->names[kept++] = filter->names[i];
    }
    filter->name_count = kept;
}

static void filter_add_name(struct menu_filter *filter, enum an_filter_kind kind, const char *name)
{
    filter->names =
        an_memory_resize(filter->names, (size_t)filter->name_count + 1, sizeof(*filter->names));
    filter->names[filter->name_count++] = (struct menu_filter_names){kind, an_memory_text(name)};
}

/* The functions of the run with their amounts, the largest total first. */
static struct an_table *filter_function_table(const struct filter_choice *choice,
                                              const struct an_statistics *statistics)
{
    static const struct an_table_column columns[] = {{"total", AN_ALIGN_RIGHT},
                                                     {"share", AN_ALIGN_RIGHT},
                                                     {"self", AN_ALIGN_RIGHT},
                                                     {"function", AN_ALIGN_LEFT}};
    const struct an_profile *profile = &choice->reading->profile;
    uint64_t scale = profile->scale[choice->value];
    enum an_unit unit = an_value_unit(choice->value);
    struct an_table *table = an_table_new(columns, 4);
    for (uint32_t i = 0; i < statistics->row_count; i++) {
        const struct an_statistics_row *row = &statistics->row[i];
        char text[AN_AMOUNT_MAX];
        size_t bytes;
        an_amount_text(row->total, scale, unit, text);
        an_table_cell(table, text);
        an_share_text(row->total, statistics->whole, text);
        an_table_cell(table, text);
        an_amount_text(row->self, scale, unit, text);
        an_table_cell(table, text);
        const char *name = an_names_text(statistics->keys, row->name, &bytes);
        an_table_name(table, name, bytes);
    }
    return table;
}

static enum an_answer filter_choose_functions(struct filter_choice *choice,
                                              enum an_filter_kind kind, const char *question)
{
    struct an_statistics *statistics =
        an_statistics_new(choice->reading->profile.tree, choice->value, AN_BY_FUNCTION);
    struct an_list list;
    an_statistics_sort(statistics, choice->reading->profile.tree, AN_SORT_TOTAL);
    an_list_init(&list, AN_LIST_MARK, question, filter_function_table(choice, statistics));
    list.titled = true;
    for (uint32_t row = 0; row < list.row_count; row++) {
        const char *name = an_names_text(statistics->keys, statistics->row[row].name, NULL);
        an_list_mark(&list, row, filter_has_name(&choice->filter, kind, name));
    }
    enum an_answer answer = choice->menu->front->show(choice->menu->front, &list);
    if (answer == AN_ANSWER_CHOSEN)
        filter_remove_kind(&choice->filter, kind);
    for (uint32_t row = 0; answer == AN_ANSWER_CHOSEN && row < list.row_count; row++) {
        if (list.marked[row])
            filter_add_name(&choice->filter, kind,
                            an_names_text(statistics->keys, statistics->row[row].name, NULL));
    }
    an_list_release(&list);
    an_statistics_free(statistics);
    return answer;
}

/* The text itself; the functions that it is in are shown while it is typed. */
static enum an_answer filter_ask_text(struct filter_choice *choice, char **text)
{
    struct an_statistics *statistics =
        an_statistics_new(choice->reading->profile.tree, choice->value, AN_BY_FUNCTION);
    struct an_list list;
    an_statistics_sort(statistics, choice->reading->profile.tree, AN_SORT_TOTAL);
    an_list_init(&list, AN_LIST_ASK, "Which text, in any case?",
                 filter_function_table(choice, statistics));
    an_list_type(&list, *text ? *text : "");
    enum an_answer answer = choice->menu->front->show(choice->menu->front, &list);
    if (answer == AN_ANSWER_CHOSEN) {
        free(*text);
        *text = list.typed[0] ? an_memory_text(list.typed) : NULL;
    }
    an_list_release(&list);
    an_statistics_free(statistics);
    return answer;
}

struct filter_fact {
    unsigned fact;
    const char *title;
};

static const struct filter_fact filter_facts[] = {
    {AN_FACT_LARGE, "over 1 MiB from one call stack"},
    {AN_FACT_TEMPORARY, "temporary: freed before the thread's next allocation"},
    {AN_FACT_LEAKED, "leaked: not freed at the end"},
    {AN_FACT_FREQUENT, "frequent: over 1% of all allocations"},
    {AN_FACT_TEXT, "a text of your own in a function's name ..."},
};
#define FILTER_FACTS (sizeof(filter_facts) / sizeof(filter_facts[0]))

/* One row for each fact that this run can tell, with what it would leave in. */
static struct an_table *filter_fact_table(const struct filter_choice *choice, unsigned known)
{
    static const struct an_table_column columns[] = {
        {"stacks", AN_ALIGN_RIGHT}, {"amount", AN_ALIGN_RIGHT}, {"fact", AN_ALIGN_LEFT}};
    const struct an_tree *tree = choice->reading->profile.tree;
    struct an_table *table = an_table_new(columns, 3);
    for (size_t i = 0; i < FILTER_FACTS; i++) {
        char stacks[AN_AMOUNT_MAX] = "", amount[AN_AMOUNT_MAX] = "";
        if (!(known & filter_facts[i].fact))
            continue;
        if (filter_facts[i].fact != AN_FACT_TEXT) {
            struct menu_filter one = {.keep_facts = filter_facts[i].fact};
            struct menu_counts counts;
            menu_filter_count(&one, tree, choice->value, reading_in_order(choice->reading),
                              &counts);
            an_amount_text(counts.stacks_kept, 1, AN_UNIT_COUNT, stacks);
            an_amount_text(counts.amount_kept, choice->reading->profile.scale[choice->value],
                           an_value_unit(choice->value), amount);
        }
        an_table_cell(table, stacks);
        an_table_cell(table, amount);
        an_table_cell(table, filter_facts[i].title);
    }
    return table;
}

/* The fact of a row among those that are KNOWN. */
static unsigned filter_fact_at(unsigned known, uint32_t row)
{
    for (size_t i = 0; i < FILTER_FACTS; i++) {
        if (known & filter_facts[i].fact && row-- == 0)
            return filter_facts[i].fact;
    }
    return 0;
}

static enum an_answer filter_choose_facts(struct filter_choice *choice, bool keep)
{
    unsigned *facts = keep ? &choice->filter.keep_facts : &choice->filter.drop_facts;
    char **text = keep ? &choice->filter.keep_text : &choice->filter.drop_text;
    unsigned known = an_facts_known(choice->reading->profile.tree) | AN_FACT_TEXT, marked = 0;
    struct an_list list;
    an_list_init(&list, AN_LIST_MARK,
                 keep ? "Which allocations only? Any of the marked facts will do"
                      : "Which allocations not? Any of the marked facts will do",
                 filter_fact_table(choice, known));
    list.titled = true;
    for (uint32_t row = 0; row < list.row_count; row++)
        an_list_mark(&list, row, *facts & filter_fact_at(known, row));
    enum an_answer answer = choice->menu->front->show(choice->menu->front, &list);
    for (uint32_t row = 0; row < list.row_count; row++)
        marked |= list.marked[row] ? filter_fact_at(known, row) : 0;
    an_list_release(&list);
    if (answer != AN_ANSWER_CHOSEN)
        return answer;
    if (marked & AN_FACT_TEXT) {
        answer = filter_ask_text(choice, text);
        if (answer == AN_ANSWER_QUIT)
            return answer;
        if (answer == AN_ANSWER_BACK || !*text)
            marked &= ~(unsigned)AN_FACT_TEXT;
    }
    *facts = marked;
    return AN_ANSWER_CHOSEN;
}

static enum an_answer filter_take_row(struct filter_choice *choice, enum filter_row row)
{
    switch (row) {
    case FILTER_ROW_EXCLUDE:
        return filter_choose_functions(choice, AN_FILTER_EXCLUDE,
                                       "Leave out which functions, with all that they call?");
    case FILTER_ROW_EXCLUDE_SELF:
        return filter_choose_functions(choice, AN_FILTER_EXCLUDE_SELF,
                                       "Leave out what of which functions is their own?");
    case FILTER_ROW_INCLUDE:
        return filter_choose_functions(choice, AN_FILTER_INCLUDE,
                                       "Keep only call stacks with which functions?");
    case FILTER_ROW_KEEP_FACTS:
    case FILTER_ROW_DROP_FACTS:
        return filter_choose_facts(choice, row == FILTER_ROW_KEEP_FACTS);
    default:
        menu_filter_release(&choice->filter);
        return AN_ANSWER_CHOSEN;
    }
}

/* "3 marked" for a row, or nothing. */
static void filter_row_state(const struct filter_choice *choice, enum filter_row row,
                             char ret_text[40])
{
    static const int kinds[] = {[FILTER_ROW_EXCLUDE] = AN_FILTER_EXCLUDE,
                                [FILTER_ROW_EXCLUDE_SELF] = AN_FILTER_EXCLUDE_SELF,
                                [FILTER_ROW_INCLUDE] = AN_FILTER_INCLUDE};
    const struct menu_filter *filter = &choice->filter;
    uint32_t count = 0;
    ret_text[0] = '\0';
    if (row >= FILTER_ROW_EXCLUDE && row <= FILTER_ROW_INCLUDE) {
        for (uint32_t i = 0; i < filter->name_count; i++)
            count += (int)filter->names[i].kind == kinds[row];
    } else if (row == FILTER_ROW_KEEP_FACTS || row == FILTER_ROW_DROP_FACTS) {
        count = (uint32_t)__builtin_popcount(row == FILTER_ROW_KEEP_FACTS ? filter->keep_facts
                                                                          : filter->drop_facts);
    }
    if (count)
        snprintf(ret_text, 40, "%" PRIu32 " marked", count);
}

/* The rows of the choice; facts are for the heap alone. RET_ROW tells which row is which. */
static struct an_table *filter_choice_table(const struct filter_choice *choice,
                                            enum filter_row ret_row[FILTER_ROW_COUNT])
{
    static const struct an_table_column columns[] = {{"", AN_ALIGN_LEFT}, {"", AN_ALIGN_LEFT}};
    static const char *const titles[] = {
        [FILTER_ROW_EXCLUDE] = "leave out functions, with all that they call",
        [FILTER_ROW_EXCLUDE_SELF] = "leave out functions exactly; what they call stays",
        [FILTER_ROW_INCLUDE] = "only call stacks with some of these functions",
        [FILTER_ROW_KEEP_FACTS] = "only allocations that are large, temporary, leaked ...",
        [FILTER_ROW_DROP_FACTS] = "no allocations that are large, temporary, leaked ...",
        [FILTER_ROW_RESET] = "leave out nothing, begin anew",
    };
    struct an_table *table = an_table_new(columns, 2);
    uint32_t count = 0;
    for (int i = 0; i < FILTER_ROW_COUNT; i++) {
        char make[60], state[40];
        enum filter_row row = (enum filter_row)i;
        bool facts = row == FILTER_ROW_KEEP_FACTS || row == FILTER_ROW_DROP_FACTS;
        if (facts && choice->run->subject->subject != AN_SUBJECT_MEMORY)
            continue;
        snprintf(make, sizeof(make), "make the %s", choice->picture);
        filter_row_state(choice, row, state);
        an_table_cell(table, titles[row] ? titles[row] : make);
        an_table_cell(table, state);
        ret_row[count++] = row;
    }
    return table;
}

/* Result: CHOSEN: RET_ROW is what to do now. */
static enum an_answer filter_ask(struct filter_choice *choice, enum filter_row *ret_row)
{
    enum filter_row rows[FILTER_ROW_COUNT];
    char counts[MENU_COUNTS_TEXT_MAX];
    struct an_list list;
    menu_counts_text(&choice->counts, choice->reading->profile.scale[choice->value],
                     an_value_unit(choice->value), counts);
    an_list_init(&list, AN_LIST_CHOOSE, "What should the picture show?",
                 filter_choice_table(choice, rows));
    list.note = counts;
    an_list_select(&list, menu_filter_is_empty(&choice->filter) ? 1 : 0);
    enum an_answer answer = choice->menu->front->show(choice->menu->front, &list);
    if (answer == AN_ANSWER_CHOSEN)
        *ret_row = rows[an_list_row(&list)];
    an_list_release(&list);
    return answer;
}

static enum an_answer filter_choose(struct filter_choice *choice)
{
    for (;;) {
        enum filter_row row = FILTER_ROW_MAKE;
        enum an_answer answer = filter_count(choice);
        if (answer == AN_ANSWER_CHOSEN)
            answer = filter_ask(choice, &row);
        if (answer != AN_ANSWER_CHOSEN)
            return answer;
        if (row == FILTER_ROW_MAKE && choice->counts.stacks_kept)
            return AN_ANSWER_CHOSEN;
        answer = row == FILTER_ROW_MAKE ? menu_read(choice->menu, "There is nothing to draw",
                                                    "The filters leave out all call stacks.")
                                        : filter_take_row(choice, row);
        if (answer == AN_ANSWER_QUIT)
            return answer;
    }
}

enum an_answer menu_choose_filter(struct menu *menu, const struct menu_run *run,
                                  const struct an_command *command, struct menu_filter *ret_filter)
{
    bool chart = command == &an_command_chart;
    struct filter_choice choice = {
        .menu = menu, .run = run, .picture = chart ? "flamechart" : "flamegraph"};
    enum an_answer answer = filter_read(menu, run, chart, &choice.reading);
    if (answer != AN_ANSWER_CHOSEN)
        return answer;
    choice.value = run->subject->value;
    if (!an_tree_has(choice.reading->profile.tree, choice.value))
        an_profile_default_value(&choice.reading->profile, &choice.value);
    answer = filter_choose(&choice);
    if (answer == AN_ANSWER_CHOSEN)
        *ret_filter = choice.filter;
    else
        menu_filter_release(&choice.filter);
    an_job_drop(&choice.reading->job);
    return answer;
}
