#include "runtime/setup/environment.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

Test(rt_environment, the_kernels_block_is_found)
{
    struct rt_environment found;
    rt_environment_find(&found);
    char own[4096] = "";
    FILE *file = fopen("/proc/self/cmdline", "r");
    cr_assert(file && fread(own, 1, sizeof own - 1, file) > 0);
    fclose(file);
    cr_assert_gt(found.argument_bytes, 0);
    cr_assert_arr_eq(found.arguments, own, found.argument_bytes + 1);
    cr_assert_eq(own[found.argument_bytes + 1], '\0', "more arguments than were found");
    cr_assert_eq(rt_environment_auxiliary(&found, AT_PAGESZ), getauxval(AT_PAGESZ));
    cr_assert_eq(rt_environment_auxiliary(&found, AT_BASE), getauxval(AT_BASE));
    cr_assert_eq(rt_environment_auxiliary(&found, 987654), 0);
}

Test(rt_environment, what_is_kept_stays_as_it_was)
{
    char first[] = "FIRST=1", last[] = "LAST=two words", empty[] = "";
    char *variables[] = {first, empty, last, NULL};
    struct rt_environment environment = {NULL, 0, variables, NULL};
    rt_environment_keep(&environment);
    memset(first, 'x', sizeof first);
    memset(last, 'x', sizeof last);
    variables[0] = variables[1] = NULL;
    cr_assert_str_eq(rt_environment_get(&environment, "FIRST"), "1");
    cr_assert_str_eq(rt_environment_get(&environment, "LAST"), "two words");
}

Test(rt_environment, a_variable_is_found_by_its_whole_name)
{
    char *const variables[] = {(char *)"THAG_PROFILER2=no",
                               (char *)"THAG=no",
                               (char *)"THAG_PROFILER",
                               (char *)"THAG_PROFILER=a=b",
                               (char *)"THAG_PROFILER=second",
                               (char *)"EMPTY=",
                               NULL};
    const struct rt_environment environment = {NULL, 0, variables, NULL};
    cr_assert_str_eq(rt_environment_get(&environment, "THAG_PROFILER"), "a=b");
    cr_assert_str_eq(rt_environment_get(&environment, "EMPTY"), "");
    cr_assert_null(rt_environment_get(&environment, "EMPT"));
    cr_assert_null(rt_environment_get(&environment, "OTHER"));
    cr_assert_eq(rt_environment_auxiliary(&environment, AT_BASE), 0);
}
