#include "analyzer/commands/command.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/thag-outlet-XXXXXX";

static void write_input(void)
{
    static const char text[] = "main;f 5\nnonsense\n";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
    close(fd);
}

static void remove_input(void)
{
    unlink(path);
}

TestSuite(outlet, .init = write_input, .fini = remove_input);

Test(outlet, takes_what_a_command_prints_and_what_it_complains_about)
{
    char *result = NULL, *messages = NULL, wanted[200];
    size_t result_bytes, messages_bytes;
    char *words[] = {(char *)"stats", path, (char *)"--unit", (char *)"us", NULL};
    struct an_options options;
    struct an_outlet outlet = {open_memstream(&result, &result_bytes),
                               open_memstream(&messages, &messages_bytes),
                               {.width = 60, .utf8 = true}};
    cr_assert_eq(an_options_parse(&an_command_stats, 4, words, &options), -1);
    an_command_speak_to(&outlet);
    cr_assert_eq(an_command_out(), outlet.out);
    cr_assert_eq(an_command_style(outlet.out).width, 60);
    cr_assert_eq(an_command_stats.run(&options), AN_EXIT_FINE);
    an_command_speak_to(NULL);
    cr_assert_eq(an_command_out(), stdout);
    fclose(outlet.out);
    fclose(outlet.messages);
    an_options_release(&options);
    cr_assert_not_null(strstr(result, "main"), "%s", result);
    snprintf(wanted, sizeof(wanted), "%s: 1 bad line left out, number 2\n", path);
    cr_assert_str_eq(messages, wanted);
    free(result);
    free(messages);
}
