/*
 * command_line.c -- how a command of the menu would be typed.
 */
#include <stdlib.h>
#include <string.h>

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

static void command_line_filter(struct command_line *line, const struct menu_filter_names *names)
{
    static const char *const options[] = {[AN_FILTER_EXCLUDE] = "--exclude",
                                          [AN_FILTER_EXCLUDE_SELF] = "--exclude-self",
                                          [AN_FILTER_INCLUDE] = "--include"};
    char *pattern = an_memory_array(strlen(names->name) + sizeof("^\\Q\\E$"), 1);
    sprintf(pattern, "^\\Q%s\\E$", names->name);
    command_line_word(line, options[names->kind]);
    command_line_word(line, pattern);
    free(pattern);
}

/* False where an option cannot say it: several tables at once, facts, a name that ends a quotation.
 */
static bool command_line_can_say(const struct menu_command *command)
{
    const struct menu_filter *filter = command->filter;
    if (command->values || (filter && (filter->keep_facts || filter->drop_facts)))
        return false;
    for (uint32_t i = 0; filter && i < filter->name_count; i++) {
        if (strstr(filter->names[i].name, "\\E"))
            return false;
    }
    return true;
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
    for (uint32_t i = 0; command->filter && i < command->filter->name_count; i++)
        command_line_filter(&line, &command->filter->names[i]);
    putc('\n', out);
}
