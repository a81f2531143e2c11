#include "analyzer/symbols/clone_suffix.h"

#include <criterion/criterion.h>
#include <string.h>

static void becomes(const char *name, const char *wanted)
{
    size_t bytes = an_clone_suffix_cut(name, strlen(name));
    cr_assert_eq(bytes, strlen(wanted), "%s", name);
    cr_assert_eq(strncmp(name, wanted, bytes), 0, "%s", name);
}

Test(clone_suffix, parts_and_copies_have_the_name_of_their_function)
{
    becomes("f.cold", "f");
    becomes("f.cold.12", "f");
    becomes("_Z3foov.part.0", "_Z3foov");
    becomes("f.constprop.0.isra.1", "f");
    becomes("f.lto_priv.0.cold", "f");
    becomes("_ZN3abcE.llvm.1234567890", "_ZN3abcE");
    becomes("f.__uniq.99.llvm.1", "f");
    becomes("f.localalias", "f");
}

Test(clone_suffix, other_names_with_dots_are_left_alone)
{
    becomes("f", "f");
    becomes("inner.0", "inner.0");
    becomes("f.part", "f.part");
    becomes("f.colder", "f.colder");
    becomes("cold", "cold");
    becomes(".cold", ".cold");
    becomes(".part.0", ".part.0");
    becomes("main.partial.0", "main.partial.0");
    becomes("f.12x", "f.12x");
    becomes("", "");
}
