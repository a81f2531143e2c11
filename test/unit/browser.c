#include "analyzer/output/browser.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/thag-browser-XXXXXX";

static void enter_directory(void)
{
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
}

static void leave_directory(void)
{
    char command[100];
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    cr_assert_eq(system(command), 0);
}

TestSuite(browser, .init = enter_directory, .fini = leave_directory);

static void touch(const char *name)
{
    fclose(fopen(name, "w"));
}

Test(browser, addresses_are_absolute_and_encoded)
{
    touch("a b#%\xc3\xa9.html");
    char *address = an_browser_address("a b#%\xc3\xa9.html");
    char wanted[200];
    snprintf(wanted, sizeof(wanted), "file://%s/a%%20b%%23%%25%%C3%%A9.html", directory);
    cr_assert_str_eq(address, wanted);
    free(address);
    cr_assert_null(an_browser_address("missing"));
}

Test(browser, nothing_is_started_without_a_display)
{
    touch("x.html");
    unsetenv("BROWSER");
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    cr_assert_not(an_browser_open("x.html"));
}

/* The words arrive one by one: no shell has looked at them. */
Test(browser, the_users_browser_gets_the_address)
{
    char line[300] = "", wanted[300], list[300];
    FILE *script = fopen("browse", "w");
    fputs("#!/bin/sh\nprintf '%s|' \"$@\" > told.part\nmv told.part told\n", script);
    fclose(script);
    cr_assert_eq(chmod("browse", 0700), 0);
    touch("x;$(id).html");
    snprintf(list, sizeof(list), "/missing/browser:%s/browse --new %%s -q", directory);
    setenv("BROWSER", list, 1);
    cr_assert(an_browser_open("x;$(id).html"));
    for (int i = 0; i < 500 && access("told", F_OK) != 0; i++)
        usleep(10000);
    FILE *told = fopen("told", "r");
    cr_assert_not_null(told);
    cr_assert_not_null(fgets(line, sizeof(line), told));
    fclose(told);
    snprintf(wanted, sizeof(wanted), "--new|file://%s/x%%3B%%24%%28id%%29.html|-q|", directory);
    cr_assert_str_eq(line, wanted);
}
