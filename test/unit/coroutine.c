#include "analyzer/symbols/coroutine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void assert_name(const char *name, const char *wanted)
{
    char *found = an_coroutine_name(name, strlen(name));
    if (wanted)
        cr_assert_str_eq(found, wanted);
    else
        cr_assert_null(found, "%s", found);
    free(found);
}

Test(coroutine, bodies_have_the_name_of_their_function)
{
    assert_name("f(f(int)::_Z1fi.Frame*) [clone .actor]", "async::f(int)");
    assert_name("f(f(int)::_Z1fi.Frame*) [clone .destroy]", "async::f(int)");
    assert_name("f(f(int)::_Z1fi.Frame*)", "async::f(int)");
    assert_name("a::b<int>(a::b<int>(c::_Zed)::_ZN1a1bE.Frame*)", "async::a::b<int>(c::_Zed)");
    assert_name("f(int) [clone .resume]", "async::f(int)");
    assert_name("f(int) [clone .cleanup]", "async::f(int)");
}

Test(coroutine, other_functions_have_none)
{
    assert_name("f(int)", NULL);
    assert_name("f(int) [clone .part.0]", NULL);
    assert_name("f(g::Frame*)", NULL);
    assert_name("f(x.Frame*)", NULL);
    assert_name(" [clone .actor]", NULL);
    assert_name("", NULL);
}
