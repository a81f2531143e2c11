#include "analyzer/output/table.h"

#include <criterion/criterion.h>
#include <string.h>

#include "test/support/capture.h"

static const struct an_table_column columns[] = {{"n", AN_ALIGN_RIGHT}, {"name", AN_ALIGN_LEFT}};

static void assert_table(const char *name, size_t bytes, const struct an_table_style *style,
                         const char *wanted)
{
    struct capture capture;
    struct an_table *table = an_table_new(columns, 2);
    an_table_cell(table, "12");
    an_table_name(table, name, bytes);
    an_table_print(table, style, capture_begin(&capture));
    cr_assert_str_eq(capture_end(&capture), wanted);
    capture_free(&capture);
    an_table_free(table);
}

Test(table, columns_are_aligned_and_lines_end_without_blanks)
{
    static const struct an_table_column three[] = {
        {"left", AN_ALIGN_LEFT}, {"right", AN_ALIGN_RIGHT}, {"", AN_ALIGN_LEFT}};
    static const struct an_table_style style = {.utf8 = true};
    struct capture capture;
    struct an_table *table = an_table_new(three, 3);
    an_table_cell(table, "a");
    an_table_cell(table, "1");
    an_table_bar(table, 0, 5, &style);
    an_table_cell(table, "\u00e9");
    an_table_cell(table, "1234567");
    an_table_bar(table, 5, 5, &style);
    an_table_print(table, &style, capture_begin(&capture));
    cr_assert_str_eq(capture_end(&capture),
                     "left    right\n"
                     "a           1\n"
                     "\u00e9     1234567  "
                     "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\n");
    capture_free(&capture);
    an_table_free(table);
}

Test(table, names_cannot_command_a_terminal)
{
    static const struct an_table_style style = {.utf8 = true};
    assert_table("a\033[31mb\x9b\n", 9, &style, " n  name\n12  a\u241b[31mb\ufffd\u240a\n");
    assert_table("", 0, &style, " n  name\n12  -\n");
}

Test(table, names_are_cut_in_the_middle_on_a_terminal_only)
{
    static const char name[] = "namespace::class::method_of_it";
    struct an_table_style style = {.width = 24, .utf8 = true};
    assert_table(name, sizeof(name) - 1, &style, " n  name\n12  namespace\u2026thod_of_it\n");
    style.width = 0;
    assert_table(name, sizeof(name) - 1, &style, " n  name\n12  namespace::class::method_of_it\n");
}

Test(table, bars_are_ascii_without_utf8)
{
    static const struct an_table_style style = {.utf8 = false};
    static const struct an_table_column bar[] = {{"bar", AN_ALIGN_LEFT}};
    struct capture capture;
    struct an_table *table = an_table_new(bar, 1);
    an_table_bar(table, 3, 10, &style);
    an_table_bar(table, UINT64_MAX, UINT64_MAX, &style);
    an_table_bar(table, 3, 0, &style);
    an_table_print(table, &style, capture_begin(&capture));
    cr_assert_str_eq(capture_end(&capture), "bar\n###\n##########\n\n");
    capture_free(&capture);
    an_table_free(table);
}

Test(table, a_file_gets_no_colour_and_no_limit)
{
    FILE *file = tmpfile();
    struct an_table_style style = an_table_style_of(file);
    cr_assert_not(style.colour);
    cr_assert_eq(style.width, 0);
    fclose(file);
}

Test(table, the_locale_decides_about_blocks)
{
    FILE *file = tmpfile();
    setenv("LC_ALL", "de_DE.ISO-8859-1", 1);
    cr_assert_not(an_table_style_of(file).utf8);
    setenv("LC_ALL", "de_DE.utf8", 1);
    cr_assert(an_table_style_of(file).utf8);
    fclose(file);
}

/* Empty columns take no room at all, which names get. */
Test(table, narrow_terminals_have_no_bars)
{
    static const struct an_table_column three[] = {
        {"n", AN_ALIGN_RIGHT}, {"", AN_ALIGN_LEFT}, {"name", AN_ALIGN_LEFT}};
    struct an_table_style style = {.width = 99, .utf8 = true};
    for (int wide = 0; wide < 2; wide++) {
        struct capture capture;
        struct an_table *table = an_table_new(three, 3);
        style.width += (unsigned)wide;
        an_table_cell(table, "1");
        an_table_bar(table, 2, 10, &style);
        an_table_cell(table, "f");
        an_table_print(table, &style, capture_begin(&capture));
        cr_assert_str_eq(capture_end(&capture),
                         wide ? "n      name\n1  \u2588\u2588  f\n" : "n  name\n1  f\n");
        capture_free(&capture);
        an_table_free(table);
    }
}

Test(table, rows_can_be_looked_at_one_by_one)
{
    struct an_table_style style = {.width = 24, .utf8 = true};
    struct an_table_layout layout;
    struct capture capture;
    struct an_table *table = an_table_new(columns, 2);
    cr_assert_eq(an_table_row_count(table), 0);
    an_table_cell(table, "1234");
    an_table_cell(table, "first");
    an_table_cell(table, "5");
    cr_assert_eq(an_table_row_count(table), 1);
    an_table_cell(table, "second");
    cr_assert_eq(an_table_row_count(table), 2);
    cr_assert_str_eq(an_table_text(table, 1, 0), "5");
    an_table_lay_out(table, &style, &layout);
    FILE *out = capture_begin(&capture);
    an_table_print_row(table, &layout, 1, out);
    putc('|', out);
    an_table_print_row(table, &layout, AN_TABLE_TITLES, out);
    cr_assert_str_eq(capture_end(&capture), "   5  second|   n  name");
    capture_free(&capture);
    an_table_free(table);
}

Test(table, columns_that_can_be_spared_go_before_names_lose_their_room)
{
    static const struct an_table_column four[] = {{"n", AN_ALIGN_RIGHT},
                                                  {"part", AN_ALIGN_RIGHT},
                                                  {"average", AN_ALIGN_RIGHT},
                                                  {"name", AN_ALIGN_LEFT}};
    static const struct {
        unsigned width;
        const char *wanted;
    } cases[] = {
        {0, " n  part  average  name\n12  50 %        6  namespace::class::method_of_it\n"},
        {39, " n  part  average  name\n12  50 %        6  namespace\u2026thod_of_it\n"},
        {38, " n  average  name\n12        6  namespace::c\u2026method_of_it\n"
             "no room here for the part\n"},
        {24, " n  name\n12  namespace\u2026thod_of_it\n"
             "no room here for the part, the average\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct an_table_style style = {.width = cases[i].width, .utf8 = true};
        struct capture capture;
        struct an_table *table = an_table_new(four, 4);
        an_table_spare(table, 1, "the part");
        an_table_spare(table, 2, "the average");
        an_table_cell(table, "12");
        an_table_cell(table, "50 %");
        an_table_cell(table, "6");
        an_table_cell(table, "namespace::class::method_of_it");
        an_table_print(table, &style, capture_begin(&capture));
        cr_assert_str_eq(capture_end(&capture), cases[i].wanted);
        capture_free(&capture);
        an_table_free(table);
    }
}
