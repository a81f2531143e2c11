#include "analyzer/commands/option_table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/command.h"

/* The status of parsing "COMMAND --NAME=WORD FILE...", -1: accepted. */
static int parsed(const struct an_command *command, const char *name, const char *word,
                  struct an_options *ret_options)
{
    char option[300];
    char *arguments[4] = {(char *)command->name, option, (char *)"a", (char *)"b"};
    snprintf(option, sizeof option, "--%s=%s", name, word);
    int count = 2 + (int)(command->files_min > 2 ? 2 : command->files_min);
    return an_options_parse(command, count, arguments, ret_options);
}

Test(options, every_word_of_the_table_is_accepted)
{
    unsigned words = 0;
    for (size_t i = 0; an_commands[i]; i++) {
        for (int k = 0; k < AN_OPTION_COUNT; k++) {
            const char *legal = an_option_words(an_commands[i], k);
            char list[400];
            if (!an_command_takes(an_commands[i], k) || !legal)
                continue;
            snprintf(list, sizeof list, "%s", legal);
            for (char *word = strtok(list, " "); word; word = strtok(NULL, " "), words++) {
                struct an_options options;
                cr_assert_eq(parsed(an_commands[i], an_option_rows[k].name, word, &options), -1,
                             "%s --%s=%s", an_commands[i]->name, an_option_rows[k].name, word);
                an_options_release(&options);
            }
        }
    }
    cr_assert_gt(words, 100);
}

Test(options, other_words_are_not)
{
    struct an_options options;
    freopen("/dev/null", "w", stderr);
    for (size_t i = 0; an_commands[i]; i++) {
        for (int k = 0; k < AN_OPTION_COUNT; k++) {
            if (an_command_takes(an_commands[i], k) && an_option_words(an_commands[i], k))
                cr_assert_eq(parsed(an_commands[i], an_option_rows[k].name, "nonsense", &options),
                             2);
        }
    }
}

Test(options, every_command_that_reads_accepts_what_any_of_them_takes)
{
    static const struct an_command *const commands[] = {
        &an_command_stats, &an_command_tree,  &an_command_sizes, &an_command_info,
        &an_command_graph, &an_command_chart, &an_command_diff,  &an_command_convert};
    freopen("/dev/null", "w", stderr); /* what changes nothing is noted */
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        for (int k = 0; k < AN_OPTION_COUNT; k++) {
            const struct an_option_row *row = &an_option_rows[k];
            const char *words = an_option_words(commands[i], k);
            char word[100] = "1", name[100];
            struct an_options options;
            if (!(AN_OPTIONS_COMMON >> k & 1) || k == AN_OPTION_HELP)
                continue;
            snprintf(name, sizeof name, "--%s", row->name);
            if (words)
                snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
            char *arguments[5] = {(char *)commands[i]->name, name};
            int count = 2;
            if (row->argument)
                arguments[count++] = word;
            arguments[count++] = (char *)"a";
            if (commands[i]->files_min > 1)
                arguments[count++] = (char *)"b";
            cr_assert_eq(an_options_parse(commands[i], count, arguments, &options), -1, "%s %s",
                         commands[i]->name, name);
            an_options_release(&options);
        }
    }
}

Test(options, no_command_takes_two_of_one_name_or_letter)
{
    for (size_t i = 0; an_commands[i]; i++) {
        for (int k = 0; k < AN_OPTION_COUNT; k++) {
            const struct an_option_row *row = &an_option_rows[k];
            cr_assert_not_null(row->name, "option %d has no row", k);
            cr_assert_not_null(row->brief, "--%s is not explained", row->name);
            for (int m = 0; m < k; m++) {
                const struct an_option_row *other = &an_option_rows[m];
                uint64_t taken = an_commands[i]->options | an_commands[i]->ignores;
                if (!(taken >> k & 1) || !(taken >> m & 1))
                    continue;
                cr_assert_str_neq(row->name, other->name);
                cr_assert(row->letter == 0 || row->letter != other->letter, "-%c", row->letter);
            }
        }
    }
}

Test(options, what_follows_a_program_is_its_own)
{
    char *arguments[] = {(char *)"record", (char *)"--detail", (char *)"prog", (char *)"--type"};
    struct an_options options;
    cr_assert_eq(an_options_parse(&an_command_record, 4, arguments, &options), -1);
    cr_assert_eq(options.file_count, 2);
    cr_assert_str_eq(options.files[1], "--type");
    cr_assert(options.detail);
    an_options_release(&options);
}
