#include "analyzer/symbols/packages.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char root[64];

static void list_write(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof(path), "%s/var/lib/dpkg/info/%s", root, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void setup(void)
{
    char command[200];
    snprintf(root, sizeof(root), "/tmp/thag-packages-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
    snprintf(command, sizeof(command), "mkdir -p '%s/var/lib/dpkg/info'", root);
    cr_assert_eq(system(command), 0);
    list_write("libc6:amd64.list", "/.\n/lib\n/lib/x86_64-linux-gnu/libc.so.6\n");
    list_write("tool.list", "/usr/bin/tool.old\n/usr/bin/tool\n/usr/lib/tool");
    list_write("tool.md5sums", "/usr/bin/other\n");
}

static void teardown(void)
{
    char command[200];
    snprintf(command, sizeof(command), "rm -rf '%s'", root);
    cr_assert_eq(system(command), 0);
}

TestSuite(packages, .init = setup, .fini = teardown);

Test(packages, file_is_found_under_its_own_and_under_the_merged_path)
{
    struct an_package_query query[] = {
        {.path = "/usr/lib/x86_64-linux-gnu/libc.so.6"},
        {.path = "/lib/x86_64-linux-gnu/libc.so.6"},
        {.path = "/usr/bin/tool"},
        {.path = "/usr/lib/tool"},
        {.path = "/usr/bin/other"},
        {.path = "/usr/bin/too"},
        {.path = "/"},
        {.path = "tool"},
    };
    const char *const wanted[] = {"libc6", "libc6", "tool", "tool", NULL, NULL, NULL, NULL};
    an_packages_find(root, query, 8);
    for (int i = 0; i < 8; i++) {
        if (wanted[i] == NULL)
            cr_assert_null(query[i].package, "%s", query[i].path);
        else
            cr_assert_str_eq(query[i].package, wanted[i]);
        free(query[i].package);
    }
}

Test(packages, system_without_dpkg_knows_none)
{
    struct an_package_query query = {.path = "/usr/bin/tool"};
    an_packages_find("/nowhere", &query, 1);
    cr_assert_null(query.package);
}
