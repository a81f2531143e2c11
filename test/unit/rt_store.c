#include "runtime/setup/store.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/hot/recording.h"
#include "test/fake/os_fake.h"
#include "test/support/rt_session_fixture.h"

#define FILE_NAME "pro-gram.x-" RT_SESSION_FIXTURE_STAMP ".thag"
enum { TID = 7 };

static char *variables[2];

static void begin(uint64_t most)
{
    rt_session_fixture_begin(variables);
    rt_session.config.max_bytes = most;
}

/* Pages that are written to their last byte. */
static void fill(unsigned pages)
{
    uint64_t page = rt_recording_extent(REC_KIND_TEXT, pages, 0, 0, TID);
    cr_assert_neq(page, 0);
    for (unsigned i = 0; i < pages; i++) {
        memset(rt_recording_page(page + i), 'A' + (int)(i % 26), REC_PAGE_BYTES);
    }
}

static void assert_content(const char *path, unsigned pages)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    struct rec_header header;
    cr_assert_eq(fread(&header, sizeof header, 1, file), 1);
    cr_assert_eq(header.used_pages, pages + 2);
    for (unsigned i = 0; i < pages; i++) {
        char page[REC_PAGE_BYTES];
        fseek(file, (long)(i + 2) * REC_PAGE_BYTES, SEEK_SET);
        cr_assert_eq(fread(page, sizeof page, 1, file), 1);
        cr_assert_eq(page[0], 'A' + (int)(i % 26));
        cr_assert_eq(page[REC_PAGE_BYTES - 1], 'A' + (int)(i % 26));
    }
    fclose(file);
}

Test(rt_store, the_file_is_as_long_as_the_reservation_and_trimmed_at_the_end)
{
    begin(UINT64_C(64) << 20);
    cr_assert_eq(rt_store_open(&rt_session), 0);
    cr_assert_eq(rt_session_fixture_size(FILE_NAME), 64 << 20);
    cr_assert_eq(rt_recording.header->reservation_bytes, 64 << 20);
    fill(100);
    rt_store_close(&rt_session);
    uint64_t bytes = (uint64_t)rt_session_fixture_size(FILE_NAME);
    cr_assert_geq(bytes, 102 * REC_PAGE_BYTES);
    cr_assert_leq(bytes, 150 * REC_PAGE_BYTES);
    assert_content(rt_session.path.at, 100);
    memset(rt_recording_page(101), 'z', REC_PAGE_BYTES); /* a late hook meets no SIGBUS */
}

static uint64_t late_page;

/* Another thread's hook, on its way since before the end. */
static void hook_while_it_is_cut(enum os_fake_call call)
{
    if (call == OS_FAKE_FILE_TRUNCATE) {
        late_page = rt_recording_extent(REC_KIND_TEXT, 100, 0, 0, TID);
    }
}

Test(rt_store, a_hook_that_is_late_gets_no_page_that_is_cut_off)
{
    begin(UINT64_C(64) << 20);
    cr_assert_eq(rt_store_open(&rt_session), 0);
    fill(10);
    os_fake.look = hook_while_it_is_cut;
    rt_store_close(&rt_session);
    if (late_page) {
        memset(rt_recording_page(late_page + 99), 'z', REC_PAGE_BYTES);
    }
    cr_assert_eq(late_page, 0);
    cr_assert_leq(rt_recording.header->used_pages * REC_PAGE_BYTES,
                  (uint64_t)rt_session_fixture_size(FILE_NAME));
    cr_assert(!rt_recording_is_full(), "the end is no lack of room");
}

Test(rt_store, a_file_that_was_moved_away_is_not_touched_nor_what_took_its_place)
{
    begin(1 << 20);
    cr_assert_eq(rt_store_open(&rt_session), 0);
    cr_assert_eq(rename(rt_session.path.at, rt_session_fixture_path("moved")), 0);
    rt_session_fixture_write(FILE_NAME, "another file of somebody");
    rt_store_close(&rt_session);
    cr_assert_str_eq(rt_session_fixture_read(FILE_NAME), "another file of somebody");
    cr_assert_eq(rt_session_fixture_size(FILE_NAME), sizeof "another file of somebody" - 1);
    cr_assert_eq(rt_session_fixture_size("moved"), 1 << 20);
}

Test(rt_store, no_descriptor_stays_open)
{
    begin(1 << 20);
    int before = dup(2);
    cr_assert_eq(rt_store_open(&rt_session), 0);
    int after = dup(2);
    cr_assert_eq(after, before + 1);
    close(after);
    rt_store_close(&rt_session);
    cr_assert_eq(dup(2), before + 1);
}

Test(rt_store, a_file_size_limit_makes_the_reservation_smaller)
{
    struct rlimit limit = {3 << 20, RLIM_INFINITY};
    begin(UINT64_C(1) << 30);
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_eq(rt_store_open(&rt_session), 0);
    cr_assert_eq(rt_recording.header->reservation_bytes, 3 << 20);
    fill(700);
}

Test(rt_store, a_file_size_limit_that_is_too_small_is_an_error)
{
    struct rlimit limit = {(1 << 20) - 1, RLIM_INFINITY};
    begin(UINT64_C(1) << 30);
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &limit);
    cr_assert_eq(rt_store_open(&rt_session), -EFBIG);
    cr_assert_str_eq(rt_session.path.at, rt_session.directory.at);
    cr_assert_eq(rt_session_fixture_count(), 0);
}

Test(rt_store, an_address_space_limit_makes_the_reservation_smaller)
{
    begin(UINT64_C(4) << 30);
    os_fake.limit = UINT64_C(1) << 30;
    cr_assert_eq(rt_store_open(&rt_session), 0);
    cr_assert_eq(rt_recording.header->reservation_bytes, UINT64_C(256) << 20);
}

Test(rt_store, what_cannot_be_begun_leaves_nothing_behind)
{
    static const struct {
        enum os_fake_call call;
        int error;
    } refusals[] = {{OS_FAKE_FILE_TRUNCATE, EFBIG},
                    {OS_FAKE_FILE_MAP, ENOMEM},
                    {OS_FAKE_FILE_COMMIT, ENOSPC},
                    {OS_FAKE_FILE_IDENTIFY, EIO},
                    {OS_FAKE_FILE_OPEN, EMFILE}};
    begin(1 << 20);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        os_fake.refuse_kinds = UINT64_C(1) << refusals[i].call;
        os_fake.kinds_error = refusals[i].error;
        cr_assert_eq(rt_store_open(&rt_session), -refusals[i].error);
        cr_assert_not_null(strstr(rt_session.path.at, FILE_NAME));
        cr_assert_eq(rt_session_fixture_count(), 0);
    }
}

/* A kernel before 5.14 cannot give pages of a file their backing by madvise(). */
Test(rt_store, without_populate_the_whole_file_is_allocated_and_can_be_written)
{
    begin(1 << 20);
    os_fake.refuse_kinds = UINT64_C(1) << OS_FAKE_FILE_COMMIT;
    os_fake.kinds_error = EINVAL;
    cr_assert_eq(rt_store_open(&rt_session), 0);
    cr_assert_eq(os_fake.seen[OS_FAKE_FILE_ALLOCATE], 1);
    fill(254);
    cr_assert_eq(rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, TID), 0);
    rt_store_close(&rt_session);
    assert_content(rt_session.path.at, 254);
}

static void elsewhere_check(unsigned pages)
{
    static char *live; /* reachable at the end */
    live = strdup(rt_session.live_path.at);
    cr_assert_gt(rt_session.live_path.bytes, 0);
    cr_assert_eq(access(live, R_OK), 0);
    cr_assert_eq(rt_session_fixture_size(FILE_NAME), 0);
    fill(pages);
    rt_store_close(&rt_session);
    assert_content(rt_session.path.at, pages);
    cr_assert_neq(access(live, F_OK), 0);
    cr_assert_eq(rt_session_fixture_size(FILE_NAME), (long)(pages + 2) * REC_PAGE_BYTES);
}

Test(rt_store, in_memory_on_request_it_is_copied_at_the_end_and_nothing_said)
{
    begin(UINT64_C(8) << 20);
    rt_session.config.store = RT_STORE_MEMORY;
    cr_assert_eq(rt_store_open(&rt_session), 0);
    elsewhere_check(300);
    cr_assert_eq(os_fake.said_bytes, 0);
}

Test(rt_store, an_unknown_file_system_is_not_trusted_and_it_is_said)
{
    begin(UINT64_C(8) << 20);
    os_fake.file_system_magic = 0x6969; /* NFS */
    cr_assert_eq(rt_store_open(&rt_session), 0);
    cr_assert_not_null(strstr(os_fake.said, rt_session.live_path.at));
    elsewhere_check(20);
}

Test(rt_store, where_it_cannot_be_copied_the_live_file_stays)
{
    begin(UINT64_C(8) << 20);
    rt_session.config.store = RT_STORE_MEMORY;
    cr_assert_eq(rt_store_open(&rt_session), 0);
    fill(10);
    os_fake.refuse_kinds = UINT64_C(1) << OS_FAKE_FILE_WRITE;
    rt_store_close(&rt_session);
    assert_content(rt_session.live_path.at, 10);
    unlink(rt_session.live_path.at);
}

Test(rt_store, what_somebody_wrote_into_the_place_of_the_copy_stays)
{
    begin(UINT64_C(8) << 20);
    rt_session.config.store = RT_STORE_MEMORY;
    cr_assert_eq(rt_store_open(&rt_session), 0);
    fill(10);
    rt_session_fixture_write(FILE_NAME, "somebody's");
    rt_store_close(&rt_session);
    cr_assert_str_eq(rt_session_fixture_read(FILE_NAME), "somebody's");
    assert_content(rt_session.live_path.at, 10);
    unlink(rt_session.live_path.at);
}

/* Servers forbid themselves to write files once they are set up; going past that limit is a signal
 * that kills. */
Test(rt_store, a_limit_that_the_program_has_lowered_does_not_kill_it)
{
    struct rlimit limit = {REC_PAGE_BYTES, RLIM_INFINITY};
    begin(UINT64_C(8) << 20);
    signal(SIGXFSZ, SIG_DFL);
    rt_session.config.store = RT_STORE_MEMORY;
    cr_assert_eq(rt_store_open(&rt_session), 0);
    fill(10);
    setrlimit(RLIMIT_FSIZE, &limit);
    rt_store_close(&rt_session);
    assert_content(rt_session.live_path.at, 10);
    unlink(rt_session.live_path.at);
}
