#include "runtime/setup/home.h"

#include <criterion/criterion.h>
#include <string.h>

static struct rt_text text;

static bool find(const char *lines, const char *name, uint32_t number)
{
    rt_text_clear(&text);
    rt_text_add(&text, "<");
    return rt_home_add_of_lines(lines, strlen(lines), (struct rt_user){name, strlen(name), number},
                                &text);
}

static const char lines[] = "carl:x:0:0:carl:/home/carl:/bin/sh\n"
                            "\n"
                            "# comment\n"
                            "al:x:1:1::/home/al\n"
                            "alice:x:10:10:A,,:/home/alice:/bin/bash\n"
                            "nohome:x:11:10:::/bin/bash\n"
                            "bob:x:100:1::/home/bob:";

Test(rt_home, a_name_is_matched_whole)
{
    cr_assert(find(lines, "alice", 0));
    cr_assert_str_eq(text.at, "</home/alice");
    cr_assert(find(lines, "bob", 0));
    cr_assert_str_eq(text.at, "</home/bob");
    cr_assert_not(find(lines, "ali", 0));
    cr_assert_not(find(lines, "Alice", 0));
}

Test(rt_home, without_a_name_the_number_counts)
{
    cr_assert(find(lines, "", 10));
    cr_assert_str_eq(text.at, "</home/alice");
    cr_assert(find(lines, "", 100));
    cr_assert_str_eq(text.at, "</home/bob");
    cr_assert_not(find(lines, "", 1000));
}

Test(rt_home, a_line_that_is_cut_or_has_no_home_is_no_answer)
{
    cr_assert_not(find(lines, "al", 0));
    cr_assert_not(find(lines, "nohome", 0));
    cr_assert_not(find(lines, "# comment", 0));
    cr_assert_not(find("", "carl", 0));
    cr_assert_not(find("carl", "carl", 0));
    cr_assert_not(find("carl:x:0:0:carl:/home/carl", "carl", 0));
    cr_assert_str_eq(text.at, "<");
}

Test(rt_home, the_variable_comes_first_but_for_others)
{
    static char *const variables[] = {(char *)"HOME=/h/me", NULL};
    const struct rt_environment environment = {NULL, 0, variables, NULL};
    rt_text_clear(&text);
    cr_assert(rt_home_add(&environment, (struct rt_user){"", 0, 0}, &text));
    cr_assert_str_eq(text.at, "/h/me");
    cr_assert_not(rt_home_add(&environment, (struct rt_user){"no:body", 7, 1}, &text));
    cr_assert_str_eq(text.at, "/h/me");
}
