#include "runtime/setup/debug_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/hot/recording.h"
#include "test/fake/os_fake.h"
#include "test/support/rt_fixture.h"
#include "test/support/rt_session_fixture.h"

static char *variables[3];
static char place[6000];

static void begin(enum rt_debug_level level)
{
    rt_fixture_begin_recording(1 << 20);
    rt_session_fixture_begin(variables);
    snprintf(place, sizeof place, "TMPDIR=%s", rt_session.directory.at);
    variables[0] = place;
    rt_session.config.debug_level = level;
    rt_text_add(&rt_session.base, "BASE");
    rt_text_add(&rt_session.path, "/out/BASE.thag");
}

Test(rt_debug_log, without_a_level_there_is_none)
{
    begin(RT_DEBUG_NONE);
    rt_debug_log_begin(&rt_session);
    rt_debug_log_line(&rt_session, "text");
    rt_debug_log_end(&rt_session, "exit");
    cr_assert_eq(rt_session_fixture_count(), 0);
}

Test(rt_debug_log, it_tells_program_settings_and_losses)
{
    struct stat status;
    begin(RT_DEBUG_QUIET);
    umask(0);
    rt_debug_log_begin(&rt_session);
    rt_debug_log_line(&rt_session, "a line of its own");
    rt_recording.header->events_lost = 4711;
    rt_debug_log_end(&rt_session, "exit");
    const char *log = rt_session_fixture_read("thag_profiler/BASE-debug.log");
    static const char *const parts[] = {"program: /opt/some dir/pro-gram.x\n",
                                        "stamp: " RT_SESSION_FIXTURE_STAMP "\n",
                                        "level: quiet\n",
                                        "start: 1700000000123456789 ns",
                                        "(not set: both)",
                                        "/out/BASE.thag",
                                        "a line of its own\n",
                                        "lost: events: 4711\n",
                                        "end: exit"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        cr_assert_not_null(strstr(log, parts[i]), "%s", parts[i]);
    }
    cr_assert(stat(rt_session_fixture_path("thag_profiler"), &status) == 0);
    cr_assert_eq(status.st_mode & 0777, 0700);
    cr_assert(stat(rt_session.log_path.at, &status) == 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
    cr_assert_eq(os_fake.said_bytes, 0);
}

Test(rt_debug_log, announce_says_where_it_is_once)
{
    begin(RT_DEBUG_ANNOUNCE);
    rt_debug_log_begin(&rt_session);
    rt_debug_log_line(&rt_session, "x");
    rt_debug_log_end(&rt_session, "exit");
    char expected[6000];
    snprintf(expected, sizeof expected, "thag: debug log: %s\n",
             rt_session_fixture_path("thag_profiler/BASE-debug.log"));
    cr_assert_str_eq(os_fake.said, expected);
}

Test(rt_debug_log, a_detail_without_memory_is_mentioned_once)
{
    begin(RT_DEBUG_QUIET);
    rt_session.config.memory = false;
    rt_session.config.detail = true;
    rt_debug_log_begin(&rt_session);
    const char *log = rt_session_fixture_read("thag_profiler/BASE-debug.log");
    const char *first = strstr(log, "memory_detail");
    cr_assert_not_null(first);
    cr_assert_null(strstr(first + 1, "memory_detail"));
}

static void assert_second_folder(void)
{
    char name[100];
    snprintf(name, sizeof name, "thag_profiler-%u", (unsigned)getuid());
    cr_assert_geq(rt_session_fixture_size(name), 0);
    cr_assert_not_null(strstr(rt_session.log_path.at, name));
}

Test(rt_debug_log, a_folder_of_somebody_else_is_left_alone)
{
    begin(RT_DEBUG_QUIET);
    if (getuid() != 0) {
        cr_skip_test("only root can give a folder away");
    }
    const char *theirs = rt_session_fixture_path("thag_profiler");
    cr_assert(mkdir(theirs, 0777) == 0 && chown(theirs, 12345, 12345) == 0);
    rt_debug_log_begin(&rt_session);
    assert_second_folder();
    cr_assert_eq(rmdir(theirs), 0); /* still empty */
}

Test(rt_debug_log, a_link_in_the_folders_place_is_refused)
{
    begin(RT_DEBUG_QUIET);
    static char *target; /* reachable at the end */
    target = strdup(rt_session_fixture_path("target"));
    cr_assert(mkdir(target, 0777) == 0);
    cr_assert_eq(symlink(target, rt_session_fixture_path("thag_profiler")), 0);
    rt_debug_log_begin(&rt_session);
    assert_second_folder();
    cr_assert_eq(rmdir(target), 0);
}

Test(rt_debug_log, a_link_in_the_logs_place_is_refused)
{
    begin(RT_DEBUG_QUIET);
    cr_assert_eq(mkdir(rt_session_fixture_path("thag_profiler"), 0700), 0);
    rt_session_fixture_write("victim", "theirs");
    cr_assert_eq(symlink(rt_session_fixture_path("victim"),
                         rt_session_fixture_path("thag_profiler/BASE-debug.log")),
                 0);
    rt_debug_log_begin(&rt_session);
    rt_debug_log_line(&rt_session, "text");
    cr_assert_str_eq(rt_session_fixture_read("victim"), "theirs");
}

Test(rt_debug_log, without_any_folder_there_is_none)
{
    char name[100];
    begin(RT_DEBUG_ANNOUNCE);
    snprintf(name, sizeof name, "thag_profiler-%u", (unsigned)getuid());
    rt_session_fixture_write("thag_profiler", "");
    rt_session_fixture_write(name, "");
    rt_debug_log_begin(&rt_session);
    rt_debug_log_line(&rt_session, "text");
    cr_assert_eq(rt_session.log_path.bytes, 0);
    cr_assert_eq(os_fake.said_bytes, 0);
}

Test(rt_debug_log, a_place_that_is_too_long_is_no_place)
{
    begin(RT_DEBUG_ANNOUNCE);
    size_t bytes = strlen(place);
    memset(place + bytes, '/', RT_TEXT_BYTES - 30 - bytes);
    place[RT_TEXT_BYTES - 30] = 0; /* the folder fits, the log's name does not */
    rt_debug_log_begin(&rt_session);
    rt_debug_log_line(&rt_session, "text");
    cr_assert_eq(rt_session.log_path.bytes, 0);
    cr_assert_eq(os_fake.said_bytes, 0);
}
