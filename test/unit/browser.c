#include "analyzer/output/browser.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/output/desktop.h"
#include "test/support/fresh_folder.h"

TestSuite(browser, .init = fresh_folder_enter, .fini = fresh_folder_leave);

static void touch(const char *name)
{
    fclose(fopen(name, "w"));
}

Test(browser, addresses_are_absolute_and_encoded)
{
    touch("a b#%\xc3\xa9.html");
    char *address = an_browser_address("a b#%\xc3\xa9.html");
    char wanted[200];
    snprintf(wanted, sizeof(wanted), "file://%s/a%%20b%%23%%25%%C3%%A9.html", fresh_folder);
    cr_assert_str_eq(address, wanted);
    free(address);
    cr_assert_null(an_browser_address("missing"));
}

static char name[AN_BROWSER_NAME_MAX];

Test(browser, nothing_is_started_without_a_display)
{
    touch("x.html");
    unsetenv("BROWSER");
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    cr_assert_not(an_browser_open("x.html", name));
}

/* A browser that notes its words, and whether SIGINT would reach it. */
static void make_script(const char *path)
{
    FILE *script = fopen(path, "w");
    fputs("#!/bin/sh\nprintf '%s|' \"$@\" > told.part\n"
          "grep -E '^Sig(Blk|Ign)' /proc/self/status > signals\nmv told.part told\n",
          script);
    fclose(script);
    cr_assert_eq(chmod(path, 0700), 0);
}

static void read_told(char *ret_line, size_t room)
{
    for (int i = 0; i < 6000 && access("told", F_OK) != 0; i++)
        usleep(10000);
    FILE *told = fopen("told", "r");
    cr_assert_not_null(told);
    cr_assert_not_null(fgets(ret_line, (int)room, told));
    fclose(told);
}

/* The words arrive one by one: no shell has looked at them. */
Test(browser, the_users_browser_gets_the_address)
{
    char line[300], wanted[300], list[300];
    make_script("browse");
    touch("x;$(id).html");
    snprintf(list, sizeof(list), "/missing/browser:%s/browse --new %%s -q", fresh_folder);
    setenv("BROWSER", list, 1);
    cr_assert(an_browser_open("x;$(id).html", name));
    read_told(line, sizeof(line));
    snprintf(wanted, sizeof(wanted), "%s/browse", fresh_folder);
    cr_assert_str_eq(name, wanted);
    snprintf(wanted, sizeof(wanted), "--new|file://%s/x%%3B%%24%%28id%%29.html|-q|", fresh_folder);
    cr_assert_str_eq(line, wanted);
}

Test(browser, the_address_may_stand_inside_a_word)
{
    char line[300], wanted[300], list[300];
    make_script("browse");
    touch("x.html");
    snprintf(list, sizeof(list), "%s/browse --url=%%s 100%%%% a%%cb", fresh_folder);
    setenv("BROWSER", list, 1);
    cr_assert(an_browser_open("x.html", name));
    read_told(line, sizeof(line));
    snprintf(wanted, sizeof(wanted), "--url=file://%s/x.html|100%%|a:b|", fresh_folder);
    cr_assert_str_eq(line, wanted);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

/* An entry that is missing is passed; an image viewer for pages is not asked. */
Test(browser, the_one_chosen_on_the_desktop_goes_before_the_systems)
{
    char line[300], wanted[300], entry[400];
    make_script("browse");
    touch("x.html");
    mkdir("applications", 0700);
    write_file("mimeapps.list", "[Added Associations]\nx-scheme-handler/https=no.desktop;\n"
                                "[Default Applications]\ntext/html=viewer.desktop\n"
                                "x-scheme-handler/https=gone.desktop;mine.desktop;\n");
    snprintf(entry, sizeof(entry),
             "[Desktop Entry]\nName=Mine\nExec=%s/browse --class \"My Browser\" %%U\n"
             "[Desktop Action new]\nExec=/missing\n",
             fresh_folder);
    write_file("applications/mine.desktop", entry);
    unsetenv("BROWSER");
    setenv("DISPLAY", ":99", 1);
    setenv("XDG_CONFIG_HOME", fresh_folder, 1);
    setenv("XDG_DATA_HOME", fresh_folder, 1);
    cr_assert(an_browser_open("x.html", name));
    read_told(line, sizeof(line));
    snprintf(wanted, sizeof(wanted), "--class|My Browser|file://%s/x.html|", fresh_folder);
    cr_assert_str_eq(line, wanted);
    snprintf(wanted, sizeof(wanted), "%s/browse", fresh_folder);
    cr_assert_str_eq(name, wanted);
}

/* What libc takes for itself, which nobody can send to the browser by accident. */
#define LIBC_SIGNALS (UINT64_C(3) << 31)

/* The menu blocks and handles signals; a browser that inherited that could not be interrupted. */
Test(browser, signals_are_as_in_a_fresh_process)
{
    char line[300], list[300];
    sigset_t all;
    make_script("browse");
    touch("x.html");
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    signal(SIGINT, SIG_IGN);
    snprintf(list, sizeof(list), "%s/browse", fresh_folder);
    setenv("BROWSER", list, 1);
    cr_assert(an_browser_open("x.html", name));
    read_told(line, sizeof(line));
    FILE *signals = fopen("signals", "r");
    for (int i = 0; i < 2; i++) {
        cr_assert_not_null(fgets(line, sizeof(line), signals));
        uint64_t set = strtoull(line + strcspn(line, "\t"), NULL, 16);
        cr_assert_eq(set & ~LIBC_SIGNALS, 0, "%s", line);
    }
    fclose(signals);
}

static void assert_words(const char *exec, const char *wanted)
{
    char joined[300] = "";
    char **words = an_desktop_exec_words(exec, "ADDRESS");
    for (size_t i = 0; words && words[i]; i++)
        sprintf(joined + strlen(joined), "%s|", words[i]);
    cr_assert_str_eq(joined, wanted, "%s: %s", exec, joined);
    an_desktop_words_free(words);
}

Test(browser, exec_lines_become_words)
{
    assert_words("firefox %u", "firefox|ADDRESS|");
    assert_words("  firefox  ", "firefox|ADDRESS|");
    assert_words("\"/opt/my browser/run\" --icon %i %U --x \"a\\\"b\" \"\"",
                 "/opt/my browser/run|--icon|ADDRESS|--x|a\"b||");
    assert_words("a %F %u 50%%x %%", "a|ADDRESS|50%%x|%|");
    assert_words("", "");
    assert_words("%u", "");
}
