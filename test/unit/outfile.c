#include "analyzer/output/outfile.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/support/fresh_folder.h"

TestSuite(outfile, .init = fresh_folder_enter, .fini = fresh_folder_leave);

static unsigned count_files(void)
{
    unsigned count = 0;
    DIR *here = opendir(".");
    struct dirent *entry;
    while ((entry = readdir(here)))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(here);
    return count;
}

static const char *content(const char *path)
{
    static char text[100];
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void write_over(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

Test(outfile, a_file_has_its_name_only_when_it_is_whole)
{
    struct an_outfile file;
    struct stat status;
    umask(022);
    cr_assert_eq(an_outfile_open("new", false, &file), 0);
    fputs("text", file.stream);
    cr_assert_neq(stat("new", &status), 0);
    cr_assert_eq(an_outfile_commit(&file), 0);
    cr_assert_str_eq(content("new"), "text");
    cr_assert_eq(stat("new", &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0644);
    cr_assert_eq(count_files(), 1);
}

Test(outfile, nothing_is_replaced_unasked)
{
    struct an_outfile file = {.path = NULL};
    write_over("old", "old");
    cr_assert_eq(an_outfile_open("old", false, &file), -EEXIST);
    cr_assert_eq(an_outfile_open("old", true, &file), 0);
    fputs("new", file.stream);
    cr_assert_str_eq(content("old"), "old");
    cr_assert_eq(an_outfile_commit(&file), 0);
    cr_assert_str_eq(content("old"), "new");
}

Test(outfile, a_file_that_appeared_meanwhile_is_kept)
{
    struct an_outfile file;
    cr_assert_eq(an_outfile_open("new", false, &file), 0);
    write_over("new", "other");
    cr_assert_eq(an_outfile_commit(&file), -EEXIST);
    cr_assert_str_eq(content("new"), "other");
    cr_assert_eq(count_files(), 1);
}

Test(outfile, a_dangling_link_is_not_written_through)
{
    struct an_outfile file;
    cr_assert_eq(symlink("target", "link"), 0);
    cr_assert_eq(an_outfile_open("link", false, &file), -EEXIST);
    cr_assert_eq(count_files(), 1);
}

Test(outfile, abandoning_leaves_nothing)
{
    struct an_outfile file;
    cr_assert_eq(an_outfile_open("new", false, &file), 0);
    fputs("text", file.stream);
    an_outfile_abandon(&file);
    cr_assert_eq(count_files(), 0);
}

Test(outfile, a_full_device_is_an_error)
{
    struct an_outfile file;
    cr_assert_eq(an_outfile_open("/dev/full", false, &file), 0);
    fputs("text", file.stream);
    cr_assert_eq(an_outfile_commit(&file), -ENOSPC);
}

Test(outfile, a_directory_or_a_missing_one_is_an_error)
{
    struct an_outfile file;
    cr_assert_eq(an_outfile_open(".", true, &file), -EISDIR);
    cr_assert_eq(an_outfile_open("missing/file", true, &file), -ENOENT);
}

Test(outfile, the_longest_names_work)
{
    struct an_outfile file;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    cr_assert_eq(an_outfile_open(name, false, &file), 0);
    cr_assert_eq(an_outfile_commit(&file), 0);
    cr_assert_eq(count_files(), 1);
}
