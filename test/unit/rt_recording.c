#include "runtime/hot/recording.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/os/os.h"
#include "test/support/rt_fixture.h"

enum { TID = 7 };
#define PAGES(n) ((uint64_t)(n) << REC_PAGE_SHIFT)

/* As store.c does it: a file, mapped without access. */
static int begin_in_file(uint64_t bytes)
{
    int error = 0;
    int fd = memfd_create("recording", 0);
    cr_assert(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    void *memory = os_file_map(fd, bytes, &error);
    cr_assert_not_null(memory);
    cr_assert_eq(rt_recording_begin(memory, bytes, false), 0);
    return fd;
}

Test(rt_recording, a_header_is_a_header_but_for_its_magic)
{
    begin_in_file(PAGES(1024));
    const struct rec_header *header = rt_recording.header;
    cr_assert_eq(header->magic, 0);
    cr_assert_eq(header->version, REC_VERSION);
    cr_assert_eq(header->header_bytes, sizeof *header);
    cr_assert_eq(header->byte_order, REC_BYTE_ORDER);
    cr_assert_eq(header->page_bytes, REC_PAGE_BYTES);
    cr_assert_eq(header->reservation_bytes, PAGES(1024));
    cr_assert_eq(header->used_pages, 2);
    cr_assert_eq(header->extent_segment[0], 1);
    cr_assert_eq(header->node_count, 1);
    cr_assert_eq(header->stack_count, 1);
    cr_assert_eq(header->extent_count, 0);
    cr_assert_not(rt_recording_is_full());
}

Test(rt_recording, too_small_a_mapping_is_an_error)
{
    void *memory = mmap(NULL, PAGES(1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_lt(rt_recording_begin(memory, PAGES(1), true), 0);
    cr_assert_null(rt_recording.header);
}

Test(rt_recording, extents_are_listed_zero_and_apart)
{
    begin_in_file(PAGES(4096));
    uint64_t expected = 2;
    for (uint32_t i = 0; i < 50; i++) {
        uint64_t pages = 1 + i % 7;
        uint64_t page = rt_recording_extent(REC_KIND_COUNTERS, pages, i, i * 64u, TID);
        cr_assert_eq(page, expected);
        expected += pages;
        const char *memory = rt_recording_page(page);
        for (uint64_t at = 0; at < PAGES(pages); at++) {
            cr_assert_eq(memory[at], 0);
        }
        memset(rt_recording_page(page), 0xee, PAGES(pages));
        const struct rec_extent *extent = rt_fixture_extent(i);
        cr_assert_eq(extent->kind, REC_KIND_COUNTERS);
        cr_assert_eq(extent->owner, i);
        cr_assert_eq(extent->first_page, page);
        cr_assert_eq(extent->page_count, pages);
        cr_assert_eq(extent->first_index, i * 64u);
    }
    cr_assert_eq(rt_recording.header->used_pages, expected);
    cr_assert_null(rt_fixture_extent(50));
}

Test(rt_recording, the_extent_table_grows_over_many_segments)
{
    enum { EXTENTS = 128 * 31 + 5 }; /* into the sixth segment */
    begin_in_file(PAGES(8192));
    for (uint32_t i = 0; i < EXTENTS; i++) {
        uint64_t page = rt_recording_extent(REC_KIND_TEXT, 1, 0, i, TID);
        cr_assert_neq(page, 0);
        *(uint32_t *)rt_recording_page(page) = i;
    }
    for (unsigned segment = 0; segment < REC_EXTENT_SEGMENTS; segment++) {
        cr_assert_eq(rt_recording.header->extent_segment[segment] != 0, segment < 6);
    }
    for (uint32_t i = 0; i < EXTENTS; i++) {
        const struct rec_extent *extent = rt_fixture_extent(i);
        cr_assert_eq(extent->first_index, i);
        cr_assert_eq(*(uint32_t *)rt_recording_page(extent->first_page), i);
    }
}

Test(rt_recording, a_full_reservation_refuses_for_good_and_says_since_when)
{
    begin_in_file(PAGES(64));
    cr_assert_neq(rt_recording_extent(REC_KIND_TEXT, 60, 0, 0, TID), 0);
    uint64_t used = rt_recording.header->used_pages;
    uint64_t before_ns = os_clock_monotonic_ns();
    cr_assert_eq(rt_recording_extent(REC_KIND_TEXT, 3, 0, 0, TID), 0);
    uint64_t full_ns = rt_recording.header->full_ns;
    cr_assert(full_ns >= before_ns && full_ns <= os_clock_monotonic_ns());
    cr_assert(rt_recording_is_full());
    cr_assert_eq(rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, TID), 0); /* though it would fit */
    cr_assert_eq(rt_recording.header->full_ns, full_ns);
    cr_assert_eq(rt_recording.header->used_pages, used);
    cr_assert_eq(rt_recording.header->extent_count, 1);
}

Test(rt_recording, the_reservation_can_be_used_to_its_last_page)
{
    begin_in_file(PAGES(64));
    for (int i = 0; i < 62; i++) {
        uint64_t page = rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, TID);
        cr_assert_neq(page, 0);
        memset(rt_recording_page(page), 1, REC_PAGE_BYTES);
    }
    cr_assert_eq(rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, TID), 0);
}

static void assert_text(struct rec_text text, const char *expected, size_t bytes)
{
    cr_assert_eq(text.bytes, bytes);
    cr_assert_eq(memcmp((char *)rt_recording.header + text.offset, expected, bytes), 0);
}

static bool is_mapped(uint64_t page)
{
    unsigned char resident;
    return mincore(rt_recording_page(page), REC_PAGE_BYTES, &resident) == 0;
}

Test(rt_recording, what_is_given_back_of_the_reservation_is_not_used_any_more)
{
    begin_in_file(PAGES(1024));
    cr_assert_neq(rt_recording_extent(REC_KIND_COUNTERS, 300, 1, 0, TID), 0);
    rt_recording_shrink(PAGES(600) + 100, TID);
    cr_assert_eq(rt_recording.header->reservation_bytes, PAGES(600));
    cr_assert(is_mapped(599) && !is_mapped(600) && !is_mapped(1023));
    cr_assert_neq(rt_recording_extent(REC_KIND_COUNTERS, 298, 1, 0, TID), 0);
    cr_assert_eq(rt_recording_extent(REC_KIND_COUNTERS, 1, 1, 0, TID), 0);
    cr_assert_eq(rt_recording.full_error, -EFBIG);
}

Test(rt_recording, what_is_committed_is_never_given_back)
{
    begin_in_file(PAGES(1024));
    cr_assert_neq(rt_recording_extent(REC_KIND_COUNTERS, 300, 1, 0, TID), 0);
    uint64_t committed = rt_recording.committed_pages;
    rt_recording_shrink(PAGES(10), TID);
    cr_assert_eq(rt_recording.limit_pages, committed);
    memset(rt_recording_page(committed - 1), 1, REC_PAGE_BYTES);
    rt_recording_shrink(PAGES(2048), TID);
    cr_assert_eq(rt_recording.limit_pages, committed, "more than there is");
}

Test(rt_recording, texts_are_kept_and_long_ones_too)
{
    static char large[100000];
    begin_in_file(PAGES(1024));
    memset(large, 'l', sizeof large);
    struct rec_text first = rt_recording_text("first", 5, TID);
    struct rec_text huge = rt_recording_text(large, sizeof large, TID);
    struct rec_text none = rt_recording_text("", 0, TID);
    struct rec_text zeros = rt_recording_text("a\0b", 3, TID);
    assert_text(first, "first", 5);
    assert_text(huge, large, sizeof large);
    assert_text(zeros, "a\0b", 3);
    cr_assert(none.offset == 0 && none.bytes == 0);
}

Test(rt_recording, a_text_without_room_is_no_text)
{
    static char large[REC_PAGE_BYTES * 40];
    begin_in_file(PAGES(40));
    struct rec_text small = rt_recording_text("x", 1, TID);
    cr_assert_eq(small.bytes, 1);
    struct rec_text none = rt_recording_text(large, sizeof large, TID);
    cr_assert(none.offset == 0 && none.bytes == 0);
    cr_assert(rt_recording_is_full());
    struct rec_text after = rt_recording_text("still room", 10, TID); /* in the pages it has */
    assert_text(after, "still room", 10);
}

Test(rt_recording, losses_are_counted_one_by_one)
{
    begin_in_file(PAGES(64));
    for (int i = 0; i < 1000; i++) {
        rt_recording_count(&rt_recording.header->events_lost);
    }
    cr_assert_eq(rt_recording.header->events_lost, 1000);
}

Test(rt_recording, a_dead_holders_locks_are_set_free, .timeout = 600)
{
    begin_in_file(PAGES(64));
    rt_recording.lock.holder = 99;
    rt_recording_recover(98);
    cr_assert_eq(rt_recording.lock.holder, 99);
    rt_recording_recover(99);
    cr_assert_neq(rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, TID), 0);
}

/* After the freeze no call is possible: what was committed before must serve. */
Test(rt_recording, the_last_step_before_a_freeze_can_be_used)
{
    begin_in_file(PAGES(4096));
    rt_recording_prepare_frozen(TID);
    os_freeze(true);
    for (int i = 0; i < 200; i++) {
        uint64_t page = rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, TID);
        cr_assert_neq(page, 0);
        memset(rt_recording_page(page), 1, REC_PAGE_BYTES);
    }
    while (rt_recording_extent(REC_KIND_TEXT, 1, 0, 0, TID)) {
    }
    cr_assert(rt_recording_is_full());
}

Test(rt_recording, the_last_step_takes_what_is_left_of_a_small_reservation)
{
    begin_in_file(PAGES(128)); /* less than the step, more than the first commitment */
    rt_recording_prepare_frozen(TID);
    cr_assert_eq(rt_recording.committed_pages, 128);
}
