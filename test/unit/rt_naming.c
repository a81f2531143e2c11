#include "runtime/setup/naming.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/fake/os_fake.h"
#include "test/support/rt_session_fixture.h"

#define PLAIN "pro-gram.x-" RT_SESSION_FIXTURE_STAMP

static char *none[] = {NULL};

/* The name with the pid, and a number if it is not 0. */
static const char *numbered(unsigned number)
{
    static char name[200];
    int bytes = snprintf(name, sizeof name, PLAIN "-%d", (int)getpid());
    if (number) {
        snprintf(name + bytes, sizeof name - (size_t)bytes, "-%u", number);
    }
    return name;
}

static void assert_created(const char *base)
{
    char file[300];
    struct stat status;
    int fd = rt_naming_create(&rt_session);
    cr_assert_geq(fd, 0, "%d", fd);
    cr_assert_str_eq(rt_session.base.at, base);
    snprintf(file, sizeof file, "%s.thag", base);
    cr_assert_str_eq(rt_session.path.at, rt_session_fixture_path(file));
    cr_assert(fstat(fd, &status) == 0 && (status.st_mode & 0777) == 0600);
    cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
}

Test(rt_naming, the_plain_name_comes_first)
{
    umask(0);
    rt_session_fixture_begin(none);
    assert_created(PLAIN);
}

Test(rt_naming, a_clash_adds_the_pid_and_then_numbers)
{
    rt_session_fixture_begin(none);
    assert_created(PLAIN);
    assert_created(numbered(0));
    for (unsigned i = 1; i < 20; i++) {
        assert_created(numbered(i));
    }
}

Test(rt_naming, every_file_of_a_run_makes_its_base_taken)
{
    static const char *const suffixes[] = {".thag",
                                           ".folded",
                                           "-inclusive.folded",
                                           "-sample.folded",
                                           "-memory.folded",
                                           "-memory_detail.folded",
                                           "-memory_detail_dealloc.folded"};
    rt_session_fixture_begin(none);
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char name[300];
        snprintf(name, sizeof name, PLAIN "%s", suffixes[i]);
        rt_session_fixture_write(name, "theirs");
        assert_created(i == 0 ? numbered(0) : numbered((unsigned)i));
        cr_assert_str_eq(rt_session_fixture_read(name), "theirs");
        unlink(rt_session_fixture_path(name));
    }
}

Test(rt_naming, a_forked_child_always_has_its_pid)
{
    rt_session_fixture_begin(none);
    rt_session.forked = true;
    assert_created(numbered(0));
    assert_created(numbered(1));
}

Test(rt_naming, a_link_is_not_followed)
{
    rt_session_fixture_begin(none);
    static const char *victim; /* reachable at the end */
    victim = strdup(rt_session_fixture_path("victim"));
    cr_assert_eq(symlink(victim, rt_session_fixture_path(PLAIN ".thag")), 0);
    assert_created(numbered(0));
    cr_assert_eq(rt_session_fixture_size("victim"), -1);
}

/* What another process does between our look and our open. */
static void come_first(enum os_fake_call call)
{
    static bool done;
    if (call == OS_FAKE_FILE_OPEN && !done) {
        done = true;
        int fd = open(rt_session_fixture_path(PLAIN ".thag"), O_WRONLY | O_CREAT | O_EXCL, 0600);
        cr_assert_eq(write(fd, "theirs", 6), 6);
        close(fd);
    }
}

Test(rt_naming, a_file_that_comes_between_look_and_open_stays_the_other_processes)
{
    rt_session_fixture_begin(none);
    os_fake.look = come_first;
    assert_created(numbered(0));
    cr_assert_eq(rt_session_fixture_size(PLAIN ".thag"), 6);
}

Test(rt_naming, the_stamp_is_local_time)
{
    rt_session_fixture_begin(none);
    rt_session.utc_offset_s = -23 * 3600;
    assert_created("pro-gram.x-20231113-231320");
}

Test(rt_naming, a_name_that_is_too_long_is_an_error)
{
    static char longer[300];
    rt_session_fixture_begin(none);
    memset(longer, 'p', 250);
    rt_text_clear(&rt_session.program);
    rt_text_add(&rt_session.program, longer);
    cr_assert_eq(rt_naming_create(&rt_session), -ENAMETOOLONG);
}

Test(rt_naming, a_path_that_is_too_long_is_an_error)
{
    rt_session_fixture_begin(none);
    while (!rt_session.directory.cut && rt_session.directory.bytes < RT_TEXT_BYTES - 20) {
        rt_text_add(&rt_session.directory, "/directory");
    }
    cr_assert_eq(rt_naming_create(&rt_session), -ENAMETOOLONG);
}

Test(rt_naming, a_folder_that_cannot_be_written_is_an_error)
{
    rt_session_fixture_begin(none);
    rt_text_add(&rt_session.directory, "/missing");
    cr_assert_eq(rt_naming_create(&rt_session), -ENOENT);
    cr_assert_not_null(strstr(rt_session.path.at, "/missing/"));
}

/* ---- directories ---- */

static struct rt_text given, found;

static int directory(const char *path)
{
    rt_text_clear(&given);
    rt_text_add(&given, path);
    return rt_naming_directory(&given, &found);
}

Test(rt_naming, a_directory_is_made_with_its_parents)
{
    struct stat status;
    rt_session_fixture_begin(none);
    const char *path = rt_session_fixture_path("a/b/c");
    cr_assert_eq(directory(path), 0);
    cr_assert_str_eq(found.at, path);
    cr_assert(stat(path, &status) == 0 && S_ISDIR(status.st_mode));
    cr_assert_eq(directory(path), 0); /* and once more, now that it is there */
}

Test(rt_naming, a_directory_becomes_absolute)
{
    rt_session_fixture_begin(none);
    cr_assert_eq(chdir(rt_session.directory.at), 0);
    cr_assert_eq(directory(""), 0);
    cr_assert_str_eq(found.at, rt_session.directory.at);
    cr_assert_eq(directory("x/y//"), 0);
    cr_assert_str_eq(found.at, rt_session_fixture_path("x/y"));
    cr_assert_eq(directory("/"), 0);
    cr_assert_str_eq(found.at, "/");
    cr_assert_eq(directory("//"), 0);
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(directory("tmp"), 0);
    cr_assert_eq(access(found.at, W_OK), 0);
}

Test(rt_naming, what_cannot_be_made_is_named)
{
    rt_session_fixture_begin(none);
    rt_session_fixture_write("file", "");
    const char *below = rt_session_fixture_path("file/below");
    cr_assert_eq(directory(below), -ENOTDIR);
    cr_assert_str_eq(found.at, below);
    static char longer[6000];
    memset(longer, '/', sizeof longer - 1);
    longer[5000] = 'x';
    cr_assert_eq(directory(longer), -ENAMETOOLONG);
}

Test(rt_naming, a_current_directory_that_is_gone_is_named)
{
    rt_session_fixture_begin(none);
    const char *gone = rt_session_fixture_path("gone");
    cr_assert(mkdir(gone, 0777) == 0 && chdir(gone) == 0 && rmdir(gone) == 0);
    cr_assert_eq(directory("out"), -ENOENT);
    cr_assert_str_eq(found.at, "out");
    cr_assert_eq(directory(""), -ENOENT);
    cr_assert_str_eq(found.at, ".");
}

/* ---- the program ---- */

Test(rt_naming, the_program_is_the_running_file)
{
    static struct rt_text program;
    const struct rt_environment environment = {NULL, 0, none, NULL};
    char own[4096];
    ssize_t bytes = readlink("/proc/self/exe", own, sizeof own - 1);
    cr_assert_gt(bytes, 0);
    own[bytes] = 0;
    rt_naming_program(&environment, &program);
    cr_assert_str_eq(program.at, own);
}

static void assert_program(const char *link, const char *expected)
{
    static struct rt_text program;
    const struct rt_environment environment = {NULL, 0, none, NULL};
    os_fake.link = link;
    rt_naming_program(&environment, &program);
    cr_assert_str_eq(program.at, expected);
}

Test(rt_naming, the_mark_of_a_removed_program_is_cut_once)
{
    assert_program("/bin/prog (deleted)", "/bin/prog");
    assert_program("/bin/prog (deleted) (deleted)", "/bin/prog (deleted)");
    assert_program("/bin/prog(deleted)", "/bin/prog(deleted)");
    assert_program(" (deleted)", " (deleted)");
}

Test(rt_naming, a_link_of_any_length_is_read_in_its_bounds)
{
    static char longer[RT_TEXT_BYTES + 1];
    memset(longer, 'x', RT_TEXT_BYTES);
    const struct rt_environment environment = {NULL, 0, none, NULL};
    static struct rt_text program;
    os_fake.link = longer;
    rt_naming_program(&environment, &program);
    cr_assert(program.cut);
    cr_assert_eq(program.bytes, RT_TEXT_BYTES - 1);
}

Test(rt_naming, without_proc_the_program_is_what_was_executed)
{
    static const unsigned long auxiliary[] = {AT_EXECFN, 0, AT_NULL, 0};
    unsigned long found_pair[4];
    static struct rt_text program;
    memcpy(found_pair, auxiliary, sizeof auxiliary);
    found_pair[1] = (unsigned long)(uintptr_t) "./prog";
    struct rt_environment environment = {NULL, 0, none, found_pair};
    os_fake.refuse_kinds = UINT64_C(1) << OS_FAKE_FILE_READ_LINK;
    rt_naming_program(&environment, &program);
    cr_assert_str_eq(program.at, "./prog");
    environment.auxiliary = NULL;
    rt_naming_program(&environment, &program);
    cr_assert_str_eq(program.at, "program");
}
