/*
 * prompts.c -- the menu where nothing can be drawn.
 */
#include "analyzer/menu/prompts.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "analyzer/output/amount.h"
#include "analyzer/output/cells.h"
#include "analyzer/support/memory.h"

/* Rows that are numbered at a time: a page of the smallest terminal. */
#define PROMPTS_PAGE 18u
/* Work that takes longer is spoken of. */
#define PROMPTS_PATIENCE_MS 1000

struct prompts {
    struct an_front front; /* first */
    FILE *in, *out;
    char *line; /* the last answer */
    size_t room;
    uint32_t first; /* place of the first row of the page that is printed */
};

/* Result: the answer without blanks around it, or NULL at the end of input. */
static char *prompts_read(struct prompts *prompts)
{
    fflush(prompts->out);
    ssize_t length;
    do {
        clearerr(prompts->in);
        errno = 0;
        length = getline(&prompts->line, &prompts->room, prompts->in);
    } while (length < 0 && errno == EINTR);
    if (length < 0) {
        putc('\n', prompts->out);
        return NULL;
    }
    char *start = prompts->line + strspn(prompts->line, " \t");
    size_t bytes = strlen(start);
    while (bytes && strchr(" \t\r\n", start[bytes - 1]))
        start[--bytes] = '\0';
    return start;
}

/* Result: false if TEXT does not begin with a number of 1..COUNT. */
static bool prompts_number(const char **text, uint32_t count, uint32_t *ret_number)
{
    uint64_t number = 0;
    const char *at = *text;
    while (*at >= '0' && *at <= '9' && number <= count)
        number = number * 10 + (uint64_t)(*at++ - '0');
    if (at == *text || number == 0 || number > count)
        return false;
    *text = at;
    *ret_number = (uint32_t)number;
    return true;
}

static bool prompts_walk(const char *answer, uint32_t count, void (*mark)(void *, uint32_t),
                         void *context)
{
    bool any = false;
    while (*(answer += strspn(answer, " ,\t"))) {
        uint32_t first, last;
        if (!prompts_number(&answer, count, &first))
            return false;
        last = first;
        if (*answer == '-') {
            answer++;
            if (!prompts_number(&answer, count, &last) || last < first)
                return false;
        }
        if (*answer && !strchr(" ,\t", *answer))
            return false;
        for (uint32_t number = first; mark && number <= last; number++)
            mark(context, number);
        any = true;
    }
    return any;
}

bool an_prompts_numbers(const char *answer, uint32_t count, void (*mark)(void *, uint32_t),
                        void *context)
{
    if (!prompts_walk(answer, count, NULL, NULL))
        return false;
    return prompts_walk(answer, count, mark, context);
}

static void prompts_toggle(void *context, uint32_t number)
{
    struct an_list *list = context;
    uint32_t row = list->shown[number - 1];
    an_list_mark(list, row, !list->marked[row]);
}

static void prompts_print_row(struct prompts *prompts, const struct an_list *list,
                              const struct an_table_layout *layout, uint32_t place)
{
    uint32_t row = list->shown[place];
    fprintf(prompts->out, "%5" PRIu32 ") %s", place + 1,
            list->kind != AN_LIST_MARK ? ""
            : list->marked[row]        ? "[x] "
                                       : "[ ] ");
    an_table_print_row(list->table, layout, row, prompts->out);
    putc('\n', prompts->out);
}

static void prompts_print_list(struct prompts *prompts, const struct an_list *list)
{
    struct an_table_style style = prompts->front.style(&prompts->front);
    struct an_table_layout layout;
    const char *place = prompts->front.place;
    style.width -= 12;
    an_table_lay_out(list->table, &style, &layout);
    fprintf(prompts->out, "\n%s\n%s\n", place ? place : "", list->question);
    if (list->note && *list->note)
        fprintf(prompts->out, "%s\n", list->note);
    if (list->typed[0])
        fprintf(prompts->out, "(%" PRIu32 " of %" PRIu32 " contain '%s')\n", list->shown_count,
                list->row_count, list->typed);
    uint32_t end = prompts->first + PROMPTS_PAGE;
    for (uint32_t i = prompts->first; i < end && i < list->shown_count; i++)
        prompts_print_row(prompts, list, &layout, i);
    if (end < list->shown_count)
        fprintf(prompts->out, "    +) %" PRIu32 " more\n", list->shown_count - end);
    fprintf(prompts->out, "    0) back\n");
}

static void prompts_print_help(struct prompts *prompts, const struct an_list *list)
{
    static const char *const help[] = {
        [AN_LIST_CHOOSE] = "Number, or text to filter (/ for all)",
        [AN_LIST_MARK] = "Numbers to mark or unmark (1 3 5-9), text to filter, . when done",
        [AN_LIST_ASK] = "Text",
        [AN_LIST_READ] = "",
    };
    fprintf(prompts->out, "%s: ", help[list->kind]);
}

/* Result: true if ANSWER is one that all lists know. */
static bool prompts_take_common(struct prompts *prompts, struct an_list *list, const char *answer)
{
    if (strcmp(answer, "+") == 0) {
        bool more = prompts->first + PROMPTS_PAGE < list->shown_count;
        prompts->first = more ? prompts->first + PROMPTS_PAGE : 0;
        return true;
    }
    if (answer[0] == '/') {
        an_list_type(list, answer + 1);
        prompts->first = 0;
        return true;
    }
    return answer[0] == '\0';
}

static enum an_list_state prompts_take(struct prompts *prompts, struct an_list *list,
                                       const char *answer)
{
    uint32_t number;
    const char *rest = answer;
    if (strcmp(answer, "0") == 0)
        return AN_LIST_LEFT;
    if (prompts_take_common(prompts, list, answer))
        return AN_LIST_OPEN;
    if (list->kind == AN_LIST_MARK) {
        if (strcmp(answer, ".") == 0)
            return AN_LIST_CHOSEN;
        if (an_prompts_numbers(answer, list->shown_count, prompts_toggle, list))
            return AN_LIST_OPEN;
    } else if (prompts_number(&rest, list->shown_count, &number) && *rest == '\0') {
        an_list_select(list, list->shown[number - 1]);
        return AN_LIST_CHOSEN;
    }
    an_list_type(list, answer);
    prompts->first = 0;
    return AN_LIST_OPEN;
}

/* Text is printed whole: such terminals scroll by themselves. */
static enum an_answer prompts_print_text(struct prompts *prompts, const struct an_list *list)
{
    struct an_table_style style = {.utf8 = an_cells_locale_is_utf8()};
    struct an_table_layout layout;
    an_table_lay_out(list->table, &style, &layout);
    fprintf(prompts->out, "\n%s\n", list->question);
    for (uint32_t row = 0; row < list->row_count; row++) {
        an_table_print_row(list->table, &layout, row, prompts->out);
        putc('\n', prompts->out);
    }
    fputs("Enter to go on: ", prompts->out);
    return prompts_read(prompts) ? AN_ANSWER_BACK : AN_ANSWER_QUIT;
}

static enum an_answer prompts_ask(struct prompts *prompts, struct an_list *list)
{
    fprintf(prompts->out, "\n%s\nText (nothing: back): ", list->question);
    const char *answer = prompts_read(prompts);
    if (!answer)
        return AN_ANSWER_QUIT;
    an_list_type(list, answer);
    return *answer ? AN_ANSWER_CHOSEN : AN_ANSWER_BACK;
}

static enum an_answer prompts_show(struct an_front *front, struct an_list *list)
{
    struct prompts *prompts = (struct prompts *)front;
    if (list->kind == AN_LIST_READ)
        return prompts_print_text(prompts, list);
    if (list->kind == AN_LIST_ASK)
        return prompts_ask(prompts, list);
    prompts->first = 0;
    for (;;) {
        prompts_print_list(prompts, list);
        prompts_print_help(prompts, list);
        const char *answer = prompts_read(prompts);
        if (!answer)
            return AN_ANSWER_QUIT;
        enum an_list_state state = prompts_take(prompts, list, answer);
        if (state != AN_LIST_OPEN)
            return state == AN_LIST_CHOSEN ? AN_ANSWER_CHOSEN : AN_ANSWER_BACK;
    }
}

/* While it lasts, SIGINT gives up the work instead of the program. */
static enum an_answer prompts_wait(struct an_front *front, const char *what, struct an_job *job)
{
    struct prompts *prompts = (struct prompts *)front;
    enum an_answer answer = AN_ANSWER_CHOSEN;
    struct pollfd waited[] = {{.fd = an_job_descriptor(job), .events = POLLIN},
                              {.fd = -1, .events = POLLIN}};
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    waited[1].fd = signalfd(-1, &interrupt, SFD_CLOEXEC);
    if (poll(waited, 2, PROMPTS_PATIENCE_MS) == 0) {
        fprintf(prompts->out, "%s; Ctrl-C gives it up ...\n", what);
        fflush(prompts->out);
    }
    while (poll(waited, 2, -1) < 0 && errno == EINTR)
        ;
    struct signalfd_siginfo info;
    if (!waited[0].revents && read(waited[1].fd, &info, sizeof(info)) == sizeof(info))
        answer = AN_ANSWER_BACK;
    close(waited[1].fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return answer;
}

static struct an_table_style prompts_style(struct an_front *front)
{
    struct prompts *prompts = (struct prompts *)front;
    struct an_table_style style = an_table_style_of(prompts->out);
    style.width = style.width >= 40 ? style.width : 80;
    style.colour = false;
    return style;
}

static void prompts_close(struct an_front *front)
{
    struct prompts *prompts = (struct prompts *)front;
    fflush(prompts->out);
    free(prompts->line);
    free(prompts);
}

struct an_front *an_prompts_open(FILE *in, FILE *out)
{
    struct prompts *prompts = an_memory_zeroed(1, sizeof(*prompts));
    prompts->front = (struct an_front){
        .show = prompts_show, .wait = prompts_wait, .style = prompts_style, .close = prompts_close};
    prompts->in = in;
    prompts->out = out;
    return &prompts->front;
}
