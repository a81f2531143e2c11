#include "runtime/setup/text.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct rt_text text;
static char filler[2 * RT_TEXT_BYTES];

static void fill(size_t bytes)
{
    memset(filler, 'x', sizeof filler);
    rt_text_clear(&text);
    rt_text_add_bytes(&text, filler, bytes);
}

Test(rt_text, what_fits_exactly_is_whole)
{
    fill(RT_TEXT_BYTES - 1);
    cr_assert_eq(text.bytes, RT_TEXT_BYTES - 1);
    cr_assert_not(text.cut);
    cr_assert_eq(text.at[RT_TEXT_BYTES - 1], 0);
    rt_text_add(&text, "");
    cr_assert_not(text.cut);
}

Test(rt_text, one_byte_too_many_is_cut_and_said)
{
    fill(RT_TEXT_BYTES);
    cr_assert_eq(text.bytes, RT_TEXT_BYTES - 1);
    cr_assert(text.cut);
    cr_assert_eq(text.at[RT_TEXT_BYTES - 1], 0);
    rt_text_add(&text, "y");
    rt_text_add_number(&text, 123);
    cr_assert_eq(text.bytes, RT_TEXT_BYTES - 1);
    cr_assert_eq(text.at[RT_TEXT_BYTES - 2], 'x');
    fill(sizeof filler);
    cr_assert_eq(text.bytes, RT_TEXT_BYTES - 1);
    rt_text_clear(&text);
    cr_assert_not(text.cut);
    cr_assert_str_eq(text.at, "");
}

Test(rt_text, a_number_at_the_border_is_cut)
{
    fill(RT_TEXT_BYTES - 4);
    rt_text_add_number(&text, 12345);
    cr_assert_str_eq(text.at + RT_TEXT_BYTES - 4, "123");
    cr_assert(text.cut);
}

Test(rt_text, numbers_are_decimal_and_padded)
{
    rt_text_clear(&text);
    rt_text_add_number(&text, 0);
    rt_text_add(&text, " ");
    rt_text_add_number(&text, UINT64_MAX);
    rt_text_add(&text, " ");
    rt_text_add_padded(&text, 7, 4);
    rt_text_add(&text, " ");
    rt_text_add_padded(&text, 12345, 2);
    cr_assert_str_eq(text.at, "0 18446744073709551615 0007 12345");
    rt_text_clear(&text);
    rt_text_add_padded(&text, 1, 1000); /* more than any number has */
    cr_assert_lt(text.bytes, 30);
    cr_assert_eq(text.at[text.bytes - 1], '1');
}

Test(rt_text, errors_have_words_or_a_number)
{
    rt_text_clear(&text);
    rt_text_add_error(&text, EACCES);
    cr_assert_str_eq(text.at, "permission denied");
    rt_text_clear(&text);
    rt_text_add_error(&text, 4242);
    cr_assert_str_eq(text.at, "error 4242");
}

Test(rt_text, base_name_is_behind_the_last_slash)
{
    cr_assert_str_eq(rt_text_base_name("/usr/bin/cat"), "cat");
    cr_assert_str_eq(rt_text_base_name("cat"), "cat");
    cr_assert_str_eq(rt_text_base_name("dir/"), "");
    cr_assert_str_eq(rt_text_base_name(""), "");
}

Test(rt_text, words_are_the_same_in_any_case_but_not_in_part)
{
    cr_assert(rt_text_same_word("BoTh", 4, "both"));
    cr_assert(rt_text_same_word("bothX", 4, "both"));
    cr_assert_not(rt_text_same_word("bot", 3, "both"));
    cr_assert_not(rt_text_same_word("bothX", 5, "both"));
    cr_assert(rt_text_same_word("", 0, ""));
    cr_assert_not(rt_text_same_word("a\0b", 3, "a"));
    cr_assert_not(rt_text_same_word("[", 1, "{")); /* 0x20 apart, but no letters */
    cr_assert_not(rt_text_same_word("\xc4", 1, "\xe4"));
}
