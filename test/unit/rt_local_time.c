#include "runtime/setup/local_time.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "test/support/rt_fixture.h"

static int32_t ours(const char *zone, int64_t utc_s)
{
    char variable[400];
    snprintf(variable, sizeof variable, "TZ=%s", zone);
    char *variables[] = {variable, NULL};
    const struct rt_environment environment = {NULL, 0, variables, NULL};
    return rt_local_offset_s(&environment, utc_s);
}

static long libcs(int64_t utc_s)
{
    struct tm local;
    time_t time = utc_s;
    localtime_r(&time, &local);
    return local.tm_gmtoff;
}

static void use_zone(const char *zone)
{
    setenv("TZ", zone, 1);
    tzset();
}

static void compare_at(const char *zone, int64_t utc_s)
{
    cr_assert_eq(ours(zone, utc_s), libcs(utc_s), "TZ=%s at %ld: ours %d, libc's %ld", zone, utc_s,
                 ours(zone, utc_s), libcs(utc_s));
}

/* From YEAR to 2100, close together around each hour in which clocks were changed. */
static void compare(const char *zone, int year, unsigned count)
{
    uint64_t random = 1;
    int64_t first_s = (int64_t)(year - 1970) * 31556952;
    use_zone(zone);
    for (unsigned i = 0; i < count; i++) {
        compare_at(zone, first_s + (int64_t)(rt_fixture_random(&random) %
                                             (uint64_t)(INT64_C(4102444800) - first_s)));
    }
    long before = libcs(1577836800);
    for (int64_t utc_s = 1577836800; utc_s < 1577836800 + 3 * 31536000LL; utc_s += 3600) {
        long now = libcs(utc_s);
        for (int64_t s = utc_s - 3600; now != before && s <= utc_s; s += 450) {
            compare_at(zone, s);
            compare_at(zone, s - 1);
        }
        before = now;
    }
}

#define ZONES "/usr/share/zoneinfo/"

static unsigned zones_compared;

static int is_zone(const struct dirent *entry)
{
    return entry->d_name[0] >= 'A' && entry->d_name[0] <= 'Z';
}

/* Every third by name: in which order the folder has them is the file system's own business. */
static void compare_folder(const char *folder)
{
    char path[300];
    struct dirent **entries;
    struct stat status;
    snprintf(path, sizeof path, ZONES "%s", folder);
    int count = scandir(path, &entries, is_zone, alphasort);
    cr_assert_geq(count, 0, "%s", path);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, ZONES "%s%s", folder, entries[i]->d_name);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && zones_compared++ % 3 == 0) {
            compare(path + sizeof ZONES - 1, 1900, 20);
        }
        free(entries[i]);
    }
    free(entries);
}

Test(rt_local_time, zones_of_the_world_agree_with_libc, .timeout = 600)
{
    if (access("/usr/share/zoneinfo/Europe", R_OK) != 0) {
        cr_skip_test("no zone files on this machine");
    }
    compare_folder("Europe/");
    compare_folder("America/");
    compare_folder("Asia/");
    compare_folder("Africa/");
    compare_folder("Pacific/");
    compare_folder("Australia/");
    compare_folder("Antarctica/");
    cr_assert_gt(zones_compared, 200);
}

Test(rt_local_time, rules_agree_with_libc)
{
    static const char *const rules[] = {
        "CET-1CEST,M3.5.0,M10.5.0/3",
        "EST5EDT,M3.2.0,M11.1.0",
        "AEST-10AEDT,M10.1.0,M4.1.0/3",
        "<+03>-3",
        "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
        "XYZ-5:30",
        "XYZ+12:34:56",
        "IST-1GMT0,M10.5.0,M3.5.0/1",
        "ABC3DEF,J60,J300",
        "ABC3DEF,59/1,299/25",
        "ABC3DEF,J2/0,J364/23",
        "ABC3DEF,M1.1.1,M12.5.6",
        "ABC-3DEF-5,M2.4.4/24,M9.1.1/0",
        "EET-2EEST,M3.4.4/50,M10.4.4/50",
        "WGT3WGST,M3.5.0/-2,M10.5.0/-1",
        "UTC0",
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        compare(rules[i], 1971, 50); /* before, glibc takes every rule for 1970's */
    }
}

/* glibc takes the year of UTC for that of the zone, and is wrong in the hours between the two. */
Test(rt_local_time, summer_time_may_last_the_whole_year)
{
    static const char rule[] = "XXX3EDT4,0/0,J365/23";
    for (int64_t utc_s = 1577836800 - 86400 * 3; utc_s < 1577836800 + 86400 * 800; utc_s += 1800) {
        int32_t offset = 0;
        cr_assert_eq(rt_local_offset_of_rule(rule, sizeof rule - 1, utc_s, &offset), 0);
        cr_assert_eq(offset, -4 * 3600);
    }
}

Test(rt_local_time, odd_settings_mean_what_they_mean_to_libc)
{
    static const char *const zones[] = {"",
                                        ":",
                                        ":Europe/Paris",
                                        "Nowhere/AtAll",
                                        "UTC",
                                        "GMT",
                                        "/usr/share/zoneinfo/Asia/Tokyo",
                                        "America",
                                        "EST5EDT"};
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        use_zone(zones[i]);
        compare_at(zones[i], 1700000000);
        compare_at(zones[i], 1720000000);
    }
}

Test(rt_local_time, without_a_setting_the_machines_zone_holds)
{
    char *none[] = {NULL};
    const struct rt_environment environment = {NULL, 0, none, NULL};
    unsetenv("TZ");
    tzset();
    cr_assert_eq(rt_local_offset_s(&environment, 1700000000), libcs(1700000000));
}

Test(rt_local_time, illegal_rules_are_refused)
{
    static const char *const rules[] = {"",
                                        "A",
                                        "AB3",
                                        "ABC",
                                        "<ABC3",
                                        "<A>",
                                        "ABC3DEF,",
                                        "ABC3DEF,M3.5.0",
                                        "ABC3DEF,M13.1.1,M1.1.1",
                                        "ABC3DEF,M0.1.1,M1.1.1",
                                        "ABC3DEF,M3.6.0,M1.1.1",
                                        "ABC3DEF,M3.5.7,M1.1.1",
                                        "ABC3DEF,J0,J1",
                                        "ABC3DEF,J366,J1",
                                        "ABC3DEF,366,1",
                                        "ABC168",
                                        "ABC3:60",
                                        "ABC3:00:60",
                                        "ABC3D",
                                        "ABC99999999999",
                                        "ABC3DEF,M3.5.0/,M1.1.1"};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        int32_t offset = 4711;
        cr_assert_eq(rt_local_offset_of_rule(rules[i], strlen(rules[i]), 1700000000, &offset),
                     -EINVAL, "%s", rules[i]);
        cr_assert_eq(offset, 4711);
    }
}

Test(rt_local_time, stamps_agree_with_libc)
{
    uint64_t random = 7;
    struct rt_text text;
    char expected[64];
    for (int i = 0; i < 20000; i++) {
        time_t time = (time_t)(rt_fixture_random(&random) % UINT64_C(253402300800)); /* to 9999 */
        time = i < 10000 ? time % 6000000000 : time;
        struct tm parts;
        gmtime_r(&time, &parts);
        strftime(expected, sizeof expected, "%Y%m%d-%H%M%S", &parts);
        rt_text_clear(&text);
        rt_local_stamp_add(&text, time);
        cr_assert_str_eq(text.at, expected);
    }
    rt_text_clear(&text);
    rt_local_stamp_add(&text, -1);
    cr_assert_str_eq(text.at, "19691231-235959");
}

/* ---- hostile zone files ---- */

static uint8_t *zone_file;
static size_t zone_bytes;

static void zone_load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        cr_skip_test("no zone files on this machine");
    }
    zone_file = malloc(1 << 16);
    zone_bytes = fread(zone_file, 1, 1 << 16, file);
    fclose(file);
}

/* BYTES of DATA so that the first byte behind them is not mapped. */
static const uint8_t *at_guard(const uint8_t *data, size_t bytes)
{
    static uint8_t *area;
    enum { ROOM = 1 << 16 };
    if (!area) {
        area = mmap(NULL, ROOM + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(area + ROOM, 4096, PROT_NONE);
    }
    memcpy(area + ROOM - bytes, data, bytes);
    return area + ROOM - bytes;
}

static const int64_t instants[] = {-5000000000, 0, 1700000000, 4000000000};

static void read_all(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < sizeof instants / sizeof instants[0]; i++) {
        int32_t offset = 4711;
        int result = rt_local_offset_of_file(at_guard(data, bytes), bytes, instants[i], &offset);
        cr_assert(result == 0 || (result == -EINVAL && offset == 4711));
    }
}

Test(rt_local_time, every_cut_of_a_zone_file_is_read_in_its_bounds)
{
    zone_load("/usr/share/zoneinfo/Europe/Berlin");
    for (size_t bytes = 0; bytes <= zone_bytes; bytes++) {
        read_all(zone_file, bytes);
    }
}

Test(rt_local_time, every_changed_byte_of_a_zone_file_is_read_in_its_bounds, .timeout = 600)
{
    zone_load("/usr/share/zoneinfo/Europe/Berlin");
    for (size_t at = 0; at < zone_bytes; at++) {
        uint8_t kept = zone_file[at];
        for (unsigned bit = 0; bit < 8; bit++) {
            zone_file[at] = (uint8_t)(kept ^ 1u << bit);
            read_all(zone_file, zone_bytes);
        }
        zone_file[at] = 0xff;
        read_all(zone_file, zone_bytes);
        zone_file[at] = kept;
    }
}

Test(rt_local_time, random_bytes_are_read_in_their_bounds, .timeout = 600)
{
    zone_load("/usr/share/zoneinfo/America/New_York");
    uint64_t random = 3;
    static uint8_t data[1 << 16];
    for (int i = 0; i < 20000; i++) {
        size_t bytes = rt_fixture_random(&random) % zone_bytes;
        memcpy(data, zone_file, bytes);
        for (int k = 0; k < 6 && bytes; k++) {
            data[rt_fixture_random(&random) % (k < 3 && bytes > 44 ? 44 : bytes)] =
                (uint8_t)rt_fixture_random(&random);
        }
        read_all(data, bytes);
    }
}

Test(rt_local_time, random_rules_are_read_in_their_bounds)
{
    static const char letters[] = "ABCabc<>+-,./:MJ0123456789";
    uint64_t random = 5;
    char rule[40];
    for (int i = 0; i < 200000; i++) {
        size_t bytes = rt_fixture_random(&random) % sizeof rule;
        for (size_t k = 0; k < bytes; k++) {
            rule[k] = letters[rt_fixture_random(&random) % (sizeof letters - 1)];
        }
        if (bytes > 6 && i % 2) {
            memcpy(rule, "ABC3DE", 6);
        }
        int32_t offset = 4711;
        const char *at = (const char *)at_guard((const uint8_t *)rule, bytes);
        int result = rt_local_offset_of_rule(at, bytes, instants[i % 4], &offset);
        cr_assert(result == 0 || (result == -EINVAL && offset == 4711));
    }
}
