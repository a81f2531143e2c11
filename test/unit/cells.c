#include "analyzer/output/cells.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "test/support/capture.h"

#define E_ACUTE "e\xcc\x81" /* an e and a mark over it */
#define WIDE    "\u6f22"

static void assert_cut(const char *text, unsigned width, bool utf8, const char *wanted)
{
    struct capture capture;
    an_cells_print_cut(capture_begin(&capture), text, width, utf8);
    cr_assert_str_eq(capture_end(&capture), wanted);
    capture_free(&capture);
}

Test(cells, widths_are_those_of_the_characters)
{
    cr_assert_eq(an_cells_width("abc"), 3);
    cr_assert_eq(an_cells_width(WIDE WIDE "x"), 5);
    cr_assert_eq(an_cells_width("a" E_ACUTE), 2);
    cr_assert_eq(an_cells_width(""), 0);
}

Test(cells, text_that_fits_is_whole)
{
    assert_cut("abcdef", 6, true, "abcdef");
    assert_cut(WIDE WIDE, 4, true, WIDE WIDE);
}

Test(cells, the_middle_goes_where_text_does_not_fit)
{
    assert_cut("abcdefgh", 5, true, "ab\u2026gh");
    assert_cut("abcdefgh", 6, false, "ab..gh");
    /* Half a character does not fit. */
    assert_cut(WIDE WIDE WIDE WIDE, 6, true, WIDE "\u2026" WIDE);
}

Test(cells, a_width_without_room_for_the_mark_takes_the_start)
{
    assert_cut("abc", 1, true, "a");
    assert_cut("abc", 2, false, "ab");
    assert_cut("abc", 0, true, "");
    assert_cut(WIDE, 1, true, "");
}

Test(cells, marks_stay_with_their_character)
{
    assert_cut("ab" E_ACUTE "defg", 5, true, "ab\u2026fg");
    assert_cut(E_ACUTE E_ACUTE E_ACUTE E_ACUTE E_ACUTE E_ACUTE, 5, true,
               E_ACUTE E_ACUTE "\u2026" E_ACUTE E_ACUTE);
}

Test(cells, safe_text_has_no_controls_and_no_broken_bytes)
{
    char *safe = an_cells_safe("a\033[2J\xff\0b", 7);
    cr_assert_str_eq(safe, "a\u241b[2J\ufffd\u2400");
    free(safe);
}

static void assert_wrapped(const char *text, unsigned width, const char *wanted)
{
    struct capture capture;
    an_cells_print_wrapped(capture_begin(&capture), text, width);
    cr_assert_str_eq(capture_end(&capture), wanted);
    capture_free(&capture);
}

Test(cells, lines_are_broken_at_blanks)
{
    assert_wrapped("one two three", 7, "one two\nthree");
    assert_wrapped("one two three", 8, "one two\nthree");
    assert_wrapped("one two three", 6, "one\ntwo\nthree");
    assert_wrapped("overlong word\n\nnext\n", 4, "overlong\nword\n\nnext\n");
    assert_wrapped(WIDE WIDE " " WIDE, 4, WIDE WIDE "\n" WIDE);
    assert_wrapped("", 4, "");
}
