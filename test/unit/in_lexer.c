#include <criterion/criterion.h>
#include <string.h>

#include "instrument/lexer.h"

/* The signs of all tokens, as a string. */
static const char *signs(const char *text)
{
    static char found[200];
    struct in_lexer lexer;
    size_t count = 0;
    in_lexer_start(&lexer, text, (uint32_t)strlen(text), true);
    for (;;) {
        struct in_token token = in_lexer_next(&lexer);
        cr_assert_leq(token.start, token.end);
        found[count] = (char)token.sign;
        if (token.sign == IN_SIGN_END)
            return found;
        cr_assert_lt(token.start, token.end);
        count++;
    }
}

Test(in_lexer, comments_and_blanks_are_no_tokens)
{
    cr_assert_str_eq(signs("a/* { */b // {\nc"), "www");
    cr_assert_str_eq(signs("// goes on \\\n { \n a"), "w");
    cr_assert_str_eq(signs("// goes on \\ \t\r\n { \n a"), "w");
    cr_assert_str_eq(signs("a /* does not end { "), "w");
    cr_assert_str_eq(signs("/*/ { */ a"), "w");
    cr_assert_str_eq(signs(""), "");
}

Test(in_lexer, literals_may_hold_anything)
{
    cr_assert_str_eq(signs("\"{\\\"{\" '{' '\\''"), "scc");
    cr_assert_str_eq(signs("L\"{\" u8\"{\" U'{' u8'{'"), "sscc");
    cr_assert_str_eq(signs("\"over a \\\n line {\" a"), "sw");
    cr_assert_str_eq(signs("R\"({)\" LR\"x()\" })x\" x"), "ssw");
    cr_assert_str_eq(signs("R\"(never closed {"), "wX(ww{");
}

Test(in_lexer, a_quote_that_does_not_close_is_alone)
{
    cr_assert_str_eq(signs("don't {\n}"), "wXw{}");
    cr_assert_str_eq(signs("say \"hello {\n}"), "wXw{}");
    cr_assert_str_eq(signs("'"), "X");
    cr_assert_str_eq(signs("\"\\"), "XX");
}

Test(in_lexer, numbers_hold_separators_and_exponents)
{
    cr_assert_str_eq(signs("1'000'000 0x1p-3 1.e+5f .5 1..2"), "nnnnn");
    cr_assert_str_eq(signs("1' ' a"), "ncw");
    cr_assert_str_eq(signs("1+2 x.y"), "n+nw.w");
}

Test(in_lexer, digraphs_are_what_they_stand_for)
{
    cr_assert_str_eq(signs("<% %> <: :>"), "{}[]");
    cr_assert_str_eq(signs("a<::b>"), "w<Sw>");
}

Test(in_lexer, operators_of_two_characters_are_one_token)
{
    cr_assert_str_eq(signs("-> :: && || << == <= <=> >= >"), "ASNEEEEEE>");
    /* Two, for they may close two templates. */
    cr_assert_str_eq(signs("a<b<c>>"), "w<w<w>>");
}

Test(in_lexer, words_may_be_spliced_and_of_any_bytes)
{
    struct in_lexer lexer;
    const char *text = "sp\\\nlit $a \xe9t\xe9";
    in_lexer_start(&lexer, text, (uint32_t)strlen(text), true);
    cr_assert_eq(in_lexer_next(&lexer).end, 7);
    cr_assert_eq(in_lexer_next(&lexer).end, 10);
    cr_assert_eq(in_lexer_next(&lexer).end, strlen(text));
}

Test(in_lexer, a_directive_is_one_token_to_its_logical_end)
{
    cr_assert_str_eq(signs("#define F { \\\n } {\na"), "#w");
    cr_assert_str_eq(signs("#define F /* { \n } */ {\na"), "#w");
    cr_assert_str_eq(signs("#define F // { \\\n } {\na"), "#w");
    cr_assert_str_eq(signs("/* */ # if 1\n%:endif\n?\?=x\na # b"), "###wXw");
    cr_assert_str_eq(signs("#error don't\na"), "#w");
}

static struct in_token first(const char *text)
{
    struct in_lexer lexer;
    in_lexer_start(&lexer, text, (uint32_t)strlen(text), true);
    return in_lexer_next(&lexer);
}

Test(in_lexer, conditions_that_are_decided)
{
    cr_assert_eq(first("#if 0\n").condition, IN_CONDITION_NEVER);
    cr_assert_eq(first("# if /* no */ 0 // never").condition, IN_CONDITION_NEVER);
    cr_assert_eq(first("#if 0 && defined(X)").condition, IN_CONDITION_NEVER);
    cr_assert_eq(first("#elif 1\r\n").condition, IN_CONDITION_ALWAYS);
    cr_assert_eq(first("#if 0 || X").condition, IN_CONDITION_OPEN);
    cr_assert_eq(first("#if 01").condition, IN_CONDITION_OPEN);
    cr_assert_eq(first("#if 1 > X").condition, IN_CONDITION_OPEN);
    cr_assert_eq(first("#ifdef 0").condition, IN_CONDITION_OPEN);
    cr_assert_eq(first("#elifndef X").directive, IN_DIRECTIVE_ELIF);
    cr_assert_eq(first("#line 1").directive, IN_DIRECTIVE_OTHER);
    cr_assert_eq(first("#endif").directive, IN_DIRECTIVE_ENDIF);
}

Test(in_lexer, a_mark_and_a_script_line_come_before_the_first_token)
{
    cr_assert_eq(first("\xEF\xBB\xBFint").start, 3);
    cr_assert_eq(first("#!/usr/bin/tcc -run /*\nint").start, 23);
    cr_assert_eq(first("#!").sign, IN_SIGN_END);
}

Test(in_lexer, nul_bytes_are_bytes)
{
    const char text[] = "a\0{ \"\0\" '\0\n}";
    struct in_lexer lexer;
    char found[16] = "";
    in_lexer_start(&lexer, text, sizeof(text) - 1, true);
    for (size_t i = 0; i < 10; i++)
        found[i] = (char)in_lexer_next(&lexer).sign;
    cr_assert_str_eq(found, "wX{sXX}");
}
