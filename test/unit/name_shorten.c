#include "analyzer/symbols/name_shorten.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void becomes(const char *name, const char *wanted)
{
    char *text = an_name_shorten(name);
    cr_assert_str_eq(text, wanted);
    free(text);
}

Test(name_shorten, arguments_and_parameters_go)
{
    becomes("void shop::Till::count<unsigned long>(unsigned long)",
            "void shop::Till::count<...>(...)");
    becomes("std::map<int, std::vector<int> >::insert(int&&)", "std::map<...>::insert(...)");
    becomes("f(int (*)(char), g<h>)", "f(...)");
    becomes("run(int)::{lambda(int)#1}::operator()(int) const",
            "run(...)::{lambda(...)#1}::operator()(...) const");
}

Test(name_shorten, what_is_short_stays)
{
    becomes("main", "main");
    becomes("f()", "f()");
    becomes("(anonymous namespace)::f(int)", "(anonymous namespace)::f(...)");
    becomes("a::(anonymous namespace)::f()", "a::(anonymous namespace)::f()");
    becomes("", "");
}

Test(name_shorten, operators_are_no_brackets)
{
    becomes("operator<<(std::ostream&, int)", "operator<<(...)");
    becomes("a::operator<(a, a)", "a::operator<(...)");
    becomes("a::operator-><int>()", "a::operator-><...>()");
    becomes("a::operator()<int>(int)", "a::operator()<...>(...)");
    becomes("v<&a::operator< >::f(int)", "v<...>::f(...)");
    becomes("operator new(unsigned long)", "operator new(...)");
}

Test(name_shorten, types_that_names_of_rust_begin_with_stay)
{
    becomes("<shop::Shop as shop::Stock>::fill", "<shop::Shop as shop::Stock>::fill");
    becomes("<alloc::vec::Vec<u8>>::with_capacity", "<alloc::vec::Vec<...>>::with_capacity");
    becomes("shop::boxed::<[u64: 1250]>", "shop::boxed::<...>");
    becomes("shop::call::<fn(u8) -> u8>", "shop::call::<...>");
}

Test(name_shorten, brackets_that_do_not_match_are_left_alone)
{
    becomes("f<int", "f<int");
    becomes("f(a<b)", "f(a<b)");
    becomes("a>b)c", "a>b)c");
}
