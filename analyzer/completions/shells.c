/*
 * shells.c -- what the completion scripts share, and the plain list.
 */
#include "analyzer/completions/shells.h"

#include <string.h>

#include "analyzer/launch/request.h"

enum an_operands an_operands_of(const struct an_command *command)
{
    if (command->operand && strcmp(command->operand, "program") == 0)
        return AN_OPERANDS_PROGRAM;
    return strcmp(command->operands, "[DIR]") == 0 ? AN_OPERANDS_DIRECTORY : AN_OPERANDS_PROFILES;
}

int an_option_next(const struct an_command *command, int option)
{
    while (option < AN_OPTION_COUNT && !an_command_takes(command, option))
        option++;
    return option;
}

void an_keys_print(void)
{
    for (const struct an_request_key *key = an_request_keys; key->name; key++)
        printf("%s%s=", key == an_request_keys ? "" : " ", key->name);
}

void an_quoted_print(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", stdout);
        else if (strchr(special, *text))
            putchar('\\');
        putchar(*text);
    }
}

void an_list_print(void)
{
    for (size_t i = 0; an_commands[i]; i++) {
        const struct an_command *command = an_commands[i];
        printf("command\t%s\t%s\t%s\n", command->name, command->operands, command->summary);
        for (int k = 0; (k = an_option_next(command, k)) < AN_OPTION_COUNT; k++) {
            const struct an_option_row *row = &an_option_rows[k];
            printf("option\t%s\t%c\t%s\n", row->name, row->letter ? row->letter : '-',
                   row->argument ? row->argument : "-");
        }
    }
}
