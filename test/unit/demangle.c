#include "analyzer/symbols/demangle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void becomes(const char *raw, const char *wanted, bool cut_hash)
{
    char *text = an_demangle(raw, cut_hash);
    cr_assert_not_null(text, "%s", raw);
    cr_assert_str_eq(text, wanted);
    free(text);
}

static void stays(const char *raw)
{
    cr_assert_null(an_demangle(raw, false), "%s", raw);
}

Test(demangle, cxx_names_have_their_arguments)
{
    becomes("_ZN4shop4Till5closeEiPKc", "shop::Till::close(int, char const*)", false);
    becomes("_Z3foov.part.0", "foo() [clone .part.0]", false);
}

Test(demangle, rust_names_old_and_new)
{
    becomes("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
            "core::fmt::Write::write_fmt::h0123456789abcdef", false);
    becomes("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt",
            true);
    becomes("_RNvCs1234_7mycrate3foo", "mycrate::foo", false);
    becomes("_RNvCs1234_7mycrate3foo", "mycrate::foo", true);
}

Test(demangle, d_names)
{
    becomes("_D8demangle4testFaZv", "demangle.test(char)", false);
    becomes("_Dmain", "D main", false);
    becomes("_DTi16_D8demangle4testFaZv", "demangle.test(char)", false);
    stays("_DTi16");
    stays("_DTi_D8demangle4testFaZv");
}

Test(demangle, c_names_are_left_alone)
{
    const char *const names[] = {"f",      "i",     "main", "Pv",     "",       "_",
                                 "_start", "_exit", "_D",   "_Dump",  "_Zebra", "_Random",
                                 "R",      "Z3foo", "x",    "__Z3foo"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        stays(names[i]);
}

/* f(S<T000..., T001..., ...>): COUNT arguments of 250 characters. */
static char *long_name(int count)
{
    char *raw = malloc((size_t)count * 256 + 64), *to = stpcpy(raw, "_Z1f1SI");
    for (int i = 0; i < count; i++)
        to += sprintf(to, "250T%0249d", i);
    strcpy(to, "E");
    return raw;
}

Test(demangle, names_of_any_length_are_whole)
{
    char *raw = long_name(250); /* 62 KiB */
    char *text = an_demangle(raw, false);
    cr_assert_not_null(text);
    cr_assert_eq(strncmp(text, "f(S<T0000", 9), 0);
    cr_assert_str_eq(text + strlen(text) - 5, "249>)");
    free(text);
    free(raw);
}

Test(demangle, name_beyond_the_limit_stays_as_it_is)
{
    char *raw = long_name(300);
    stays(raw);
    free(raw);
}

/* Substitution NUMBER as it stands in a name. */
static char *substitution_put(char *to, int number)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    *to++ = 'S';
    if (number >= 36)
        *to++ = digits[number / 36];
    *to++ = digits[number % 36];
    *to++ = '_';
    return to;
}

Test(demangle, short_name_that_stands_for_terabytes_is_given_up, .timeout = 20)
{
    /* Each argument is a pair of two of the one before it. */
    char raw[800], *to = stpcpy(raw, "_Z1f1PI1AS0_E");
    for (int i = 0; i < 40; i++) {
        to = stpcpy(to, "1PI");
        to = substitution_put(to, 2 * i + 1);
        to = substitution_put(to, 2 * i + 1);
        to = stpcpy(to, "E");
    }
    stays(raw);
    to = strstr(raw, "1PIS5_"); /* the first few are fine */
    *to = '\0';
    becomes(raw, "f(P<A, A>, P<P<A, A>, P<A, A> >, P<P<P<A, A>, P<A, A> >, P<P<A, A>, P<A, A> > >)",
            false);
}
