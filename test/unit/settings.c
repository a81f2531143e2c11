#include "analyzer/menu/settings.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/support/fresh_folder.h"

static void enter_folder(void)
{
    fresh_folder_enter();
    setenv("XDG_CONFIG_HOME", fresh_folder, 1);
    unsetenv("HOME");
}

TestSuite(settings, .init = enter_folder, .fini = fresh_folder_leave);

static void write_file(const char *text)
{
    mkdir("thag", 0700);
    FILE *file = fopen("thag/thag.ini", "w");
    fputs(text, file);
    fclose(file);
}

static void assert_file(const char *wanted)
{
    char text[1000] = "";
    FILE *file = fopen("thag/thag.ini", "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    cr_assert_str_eq(text, wanted);
}

static int load(struct an_settings *settings, struct an_fault *fault)
{
    fault->text[0] = '\0';
    return an_settings_load(settings, fault);
}

Test(settings, without_a_file_there_are_defaults)
{
    struct an_settings settings;
    struct an_fault fault;
    cr_assert_eq(load(&settings, &fault), 0);
    for (int i = 0; i < AN_SUBJECT_COUNT; i++)
        cr_assert_eq(settings.palette[i], AN_PALETTE_AQUA);
    an_settings_release(&settings);
}

Test(settings, what_is_set_is_there_the_next_time)
{
    struct an_settings settings;
    struct an_fault fault;
    struct stat status;
    cr_assert_eq(load(&settings, &fault), 0);
    cr_assert_eq(an_settings_set_palette(&settings, AN_SUBJECT_MEMORY, AN_PALETTE_MEM, &fault), 0);
    cr_assert_eq(an_settings_set_palette(&settings, AN_SUBJECT_TIME, AN_PALETTE_HOT, &fault), 0);
    cr_assert_eq(an_settings_set_palette(&settings, AN_SUBJECT_TIME, AN_PALETTE_RED, &fault), 0);
    an_settings_release(&settings);
    assert_file("[palette]\nmemory = mem\ntime = red\n");
    cr_assert_eq(stat("thag", &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0700);
    cr_assert_eq(load(&settings, &fault), 0);
    cr_assert_eq(settings.palette[AN_SUBJECT_MEMORY], AN_PALETTE_MEM);
    cr_assert_eq(settings.palette[AN_SUBJECT_TIME], AN_PALETTE_RED);
    cr_assert_eq(settings.palette[AN_SUBJECT_SAMPLE], AN_PALETTE_AQUA);
    an_settings_release(&settings);
}

Test(settings, lines_of_the_user_stay)
{
    struct an_settings settings;
    struct an_fault fault;
    write_file("; mine\n[palette]\n  time : blue\n; more\nlater = 1\n\n[other]\ntime = 5");
    cr_assert_eq(load(&settings, &fault), 0, "%s", fault.text);
    cr_assert_eq(settings.palette[AN_SUBJECT_TIME], AN_PALETTE_BLUE);
    cr_assert_eq(an_settings_set_palette(&settings, AN_SUBJECT_TIME, AN_PALETTE_RUST, &fault), 0);
    cr_assert_eq(an_settings_set_palette(&settings, AN_SUBJECT_MEMORY, AN_PALETTE_MEM, &fault), 0);
    assert_file("; mine\n[palette]\ntime = rust\n; more\nlater = 1\n\nmemory = mem\n[other]\n"
                "time = 5\n");
    an_settings_release(&settings);
}

Test(settings, a_broken_file_is_told_ignored_and_left_alone)
{
    static const char *const broken[] = {"[palette]\nmemory = mem\ntime = mauve\n",
                                         "[palette]\nmemory = mem\nno sense\n"};
    static const char *const said[] = {"line 3: 'mauve' is no palette", "line 3: not understood"};
    for (int i = 0; i < 2; i++) {
        struct an_settings settings;
        struct an_fault fault;
        write_file(broken[i]);
        cr_assert_eq(load(&settings, &fault), -EINVAL);
        cr_assert(strstr(fault.text, "/thag/thag.ini, ") && strstr(fault.text, said[i]), "%s",
                  fault.text);
        cr_assert_eq(settings.palette[AN_SUBJECT_MEMORY], AN_PALETTE_AQUA);
        cr_assert_neq(an_settings_set_palette(&settings, AN_SUBJECT_TIME, AN_PALETTE_RED, &fault),
                      0);
        cr_assert_eq(settings.palette[AN_SUBJECT_TIME], AN_PALETTE_RED);
        assert_file(broken[i]);
        an_settings_release(&settings);
    }
}

Test(settings, a_directory_in_the_way_is_told)
{
    struct an_settings settings;
    struct an_fault fault;
    mkdir("thag", 0700);
    mkdir("thag/thag.ini", 0700);
    cr_assert_neq(load(&settings, &fault), 0);
    cr_assert_neq(fault.text[0], '\0');
    an_settings_release(&settings);
}

Test(settings, no_home_is_no_error_until_something_is_to_be_kept)
{
    struct an_settings settings;
    struct an_fault fault;
    unsetenv("XDG_CONFIG_HOME");
    cr_assert_eq(load(&settings, &fault), 0);
    cr_assert_null(settings.path);
    cr_assert_neq(an_settings_set_palette(&settings, AN_SUBJECT_TIME, AN_PALETTE_RED, &fault), 0);
    cr_assert_eq(settings.palette[AN_SUBJECT_TIME], AN_PALETTE_RED);
    an_settings_release(&settings);
    setenv("XDG_CONFIG_HOME", "relative", 1);
    setenv("HOME", fresh_folder, 1);
    cr_assert_eq(load(&settings, &fault), 0);
    cr_assert_eq(strncmp(settings.path, fresh_folder, strlen(fresh_folder)), 0);
    cr_assert_not_null(strstr(settings.path, "/.config/thag/thag.ini"));
    an_settings_release(&settings);
}
