#include "analyzer/model/names.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(names, same_text_has_the_same_number)
{
    struct an_names *names = an_names_new();
    cr_assert_eq(an_names_intern(names, "main", 4), 0);
    cr_assert_eq(an_names_intern(names, "mainly", 6), 1);
    cr_assert_eq(an_names_intern(names, "mainly", 4), 0);
    cr_assert_eq(an_names_count(names), 2);
    an_names_free(names);
}

Test(names, empty_and_binary_texts_are_kept_whole)
{
    struct an_names *names = an_names_new();
    uint32_t empty = an_names_intern(names, NULL, 0);
    uint32_t one = an_names_intern(names, "a\0b", 3);
    uint32_t other = an_names_intern(names, "a\0c", 3);
    size_t bytes = 99;
    cr_assert_str_eq(an_names_text(names, empty, &bytes), "");
    cr_assert_eq(bytes, 0);
    cr_assert_eq(an_names_intern(names, "", 0), empty);
    cr_assert_neq(one, other);
    cr_assert_eq(memcmp(an_names_text(names, other, &bytes), "a\0c", 4), 0);
    cr_assert_eq(bytes, 3);
    an_names_free(names);
}

Test(names, texts_stay_where_they_are_when_the_set_grows)
{
    struct an_names *names = an_names_new();
    const char *first = an_names_text(names, an_names_intern(names, "first", 5), NULL);
    char text[32];
    for (unsigned i = 0; i < 100000; i++) {
        int bytes = snprintf(text, sizeof(text), "function_%u", i);
        cr_assert_eq(an_names_intern(names, text, (size_t)bytes), i + 1);
    }
    cr_assert_eq(an_names_text(names, 0, NULL), first);
    cr_assert_str_eq(first, "first");
    cr_assert_str_eq(an_names_text(names, 54322, NULL), "function_54321");
    cr_assert_eq(an_names_intern(names, "function_99999", 14), 100000);
    an_names_free(names);
}

Test(names, a_text_longer_than_a_block_is_kept)
{
    struct an_names *names = an_names_new();
    for (size_t bytes = 65535; bytes <= 65537; bytes++) {
        char *text = malloc(bytes);
        memset(text, 'x', bytes);
        size_t kept;
        const char *copy = an_names_text(names, an_names_intern(names, text, bytes), &kept);
        cr_assert_eq(kept, bytes);
        cr_assert_eq(strlen(copy), bytes);
        free(text);
    }
    an_names_free(names);
}
