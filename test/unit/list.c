#include "analyzer/menu/list.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct an_table_column columns[] = {{"n", AN_ALIGN_RIGHT}, {"name", AN_ALIGN_LEFT}};

static void begin(struct an_list *list, enum an_list_kind kind, const char *const *names)
{
    struct an_table *table = an_table_new(columns, 2);
    for (size_t i = 0; names[i]; i++) {
        char number[24];
        snprintf(number, sizeof(number), "%zu", i);
        an_table_cell(table, number);
        an_table_cell(table, names[i]);
    }
    an_list_init(list, kind, "which?", table);
}

/* COUNT rows in a window of HEIGHT lines. */
static void begin_long(struct an_list *list, int count, uint32_t height)
{
    struct an_table *table = an_table_new(columns, 2);
    for (int i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "row %d", i);
        an_table_cell(table, "");
        an_table_cell(table, name);
    }
    an_list_init(list, AN_LIST_CHOOSE, "which?", table);
    an_list_resize(list, height);
}

static enum an_list_state press(struct an_list *list, enum an_key key)
{
    struct an_press one = {.key = key};
    return an_list_press(list, &one);
}

static void type(struct an_list *list, const char *text)
{
    struct an_press one = {.key = AN_KEY_TEXT};
    snprintf(one.text, sizeof(one.text), "%s", text);
    cr_assert_eq(an_list_press(list, &one), AN_LIST_OPEN);
}

static const char *const fruit[] = {"apple", "pear", "Pineapple", "plum", NULL};

Test(list, enter_chooses_the_row_under_the_cursor)
{
    struct an_list list;
    begin(&list, AN_LIST_CHOOSE, fruit);
    an_list_resize(&list, 10);
    press(&list, AN_KEY_DOWN);
    cr_assert_eq(press(&list, AN_KEY_ENTER), AN_LIST_CHOSEN);
    cr_assert_eq(an_list_row(&list), 1);
    an_list_release(&list);
}

Test(list, escape_leaves)
{
    struct an_list list;
    begin(&list, AN_LIST_CHOOSE, fruit);
    type(&list, "p");
    cr_assert_eq(press(&list, AN_KEY_ESCAPE), AN_LIST_LEFT);
    an_list_release(&list);
}

Test(list, typed_text_keeps_rows_that_contain_it_in_any_case)
{
    struct an_list list;
    begin(&list, AN_LIST_CHOOSE, fruit);
    type(&list, "P");
    type(&list, "L");
    cr_assert_eq(list.shown_count, 3);
    type(&list, "e");
    cr_assert_eq(list.shown_count, 2);
    cr_assert_eq(list.shown[0], 0);
    cr_assert_eq(list.shown[1], 2);
    press(&list, AN_KEY_ERASE);
    cr_assert_str_eq(list.typed, "PL");
    cr_assert_eq(list.shown_count, 3);
    press(&list, AN_KEY_CLEAR);
    cr_assert_eq(list.shown_count, 4);
    an_list_release(&list);
}

Test(list, the_cursor_stays_on_its_row_while_it_is_shown)
{
    struct an_list list;
    begin(&list, AN_LIST_CHOOSE, fruit);
    an_list_select(&list, 2);
    type(&list, "pl");
    cr_assert_eq(an_list_row(&list), 2);
    type(&list, "u");
    cr_assert_eq(an_list_row(&list), 3);
    an_list_release(&list);
}

Test(list, nothing_that_fits_chooses_nothing)
{
    struct an_list list;
    begin(&list, AN_LIST_CHOOSE, fruit);
    type(&list, "x");
    cr_assert_eq(list.shown_count, 0);
    cr_assert_eq(an_list_row(&list), UINT32_MAX);
    cr_assert_eq(press(&list, AN_KEY_ENTER), AN_LIST_OPEN);
    press(&list, AN_KEY_DOWN);
    press(&list, AN_KEY_PAGE_DOWN);
    press(&list, AN_KEY_END);
    press(&list, AN_KEY_ERASE);
    cr_assert_eq(list.shown_count, 4);
    press(&list, AN_KEY_ERASE);
    cr_assert_str_eq(list.typed, "");
    an_list_release(&list);
}

Test(list, characters_of_several_bytes_are_typed_and_erased_whole)
{
    static const char *const names[] = {"stra\u00dfe", "\u6f22\u5b57", "caf\u00e9", "CAFE\u0301",
                                        NULL};
    struct an_list list;
    begin(&list, AN_LIST_CHOOSE, names);
    type(&list, "\u6f22");
    cr_assert_eq(an_list_row(&list), 1);
    press(&list, AN_KEY_ERASE);
    cr_assert_str_eq(list.typed, "");
    /* Two ways to write one letter, and a case that changes the length. */
    an_list_type(&list, "f\u00c9");
    cr_assert_eq(list.shown_count, 2);
    an_list_type(&list, "STRASSE");
    cr_assert_eq(list.shown_count, 1);
    an_list_release(&list);
}

Test(list, moves_end_at_the_ends)
{
    struct an_list list;
    begin_long(&list, 100, 10);
    press(&list, AN_KEY_UP);
    cr_assert_eq(list.cursor, 0);
    press(&list, AN_KEY_PAGE_DOWN);
    cr_assert_eq(list.cursor, 9);
    cr_assert_eq(list.top, 0);
    press(&list, AN_KEY_PAGE_DOWN);
    cr_assert_eq(list.cursor, 18);
    cr_assert_eq(list.top, 9);
    press(&list, AN_KEY_END);
    cr_assert_eq(list.cursor, 99);
    cr_assert_eq(list.top, 90);
    press(&list, AN_KEY_DOWN);
    cr_assert_eq(list.cursor, 99);
    press(&list, AN_KEY_PAGE_UP);
    cr_assert_eq(list.cursor, 90);
    press(&list, AN_KEY_HOME);
    cr_assert_eq(list.top, 0);
    an_list_release(&list);
}

Test(list, a_window_of_another_height_shows_the_cursor_and_no_blank_lines)
{
    struct an_list list;
    begin_long(&list, 100, 10);
    press(&list, AN_KEY_END);
    an_list_resize(&list, 3);
    cr_assert_eq(list.top, 97);
    an_list_resize(&list, 40);
    cr_assert_eq(list.top, 60);
    an_list_resize(&list, 0);
    cr_assert_eq(list.height, 1);
    cr_assert_eq(list.top, 99);
    an_list_release(&list);
}

Test(list, space_marks_and_marks_stay_on_hidden_rows)
{
    struct an_list list;
    begin(&list, AN_LIST_MARK, fruit);
    an_list_resize(&list, 10);
    type(&list, " ");
    cr_assert_eq(list.cursor, 1);
    type(&list, "u");
    type(&list, " ");
    cr_assert_str_eq(list.typed, "u");
    press(&list, AN_KEY_CLEAR);
    cr_assert(list.marked[0] && list.marked[3]);
    cr_assert_not(list.marked[1] || list.marked[2]);
    cr_assert_eq(list.marked_count, 2);
    cr_assert_eq(press(&list, AN_KEY_ENTER), AN_LIST_CHOSEN);
    an_list_release(&list);
}

Test(list, all_that_is_shown_can_be_marked_at_once)
{
    struct an_list list;
    begin(&list, AN_LIST_MARK, fruit);
    an_list_mark(&list, 1, true);
    an_list_type(&list, "apple");
    press(&list, AN_KEY_MARK_ALL);
    cr_assert_eq(list.marked_count, 3);
    press(&list, AN_KEY_MARK_ALL);
    cr_assert_eq(list.marked_count, 1);
    cr_assert(list.marked[1]);
    an_list_release(&list);
}

Test(list, the_mouse_goes_to_a_row_and_then_chooses_it)
{
    struct an_list list;
    struct an_press point = {.key = AN_KEY_POINT, .line = 3};
    begin_long(&list, 100, 10);
    list.top = 20;
    list.cursor = 20;
    cr_assert_eq(an_list_press(&list, &point), AN_LIST_OPEN);
    cr_assert_eq(an_list_row(&list), 23);
    cr_assert_eq(an_list_press(&list, &point), AN_LIST_CHOSEN);
    point.line = 10;
    cr_assert_eq(an_list_press(&list, &point), AN_LIST_OPEN);
    cr_assert_eq(an_list_row(&list), 23);
    an_list_release(&list);
}

Test(list, text_is_read_line_by_line)
{
    struct an_list list;
    an_list_init_text(&list, "text", "one\n\nthree \033[m\nfour");
    cr_assert_eq(list.row_count, 4);
    cr_assert_str_eq(an_table_text(list.table, 1, 0), "");
    cr_assert_str_eq(an_table_text(list.table, 2, 0), "three \u241b[m");
    press(&list, AN_KEY_RIGHT);
    cr_assert_eq(list.left, 8);
    press(&list, AN_KEY_LEFT);
    press(&list, AN_KEY_LEFT);
    cr_assert_eq(list.left, 0);
    cr_assert_eq(press(&list, AN_KEY_ENTER), AN_LIST_LEFT);
    an_list_release(&list);
    an_list_init_text(&list, "text", "");
    cr_assert_eq(list.row_count, 0);
    an_list_release(&list);
}
