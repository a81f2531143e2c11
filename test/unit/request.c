#include "analyzer/launch/request.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/setup/config.h"

static char *made(const struct an_request *request, const char *inherited)
{
    struct an_fault fault;
    char *value = NULL;
    cr_assert_eq(an_request_write(request, inherited, &value, &fault), 0, "%s", fault.text);
    return value;
}

/* What the recorder makes of a value. */
static void assert_accepted(const char *value)
{
    static struct rt_config config;
    static struct rt_text message;
    char variable[600];
    snprintf(variable, sizeof variable, "THAG_PROFILER=%s", value);
    char *variables[] = {variable, NULL};
    const struct rt_environment environment = {NULL, 0, variables, NULL};
    cr_assert(rt_config_read(&environment, &config, &message), "'%s': %s", value, message.at);
}

Test(request, words_are_those_of_the_recorder)
{
    char value[200];
    char types[200];
    snprintf(types, sizeof types, "%s", an_request_types);
    for (char *type = strtok(types, " "); type; type = strtok(NULL, " "))
        assert_accepted(type);
    for (const struct an_request_key *key = an_request_keys; key->name; key++) {
        char words[100];
        snprintf(words, sizeof words, "%s", key->words ? key->words : "10 ");
        if (strcmp(key->name, "max_size") == 0)
            strcpy(words, "64M");
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
            snprintf(value, sizeof value, "both,,,,%s=%s", key->name, word);
            assert_accepted(value);
        }
    }
}

Test(request, wishes_replace_what_is_inherited)
{
    const char *keys[] = {"follow=no", "stream=2"};
    const struct an_request rows[] = {
        {0},
        {.type = "time"},
        {.detail = true},
        {.directory = "/a/b"},
        {.key = keys, .key_count = 2},
    };
    static const struct {
        unsigned row;
        const char *inherited, *wanted;
    } cases[] = {
        {0, NULL, "both"},
        {0, "", "both"},
        {0, ",x", "both,x"},
        {0, " none , x ,quiet,yes,follow=no", "none,x,quiet,yes,follow=no"},
        {1, "memory,x", "time,x"},
        {2, "memory", "memory,,,true"},
        {3, "memory,~/x,announce", "memory,/a/b/,announce"},
        {4, NULL, "both,,,,follow=no,stream=2"},
        {4, "time,,,,follow=all", "time,,,,follow=all,follow=no,stream=2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *value = made(&rows[cases[i].row], cases[i].inherited);
        cr_expect_str_eq(value, cases[i].wanted);
        assert_accepted(value);
        free(value);
    }
}

Test(request, directory_with_a_comma_is_refused)
{
    struct an_request request = {.directory = "/a,b"};
    struct an_fault fault = {""};
    char *value = NULL;
    cr_assert_eq(an_request_write(&request, NULL, &value, &fault), -EINVAL);
    cr_assert_not_null(strstr(fault.text, "comma"));
    cr_assert_null(value);
}

Test(request, keys_are_checked)
{
    static const char *const good[] = {"follow=NO", " Stream = 3", "resolver=/a b", "precise=1",
                                       "max_size=2G"};
    static const char *const bad[] = {"follow", "follow=perhaps", "colour=red", "=",
                                      "",       "resolver=/a,b"};
    struct an_fault fault;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        cr_expect_eq(an_request_check_key(good[i], &fault), 0, "%s: %s", good[i], fault.text);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_eq(an_request_check_key(bad[i], &fault), -EINVAL, "%s", bad[i]);
}

Test(request, directory_is_the_recorders)
{
    static const char *const rows[][2] = {
        {"both", "."},           {"", "."},
        {"both,", "."},          {"both, a b ,", "a b"},
        {"both,/x/", "/x/"},     {"both,~", "/home"},
        {"both,~/p", "/home/p"}, {"both,~other", "~other"},
    };
    setenv("HOME", "/home", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *directory = an_request_directory(rows[i][0]);
        cr_expect_str_eq(directory, rows[i][1], "%s: %s", rows[i][0], directory);
        free(directory);
    }
}

Test(request, questions_are_answered_as_the_recorder_would)
{
    cr_expect(!an_request_is_off(NULL));
    cr_expect(an_request_is_off(",x"));
    cr_expect(an_request_is_off("None,x"));
    cr_expect(!an_request_is_off("sample"));
    cr_expect(an_request_wants("Both", "time"));
    cr_expect(an_request_wants("sample+both", "memory"));
    cr_expect(an_request_wants("sample+time", "time"));
    cr_expect(!an_request_wants("memory", "time"));
    cr_expect(an_request_resolves("both"));
    cr_expect(!an_request_resolves("both,,,,resolve=No"));
    cr_expect(an_request_resolves("both,,,,resolve=no, resolve = yes"));
    cr_expect(!an_request_resolves("both,,,,stream=1,resolve=0"));
    cr_expect(an_request_resolves("both,,,,resolver=no"));
}
