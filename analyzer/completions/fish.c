/*
 * fish.c -- the script for fish.
 */
#include <string.h>

#include "analyzer/completions/shells.h"

static void option_print(const struct an_command *command, int option)
{
    const struct an_option_row *row = &an_option_rows[option];
    const char *words = an_option_words(command, option);
    printf("complete -c thag_profile -n '__fish_seen_subcommand_from %s' -l %s", command->name,
           row->name);
    if (row->letter)
        printf(" -s %c", row->letter);
    if (option == AN_OPTION_SET) {
        printf(" -x -a '");
        an_keys_print();
        printf("'");
    } else if (words) {
        printf(" -x -a '%s'", words);
    } else if (row->argument && strcmp(row->argument, "DIR") == 0) {
        printf(" -x -a '(__fish_complete_directories)'");
    } else if (row->argument) {
        printf(strcmp(row->argument, "FILE") == 0 ? " -r -F" : " -x");
    }
    printf(" -d '");
    an_quoted_print(row->brief, "");
    printf("'\n");
}

static const char *operands_words(const struct an_command *command)
{
    switch (an_operands_of(command)) {
    case AN_OPERANDS_PROGRAM:
        return "(__fish_complete_subcommand --fcs-skip=2)";
    case AN_OPERANDS_DIRECTORY:
        return "(__fish_complete_directories)";
    default:
        return "(__fish_complete_suffix .thag; __fish_complete_suffix .folded)";
    }
}

void an_fish_print(void)
{
    printf("# fish completion for thag_profile, made from its table of options.\n"
           "\n"
           "complete -c thag_profile -f\n"
           "complete -c thag_profile -n __fish_use_subcommand -l help -d 'explain the commands'\n"
           "complete -c thag_profile -n __fish_use_subcommand -l version -d 'tell the version'\n"
           "complete -c thag_profile -n __fish_use_subcommand -a "
           "'(__fish_complete_directories)'\n");
    for (size_t i = 0; an_commands[i]; i++) {
        const struct an_command *command = an_commands[i];
        printf("\ncomplete -c thag_profile -n __fish_use_subcommand -a %s -d '", command->name);
        an_quoted_print(command->summary, "");
        printf("'\ncomplete -c thag_profile -n '__fish_seen_subcommand_from %s' -a '%s'\n",
               command->name, operands_words(command));
        for (int k = 0; (k = an_option_next(command, k)) < AN_OPTION_COUNT; k++)
            option_print(command, k);
    }
}
