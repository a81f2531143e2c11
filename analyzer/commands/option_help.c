/*
 * option_help.c -- what --help prints, made from the table of options.
 */
#include <stdio.h>
#include <string.h>

#include "analyzer/commands/option_table.h"

/* Texts begin at TEXT_COLUMN, or behind longer names; nothing passes COLUMNS. */
enum { TEXT_COLUMN = 24, COLUMNS = 80 };

/* The last of the rows that are explained together with OPTION. */
static int option_last(int option)
{
    while (option + 1 < AN_OPTION_COUNT && an_option_rows[option + 1].shares_line)
        option++;
    return option;
}

/* What is said of all rows of a line would promise what the command does not take. */
static const char *option_text(const struct an_command *command, int option)
{
    const struct an_option_row *row = &an_option_rows[option];
    for (int i = option; i <= option_last(option); i++) {
        if (!an_command_takes(command, i))
            return row->brief;
    }
    return row->help ? row->help : row->brief;
}

/* Explained on the line of an option before it that the command takes as well. */
static bool option_is_explained(const struct an_command *command, int option)
{
    for (int i = option; an_option_rows[i].shares_line; i--) {
        if (an_command_takes(command, i - 1))
            return true;
    }
    return false;
}

/* "--include, --focus REGEX": the option and those explained with it. Result: the length. */
static int option_print_names(const struct an_command *command, int option)
{
    int length = 0, last = option_last(option);
    for (int i = option; i <= last; i++) {
        const struct an_option_row *row = &an_option_rows[i];
        if (!an_command_takes(command, i))
            continue;
        length += printf("%s", length ? ", " : "  ");
        if (row->letter && (i != AN_OPTION_IGNORE_CASE || length > 2))
            length += printf("-%c", row->letter);
        else
            length += printf("--%s", row->name);
        /* Said once where several take the same. */
        bool more = i < last && row->argument && an_option_rows[i + 1].argument &&
                    an_command_takes(command, i + 1);
        if (row->argument && !more)
            length += printf(" %s", row->argument);
    }
    return length;
}

/* Print WORDS behind what stands up to COLUMN, lines broken at blanks. */
static void option_print_words(const char *words, int column)
{
    while (*words) {
        int bytes = (int)strcspn(words, " ");
        if (column + 1 + bytes > COLUMNS)
            column = printf("\n%*s", TEXT_COLUMN, "") - 1;
        else if (column > TEXT_COLUMN)
            column += printf(" ");
        column += printf("%.*s", bytes, words);
        words += bytes;
        words += *words == ' ';
    }
}

static void option_print(const struct an_command *command, int option)
{
    const struct an_option_row *row = &an_option_rows[option];
    const char *words = an_option_words(command, option);
    int column = option_print_names(command, option);
    column += printf("%*s", column < TEXT_COLUMN - 1 ? TEXT_COLUMN - column : 2, "");
    const char *text = option_text(command, option);
    column += printf("%s", text);
    if (words && text == row->brief)
        option_print_words(words, column + printf(":"));
    putchar('\n');
}

/* Fits a terminal of 80 columns and 24 lines, with a line left for the shell: --help itself, known
 * by now, is left out. */
void an_options_print_help(const struct an_command *command)
{
    printf("usage: thag_profile %s [OPTION...] %s\n%s.\n", command->name, command->operands,
           command->summary);
    for (int i = 0; i < AN_OPTION_COUNT; i++) {
        if (an_command_takes(command, i) && !option_is_explained(command, i) && i != AN_OPTION_HELP)
            option_print(command, i);
    }
}
