#include "runtime/setup/resolver.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/hot/recording.h"
#include "test/fake/os_fake.h"
#include "test/support/rt_fixture.h"
#include "test/support/rt_session_fixture.h"

static char *variables[12];
static char text[12][6000];

static void begin(unsigned count)
{
    variables[count] = NULL;
    rt_fixture_begin_recording(1 << 20);
    rt_session_fixture_begin(variables);
    rt_text_add(&rt_session.path, "/out/BASE.thag");
}

static void run(void)
{
    rt_resolver_prepare(&rt_session);
    rt_resolver_run(&rt_session);
}

static bool has_path(const char *path)
{
    for (unsigned i = 0; i < OS_FAKE_LIST; i++) {
        if (strcmp(os_fake.spawned.path[i], path) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_variable(const char *start)
{
    for (unsigned i = 0; i < OS_FAKE_LIST; i++) {
        if (strncmp(os_fake.spawned.variable[i], start, strlen(start)) == 0) {
            return true;
        }
    }
    return false;
}

Test(rt_resolver, the_tool_is_told_the_recording_and_waited_for)
{
    begin(0);
    run();
    cr_assert_eq(os_fake.spawned.count, 1);
    cr_assert_eq(os_fake.spawned.waits, 1);
    cr_assert_str_eq(os_fake.spawned.argument[0], "thag_profile");
    cr_assert_str_eq(os_fake.spawned.argument[1], "resolve");
    cr_assert_str_eq(os_fake.spawned.argument[3], "/out/BASE.thag");
    cr_assert_eq(rt_recording.header->resolver_seen, 1);
}

Test(rt_resolver, the_companion_is_not_waited_for_and_follows_the_live_file)
{
    begin(0);
    rt_session.config.stream_s = 7;
    rt_text_add(&rt_session.live_path, "/dev/shm/live.thag");
    rt_resolver_prepare(&rt_session);
    rt_resolver_follow(&rt_session);
    cr_assert_eq(os_fake.spawned.count, 1);
    cr_assert_eq(os_fake.spawned.waits, 0);
    cr_assert_str_eq(os_fake.spawned.argument[2], "--follow");
    cr_assert_str_eq(os_fake.spawned.argument[4], "7");
    cr_assert_str_eq(os_fake.spawned.argument[5], "-o");
    cr_assert_str_eq(os_fake.spawned.argument[7], "/dev/shm/live.thag");
}

Test(rt_resolver, what_the_user_names_is_the_only_choice)
{
    begin(0);
    rt_text_add(&rt_session.config.resolver, "/opt/tool");
    run();
    cr_assert_str_eq(os_fake.spawned.path[0], "/opt/tool");
    cr_assert_str_eq(os_fake.spawned.path[1], "");
}

Test(rt_resolver, a_relative_name_is_taken_from_where_the_program_began)
{
    begin(0);
    char expected[5000];
    snprintf(expected, sizeof expected, "%s/./tool", rt_session.directory.at);
    cr_assert_eq(chdir(rt_session.directory.at), 0);
    rt_text_add(&rt_session.config.resolver, "./tool");
    rt_resolver_prepare(&rt_session);
    cr_assert_eq(chdir("/"), 0);
    rt_resolver_run(&rt_session);
    cr_assert_str_eq(os_fake.spawned.path[0], expected);
}

/* Whatever the loader calls our library: a path that depends on the program's folder would run
 * whatever lies there at the end. */
Test(rt_resolver, no_path_is_relative)
{
    begin(0);
    run();
    cr_assert_eq(os_fake.spawned.count, 1);
    for (unsigned i = 0; i < OS_FAKE_LIST; i++) {
        cr_assert(os_fake.spawned.path[i][0] == 0 || os_fake.spawned.path[i][0] == '/', "%s",
                  os_fake.spawned.path[i]);
    }
}

Test(rt_resolver, the_first_folder_of_path_that_has_the_tool_is_taken)
{
    begin(0);
    static char *first; /* reachable at the end */
    first = strdup(rt_session_fixture_path("first"));
    static char *second; /* reachable at the end */
    second = strdup(rt_session_fixture_path("second"));
    cr_assert(mkdir(first, 0777) == 0 && mkdir(second, 0777) == 0);
    rt_session_fixture_write("first/thag_profile", "");
    rt_session_fixture_write("second/thag_profile", "");
    snprintf(text[0], sizeof text[0], "PATH=:.:relative:/nowhere:%s:%s", first, second);
    variables[0] = text[0];
    variables[1] = NULL;
    run();
    cr_assert(has_path(rt_session_fixture_path("first/thag_profile")));
    cr_assert_not(has_path(rt_session_fixture_path("second/thag_profile")));
    cr_assert(has_variable("PATH="));
}

Test(rt_resolver, a_path_without_the_tool_adds_nothing)
{
    static const char *const paths[] = {"PATH=", "PATH=:", "PATH=::", "PATH=/nowhere"};
    begin(0);
    cr_assert_eq(chdir(rt_session.directory.at), 0);
    rt_session_fixture_write("thag_profile", "");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        snprintf(text[0], sizeof text[0], "%s", paths[i]);
        variables[0] = text[0];
        variables[1] = NULL;
        run();
        cr_assert_not(has_path(rt_session_fixture_path("thag_profile")));
        cr_assert_not(has_path("/nowhere/thag_profile"));
    }
}

Test(rt_resolver, the_preload_and_debug_servers_are_not_handed_on)
{
    static const char *const all[] = {
        "LD_PRELOAD=x", "DEBUGINFOD_URLS=x", "THAG_PROFILER=x", "HOME=/h", "LANG=C", "TMPDIR=/t"};
    for (unsigned i = 0; i < 6; i++) {
        snprintf(text[i], sizeof text[i], "%s", all[i]);
        variables[i] = text[i];
    }
    variables[2] = variables[3]; /* no setting while the session is made */
    begin(6);
    run();
    cr_assert_not(has_variable("LD_PRELOAD"));
    cr_assert_not(has_variable("DEBUGINFOD_URLS"));
    cr_assert(has_variable("HOME=/h"));
    cr_assert(has_variable("LANG=C"));
    cr_assert(has_variable("TMPDIR=/t"));
}

Test(rt_resolver, a_variable_of_any_length_does_no_harm)
{
    for (unsigned i = 0; i < 6; i++) {
        static const char *const names[] = {
            "PATH=", "HOME=", "LANG=", "LC_ALL=", "TMPDIR=", "NO_COLOR="};
        memset(text[i], 'x', 1000 + 24 * i); /* at the room of a variable and past it */
        memcpy(text[i], names[i], strlen(names[i]));
        variables[i] = text[i];
    }
    begin(6);
    run();
    cr_assert_eq(os_fake.spawned.count, 1);
    for (unsigned i = 0; i < 6; i++) {
        size_t bytes = strlen(variables[i]);
        cr_assert_eq(has_variable(variables[i]), bytes + 1 <= 1024, "%zu", bytes);
    }
}

Test(rt_resolver, nothing_is_started_where_it_was_not_asked_for)
{
    begin(0);
    rt_session.config.resolve = false;
    run();
    rt_resolver_follow(&rt_session);
    cr_assert_eq(os_fake.spawned.count, 0);
    cr_assert_eq(rt_recording.header->resolver_seen, 0);
}

Test(rt_resolver, nothing_is_started_in_a_set_user_id_program)
{
    static const unsigned long secure[] = {AT_SECURE, 1, AT_NULL, 0};
    begin(0);
    rt_session.environment.auxiliary = secure;
    run();
    cr_assert_eq(os_fake.spawned.count, 0);
}
