#include "analyzer/model/profile.h"

#include <criterion/criterion.h>
#include <string.h>

static void add(struct an_profile *profile, enum an_value value)
{
    uint32_t name = an_names_intern(profile->tree->names, "f", 1);
    cr_assert_eq(an_tree_add(profile->tree, an_tree_child(profile->tree, 0, name), value, 1), 0);
}

Test(profile, default_value_prefers_time_then_samples_then_bytes)
{
    struct an_profile profile;
    enum an_value value = AN_VALUE_COUNT;
    an_profile_init(&profile);
    cr_assert_not(an_profile_default_value(&profile, &value));
    cr_assert_eq(value, AN_VALUE_COUNT);
    const enum an_value added[] = {AN_FREES, AN_BYTES, AN_SAMPLE_TIME, AN_TIME};
    for (int i = 0; i < 4; i++) {
        add(&profile, added[i]);
        cr_assert(an_profile_default_value(&profile, &value));
        cr_assert_eq(value, added[i]);
    }
    an_profile_release(&profile);
}

Test(profile, the_first_five_bad_lines_are_kept_and_all_counted)
{
    struct an_profile profile;
    an_profile_init(&profile);
    for (uint64_t number = 10; number < 17; number++)
        an_profile_bad_line(&profile, number);
    cr_assert_eq(profile.bad.count, 7);
    cr_assert_eq(profile.bad.number[0], 10);
    cr_assert_eq(profile.bad.number[4], 14);
    an_profile_release(&profile);
}

Test(profile, notes_are_kept_in_order)
{
    struct an_profile profile;
    an_profile_init(&profile);
    an_profile_note(&profile, "%d of %s", 3, "4");
    an_profile_note(&profile, "second");
    cr_assert_eq(profile.note_count, 2);
    cr_assert_str_eq(profile.note[0], "3 of 4");
    cr_assert_str_eq(profile.note[1], "second");
    an_profile_release(&profile);
}

Test(profile, merging_keeps_single_sizes_only_if_both_know_them)
{
    struct an_profile all, known, sums, time;
    an_profile_init(&all);
    an_profile_init(&known);
    an_profile_init(&sums);
    an_profile_init(&time);
    add(&known, AN_BYTES);
    an_tree_note_sizes(known.tree, 1, &(struct an_size_facts){1, 1, 1, 1});
    add(&sums, AN_BYTES);
    add(&time, AN_TIME);
    cr_assert_eq(an_profile_merge(&all, &time, NULL), 0);
    cr_assert_eq(an_profile_merge(&all, &known, NULL), 0);
    cr_assert_eq(an_profile_merge(&all, &known, NULL), 0);
    cr_assert_eq(all.tree->sizes[1].count, 2);
    cr_assert_eq(an_profile_merge(&all, &sums, NULL), 0);
    cr_assert_null(all.tree->sizes);
    cr_assert_eq(an_profile_merge(&all, &known, NULL), 0);
    cr_assert_null(all.tree->sizes);
    an_profile_release(&all);
    an_profile_release(&known);
    an_profile_release(&sums);
    an_profile_release(&time);
}
