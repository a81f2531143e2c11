/*
 * The page as a file: the data in it, its escaping, its limits.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/page.h"

static struct an_tree *tree;

static void setup(void)
{
    tree = an_tree_new();
}

static void teardown(void)
{
    an_tree_free(tree);
}

TestSuite(page, .init = setup, .fini = teardown);

static uint32_t child_of(uint32_t parent, const char *name)
{
    return an_tree_child(tree, parent, an_names_intern(tree->names, name, strlen(name)));
}

static struct an_page_options options_for(enum an_value value, enum an_page_format format)
{
    return (struct an_page_options){
        .title = "t", .value = value, .format = format, .order = AN_BY_NAME};
}

/* The page as text; freed by the caller. */
static char *page_text(const struct an_page_options *options, size_t *ret_bytes)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    int result = an_page_write(tree, options, out);

    fclose(out);
    cr_assert_eq(result, 0);
    if (ret_bytes != NULL)
        *ret_bytes = bytes;
    return text;
}

static void check_contains(const struct an_page_options *options, const char *expected)
{
    char *text = page_text(options, NULL);

    cr_assert_not_null(strstr(text, expected), "%s is not in the page", expected);
    free(text);
}

static uint32_t occurrences(const char *text, const char *word)
{
    uint32_t count = 0;

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        count++;
    return count;
}

Test(page, nodes_go_in_preorder)
{
    /* Made breadth first: a, b, a;c. */
    uint32_t a = child_of(0, "a");
    uint32_t b = child_of(0, "b");
    uint32_t c = child_of(a, "c");
    an_tree_add(tree, c, AN_SAMPLES, 33);
    an_tree_add(tree, b, AN_SAMPLES, 1);
    struct an_page_options options = options_for(AN_SAMPLES, AN_PAGE_HTML);

    check_contains(&options, "\"names\":[\"a\",\"b\",\"c\"]");
    check_contains(&options, "\"up\":\"AAAC\",\n\"name\":\"AACB\"");
    /* 33 is 1 and a further digit of 1. */
    check_contains(&options, "\"self\":\"AAhBB\"");
}

Test(page, names_are_sorted_bytewise)
{
    an_tree_add(tree, child_of(0, "b"), AN_SAMPLES, 1);
    an_tree_add(tree, child_of(0, "B"), AN_SAMPLES, 1);
    an_tree_add(tree, child_of(0, "aa"), AN_SAMPLES, 1);
    an_tree_add(tree, child_of(0, "a"), AN_SAMPLES, 1);
    struct an_page_options options = options_for(AN_SAMPLES, AN_PAGE_HTML);

    check_contains(&options, "\"names\":[\"B\",\"a\",\"aa\",\"b\"]");
}

Test(page, sums_beyond_exact_numbers_are_shifted)
{
    uint32_t a = child_of(0, "a");
    an_tree_add(tree, a, AN_BYTES, UINT64_MAX - 1);
    an_tree_add(tree, child_of(a, "b"), AN_BYTES, 1);
    struct an_page_options options = options_for(AN_BYTES, AN_PAGE_HTML);

    check_contains(&options, "\"shift\":11,\"scale\":1,\"sum\":\"18446744073709551615\"");
}

Test(page, exact_sums_are_not_shifted)
{
    an_tree_add(tree, child_of(0, "a"), AN_BYTES, (1ULL << 53) - 1);
    struct an_page_options options = options_for(AN_BYTES, AN_PAGE_HTML);

    check_contains(&options, "\"shift\":0");
}

Test(page, inclusive_time_is_not_drawn)
{
    an_tree_add(tree, child_of(0, "a"), AN_INCLUSIVE, 1);
    an_tree_add(tree, child_of(0, "a"), AN_TIME, 1);
    struct an_page_options options = options_for(AN_INCLUSIVE, AN_PAGE_HTML);

    cr_assert_eq(an_page_values(tree), 1u << AN_TIME);
    cr_assert_eq(an_page_write(tree, &options, stdout), -EINVAL);
}

Test(page, value_that_the_tree_lacks_is_an_error)
{
    an_tree_add(tree, child_of(0, "a"), AN_TIME, 1);
    struct an_page_options options = options_for(AN_BYTES, AN_PAGE_HTML);

    cr_assert_eq(an_page_write(tree, &options, stdout), -EINVAL);
}

Test(page, full_disk_is_an_error)
{
    an_tree_add(tree, child_of(0, "a"), AN_TIME, 1);
    struct an_page_options options = options_for(AN_TIME, AN_PAGE_HTML);
    FILE *out = fopen("/dev/full", "w");

    cr_assert_not_null(out);
    cr_assert_eq(an_page_write(tree, &options, out), -EIO);
    fclose(out);
}

Test(page, hostile_names_end_nothing)
{
    const char *hostile = "</script><script>alert(1)</script>]]><!--\"'&\x1b\xff";

    an_tree_add(tree, child_of(0, hostile), AN_TIME, 1);
    for (int format = AN_PAGE_HTML; format <= AN_PAGE_SVG; format++) {
        struct an_page_options options = options_for(AN_TIME, (enum an_page_format)format);
        options.title = options.subtitle = hostile;
        options.note = &hostile;
        options.note_count = 1;
        char *text = page_text(&options, NULL);

        cr_assert_null(strstr(text, "<script>alert"));
        cr_assert_null(strstr(text, "<!--"));
        cr_assert_eq(occurrences(text, "</script>"), format == AN_PAGE_SVG ? 3u : 2u);
        cr_assert_null(strchr(text, '\x1b'));
        cr_assert_null(strchr(text, '\xff'));
        free(text);
    }
}

Test(page, equal_trees_give_equal_bytes)
{
    struct an_page_options options = options_for(AN_TIME, AN_PAGE_SVG);
    size_t first_bytes, second_bytes;

    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof(name), "f%d", i * 37 % 100);
        an_tree_add(tree, child_of(0, name), AN_TIME, 7);
    }
    char *first = page_text(&options, &first_bytes);
    char *second = page_text(&options, &second_bytes);
    cr_assert_eq(first_bytes, second_bytes);
    cr_assert_eq(memcmp(first, second, first_bytes), 0);
    free(first);
    free(second);
}

Test(page, ten_thousand_deep_stack_is_written)
{
    uint32_t node = 0;

    for (int depth = 0; depth < 10000; depth++)
        node = child_of(node, depth % 2 != 0 ? "even" : "odd");
    an_tree_add(tree, node, AN_TIME, 5);
    struct an_page_options options = options_for(AN_TIME, AN_PAGE_HTML);
    check_contains(&options, "\"nodes\":10001");
}

Test(page, static_picture_is_bounded)
{
    for (int i = 0; i < 9000; i++) {
        char name[16];
        snprintf(name, sizeof(name), "f%d", i);
        uint32_t node = child_of(child_of(child_of(0, "a"), "b"), name);
        for (int depth = 0; depth < 3; depth++)
            node = child_of(node, "x");
        an_tree_add(tree, node, AN_TIME, i < 900 ? 1000 : 1);
    }
    struct an_page_options options = options_for(AN_TIME, AN_PAGE_HTML);
    char *text = page_text(&options, NULL);
    uint32_t frames = occurrences(text, "<g><title>");
    cr_assert_leq(frames, 3000);
    cr_assert_geq(frames, 2900);
    cr_assert_not_null(strstr(text, "<title>all, 908 \u00b5s (100.00%)</title>"));
    free(text);
}

Test(page, tree_of_the_root_alone_is_written)
{
    an_tree_add(tree, 0, AN_TIME, 0);
    struct an_page_options options = options_for(AN_TIME, AN_PAGE_SVG);

    check_contains(&options, "\"names\":[]");
}

Test(page, what_goes_with_a_value_is_told_with_it_alone)
{
    uint32_t a = child_of(0, "a");
    an_tree_add(tree, a, AN_SAMPLE_TIME, 5000000);
    an_tree_add(tree, a, AN_BYTES, 2048);
    struct an_page_options options = options_for(AN_SAMPLE_TIME, AN_PAGE_HTML);
    options.subtitle = "a.thag";
    options.rate = "997 Hz <asked>";
    char *text = page_text(&options, NULL);
    cr_assert_eq(occurrences(text, "\"rate\":\"997 Hz"), 1);
    cr_assert_not_null(strstr(text, ">sampled time, 5.00 ms; 997 Hz &lt;asked&gt; \u00b7 a.thag<"));
    free(text);

    /* Switched to, or drawn first: the rate of samples says nothing about the heap. */
    options.value = AN_BYTES;
    text = page_text(&options, NULL);
    cr_assert_eq(occurrences(text, "\"rate\":\"997 Hz"), 1);
    cr_assert_not_null(strstr(text, ">bytes allocated, 2.00 KiB \u00b7 a.thag<"));
    free(text);
}
