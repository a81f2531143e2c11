#include "runtime/setup/config.h"

#include <criterion/criterion.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct rt_config config;
static struct rt_text message;

/* NULL: the variable is not set. */
static bool read_both(const char *profiler, const char *threshold)
{
    static char a[9000], b[200];
    char *variables[4] = {(char *)"HOME=/h/me", NULL, NULL, NULL};
    int count = 1;
    if (profiler) {
        snprintf(a, sizeof a, "THAG_PROFILER=%s", profiler);
        variables[count++] = a;
    }
    if (threshold) {
        snprintf(b, sizeof b, "SIZE_TRACKING_THRESHOLD=%s", threshold);
        variables[count++] = b;
    }
    const struct rt_environment environment = {NULL, 0, variables, NULL};
    return rt_config_read(&environment, &config, &message);
}

static bool read_one(const char *profiler)
{
    return read_both(profiler, NULL);
}

static void assert_fine(const char *profiler)
{
    cr_assert(read_one(profiler), "'%s': %s", profiler, message.at);
    cr_assert_eq(message.bytes, 0, "'%s': %s", profiler, message.at);
}

/* Refused, profiling off, in one line that has all of WORDS (NULL ends them). */
static void assert_refused(const char *profiler, const char *const words[])
{
    cr_assert_not(read_one(profiler), "'%s'", profiler);
    cr_assert(!config.memory && !config.time && !config.sample);
    cr_assert_eq(strncmp(message.at, "thag: THAG_PROFILER: ", 21), 0);
    cr_assert_null(strchr(message.at, '\n'));
    cr_assert_not_null(strstr(message.at, "not profiling"));
    for (int i = 0; words[i]; i++) {
        cr_assert_not_null(strstr(message.at, words[i]), "'%s' in '%s'", words[i], message.at);
    }
}

#define REFUSED(profiler, ...) assert_refused(profiler, (const char *const[]){__VA_ARGS__, NULL})

Test(rt_config, not_set_is_both_with_defaults)
{
    cr_assert(read_one(NULL));
    cr_assert_eq(message.bytes, 0);
    cr_assert(config.memory && config.time && !config.sample && !config.detail);
    cr_assert_eq(config.debug_level, RT_DEBUG_NONE);
    cr_assert_eq(config.directory.bytes, 0);
    cr_assert_eq(config.threshold_bytes, 0);
    cr_assert_eq(config.follow, RT_FOLLOW_ALL);
    cr_assert_eq(config.clock, RT_CLOCK_AUTO);
    cr_assert_eq(config.store, RT_STORE_FILE);
    cr_assert_eq(config.max_bytes, UINT64_C(4) << 30);
    cr_assert(config.resolve && config.start_on && !config.precise);
    cr_assert_eq(config.stream_s, 0);
    cr_assert_eq(config.toggle_signal, 0);
    cr_assert_eq(config.snapshot_signal, 0);
}

Test(rt_config, set_without_a_type_is_none)
{
    static const char *const values[] = {"", " ", ",", ",,,", ",/tmp", " ,,,true", "none", "NONE"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_fine(values[i]);
        cr_assert(!config.memory && !config.time && !config.sample, "'%s'", values[i]);
    }
}

Test(rt_config, every_type_in_any_case_and_trimmed)
{
    static const struct {
        const char *word;
        bool memory, time, sample;
    } types[] = {
        {"both", true, true, false},          {"memory", true, false, false},
        {"time", false, true, false},         {"sample", false, false, true},
        {"sample+memory", true, false, true}, {"sample+time", false, true, true},
        {"sample+both", true, true, true},    {"Both", true, true, false},
        {" \tMEMORY ", true, false, false},   {"Sample+TIME\n", false, true, true},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        assert_fine(types[i].word);
        cr_assert_eq(config.memory, types[i].memory);
        cr_assert_eq(config.time, types[i].time);
        cr_assert_eq(config.sample, types[i].sample);
    }
}

Test(rt_config, illegal_types_are_told_with_all_legal_ones)
{
    static const char *const values[] = {"bot",    "boths",       "memory time", "sample+",
                                         "sample", "time+memory", "1",           "true"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(values[i], "sample") != 0) {
            char quoted[40];
            snprintf(quoted, sizeof quoted, "'%s'", values[i]);
            REFUSED(values[i], "type", quoted, "both", "memory", "time", "none", "sample",
                    "sample+memory", "sample+time", "sample+both");
        }
    }
}

Test(rt_config, the_directory_is_taken_as_it_is_but_for_home)
{
    assert_fine("memory, /tmp/with space ,");
    cr_assert_str_eq(config.directory.at, "/tmp/with space");
    assert_fine("memory,~");
    cr_assert_str_eq(config.directory.at, "/h/me");
    assert_fine("memory,~/x");
    cr_assert_str_eq(config.directory.at, "/h/me/x");
    assert_fine("memory,x/~root");
    cr_assert_str_eq(config.directory.at, "x/~root");
    assert_fine("memory,a=b");
    cr_assert_str_eq(config.directory.at, "a=b");
    assert_fine("memory,Rel/Path");
    cr_assert_str_eq(config.directory.at, "Rel/Path");
}

Test(rt_config, without_the_variable_home_is_that_of_the_user)
{
    static char *const variables[] = {(char *)"THAG_PROFILER=memory,~/x", NULL};
    const struct rt_environment environment = {NULL, 0, variables, NULL};
    char expected[4096];
    const struct passwd *user = getpwuid(getuid());
    if (!user) {
        cr_skip_test("the user has no entry in the user database");
    }
    snprintf(expected, sizeof expected, "%s/x", user->pw_dir);
    cr_assert(rt_config_read(&environment, &config, &message), "%s", message.at);
    cr_assert_str_eq(config.directory.at, expected);
}

Test(rt_config, a_user_is_looked_up)
{
    char expected[4096];
    const struct passwd *user = getpwnam("daemon");
    if (!user) {
        cr_skip_test("there is no user daemon");
    }
    snprintf(expected, sizeof expected, "%s/x", user->pw_dir);
    assert_fine("memory,~daemon/x");
    cr_assert_str_eq(config.directory.at, expected);
}

Test(rt_config, a_user_who_is_not_known_is_told)
{
    REFUSED("memory,~no:body/x", "output_dir", "'~no:body/x'", "/etc/passwd");
    cr_assert_not(config.memory);
}

Test(rt_config, a_directory_that_is_too_long_is_cut_and_marked)
{
    static char value[6000];
    memset(value, 'd', sizeof value - 1);
    memcpy(value, "memory,/", 8);
    assert_fine(value);
    cr_assert(config.directory.cut);
}

Test(rt_config, every_debug_level_and_none_other)
{
    assert_fine("memory,,none");
    cr_assert_eq(config.debug_level, RT_DEBUG_NONE);
    assert_fine("memory,,Quiet");
    cr_assert_eq(config.debug_level, RT_DEBUG_QUIET);
    assert_fine("memory,, ANNOUNCE ,");
    cr_assert_eq(config.debug_level, RT_DEBUG_ANNOUNCE);
    REFUSED("memory,,loud", "debug_level", "'loud'", "none", "quiet", "announce");
}

Test(rt_config, every_spelling_of_detail_and_none_other)
{
    static const char *const yes[] = {"true", "TRUE", "1", "yes", " Yes "};
    static const char *const no[] = {"false", "0", "no", "No", ""};
    char value[40];
    for (size_t i = 0; i < 5; i++) {
        snprintf(value, sizeof value, "memory,,,%s", yes[i]);
        assert_fine(value);
        cr_assert(config.detail);
        snprintf(value, sizeof value, "memory,,,%s", no[i]);
        assert_fine(value);
        cr_assert_not(config.detail);
    }
    REFUSED("memory,,,2", "memory_detail", "'2'", "true", "false", "yes", "no", "1", "0");
    REFUSED("memory,,,on", "memory_detail", "'on'");
}

Test(rt_config, keys_of_words_and_numbers)
{
    assert_fine("both,,,,stream=1,follow=fork,clock=TSC,precise=true,sample_hz=100,"
                "sample_clock=wall, max_size = 16M ,resolve=no,resolver=/opt/x,start=off,"
                "toggle_signal=SIGUSR1,snapshot_signal=usr2,store=memory");
    cr_assert_eq(config.stream_s, 1);
    cr_assert_eq(config.follow, RT_FOLLOW_FORK);
    cr_assert_eq(config.clock, RT_CLOCK_TSC);
    cr_assert(config.precise && config.sample_wall && !config.resolve && !config.start_on);
    cr_assert_eq(config.sample_hz, 100);
    cr_assert_eq(config.max_bytes, 16 << 20);
    cr_assert_str_eq(config.resolver.at, "/opt/x");
    cr_assert_eq(config.toggle_signal, SIGUSR1);
    cr_assert_eq(config.snapshot_signal, SIGUSR2);
    cr_assert_eq(config.store, RT_STORE_MEMORY);
    assert_fine("both,,,,,,Follow=NO,follow=all,follow=no,clock=monotonic,clock=auto,"
                "sample_clock=cpu,store=file,start=on,resolve=yes,precise=false,toggle_signal=10");
    cr_assert_eq(config.follow, RT_FOLLOW_NO);
    cr_assert_eq(config.clock, RT_CLOCK_AUTO);
    cr_assert(!config.sample_wall && config.start_on && config.resolve);
    cr_assert_eq(config.toggle_signal, 10);
}

Test(rt_config, sizes_have_letters_and_limits)
{
    static const struct {
        const char *word;
        uint64_t bytes;
    } sizes[] = {{"1048576", 1 << 20},
                 {"1024K", 1 << 20},
                 {"1m", 1 << 20},
                 {"3G", UINT64_C(3) << 30},
                 {"16384g", UINT64_C(1) << 44},
                 {"17592186044416", UINT64_C(1) << 44}};
    char value[60];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        snprintf(value, sizeof value, "both,,,,max_size=%s", sizes[i].word);
        assert_fine(value);
        cr_assert_eq(config.max_bytes, sizes[i].bytes);
    }
    static const char *const wrong[] = {"",
                                        "0",
                                        "1048575",
                                        "1023K",
                                        "17592186044417",
                                        "16385g",
                                        "-1",
                                        "1.5G",
                                        "1 G",
                                        "1GB",
                                        "G",
                                        "99999999999999999999",
                                        "18446744073709551615K",
                                        "0x100000"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(value, sizeof value, "both,,,,max_size=%s", wrong[i]);
        REFUSED(value, "max_size", wrong[i], "a number from 1048576 to 17592186044416");
    }
}

Test(rt_config, illegal_values_of_keys_are_told_with_the_legal_ones)
{
    REFUSED("both,,,,follow=yes", "follow", "'yes'", "no", "fork", "all");
    REFUSED("both,,,,clock=rdtsc", "clock", "'rdtsc'", "auto", "tsc", "monotonic");
    REFUSED("both,,,,precise=", "precise", "''", "true", "false");
    REFUSED("both,,,,sample_clock=real", "sample_clock", "'real'", "cpu", "wall");
    REFUSED("both,,,,resolve=maybe", "resolve", "'maybe'", "yes", "no");
    REFUSED("both,,,,start=true", "start", "'true'", "on", "off");
    REFUSED("both,,,,store=disk", "store", "'disk'", "file", "memory");
    REFUSED("both,,,,stream=0", "stream", "'0'", "1", "86400");
    REFUSED("both,,,,stream=1s", "stream", "'1s'");
    REFUSED("both,,,,sample_hz=100001", "sample_hz", "'100001'", "100000");
    REFUSED("both,,,,sample_hz=1K", "sample_hz", "'1K'");
    REFUSED("both,,,,toggle_signal=SIGKILL", "toggle_signal", "'SIGKILL'", "SIGUSR1");
    REFUSED("both,,,,toggle_signal=0", "toggle_signal", "'0'");
    REFUSED("both,,,,toggle_signal=65", "toggle_signal", "'65'");
    REFUSED("both,,,,toggle_signal=4294967306", "toggle_signal", "'4294967306'");
    REFUSED("both,,,,snapshot_signal=", "snapshot_signal", "''");
}

Test(rt_config, signals_that_no_handler_may_catch_are_refused)
{
    REFUSED("both,,,,toggle_signal=9", "toggle_signal", "'9'");
    REFUSED("both,,,,toggle_signal=19", "toggle_signal", "'19'");
    REFUSED("both,,,,toggle_signal=32", "toggle_signal", "'32'"); /* libc's own */
    REFUSED("both,,,,toggle_signal=33", "toggle_signal", "'33'");
}

Test(rt_config, unknown_keys_are_told)
{
    REFUSED("both,,,,speed=1", "option", "'speed=1'", "stream", "sample_hz", "store");
    REFUSED("both,,,,stream", "option", "'stream'");
    REFUSED("both,,,,=1", "option", "'=1'");
    REFUSED("both,,,,stream=1,x", "option", "'x'");
}

Test(rt_config, a_key_that_comes_too_early_is_shown_in_its_place)
{
    REFUSED("stream=1", "'stream=1'", "both,,,,stream=1");
    REFUSED("both,stream=1", "'stream=1'", "both,,,,stream=1");
    REFUSED("both,,follow=no", "'follow=no'", ",,,,follow=no");
    REFUSED("both,,,max_size=1G", "'max_size=1G'", ",,,,max_size=1G");
}

Test(rt_config, a_value_of_many_lines_is_told_in_one)
{
    REFUSED("bo\nth\x1b[31m", "type", "bo");
    cr_assert_null(strchr(message.at, 0x1b));
    REFUSED("both,,,,x\ry", "option");
    cr_assert_null(strchr(message.at, '\r'));
    REFUSED("stream=\n1", "stream");
}

Test(rt_config, a_value_longer_than_the_message_is_cut)
{
    static char value[8000];
    memset(value, 'v', sizeof value - 1);
    cr_assert_not(read_one(value));
    cr_assert(message.cut);
    cr_assert(!config.memory && !config.time);
}

Test(rt_config, the_threshold_is_a_number_of_bytes)
{
    cr_assert(read_both("memory", " 1024 "));
    cr_assert_eq(config.threshold_bytes, 1024);
    cr_assert_eq(message.bytes, 0);
    cr_assert(read_both("memory", ""));
    cr_assert_eq(config.threshold_bytes, 0);
    cr_assert_eq(message.bytes, 0);
    cr_assert(read_both("memory", "18446744073709551615"));
    cr_assert_eq(config.threshold_bytes, UINT64_MAX);
}

Test(rt_config, a_bad_threshold_is_a_warning_and_0)
{
    static const char *const wrong[] = {"1K", "-1", "ten", "18446744073709551616", "1 2"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert(read_both("memory", wrong[i]));
        cr_assert(config.memory);
        cr_assert_eq(config.threshold_bytes, 0);
        cr_assert_not_null(strstr(message.at, "SIZE_TRACKING_THRESHOLD"));
        cr_assert_not_null(strstr(message.at, wrong[i]));
        cr_assert_null(strchr(message.at, '\n'));
    }
}
