/*
 * animals.cc -- the C++ half of the zoo's program: namespaces, members, templates and a lambda.
 */
#include "animals.h"

namespace shop {

struct Till {
    template <typename Kind> ALWAYS_INLINED void count(Kind kind)
    {
        (void)kind;
        CALL(1, "void shop::Till::count<unsigned long>(unsigned long)", place(2));
    }
    NEVER_INLINED explicit Till(int day);
    NEVER_INLINED int close(int day);
};

NEVER_INLINED Till::Till(int day)
{
    CALL(0, "shop::Till::Till(int)", count<unsigned long>(static_cast<unsigned long>(day)));
}

NEVER_INLINED int Till::close(int day)
{
    CALL(0, "shop::Till::close(int)", count<unsigned long>(static_cast<unsigned long>(day)));
    return day;
}

} // namespace shop

namespace {

struct Bell {
    ALWAYS_INLINED void ring()
    {
        CALL(1, "(anonymous namespace)::Bell::ring()|(anonymous namespace)::Bell::ring", place(2));
    }
};

NEVER_INLINED void strike()
{
    Bell bell;
    CALL(0, "(anonymous namespace)::strike()", bell.ring());
}

} // namespace

/* What is always inlined may have no mangled name by gcc: its scopes have to do. */
NEVER_INLINED static void run(int count)
{
    auto step = [](int levels) __attribute__((always_inline))
    {
        CALL(1, "run::{lambda}::operator()|run(int)::$_0::operator()(int) const", place(levels));
    };
    CALL(0, "run(int)", step(count));
}

NEVER_INLINED static void has_a_cold_part_too(int rare)
{
    if (__builtin_expect(rare, 0))
        rare_place(0, "has_a_cold_part_too(int)", __FILE__, __LINE__);
    else
        CALL(0, "has_a_cold_part_too(int)", place(1));
    __asm__ volatile("" ::: "memory");
}

void animals_in_cxx(int rare)
{
    shop::Till till(3);
    till.close(3);
    strike();
    run(2);
    has_a_cold_part_too(rare);
    has_a_cold_part_too(!rare);
}
