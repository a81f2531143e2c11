/*
 * list.c -- the one list of the menu.
 */
#include "analyzer/menu/list.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/menu/fold.h"
#include "analyzer/support/memory.h"

/* Columns that a step to the side goes. */
#define LIST_SIDE_STEP 8u

static void list_show_all(struct an_list *list)
{
    list->shown_count = list->row_count;
    for (uint32_t row = 0; row < list->row_count; row++)
        list->shown[row] = row;
}

void an_list_init(struct an_list *list, enum an_list_kind kind, const char *question,
                  struct an_table *table)
{
    uint32_t count = (uint32_t)an_table_row_count(table);
    *list = (struct an_list){.kind = kind,
                             .question = question,
                             .table = table,
                             .row_count = count,
                             .height = 1,
                             .typed = an_memory_text(""),
                             .marked = an_memory_zeroed(count, sizeof(bool)),
                             .shown = an_memory_array(count, sizeof(uint32_t))};
    list_show_all(list);
}

void an_list_init_text(struct an_list *list, const char *question, const char *text)
{
    static const struct an_table_column column[] = {{"", AN_ALIGN_LEFT}};
    struct an_table *table = an_table_new(column, 1);
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        if (bytes)
            an_table_name(table, text, bytes);
        else
            an_table_cell(table, "");
        text += bytes + (text[bytes] == '\n');
    }
    an_list_init(list, AN_LIST_READ, question, table);
}

void an_list_release(struct an_list *list)
{
    for (uint32_t row = 0; list->folded && row < list->row_count; row++)
        free(list->folded[row]);
    free(list->folded);
    free(list->typed);
    free(list->marked);
    free(list->shown);
    an_table_free(list->table);
    *list = (struct an_list){0};
}

/* The cursor is where it should be; bring the window to it. */
static void list_follow(struct an_list *list)
{
    if (list->cursor >= list->shown_count)
        list->cursor = list->shown_count ? list->shown_count - 1 : 0;
    if (list->cursor < list->top)
        list->top = list->cursor;
    if (list->cursor >= list->top + list->height)
        list->top = list->cursor - list->height + 1;
    /* No blank lines at the end while there are rows above. */
    uint32_t last = list->shown_count > list->height ? list->shown_count - list->height : 0;
    if (list->top > last)
        list->top = last;
}

void an_list_resize(struct an_list *list, uint32_t height)
{
    list->height = height ? height : 1;
    list_follow(list);
}

void an_list_select(struct an_list *list, uint32_t row)
{
    for (uint32_t place = 0; place < list->shown_count; place++) {
        if (list->shown[place] == row)
            list->cursor = place;
    }
    list_follow(list);
}

uint32_t an_list_row(const struct an_list *list)
{
    return list->shown_count ? list->shown[list->cursor] : UINT32_MAX;
}

static void list_fold_rows(struct an_list *list)
{
    unsigned columns = an_table_column_count(list->table);
    list->folded = an_memory_array(list->row_count, sizeof(char *));
    for (uint32_t row = 0; row < list->row_count; row++) {
        size_t bytes = 1;
        for (unsigned i = 0; i < columns; i++)
            bytes += strlen(an_table_text(list->table, row, i)) + 1;
        char *text = an_memory_array(bytes, 1), *end = text;
        for (unsigned i = 0; i < columns; i++) {
            end = stpcpy(end, an_table_text(list->table, row, i));
            *end++ = ' ';
        }
        *end = '\0';
        list->folded[row] = an_fold(text);
        free(text);
    }
}

void an_list_type(struct an_list *list, const char *text)
{
    uint32_t row = an_list_row(list);
    char *typed = an_memory_text(text);
    free(list->typed);
    list->typed = typed;
    list->cursor = 0;
    if (*typed == '\0') {
        list_show_all(list);
    } else {
        char *folded = an_fold(typed);
        if (!list->folded)
            list_fold_rows(list);
        list->shown_count = 0;
        for (uint32_t i = 0; i < list->row_count; i++) {
            if (strstr(list->folded[i], folded))
                list->shown[list->shown_count++] = i;
        }
        free(folded);
    }
    an_list_select(list, row);
}

static void list_append(struct an_list *list, const char *text)
{
    char *typed = an_memory_array(strlen(list->typed) + strlen(text) + 1, 1);
    strcpy(stpcpy(typed, list->typed), text);
    an_list_type(list, typed);
    free(typed);
}

static void list_erase(struct an_list *list)
{
    char *typed = an_memory_text(list->typed);
    size_t bytes = strlen(typed);
    /* The bytes of one character; what was typed is valid UTF-8. */
    while (bytes && (typed[--bytes] & 0xc0) == 0x80)
        ;
    typed[bytes] = '\0';
    an_list_type(list, typed);
    free(typed);
}

void an_list_mark(struct an_list *list, uint32_t row, bool mark)
{
    if (list->marked[row] == mark)
        return;
    list->marked[row] = mark;
    list->marked_count += mark ? 1 : UINT32_MAX;
}

static void list_toggle(struct an_list *list)
{
    uint32_t row = an_list_row(list);
    if (row != UINT32_MAX)
        an_list_mark(list, row, !list->marked[row]);
}

static void list_mark_all(struct an_list *list)
{
    bool all = true;
    for (uint32_t i = 0; i < list->shown_count; i++)
        all = all && list->marked[list->shown[i]];
    for (uint32_t i = 0; i < list->shown_count; i++)
        an_list_mark(list, list->shown[i], !all);
}

static void list_move_to(struct an_list *list, int64_t place)
{
    if (place < 0)
        place = 0;
    if (place >= list->shown_count)
        place = list->shown_count ? (int64_t)list->shown_count - 1 : 0;
    list->cursor = (uint32_t)place;
    list_follow(list);
}

/* A first click goes there, a second one chooses; marks are set at once. */
static enum an_list_state list_point(struct an_list *list, uint32_t line)
{
    uint32_t place = list->top + line;
    bool again = place == list->cursor;
    if (line >= list->height || place >= list->shown_count)
        return AN_LIST_OPEN;
    list_move_to(list, place);
    if (list->kind == AN_LIST_MARK)
        list_toggle(list);
    return again && list->kind == AN_LIST_CHOOSE ? AN_LIST_CHOSEN : AN_LIST_OPEN;
}

static void list_press_to_move(struct an_list *list, enum an_key key)
{
    int64_t page = list->height > 1 ? (int64_t)list->height - 1 : 1;
    switch (key) {
    case AN_KEY_UP:
        list_move_to(list, (int64_t)list->cursor - 1);
        break;
    case AN_KEY_DOWN:
        list_move_to(list, (int64_t)list->cursor + 1);
        break;
    case AN_KEY_PAGE_UP:
        list_move_to(list, (int64_t)list->cursor - page);
        break;
    case AN_KEY_PAGE_DOWN:
        list_move_to(list, (int64_t)list->cursor + page);
        break;
    case AN_KEY_HOME:
        list->left = 0;
        list_move_to(list, 0);
        break;
    case AN_KEY_END:
        list_move_to(list, (int64_t)list->shown_count - 1);
        break;
    case AN_KEY_LEFT:
        list->left -= list->left < LIST_SIDE_STEP ? list->left : LIST_SIDE_STEP;
        break;
    case AN_KEY_RIGHT:
        list->left += list->kind == AN_LIST_READ ? LIST_SIDE_STEP : 0;
        break;
    default:
        break;
    }
}

static void list_press_text(struct an_list *list, const char *text)
{
    if (list->kind == AN_LIST_MARK && strcmp(text, " ") == 0) {
        list_toggle(list);
        list_move_to(list, (int64_t)list->cursor + 1);
    } else {
        list_append(list, text);
    }
}

enum an_list_state an_list_press(struct an_list *list, const struct an_press *press)
{
    switch (press->key) {
    case AN_KEY_ENTER:
        /* Nothing is shown: there is nothing to choose. Typed text is an answer all the same. */
        if (list->kind == AN_LIST_CHOOSE && list->shown_count == 0)
            return AN_LIST_OPEN;
        return list->kind == AN_LIST_READ ? AN_LIST_LEFT : AN_LIST_CHOSEN;
    case AN_KEY_ESCAPE:
        return AN_LIST_LEFT;
    case AN_KEY_TEXT:
        list_press_text(list, press->text);
        break;
    case AN_KEY_ERASE:
        list_erase(list);
        break;
    case AN_KEY_CLEAR:
        an_list_type(list, "");
        break;
    case AN_KEY_MARK_ALL:
        if (list->kind == AN_LIST_MARK)
            list_mark_all(list);
        break;
    case AN_KEY_POINT:
        return list_point(list, press->line);
    default:
        list_press_to_move(list, press->key);
        break;
    }
    return AN_LIST_OPEN;
}
