#include "analyzer/support/task.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/input/input.h"

Test(task, work_for_nobody_is_wanted_and_tells_nobody)
{
    an_task_step("reading", 1, 2);
    cr_assert_null(an_task_current());
    cr_assert(an_task_is_wanted());
}

Test(task, progress_and_the_end_of_interest_reach_the_other_side)
{
    struct an_task task = {0};
    an_task_enter(&task);
    an_task_step("naming functions", 3, 4);
    cr_assert_str_eq(atomic_load(&task.what), "naming functions");
    cr_assert_eq(atomic_load(&task.done), 3);
    cr_assert_eq(atomic_load(&task.total), 4);
    cr_assert(an_task_is_wanted());
    atomic_store(&task.unwanted, true);
    cr_assert_not(an_task_is_wanted());
    an_task_enter(NULL);
    cr_assert(an_task_is_wanted());
}

Test(task, reading_for_nobody_any_more_ends_as_cancelled)
{
    char path[] = "/tmp/thag-task-XXXXXX";
    struct an_task task = {0};
    struct an_input_options options = {0};
    struct an_profile profile;
    struct an_fault fault = {""};
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, "a;b 5\n", 6), 6);
    close(fd);
    an_task_enter(&task);
    cr_assert_eq(an_input_open(path, &options, &profile, &fault), 0);
    an_profile_release(&profile);
    atomic_store(&task.unwanted, true);
    cr_assert_eq(an_input_open(path, &options, &profile, &fault), -ECANCELED);
    an_task_enter(NULL);
    unlink(path);
}
