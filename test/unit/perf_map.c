#include "analyzer/symbols/perf_map.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static void setup(void)
{
    snprintf(path, sizeof(path), "/tmp/thag-map-XXXXXX");
    close(mkstemp(path));
    FILE *file = fopen(path, "w");
    fputs("1000 100 first\n2000 80 LazyCompile:~f /x.js:3\nnonsense\n3000 zz bad\n4000 0 empty\n"
          "5000 10\n1040 20 newer\n6000 10 last",
          file);
    fclose(file);
}

static void teardown(void)
{
    unlink(path);
}

TestSuite(perf_map, .init = setup, .fini = teardown);

Test(perf_map, function_is_found_inside_of_its_size_and_the_newest_wins)
{
    struct an_perf_map *map = an_perf_map_read(path, getuid(), 0);
    cr_assert_not_null(map);
    cr_assert_str_eq(an_perf_map_name(map, 0x1000), "first");
    cr_assert_str_eq(an_perf_map_name(map, 0x1050), "newer");
    cr_assert_str_eq(an_perf_map_name(map, 0x1060), "first");
    cr_assert_null(an_perf_map_name(map, 0x1100));
    cr_assert_null(an_perf_map_name(map, 0xfff));
    cr_assert_str_eq(an_perf_map_name(map, 0x207f), "LazyCompile:~f /x.js:3");
    cr_assert_null(an_perf_map_name(map, 0x3000));
    cr_assert_null(an_perf_map_name(map, 0x4000));
    cr_assert_null(an_perf_map_name(map, 0x5000));
    cr_assert_str_eq(an_perf_map_name(map, 0x600f), "last");
    an_perf_map_free(map);
}

Test(perf_map, file_that_is_older_or_a_link_is_not_read)
{
    char link[80];
    cr_assert_null(an_perf_map_read(path, getuid(), UINT64_MAX));
    snprintf(link, sizeof(link), "%s.link", path);
    cr_assert_eq(symlink(path, link), 0);
    cr_assert_null(an_perf_map_read(link, getuid(), 0));
    unlink(link);
    cr_assert_null(an_perf_map_name(NULL, 0x1000));
}

Test(perf_map, file_of_somebody_else_is_not_read)
{
    if (getuid() != 0)
        cr_skip_test("needs root to give a file away");
    cr_assert_eq(chown(path, 12345, 12345), 0);
    cr_assert_null(an_perf_map_read(path, 0, 0));
    struct an_perf_map *map = an_perf_map_read(path, 12345, 0);
    cr_assert_not_null(map);
    an_perf_map_free(map);
}
