/*
 * zsh.c -- the script for zsh.
 */
#include <string.h>

#include "analyzer/completions/shells.h"

/* What stands behind the colon of an option with an argument. */
static void argument_print(const struct an_command *command, int option)
{
    const struct an_option_row *row = &an_option_rows[option];
    const char *words = an_option_words(command, option);
    printf(":%s:", row->argument);
    if (option == AN_OPTION_SET) {
        printf("(");
        an_keys_print();
        printf(")");
    } else if (words) {
        printf("(%s)", words);
    } else if (strcmp(row->argument, "FILE") == 0) {
        printf("_files");
    } else if (strcmp(row->argument, "DIR") == 0) {
        printf("_files -/");
    } else {
        printf(" ");
    }
}

/* Expressions and keys may be given again. */
static bool is_repeated(const struct an_option_row *row)
{
    return row->argument &&
           (strcmp(row->argument, "REGEX") == 0 || strcmp(row->argument, "KEY=VALUE") == 0);
}

static void option_print(const struct an_command *command, int option)
{
    const struct an_option_row *row = &an_option_rows[option];
    const char *again = is_repeated(row) ? "*" : "";
    if (row->letter && row->argument)
        printf("            '%s(-%c --%s)'{-%c+,--%s=}'[", again, row->letter, row->name,
               row->letter, row->name);
    else if (row->letter)
        printf("            '(-%c --%s)'{-%c,--%s}'[", row->letter, row->name, row->letter,
               row->name);
    else
        printf("            '%s--%s%s[", again, row->name, row->argument ? "=" : "");
    an_quoted_print(row->brief, "[]");
    printf("]");
    if (row->argument)
        argument_print(command, option);
    printf("' \\\n");
}

static void command_print(const struct an_command *command)
{
    printf("        %s)\n            _arguments -s -S \\\n", command->name);
    for (int i = 0; (i = an_option_next(command, i)) < AN_OPTION_COUNT; i++)
        option_print(command, i);
    if (command->runs_operands)
        printf("            '(-):program:_command_names -e' \\\n"
               "            '*::argument:_normal'\n");
    else if (an_operands_of(command) == AN_OPERANDS_PROGRAM)
        printf("            ':program:_command_names -e'\n");
    else if (an_operands_of(command) == AN_OPERANDS_DIRECTORY)
        printf("            ':directory:_files -/'\n");
    else
        printf("            '*:profile:_files -g \"*.(thag|folded)(|.gz|.zst)\"'\n");
    printf("            ;;\n");
}

void an_zsh_print(void)
{
    printf("#compdef thag_profile\n"
           "# zsh completion for thag_profile, made from its table of options.\n"
           "\n"
           "_thag_profile() {\n"
           "    local curcontext=\"$curcontext\" state line\n"
           "    local -a commands\n"
           "    commands=(\n");
    for (size_t i = 0; an_commands[i]; i++) {
        printf("        '%s:", an_commands[i]->name);
        an_quoted_print(an_commands[i]->summary, ":");
        printf("'\n");
    }
    printf(
        "    )\n"
        "    _arguments -C '(-)--help[explain the commands]' '(-)--version[tell the version]' \\\n"
        "        '1: :->command' '*:: :->argument'\n"
        "    case $state in\n"
        "    command)\n"
        "        _describe -t commands command commands\n"
        "        _files -/\n"
        "        ;;\n"
        "    argument)\n"
        "        case $line[1] in\n");
    for (size_t i = 0; an_commands[i]; i++)
        command_print(an_commands[i]);
    printf("        esac\n"
           "        ;;\n"
           "    esac\n"
           "}\n"
           "\n"
           "_thag_profile \"$@\"\n");
}
