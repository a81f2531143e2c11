#include "analyzer/output/amount.h"

#include <criterion/criterion.h>

static const char *text_of(uint64_t amount, uint64_t scale, enum an_unit unit)
{
    static char text[AN_AMOUNT_MAX];
    an_amount_text(amount, scale, unit, text);
    return text;
}

Test(amount, times_have_three_digits)
{
    cr_assert_str_eq(text_of(0, 1, AN_UNIT_NS), "0 ns");
    cr_assert_str_eq(text_of(999, 1, AN_UNIT_NS), "999 ns");
    cr_assert_str_eq(text_of(1000, 1, AN_UNIT_NS), "1.00 \u00b5s");
    cr_assert_str_eq(text_of(12345, 1, AN_UNIT_NS), "12.3 \u00b5s");
    cr_assert_str_eq(text_of(123456789, 1, AN_UNIT_NS), "123 ms");
    cr_assert_str_eq(text_of(7, 1, AN_UNIT_US), "7.00 \u00b5s");
    cr_assert_str_eq(text_of(UINT64_MAX, 1, AN_UNIT_NS), "18446744074 s");
    cr_assert_str_eq(text_of(UINT64_MAX, 1, AN_UNIT_US), "18446744073710 s");
}

Test(amount, rounding_never_shows_a_thousand_of_a_unit)
{
    cr_assert_str_eq(text_of(9994, 1, AN_UNIT_NS), "9.99 \u00b5s");
    cr_assert_str_eq(text_of(9996, 1, AN_UNIT_NS), "10.0 \u00b5s");
    cr_assert_str_eq(text_of(99960, 1, AN_UNIT_NS), "100 \u00b5s");
    cr_assert_str_eq(text_of(999499, 1, AN_UNIT_NS), "999 \u00b5s");
    cr_assert_str_eq(text_of(999500, 1, AN_UNIT_NS), "1.00 ms");
    cr_assert_str_eq(text_of(1023, 1, AN_UNIT_BYTES), "1023 B");
    cr_assert_str_eq(text_of(1048575, 1, AN_UNIT_BYTES), "1.00 MiB");
}

Test(amount, bytes_are_binary_units)
{
    cr_assert_str_eq(text_of(1024, 1, AN_UNIT_BYTES), "1.00 KiB");
    cr_assert_str_eq(text_of(1536, 1, AN_UNIT_BYTES), "1.50 KiB");
    cr_assert_str_eq(text_of(UINT64_MAX, 1, AN_UNIT_BYTES), "16384 PiB");
}

Test(amount, counts_are_grouped_by_threes)
{
    cr_assert_str_eq(text_of(7, 1, AN_UNIT_COUNT), "7");
    cr_assert_str_eq(text_of(123, 1, AN_UNIT_COUNT), "123");
    cr_assert_str_eq(text_of(1234, 1, AN_UNIT_COUNT), "1 234");
    cr_assert_str_eq(text_of(123456789, 100, AN_UNIT_COUNT), "1 234 567.89");
    cr_assert_str_eq(text_of(UINT64_MAX, 1, AN_UNIT_COUNT), "18 446 744 073 709 551 615");
}

Test(amount, exact_amounts_lose_no_digit)
{
    char text[AN_AMOUNT_MAX];
    an_amount_exact(12500, 1000, text);
    cr_assert_str_eq(text, "12.5");
    an_amount_exact(12005, 1000, text);
    cr_assert_str_eq(text, "12.005");
    an_amount_exact(12000, 1000, text);
    cr_assert_str_eq(text, "12");
    an_amount_exact(UINT64_MAX, 1000000000, text);
    cr_assert_str_eq(text, "18446744073.709551615");
}

Test(amount, shares_are_only_whole_when_they_are)
{
    char text[AN_AMOUNT_MAX];
    an_share_text(1, 3, text);
    cr_assert_str_eq(text, "33.3%");
    an_share_text(5, 5, text);
    cr_assert_str_eq(text, "100%");
    an_share_text(0, 5, text);
    cr_assert_str_eq(text, "0.0%");
    an_share_text(5, 0, text);
    cr_assert_str_eq(text, "\u2013");
    an_share_text(UINT64_MAX, UINT64_MAX / 2, text);
    cr_assert_str_eq(text, "200.0%");
}
