#include "test/support/rt_session_fixture.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/thag-unit-XXXXXX";
static pid_t maker;

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static void folder_remove(void)
{
    if (getpid() == maker) {
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    }
}

void rt_session_fixture_begin(char *const *variables)
{
    struct rt_text message;
    cr_assert_not_null(mkdtemp(folder));
    maker = getpid();
    atexit(folder_remove);
    rt_session = (struct rt_session){.start_realtime_ns = UINT64_C(1700000000123456789)};
    rt_session.environment = (struct rt_environment){NULL, 0, variables, NULL};
    cr_assert(rt_config_read(&rt_session.environment, &rt_session.config, &message));
    rt_text_add(&rt_session.program, "/opt/some dir/pro-gram.x");
    rt_text_add(&rt_session.directory, folder);
    rt_session.family_pid = os_process_id();
    os_file_identify(2, &rt_session.error_file, NULL);
}

const char *rt_session_fixture_path(const char *name)
{
    static char path[2][5000];
    static unsigned turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

long rt_session_fixture_size(const char *name)
{
    struct stat status;
    return lstat(rt_session_fixture_path(name), &status) == 0 ? (long)status.st_size : -1;
}

void rt_session_fixture_write(const char *name, const char *text)
{
    FILE *file = fopen(rt_session_fixture_path(name), "w");
    cr_assert(file && fputs(text, file) >= 0);
    fclose(file);
}

const char *rt_session_fixture_read(const char *name)
{
    static char text[65536];
    FILE *file = fopen(rt_session_fixture_path(name), "r");
    cr_assert_not_null(file, "%s", name);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static unsigned entries(const char *path, bool remove_them)
{
    unsigned count = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            if (remove_them) {
                unlinkat(dirfd(directory), entry->d_name, 0);
            }
        }
    }
    if (directory) {
        closedir(directory);
    }
    return count;
}

unsigned rt_session_fixture_count(void)
{
    return entries(folder, false);
}

unsigned rt_session_fixture_entries(const char *name)
{
    return entries(rt_session_fixture_path(name), false);
}

void rt_session_fixture_empty(const char *name)
{
    entries(rt_session_fixture_path(name), true);
}
