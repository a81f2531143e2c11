/*
 * groups.c -- the runs that have what is looked at, by program.
 */
#include "analyzer/menu/groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

static bool group_has_sums_only(const struct an_run *run, const struct menu_subject *subject)
{
    return subject->side == AN_RUN_TIME && !run->file[AN_KIND_TIME] &&
           !run->file[AN_KIND_RECORDING];
}

void menu_runs_select(struct menu_runs *ret_runs, const char *directory, const struct an_runs *runs,
                      const unsigned *sides, const struct menu_subject *subject, bool differential)
{
    *ret_runs =
        (struct menu_runs){.directory = directory,
                           .subject = subject,
                           .run = an_memory_array(runs->count, sizeof(struct an_run *)),
                           .group = an_memory_array(runs->count, sizeof(struct menu_group))};
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct an_run *run = &runs->run[i];
        uint32_t at = ret_runs->run_count;
        if (!(sides[i] & subject->side) || (differential && group_has_sums_only(run, subject)))
            continue;
        if (at == 0 || strcmp(ret_runs->run[at - 1]->program, run->program) != 0)
            ret_runs->group[ret_runs->group_count++] = (struct menu_group){at, 0};
        ret_runs->group[ret_runs->group_count - 1].count++;
        ret_runs->run[ret_runs->run_count++] = run;
    }
}

void menu_runs_release(struct menu_runs *runs)
{
    free(runs->run);
    free(runs->group);
    *runs = (struct menu_runs){0};
}

static const struct an_run *group_run(const struct menu_runs *runs, uint32_t group, uint32_t row)
{
    return runs->run[runs->group[group].first + row];
}

const char *menu_group_program(const struct menu_runs *runs, uint32_t group)
{
    return group_run(runs, group, 0)->program;
}

uint32_t menu_group_size(const struct menu_runs *runs, uint32_t group)
{
    return runs->group[group].count;
}

struct an_table *menu_group_table(const struct menu_runs *runs)
{
    static const struct an_table_column columns[] = {
        {"newest", AN_ALIGN_LEFT}, {"runs", AN_ALIGN_RIGHT}, {"program", AN_ALIGN_LEFT}};
    struct an_table *table = an_table_new(columns, 3);
    for (uint32_t i = 0; i < runs->group_count; i++) {
        const struct an_run *newest = group_run(runs, i, 0);
        char when[AN_RUN_TIME_MAX], count[16];
        an_run_time_text(newest, when);
        snprintf(count, sizeof(count), "%" PRIu32, runs->group[i].count);
        an_table_cell(table, when);
        an_table_cell(table, count);
        an_table_name(table, newest->program, strlen(newest->program));
    }
    return table;
}

/* Kinds in short: what follows from another one is not said. */
static void group_holds_text(const struct an_run *run, char ret_text[AN_RUN_KINDS_MAX])
{
    static const struct {
        uint32_t any, unless;
        const char *word;
    } words[] = {
        {1u << AN_KIND_TIME, 0, "time"},
        {1u << AN_KIND_INCLUSIVE, 1u << AN_KIND_TIME, "inclusive time"},
        {1u << AN_KIND_SAMPLE, 0, "samples"},
        {1u << AN_KIND_MEMORY, 0, "memory"},
        {1u << AN_KIND_MEMORY_DETAIL | 1u << AN_KIND_DEALLOC, 0, "detail"},
        {1u << AN_KIND_RECORDING, 0, "recording"},
    };
    char *end = ret_text;
    *end = '\0';
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (run->kinds & words[i].any && !(run->kinds & words[i].unless))
            end += sprintf(end, "%s%s", end > ret_text ? ", " : "", words[i].word);
    }
}

struct an_table *menu_run_table(const struct menu_runs *runs, uint32_t group)
{
    static const struct an_table_column columns[] = {
        {"when", AN_ALIGN_LEFT}, {"holds", AN_ALIGN_LEFT}, {"run", AN_ALIGN_LEFT}};
    struct an_table *table = an_table_new(columns, 3);
    for (uint32_t i = 0; i < runs->group[group].count; i++) {
        const struct an_run *run = group_run(runs, group, i);
        char when[AN_RUN_TIME_MAX], kinds[AN_RUN_KINDS_MAX];
        an_run_time_text(run, when);
        group_holds_text(run, kinds);
        an_table_cell(table, when);
        an_table_cell(table, kinds);
        an_table_name(table, run->base, strlen(run->base));
    }
    return table;
}

/* Best first; the recording goes before all of them. */
static const enum an_kind group_kinds[AN_SUBJECT_COUNT][3] = {
    [AN_SUBJECT_TIME] = {AN_KIND_TIME, AN_KIND_INCLUSIVE, AN_KIND_UNKNOWN},
    [AN_SUBJECT_MEMORY] = {AN_KIND_MEMORY, AN_KIND_MEMORY_DETAIL, AN_KIND_DEALLOC},
    [AN_SUBJECT_SAMPLE] = {AN_KIND_SAMPLE, AN_KIND_UNKNOWN, AN_KIND_UNKNOWN},
};

static const char *group_file(const struct menu_runs *runs, const struct an_run *run)
{
    /* What the recording alone would be looked at for. */
    struct an_run recorded = {.file = {[AN_KIND_RECORDING] = run->file[AN_KIND_RECORDING]}};
    if (run->file[AN_KIND_RECORDING] &&
        an_run_sides(runs->directory, &recorded) & runs->subject->side)
        return run->file[AN_KIND_RECORDING];
    for (int i = 0; i < 3; i++) {
        const char *file = run->file[group_kinds[runs->subject->subject][i]];
        if (file)
            return file;
    }
    return run->base; /* gone since it was listed: opening it will say so */
}

char *menu_file_path(const char *directory, const char *file)
{
    char *path = an_memory_array(strlen(directory) + strlen(file) + 2, 1);
    /* Names are shown, so "." is left out, except where a name would look like an option. */
    if (strcmp(directory, ".") == 0 && file[0] != '-')
        return strcpy(path, file);
    char *end = stpcpy(path, directory);
    if (end == path || end[-1] != '/')
        *end++ = '/';
    strcpy(end, file);
    return path;
}

bool menu_run_is_recording(const struct menu_run *run)
{
    return an_input_kind(run->path) == AN_KIND_RECORDING;
}

struct menu_run menu_run_at(const struct menu_runs *runs, uint32_t group, uint32_t row)
{
    const struct an_run *run = group_run(runs, group, row);
    const char *file = group_file(runs, run);
    return (struct menu_run){runs->subject, run, menu_file_path(runs->directory, file)};
}
