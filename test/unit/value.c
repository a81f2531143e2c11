#include "analyzer/model/value.h"

#include <criterion/criterion.h>

Test(value, every_name_finds_its_value)
{
    for (int value = 0; value < AN_VALUE_COUNT; value++) {
        enum an_value found = AN_VALUE_COUNT;
        cr_assert(an_value_find(an_value_name((enum an_value)value), &found));
        cr_assert_eq(found, value);
        cr_assert_not_null(an_value_title((enum an_value)value));
    }
}

Test(value, unknown_name_leaves_the_result_alone)
{
    enum an_value found = AN_FREES;
    enum an_unit unit = AN_UNIT_US;
    cr_assert_not(an_value_find("Time", &found));
    cr_assert_not(an_value_find("", &found));
    cr_assert_eq(found, AN_FREES);
    cr_assert_not(an_unit_find("ms", &unit));
    cr_assert_eq(unit, AN_UNIT_US);
}

Test(value, units_have_names)
{
    enum an_unit unit = AN_UNIT_NS;
    cr_assert_eq(an_value_unit(AN_PEAK_BYTES), AN_UNIT_BYTES);
    cr_assert_eq(an_value_unit(AN_OFF_CPU), AN_UNIT_NS);
    cr_assert_str_eq(an_unit_name(AN_UNIT_US), "us");
    cr_assert(an_unit_find("count", &unit));
    cr_assert_eq(unit, AN_UNIT_COUNT);
}
