/*
 * views.c -- a list on the screen, and work that is waited for.
 *
 * From the top: heading, question, notes, what was typed, titles, rows; the keys in the last line.
 */
#include "analyzer/menu/screen/screen_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/amount.h"
#include "analyzer/output/cells.h"

/* Work that is done by then is not worth a picture. */
#define VIEW_PATIENCE_MS 150
#define VIEW_STEP_MS     100
/* Columns before a row: cursor, and mark. */
#define VIEW_MARGIN      4
#define VIEW_MARK_MARGIN 5

struct view {
    struct screen *screen;
    struct an_list *list;
    struct an_table_layout layout;
    int margin; /* columns before a row */
    int strip;  /* column of the rows' colours */
    int first;  /* line of the first row */
};

static const char *view_help(const struct view *view)
{
    static const char *const help[][2] = {
        [AN_LIST_CHOOSE] = {"\u2191\u2193 move   type to filter   Enter choose   Esc back   "
                            "Ctrl-C quit",
                            "Arrows move   type to filter   Enter choose   Esc back   "
                            "Ctrl-C quit"},
        [AN_LIST_MARK] = {"\u2191\u2193 move   type to filter   Space mark   Ctrl-A all   "
                          "Enter done   Esc back",
                          "Arrows move   type to filter   Space mark   Ctrl-A all   "
                          "Enter done   Esc back"},
        [AN_LIST_READ] = {"\u2191\u2193 PgUp PgDn Home End   \u2190\u2192 sideways   "
                          "type to filter   Esc back",
                          "Arrows PgUp PgDn Home End   sideways   type to filter   Esc back"},
        [AN_LIST_ASK] = {"type the text   \u2191\u2193 look at what it fits   Enter done   "
                         "Esc back",
                         "type the text   Arrows look at what it fits   Enter done   Esc back"},
    };
    return help[view->list->kind][view->screen->utf8 ? 0 : 1];
}

/* "3 of 1 000, 2 marked" */
static void view_count_text(const struct an_list *list, char *ret_text, size_t room)
{
    char shown[AN_AMOUNT_MAX], all[AN_AMOUNT_MAX], marked[AN_AMOUNT_MAX];
    an_amount_text(list->shown_count, 1, AN_UNIT_COUNT, shown);
    an_amount_text(list->row_count, 1, AN_UNIT_COUNT, all);
    an_amount_text(list->marked_count, 1, AN_UNIT_COUNT, marked);
    const char *what = list->kind != AN_LIST_READ ? "" : list->row_count == 1 ? " line" : " lines";
    if (list->shown_count != list->row_count)
        snprintf(ret_text, room, "%s of %s%s", shown, all, what);
    else
        snprintf(ret_text, room, "%s%s", all, what);
    if (list->kind == AN_LIST_MARK)
        snprintf(ret_text + strlen(ret_text), room - strlen(ret_text), ", %s marked", marked);
}

static void view_draw_question(const struct view *view)
{
    char count[3 * AN_AMOUNT_MAX + 32];
    view_count_text(view->list, count, sizeof(count));
    int width = (int)an_cells_width(count);
    screen_draw_line(view->screen, 1, 1, A_BOLD, view->list->question);
    if (width + 2 < COLS)
        screen_draw_line(view->screen, 1, COLS - width - 1, A_NORMAL, count);
}

/* Result: the line below. */
static int view_draw_note(const struct view *view, int y)
{
    const char *note = view->list->note;
    while (note && *note && y < LINES - 6) {
        size_t bytes = strcspn(note, "\n");
        char line[600];
        snprintf(line, sizeof(line), "%.*s", bytes < 599 ? (int)bytes : 599, note);
        screen_draw_line(view->screen, y++, 1, A_NORMAL, line);
        note += bytes + (note[bytes] == '\n');
    }
    return y;
}

static void view_draw_typed(const struct view *view, int y)
{
    const char *label = view->list->kind == AN_LIST_ASK ? "Text: " : "Filter: ";
    int x = 1 + (int)strlen(label);
    unsigned room = COLS > x + 2 ? (unsigned)(COLS - x - 2) : 1;
    const char *typed = view->list->typed;
    typed += an_cells_end(typed, room);
    screen_draw_line(view->screen, y, 1, A_DIM, label);
    screen_draw_line(view->screen, y, x, A_BOLD, typed);
    screen_draw_line(view->screen, y, x + (int)an_cells_width(typed), A_NORMAL, "_");
}

/* A strip of the row's colours behind its text. */
static void view_draw_colours(const struct view *view, int y, uint32_t row)
{
    int x = view->strip;
    for (int i = 0; i < AN_LIST_COLOURS && x + i < COLS; i++) {
        uint32_t colour = view->list->colour[(size_t)row * AN_LIST_COLOURS + (size_t)i];
        short pair = screen_ground_pair(view->screen, colour);
        struct screen_text cell = {.y = y, .x = x + i, .width = 1, .pair = pair, .text = " "};
        if (pair)
            screen_draw(view->screen, &cell);
    }
}

static void view_margin(const struct view *view, uint32_t row, bool here, char ret_text[8])
{
    const char *cursor = here ? ">" : " ";
    if (view->list->kind == AN_LIST_MARK)
        snprintf(ret_text, 8, "%s[%s] ", cursor, view->list->marked[row] ? "x" : " ");
    else
        snprintf(ret_text, 8, " %s  ", cursor);
}

static void view_draw_row(const struct view *view, int y, uint32_t place)
{
    const struct an_list *list = view->list;
    uint32_t row = list->shown[place];
    bool reads = list->kind == AN_LIST_READ;
    bool here = place == list->cursor && list->kind != AN_LIST_ASK;
    attr_t attributes = here && !reads ? A_REVERSE : A_NORMAL;
    char *text = NULL, margin[8];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    an_table_print_row(list->table, &view->layout, row, out);
    fclose(out);
    if (!reads) {
        view_margin(view, row, here, margin);
        screen_draw_line(view->screen, y, 0, attributes, margin);
    }
    struct screen_text line = {.y = y,
                               .x = view->margin,
                               .width = COLS - view->margin,
                               .skip = reads ? list->left : 0,
                               .attributes = attributes,
                               .text = text};
    screen_draw(view->screen, &line);
    if (list->colour)
        view_draw_colours(view, y, row);
    free(text);
}

static void view_draw_titles(const struct view *view, int y)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    an_table_print_row(view->list->table, &view->layout, AN_TABLE_TITLES, out);
    fclose(out);
    screen_draw_line(view->screen, y, view->margin, A_UNDERLINE, text);
    free(text);
}

static void view_draw(struct view *view)
{
    struct an_list *list = view->list;
    int y = 2;
    erase();
    screen_draw_heading(view->screen);
    view_draw_question(view);
    y = view_draw_note(view, y);
    view_draw_typed(view, y++);
    if (list->titled && LINES > y + 4)
        view_draw_titles(view, y++);
    view->first = y;
    an_list_resize(list, LINES > y + 1 ? (uint32_t)(LINES - y - 1) : 1);
    for (uint32_t line = 0; line < list->height && list->top + line < list->shown_count; line++)
        view_draw_row(view, y + (int)line, list->top + line);
    if (list->shown_count == 0 && list->kind != AN_LIST_ASK)
        screen_draw_line(view->screen, y, view->margin, A_DIM,
                         list->row_count ? "nothing contains this text" : "nothing is here");
    screen_draw_line(view->screen, LINES - 1, 1, A_DIM, view_help(view));
}

/* Text to read keeps its lines and is scrolled; rows to choose from are made to fit. */
static void view_lay_out(struct view *view)
{
    struct an_table_style style = {.utf8 = view->screen->utf8};
    enum an_list_kind kind = view->list->kind;
    view->margin = kind == AN_LIST_READ ? 1 : kind == AN_LIST_MARK ? VIEW_MARK_MARGIN : VIEW_MARGIN;
    unsigned margin = (unsigned)view->margin + (view->list->colour ? AN_LIST_COLOURS + 2 : 1);
    if (view->list->kind != AN_LIST_READ)
        style.width = (unsigned)COLS > margin ? (unsigned)COLS - margin : 1;
    an_table_lay_out(view->list->table, &style, &view->layout);
    view->strip = view->margin;
    for (unsigned i = 0; i < an_table_column_count(view->list->table); i++)
        view->strip += (int)view->layout.width[i] + 2;
}

enum an_answer screen_show(struct an_front *front, struct an_list *list)
{
    struct view view = {.screen = (struct screen *)front, .list = list};
    view_lay_out(&view);
    for (;;) {
        struct an_press press;
        view_draw(&view);
        enum screen_event event = screen_wait(view.screen, -1, -1, &press);
        if (event == SCREEN_GONE)
            return AN_ANSWER_QUIT;
        if (event == SCREEN_REDRAW)
            view_lay_out(&view);
        if (event != SCREEN_KEY)
            continue;
        if (press.key == AN_KEY_POINT && (int)press.line < view.first)
            continue;
        press.line -= press.key == AN_KEY_POINT ? (uint32_t)view.first : 0;
        enum an_list_state state = an_list_press(list, &press);
        if (state != AN_LIST_OPEN)
            return state == AN_LIST_CHOSEN ? AN_ANSWER_CHOSEN : AN_ANSWER_BACK;
    }
}

static void view_draw_work(const struct screen *screen, const char *what, const struct an_job *job)
{
    char text[200] = "", done[AN_AMOUNT_MAX], total[AN_AMOUNT_MAX];
    const char *step = job->task.what;
    uint64_t of = job->task.total;
    an_amount_text(job->task.done, 1, of ? AN_UNIT_COUNT : AN_UNIT_BYTES, done);
    an_amount_text(of, 1, AN_UNIT_COUNT, total);
    if (step && of)
        snprintf(text, sizeof(text), "%s: %s of %s", step, done, total);
    else if (step)
        snprintf(text, sizeof(text), "%s: %s", step, done);
    erase();
    screen_draw_heading(screen);
    screen_draw_line(screen, 1, 1, A_BOLD, what);
    screen_draw_line(screen, 3, VIEW_MARGIN, A_NORMAL, text);
    screen_draw_line(screen, LINES - 1, 1, A_DIM, "Esc cancel   Ctrl-C quit");
}

enum an_answer screen_wait_for(struct an_front *front, const char *what, struct an_job *job)
{
    struct screen *screen = (struct screen *)front;
    int timeout_ms = VIEW_PATIENCE_MS;
    for (;;) {
        struct an_press press;
        switch (screen_wait(screen, an_job_descriptor(job), timeout_ms, &press)) {
        case SCREEN_READY:
            return AN_ANSWER_CHOSEN;
        case SCREEN_GONE:
            return AN_ANSWER_QUIT;
        case SCREEN_KEY:
            if (press.key == AN_KEY_ESCAPE)
                return AN_ANSWER_BACK;
            continue;
        default:
            break;
        }
        timeout_ms = VIEW_STEP_MS;
        view_draw_work(screen, what, job);
    }
}
