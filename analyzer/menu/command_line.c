/*
 * command_line.c -- how a command of the menu would be typed.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/option_table.h"
#include "analyzer/menu/filters.h"
#include "analyzer/menu/menu_parts.h"
#include "analyzer/output/cells.h"
#include "analyzer/support/memory.h"

/* Columns beside the text on the screen. */
#define COMMAND_LINE_MARGIN 2u

void menu_print_wrapped(struct menu *menu, FILE *out, const char *text)
{
    unsigned width = menu->front->style(menu->front).width;
    an_cells_print_wrapped(out, text,
                           width > COMMAND_LINE_MARGIN ? width - COMMAND_LINE_MARGIN : 1);
}

struct command_line {
    FILE *out;
    unsigned width; /* of the terminal */
    unsigned used;  /* columns of the line that is printed */
};

/* TEXT as a shell takes it. Freed by free(). */
static char *command_line_quote(const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._/+=:,@%";
    char *quoted = NULL;
    size_t bytes = 0;
    if (*text && text[strspn(text, plain)] == '\0')
        return an_memory_text(text);
    FILE *out = open_memstream(&quoted, &bytes);
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            putc(*text, out);
    }
    putc('\'', out);
    fclose(out);
    return quoted;
}

/* The next word, on a line of its own if this one has no room; a shell takes both for one. */
static void command_line_word(struct command_line *line, const char *word)
{
    char *quoted = command_line_quote(word);
    unsigned columns = an_cells_width(quoted);
    if (line->used && line->used + columns + 3 > line->width) {
        fputs(" \\\n   ", line->out);
        line->used = 3;
    }
    fprintf(line->out, "%s%s", line->used ? " " : "", quoted);
    line->used += columns + 1;
    free(quoted);
}

/* OPTION for what has TEXT in its name, between BEFORE and BEHIND. */
static void command_line_pattern(struct command_line *line, const char *option, const char *before,
                                 const char *text, const char *behind)
{
    char *quoted = an_filter_quote(text);
    char *pattern = an_memory_array(strlen(before) + strlen(quoted) + strlen(behind) + 1, 1);
    strcpy(stpcpy(stpcpy(pattern, before), quoted), behind);
    command_line_word(line, option);
    command_line_word(line, pattern);
    free(pattern);
    free(quoted);
}

/* FACTS one by one: any of them will do, as it will of the option. */
static void command_line_facts(struct command_line *line, const char *option, unsigned facts)
{
    const char *words = an_option_rows[AN_OPTION_FACT].words;
    facts &= ~(unsigned)AN_FACT_TEXT;
    for (unsigned bit = 0; facts >> bit; bit++) {
        char fact[32];
        size_t bytes = strcspn(words, " ");
        snprintf(fact, sizeof(fact), "%.*s", (int)bytes, words);
        words += bytes + (words[bytes] == ' ');
        if (!(facts >> bit & 1))
            continue;
        command_line_word(line, option);
        command_line_word(line, fact);
    }
}

/* A text to keep is one more thing that a stack must have, which is what --focus asks for. */
static void command_line_filter(struct command_line *line, const struct menu_filter *filter)
{
    static const char *const options[] = {[AN_FILTER_EXCLUDE] = "--exclude",
                                          [AN_FILTER_EXCLUDE_SELF] = "--exclude-self",
                                          [AN_FILTER_INCLUDE] = "--include"};
    for (uint32_t i = 0; i < filter->name_count; i++)
        command_line_pattern(line, options[filter->names[i].kind], "^", filter->names[i].name, "$");
    command_line_facts(line, "--fact", filter->keep_facts);
    command_line_facts(line, "--no-fact", filter->drop_facts);
    if (filter->keep_facts & AN_FACT_TEXT)
        command_line_pattern(line, "--focus", "(?i)", filter->keep_text, "");
    if (filter->drop_facts & AN_FACT_TEXT)
        command_line_pattern(line, "--exclude", "(?i)", filter->drop_text, "");
}

/* False where options cannot say it: several tables at once; a text, or a fact in its place. */
static bool command_line_can_say(const struct menu_command *command)
{
    const struct menu_filter *filter = command->filter;
    bool text_or_fact =
        filter && filter->keep_facts & AN_FACT_TEXT && filter->keep_facts != AN_FACT_TEXT;
    return !command->values && !text_or_fact;
}

void menu_command_print(struct menu *menu, FILE *out, const struct menu_command *command)
{
    struct command_line line = {out, menu->front->style(menu->front).width - 1, 0};
    if (!command_line_can_say(command))
        return;
    fputs("\nThe same as a command:\n", out);
    command_line_word(&line, "thag_profile");
    command_line_word(&line, command->command->name);
    for (uint32_t i = 0; i < command->count; i++)
        command_line_word(&line, command->words[i]);
    if (command->filter)
        command_line_filter(&line, command->filter);
    putc('\n', out);
}
