/*
 * main.c -- thag_profile: hands the command line to a command.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/commands/command.h"
#include "analyzer/menu/menu.h"
#include "analyzer/version.h"

static void main_print_help(void)
{
    puts("usage: thag_profile [DIR]\n"
         "       thag_profile COMMAND [OPTION...] ...\n"
         "Explore profiles of heap and time. DIR is where runs were recorded, else here:\n"
         "on a terminal it opens the menu, elsewhere it is listed.\n");
    for (size_t i = 0; an_commands[i]; i++) {
        const struct an_command *command = an_commands[i];
        int length = printf("  %s %s", command->name, command->operands);
        printf("%*s%s\n", length < 23 ? 23 - length : 1, "", command->summary);
    }
    puts("\nA FILE is a recording (.thag) or folded stacks (.folded), plain, .gz or .zst;\n"
         "- is standard input. Each command explains itself with --help. Exit status:\n"
         "0 fine, 1 a threshold was exceeded, 2 wrong usage, 3 bad input.");
}

static const struct an_command *main_find_command(const char *name)
{
    for (size_t i = 0; an_commands[i]; i++) {
        if (strcmp(an_commands[i]->name, name) == 0)
            return an_commands[i];
    }
    return NULL;
}

static int main_run(const struct an_command *command, int argc, char **argv)
{
    struct an_options options;
    int status = an_options_parse(command, argc, argv, &options);
    if (status >= 0)
        return status;
    status = command->run(&options);
    an_options_release(&options);
    return status;
}

/* Somebody sits there: both ways are a terminal's. */
static int main_look_at(int argc, char **argv)
{
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        return an_menu_run(argc > 1 ? argv[1] : ".");
    return main_run(&an_command_list, argc, argv);
}

/* A word that is no command: a directory is looked at, anything else is a mistake. */
static int main_run_without_command(int argc, char **argv)
{
    struct stat status;
    if (argc == 1)
        return main_look_at(argc, argv);
    if (argv[1][0] != '-' && stat(argv[1], &status) == 0) {
        if (S_ISDIR(status.st_mode) && argc == 2)
            return main_look_at(argc, argv);
        if (S_ISDIR(status.st_mode))
            return main_run(&an_command_list, argc, argv);
        fputs("thag_profile: say what to do with the file, as in 'thag_profile stats FILE'\n",
              stderr);
        return AN_EXIT_USAGE;
    }
    fputs("thag_profile: '", stderr);
    an_command_print_name(stderr, argv[1]);
    fputs("' is neither a command nor a directory; see thag_profile --help\n", stderr);
    return AN_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("thag_profile " THAG_VERSION);
        return AN_EXIT_FINE;
    }
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        main_print_help();
        return AN_EXIT_FINE;
    }
    const struct an_command *command = argc > 1 ? main_find_command(argv[1]) : NULL;
    return command ? main_run(command, argc - 1, argv + 1) : main_run_without_command(argc, argv);
}
