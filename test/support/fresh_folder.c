#include "test/support/fresh_folder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char fresh_folder[] = "/tmp/thag-test-XXXXXX";

void fresh_folder_enter(void)
{
    cr_assert_not_null(mkdtemp(fresh_folder));
    cr_assert_eq(chdir(fresh_folder), 0);
}

void fresh_folder_leave(void)
{
    char command[100];
    snprintf(command, sizeof(command), "chmod -R u+rwx %s && rm -rf %s", fresh_folder,
             fresh_folder);
    cr_assert_eq(system(command), 0);
}
