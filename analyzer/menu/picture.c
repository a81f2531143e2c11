/*
 * picture.c -- makes a page: its palette, a name that is free, and the browser.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/commands/graph.h"
#include "analyzer/menu/filters.h"
#include "analyzer/menu/menu_parts.h"
#include "analyzer/output/browser.h"
#include "analyzer/support/memory.h"

/* The ten of the menu come first in enum an_palette. */
#define PICTURE_PALETTES ((uint32_t)AN_PALETTE_RUST + 1)

/* Colours as functions get them, one of every few steps. */
static uint32_t *picture_colours(void)
{
    uint32_t *colour = an_memory_array((size_t)PICTURE_PALETTES * AN_LIST_COLOURS, sizeof(*colour));
    for (uint32_t i = 0; i < PICTURE_PALETTES * AN_LIST_COLOURS; i++) {
        /* An odd number of steps apart: they go through all hues and shades. */
        uint8_t step = (uint8_t)(i % AN_LIST_COLOURS * 75);
        colour[i] = an_palette_colour((enum an_palette)(i / AN_LIST_COLOURS), step, AN_THEME_LIGHT);
    }
    return colour;
}

static struct an_table *picture_palette_table(enum an_palette last)
{
    static const struct an_table_column columns[] = {{"", AN_ALIGN_LEFT}, {"", AN_ALIGN_LEFT}};
    struct an_table *table = an_table_new(columns, 2);
    for (uint32_t i = 0; i < PICTURE_PALETTES; i++) {
        an_table_cell(table, an_palette_name((enum an_palette)i));
        an_table_cell(table, i == last ? "(last)" : "");
    }
    return table;
}

enum an_answer menu_choose_palette(struct menu *menu, enum an_subject subject,
                                   enum an_palette *ret_palette)
{
    struct an_list list;
    struct an_fault fault = {""};
    enum an_palette last = menu->settings.palette[subject];
    uint32_t *colour = picture_colours();
    an_list_init(&list, AN_LIST_CHOOSE, "In which colours?", picture_palette_table(last));
    list.colour = colour;
    if (last < PICTURE_PALETTES)
        an_list_select(&list, last);
    enum an_answer answer = menu->front->show(menu->front, &list);
    if (answer == AN_ANSWER_CHOSEN) {
        *ret_palette = (enum an_palette)an_list_row(&list);
        if (*ret_palette != last &&
            an_settings_set_palette(&menu->settings, subject, *ret_palette, &fault) != 0)
            snprintf(menu->notice, sizeof(menu->notice), "The palette is not remembered: %.900s",
                     fault.text);
    }
    an_list_release(&list);
    free(colour);
    return answer;
}

/* What the command would call its page, with -2, -3, ... where that is taken. Freed by free(). */
static char *picture_path(const struct menu_run *run, const char *kind)
{
    struct an_options options = {.format = AN_FORMAT_HTML, .value = run->subject->value};
    if (menu_run_is_recording(run))
        options.given = AN_OPTION_BIT(VALUE);
    char *path = an_graph_default_path(&options, run->path, kind);
    char *free_path = an_memory_text(path);
    size_t stem = strlen(path) - strlen(".html");
    for (unsigned number = 2; access(free_path, F_OK) == 0; number++) {
        free(free_path);
        if (asprintf(&free_path, "%.*s-%u.html", (int)stem, path, number) < 0)
            free_path = an_memory_text(path);
    }
    free(path);
    return free_path;
}

/* Where it is, and what became of the browser. */
static enum an_answer picture_show(struct menu *menu, const char *path,
                                   const struct menu_command *command,
                                   const struct menu_result *result)
{
    char browser[AN_BROWSER_NAME_MAX];
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (result->status == AN_EXIT_FINE) {
        fprintf(out, "%s\n\n", path);
        if (an_browser_open(path, browser))
            fprintf(out, "It is shown by %s.\n", browser);
        else
            fprintf(out, "No browser could be started here: open this file in one.\n");
    }
    if (result->messages[0]) {
        fputs(result->status == AN_EXIT_FINE ? "\n" : "", out);
        menu_print_wrapped(menu, out, result->messages);
    }
    if (result->status == AN_EXIT_FINE)
        menu_command_print(menu, out, command);
    fclose(out);
    enum an_answer answer = menu_read(
        menu, result->status == AN_EXIT_FINE ? "The page is made" : "No page was made", text);
    free(text);
    return answer;
}

static enum an_answer picture_make(struct menu *menu, struct menu_command *command,
                                   const struct menu_run *run, const char *kind)
{
    struct menu_result result;
    char *path = picture_path(run, kind);
    if (menu_run_is_recording(run)) {
        menu_command_add(command, "--value");
        menu_command_add(command, an_value_name(run->subject->value));
    }
    struct menu_command shown = *command;
    menu_command_add(command, "--no-open");
    menu_command_add(command, "-o");
    menu_command_add(command, path);
    enum an_answer answer = menu_perform(menu, "Drawing", command, 1, &result);
    if (answer == AN_ANSWER_CHOSEN) {
        answer = picture_show(menu, path, &shown, &result);
        menu_result_release(&result);
    }
    free(path);
    return answer;
}

enum an_answer menu_draw(struct menu *menu, const struct menu_run *run,
                         const struct an_command *command, const struct menu_filter *filter)
{
    enum an_palette palette;
    enum an_answer answer = menu_choose_palette(menu, run->subject->subject, &palette);
    if (answer != AN_ANSWER_CHOSEN)
        return answer;
    struct menu_command drawing = {.command = command, .filter = filter};
    menu_command_add(&drawing, run->path);
    menu_command_add(&drawing, "--palette");
    menu_command_add(&drawing, an_palette_name(palette));
    return picture_make(menu, &drawing, run,
                        command == &an_command_chart ? "flamechart" : "flamegraph");
}

enum an_answer menu_compare(struct menu *menu, const struct menu_run *before,
                            const struct menu_run *after)
{
    struct menu_command comparing = {.command = &an_command_diff};
    menu_command_add(&comparing, before->path);
    menu_command_add(&comparing, after->path);
    return picture_make(menu, &comparing, after, "diff");
}
