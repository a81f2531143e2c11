#include "analyzer/menu/prompts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/support/capture.h"

static void note_number(void *context, uint32_t number)
{
    sprintf((char *)context + strlen(context), "%u ", number);
}

static void assert_numbers(const char *answer, bool valid, const char *wanted)
{
    char numbers[200] = "";
    cr_assert_eq(an_prompts_numbers(answer, 12, note_number, numbers), valid, "%s", answer);
    cr_assert_str_eq(numbers, wanted, "%s", answer);
}

Test(prompts, numbers_and_ranges_are_taken_whole_or_not_at_all)
{
    assert_numbers("3", true, "3 ");
    assert_numbers("1 3,5-7", true, "1 3 5 6 7 ");
    assert_numbers(" 12 ", true, "12 ");
    assert_numbers("", false, "");
    assert_numbers("0", false, "");
    assert_numbers("13", false, "");
    assert_numbers("5-3", false, "");
    assert_numbers("1 x", false, "");
    assert_numbers("2nd", false, "");
    assert_numbers("99999999999999999999", false, "");
}

static struct an_table *make_table(int count)
{
    static const struct an_table_column column[] = {{"", AN_ALIGN_LEFT}};
    struct an_table *table = an_table_new(column, 1);
    for (int i = 1; i <= count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "row %d", i);
        an_table_cell(table, name);
    }
    return table;
}

/* Answer a list with LINES. */
static enum an_answer answer(struct an_list *list, const char *lines, struct capture *ret_said)
{
    FILE *in = fmemopen((char *)lines, strlen(lines), "r");
    struct an_front *front = an_prompts_open(in, capture_begin(ret_said));
    front->place = "here > there";
    enum an_answer answer = front->show(front, list);
    front->close(front);
    fclose(in);
    return answer;
}

Test(prompts, a_number_chooses_a_row)
{
    struct an_list list;
    struct capture said;
    an_list_init(&list, AN_LIST_CHOOSE, "Which?", make_table(3));
    cr_assert_eq(answer(&list, "2\n", &said), AN_ANSWER_CHOSEN);
    cr_assert_eq(an_list_row(&list), 1);
    cr_assert_str_eq(capture_end(&said), "\nhere > there\nWhich?\n"
                                         "    1) row 1\n    2) row 2\n    3) row 3\n    0) back\n"
                                         "Number, or text to filter (/ for all): ");
    capture_free(&said);
    an_list_release(&list);
}

Test(prompts, zero_goes_back_and_the_end_of_input_leaves)
{
    struct an_list list;
    struct capture said;
    an_list_init(&list, AN_LIST_CHOOSE, "Which?", make_table(3));
    cr_assert_eq(answer(&list, "0\n", &said), AN_ANSWER_BACK);
    capture_end(&said);
    capture_free(&said);
    cr_assert_eq(answer(&list, "\n", &said), AN_ANSWER_QUIT);
    capture_end(&said);
    capture_free(&said);
    an_list_release(&list);
}

Test(prompts, text_filters_and_numbers_count_what_is_left)
{
    struct an_list list;
    struct capture said;
    an_list_init(&list, AN_LIST_CHOOSE, "Which?", make_table(25));
    cr_assert_eq(answer(&list, "ROW 2\n+\n3\n", &said), AN_ANSWER_CHOSEN);
    /* row 2, row 20, row 21 */
    cr_assert_eq(an_list_row(&list), 20);
    cr_assert_not_null(strstr(capture_end(&said), "(7 of 25 contain 'ROW 2')"));
    capture_free(&said);
    an_list_release(&list);
}

Test(prompts, long_lists_come_in_pages)
{
    struct an_list list;
    struct capture said;
    an_list_init(&list, AN_LIST_CHOOSE, "Which?", make_table(25));
    cr_assert_eq(answer(&list, "+\n25\n", &said), AN_ANSWER_CHOSEN);
    cr_assert_eq(an_list_row(&list), 24);
    const char *text = capture_end(&said);
    cr_assert_not_null(strstr(text, "   18) row 18\n    +) 7 more\n    0) back"));
    cr_assert_not_null(strstr(text, "   19) row 19\n"));
    capture_free(&said);
    an_list_release(&list);
}

Test(prompts, numbers_mark_and_unmark_until_a_point)
{
    struct an_list list;
    struct capture said;
    an_list_init(&list, AN_LIST_MARK, "Which?", make_table(5));
    cr_assert_eq(answer(&list, "1-3\n2\n.\n", &said), AN_ANSWER_CHOSEN);
    cr_assert_eq(list.marked_count, 2);
    cr_assert(list.marked[0] && !list.marked[1] && list.marked[2]);
    cr_assert_not_null(strstr(capture_end(&said), "    1) [x] row 1\n    2) [ ] row 2\n"));
    capture_free(&said);
    an_list_release(&list);
}

Test(prompts, text_is_printed_whole_and_asked_for_as_a_line)
{
    struct an_list list;
    struct capture said;
    an_list_init_text(&list, "Text", "one\ntwo\n");
    cr_assert_eq(answer(&list, "\n", &said), AN_ANSWER_BACK);
    cr_assert_str_eq(capture_end(&said), "\nText\none\ntwo\nEnter to go on: ");
    capture_free(&said);
    an_list_release(&list);
    an_list_init(&list, AN_LIST_ASK, "Which text?", make_table(2));
    cr_assert_eq(answer(&list, " alloc \n", &said), AN_ANSWER_CHOSEN);
    cr_assert_str_eq(list.typed, "alloc");
    capture_end(&said);
    capture_free(&said);
    an_list_release(&list);
}
