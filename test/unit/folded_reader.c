#include "analyzer/input/folded_reader.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

static const struct an_folded_format bytes_format = {.value = AN_BYTES, .factor = 1};
static const struct an_folded_format time_format = {.value = AN_TIME, .factor = 1000};

static struct an_source *source_of(const void *text, size_t bytes)
{
    char path[40];
    struct an_source *source;
    int descriptor = memfd_create("folded", 0);
    cr_assert_eq(write(descriptor, text, bytes), (ssize_t)bytes);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
    cr_assert_eq(an_source_open(path, &source), 0);
    close(descriptor);
    return source;
}

static int load_bytes(const void *text, size_t bytes, const struct an_folded_format *format,
                      struct an_profile *profile)
{
    struct an_source *source = source_of(text, bytes);
    an_profile_init(profile);
    int failed = an_folded_load(source, format, profile, NULL);
    an_source_close(source);
    return failed;
}

static int load(const char *text, const struct an_folded_format *format, struct an_profile *profile)
{
    return load_bytes(text, strlen(text), format, profile);
}

/* The own amount of a stack of names joined by '|', or UINT64_MAX if there is no such node. */
static uint64_t self_of(const struct an_profile *profile, enum an_value value, const char *stack)
{
    const struct an_tree *tree = profile->tree;
    for (uint32_t node = 1; node < tree->node_count; node++) {
        char text[1000] = "";
        for (uint32_t n = node; n; n = tree->parent[n]) {
            char longer[1000];
            snprintf(longer, sizeof(longer), "%s%s%.400s",
                     an_names_text(tree->names, tree->name[n], NULL), text[0] ? "|" : "", text);
            strcpy(text, longer);
        }
        if (strcmp(text, stack) == 0)
            return tree->self[value][node];
    }
    return UINT64_MAX;
}

Test(folded_reader, equal_stacks_add_up)
{
    struct an_profile profile;
    cr_assert_eq(load("main;f 3\nmain;g 4\nmain;f 5\nmain 1\n", &bytes_format, &profile), 0);
    cr_assert_eq(self_of(&profile, AN_BYTES, "main|f"), 8);
    cr_assert_eq(self_of(&profile, AN_BYTES, "main|g"), 4);
    cr_assert_eq(self_of(&profile, AN_BYTES, "main"), 1);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 13);
    cr_assert_eq(profile.good_lines, 4);
    cr_assert_eq(profile.bad.count, 0);
    an_profile_release(&profile);
}

Test(folded_reader, microseconds_become_nanoseconds)
{
    struct an_profile profile;
    cr_assert_eq(load("main;f 3\n", &time_format, &profile), 0);
    cr_assert_eq(self_of(&profile, AN_TIME, "main|f"), 3000);
    an_profile_release(&profile);
}

Test(folded_reader, the_last_blank_splits)
{
    struct an_profile profile;
    const char *text = "main;operator new(unsigned long);x 12 7\nasync fn\t2\n  pad;ded   9  \n";
    cr_assert_eq(load(text, &bytes_format, &profile), 0);
    cr_assert_eq(self_of(&profile, AN_BYTES, "main|operator new(unsigned long)|x 12"), 7);
    cr_assert_eq(self_of(&profile, AN_BYTES, "async fn"), 2);
    cr_assert_eq(self_of(&profile, AN_BYTES, "pad|ded"), 9);
    an_profile_release(&profile);
}

Test(folded_reader, comments_blank_lines_crlf_and_mark_are_not_bad)
{
    struct an_profile profile;
    const char *text =
        "\xef\xbb\xbfmain;f 3\r\n\r\n# a comment 4\r\n#\n   \nmain;#define 4\r\n#x 1";
    cr_assert_eq(load(text, &bytes_format, &profile), 0);
    cr_assert_eq(self_of(&profile, AN_BYTES, "main|f"), 3);
    cr_assert_eq(self_of(&profile, AN_BYTES, "main|#define"), 4);
    cr_assert_eq(self_of(&profile, AN_BYTES, "#x"), 1);
    cr_assert_eq(profile.tree->node_count, 5);
    cr_assert_eq(profile.bad.count, 0);
    an_profile_release(&profile);
}

Test(folded_reader, bad_lines_are_counted_and_the_rest_used)
{
    struct an_profile profile;
    const char *text = "a 1\nnothing\na -5\n 7\na 1e3\na +1\na 1.2.3\na .5\na 0x10\na 2\n";
    cr_assert_eq(load(text, &bytes_format, &profile), 0);
    cr_assert_eq(profile.bad.count, 8);
    for (uint64_t i = 0; i < AN_BAD_LINES_KEPT; i++)
        cr_assert_eq(profile.bad.number[i], i + 2);
    cr_assert_eq(self_of(&profile, AN_BYTES, "a"), 3);
    an_profile_release(&profile);
}

Test(folded_reader, no_good_line_is_an_error)
{
    struct an_profile profile;
    cr_assert_eq(load("", &bytes_format, &profile), -ENODATA);
    an_profile_release(&profile);
    cr_assert_eq(load("# only\n\n", &bytes_format, &profile), -ENODATA);
    an_profile_release(&profile);
    cr_assert_eq(load("a -1\n", &bytes_format, &profile), -ENODATA);
    an_profile_release(&profile);
}

Test(folded_reader, fractions_are_kept_exactly)
{
    struct an_profile profile;
    cr_assert_eq(load("a 1.5\na 2\na 0.250\na 3.\n", &bytes_format, &profile), 0);
    cr_assert_eq(profile.scale[AN_BYTES], 100);
    cr_assert_eq(self_of(&profile, AN_BYTES, "a"), 675);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 675);
    an_profile_release(&profile);
    cr_assert_eq(load("a 1.125\na 2.000\n", &time_format, &profile), 0);
    cr_assert_eq(profile.scale[AN_TIME], 1);
    cr_assert_eq(self_of(&profile, AN_TIME, "a"), 3125);
    an_profile_release(&profile);
}

Test(folded_reader, a_fraction_that_cannot_be_kept_is_a_bad_line)
{
    struct an_profile profile;
    const char *text = "a 18446744073709551615\na 0.5\n";
    cr_assert_eq(load(text, &bytes_format, &profile), 0);
    cr_assert_eq(profile.bad.count, 1);
    cr_assert_eq(profile.bad.number[0], 2);
    cr_assert_eq(profile.tree->sum[AN_BYTES], UINT64_MAX);
    an_profile_release(&profile);
    cr_assert_eq(load("a 0.00000000001\na 1\na 0.0000000000000\n", &bytes_format, &profile), 0);
    cr_assert_eq(profile.bad.count, 1);
    cr_assert_eq(profile.scale[AN_BYTES], 1);
    an_profile_release(&profile);
}

Test(folded_reader, a_sum_past_64_bits_is_an_error)
{
    struct an_profile profile;
    cr_assert_eq(load("a 18446744073709551615\nb 1\n", &bytes_format, &profile), -EOVERFLOW);
    an_profile_release(&profile);
    cr_assert_eq(load("a 18446744073709551616\n", &bytes_format, &profile), -EOVERFLOW);
    an_profile_release(&profile);
    cr_assert_eq(load("a 18446744073709552\n", &time_format, &profile), -EOVERFLOW);
    an_profile_release(&profile);
}

Test(folded_reader, empty_frames_are_frames)
{
    struct an_profile profile;
    cr_assert_eq(load("a;;b 1\n;c 2\nd; 3\n; 4\n", &bytes_format, &profile), 0);
    cr_assert_eq(self_of(&profile, AN_BYTES, "a||b"), 1);
    cr_assert_eq(profile.bad.count, 0);
    cr_assert_eq(profile.tree->sum[AN_BYTES], 10);
    /* a, a/"", a/""/b, "", ""/c, d, d/"", ""/"" */
    cr_assert_eq(profile.tree->node_count, 9);
    an_profile_release(&profile);
}

Test(folded_reader, any_byte_may_stand_in_a_name)
{
    struct an_profile profile;
    const char text[] = "a\0b;\x01\xff\xc3;\xf0\x9f\x98\x80 6\n";
    cr_assert_eq(load_bytes(text, sizeof(text) - 1, &bytes_format, &profile), 0);
    size_t bytes;
    cr_assert_eq(profile.tree->node_count, 4);
    const char *name = an_names_text(profile.tree->names, profile.tree->name[1], &bytes);
    cr_assert_eq(bytes, 3);
    cr_assert_eq(memcmp(name, "a\0b", 3), 0);
    cr_assert_str_eq(an_names_text(profile.tree->names, profile.tree->name[2], NULL),
                     "\x01\xff\xc3");
    an_profile_release(&profile);
}

Test(folded_reader, long_names_and_deep_stacks_pass)
{
    struct an_profile profile;
    size_t room = 10000 * 8 + 70000, at = 0;
    char *text = malloc(room);
    for (int i = 0; i < 10000; i++)
        at += (size_t)sprintf(text + at, "f%d;", i);
    memset(text + at, 'n', 65536);
    at += 65536;
    strcpy(text + at, " 5\n");
    cr_assert_eq(load(text, &bytes_format, &profile), 0);
    cr_assert_eq(profile.tree->node_count, 10002);
    cr_assert_eq(an_tree_depth(profile.tree, 10001), 10001);
    cr_assert_eq(profile.tree->self[AN_BYTES][10001], 5);
    an_profile_release(&profile);
    free(text);
}

/* Lines that begin, end and are cut at every place around the reader's first buffer. */
Test(folded_reader, lines_across_the_buffer_are_read_once)
{
    const size_t edge = 256 * 1024;
    char *text = malloc(edge + 4096);
    for (size_t pad = edge - 12; pad <= edge + 2; pad++) {
        struct an_profile profile;
        memset(text, 'x', pad);
        strcpy(text + pad, " 1\nmain;f 20\nmain;f 300");
        cr_assert_eq(load(text, &bytes_format, &profile), 0);
        cr_assert_eq(profile.tree->sum[AN_BYTES], 321, "padding %zu", pad);
        cr_assert_eq(profile.good_lines, 3);
        an_profile_release(&profile);
    }
    free(text);
}

Test(folded_reader, two_numbers_on_every_line_are_a_differential)
{
    struct an_profile before, after;
    const char *text = "main;f 10 20\nmain;gone 5 0\nbad 3\nmain;f 1 2\n";
    struct an_source *source = source_of("main;f 10 20\nmain;gone 5 0\n", 27);
    an_profile_init(&before);
    an_profile_init(&after);
    cr_assert_eq(an_folded_load(source, &bytes_format, &after, &before), 0);
    an_source_close(source);
    cr_assert_eq(self_of(&before, AN_BYTES, "main|f"), 10);
    cr_assert_eq(self_of(&before, AN_BYTES, "main|gone"), 5);
    cr_assert_eq(self_of(&after, AN_BYTES, "main|f"), 20);
    cr_assert_eq(self_of(&after, AN_BYTES, "main|gone"), 0);
    cr_assert_eq(before.tree->node_count, after.tree->node_count);
    an_profile_release(&before);
    an_profile_release(&after);

    /* One line with one number: then the other numbers belong to names. */
    cr_assert_eq(load(text, &bytes_format, &after), 0);
    cr_assert_eq(self_of(&after, AN_BYTES, "main|f 10"), 20);
    an_profile_release(&after);
}

Test(folded_reader, both_columns_are_only_had_where_they_are)
{
    struct an_profile before, after;
    struct an_source *source = source_of("main;f 10\n", 10);
    an_profile_init(&before);
    an_profile_init(&after);
    cr_assert_eq(an_folded_load(source, &bytes_format, &after, &before), -EINVAL);
    an_source_close(source);
    an_profile_release(&before);
    an_profile_release(&after);
}

Test(folded_reader, one_column_files_keep_numbers_in_names)
{
    struct an_folded_format format = {.value = AN_BYTES, .factor = 1, .one_column = true};
    struct an_profile profile;
    cr_assert_eq(load("worker 3 20\n", &format, &profile), 0);
    cr_assert_eq(self_of(&profile, AN_BYTES, "worker 3"), 20);
    an_profile_release(&profile);
}

Test(folded_reader, in_order_merges_adjacent_stacks_only)
{
    struct an_folded_format format = {.value = AN_BYTES, .factor = 1, .in_order = true};
    struct an_profile profile;
    cr_assert_eq(load("m;a 1\nm;a;b 2\nm;a 4\nm;c 8\nm;a 16\n", &format, &profile), 0);
    /* m, m/a, m/a/b, m/c, m/a again */
    cr_assert_eq(profile.tree->node_count, 6);
    cr_assert_eq(profile.tree->self[AN_BYTES][2], 5);
    cr_assert_eq(profile.tree->self[AN_BYTES][5], 16);
    an_profile_release(&profile);
}

Test(folded_reader, single_events_fill_sizes_and_allocations)
{
    struct an_folded_format format = {.value = AN_BYTES, .factor = 1, .single = true};
    struct an_profile profile;
    cr_assert_eq(load("m;a 64\nm;a 64\nm;b 65\n", &format, &profile), 0);
    cr_assert_eq(self_of(&profile, AN_ALLOCATIONS, "m|a"), 2);
    cr_assert_eq(profile.sizes->count[an_sizes_class(64)], 2);
    cr_assert_eq(profile.sizes->bytes[an_sizes_class(65)], 65);
    cr_assert(profile.sizes->bytes_exact);
    an_profile_release(&profile);
}

static size_t gzip(const char *text, uint8_t *ret_packed, size_t room)
{
    z_stream stream = {0};
    cr_assert_eq(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)text;
    stream.avail_in = (uInt)strlen(text);
    stream.next_out = ret_packed;
    stream.avail_out = (uInt)room;
    cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

Test(folded_reader, gzip_members_are_unpacked)
{
    struct an_profile profile;
    uint8_t packed[400];
    size_t first = gzip("main;f 3\nmain", packed, 200);
    size_t bytes = first;
    bytes += gzip(";g 4\n", packed + bytes, 200);
    cr_assert_eq(load_bytes(packed, bytes, &bytes_format, &profile), 0);
    cr_assert_eq(self_of(&profile, AN_BYTES, "main|g"), 4);
    an_profile_release(&profile);
    for (size_t cut = 2; cut < bytes; cut++) {
        int failed = load_bytes(packed, cut, &bytes_format, &profile);
        cr_assert_eq(failed, cut == first ? 0 : -EBADMSG, "%zu of %zu: %d", cut, bytes, failed);
        an_profile_release(&profile);
    }
}

Test(folded_reader, zstd_frames_are_unpacked)
{
    struct an_profile profile;
    uint8_t packed[400];
    size_t bytes = ZSTD_compress(packed, 200, "main;f 3\nmain", 13, 3);
    bytes += ZSTD_compress(packed + bytes, 200, ";g 4\n", 5, 3);
    cr_assert_eq(load_bytes(packed, bytes, &bytes_format, &profile), 0);
    cr_assert_eq(self_of(&profile, AN_BYTES, "main|g"), 4);
    an_profile_release(&profile);
    cr_assert_eq(load_bytes(packed, bytes - 1, &bytes_format, &profile), -EBADMSG);
    an_profile_release(&profile);
    packed[6] ^= 0xff;
    cr_assert_eq(load_bytes(packed, bytes, &bytes_format, &profile), -EBADMSG);
    an_profile_release(&profile);
}
