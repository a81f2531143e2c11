#include "runtime/hot/segments.h"

#include <criterion/criterion.h>

Test(rt_segments, every_record_has_one_place)
{
    for (unsigned shift = 5; shift <= 9; shift++) {
        uint32_t segment = 0, index = 0;
        for (uint32_t record = 0; record < 1u << 18; record++) {
            struct segments_place place = segments_place(record, shift);
            cr_assert_eq(place.segment, segment);
            cr_assert_eq(place.index, index);
            cr_assert_eq(place.records, 1u << (shift + segment));
            cr_assert_eq(place.first + place.index, record);
            if (++index == place.records) {
                index = 0;
                segment++;
            }
        }
    }
}

Test(rt_segments, the_last_numbers_do_not_wrap)
{
    for (unsigned shift = 5; shift <= 9; shift++) {
        cr_assert_geq(segments_place(UINT32_MAX, shift).segment, SEGMENTS); /* callers refuse it */
        uint64_t most = (UINT64_C(1) << (shift + SEGMENTS)) - (UINT64_C(1) << shift);
        struct segments_place place = segments_place((uint32_t)(most - 1), shift);
        cr_assert_eq(place.segment, SEGMENTS - 1);
        cr_assert_eq((uint64_t)place.first + place.records, most);
        cr_assert_eq(place.index + 1, place.records);
        struct segments_place first = segments_place(0, shift);
        cr_assert_eq(first.segment, 0);
        cr_assert_eq(first.first, 0);
    }
}
