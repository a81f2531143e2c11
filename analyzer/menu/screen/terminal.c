/*
 * terminal.c -- takes the terminal, waits on it, and gives it back whatever happens.
 *
 * Signals are read from a descriptor, like keys: a handler could not call ncurses, and a thread
 * that does the menu's work must not run one. Only crashes have a handler, which writes what was
 * prepared for it.
 */
#include "analyzer/menu/screen/screen_parts.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "analyzer/output/cells.h"
#include "analyzer/output/escape.h"
#include "analyzer/support/memory.h"

/* How long the rest of a key's bytes may take: over ssh they come in pieces. */
#define TERMINAL_ESCAPE_MS 60

/* The button that points; releasing it is an event too, which means nothing. */
#define TERMINAL_CLICKS (BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED)

static const int terminal_crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

/* For the way out of a crash: what the terminal was, and the bytes that make it so. */
static struct termios terminal_found;
static char terminal_farewell[512];
static volatile sig_atomic_t terminal_taken;

static void terminal_leave(void)
{
    if (!terminal_taken)
        return;
    terminal_taken = 0;
    if (write(STDOUT_FILENO, terminal_farewell, strlen(terminal_farewell)) >= 0)
        tcsetattr(STDOUT_FILENO, TCSANOW, &terminal_found);
}

static void terminal_crashed(int number)
{
    terminal_leave();
    /* The handler is gone, so this time it is the end, also if somebody else sent the signal. */
    raise(number);
}

/* The mouse first, then colours, cursor, keypad, and the other screen. */
static void terminal_prepare_farewell(void)
{
    static const char *const names[] = {"sgr0", "op", "cnorm", "rmkx", "rmcup"};
    strcpy(terminal_farewell, "\033[?1006l\033[?1000l");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *text = tigetstr(names[i]);
        if (text && text != (const char *)-1 &&
            strlen(terminal_farewell) + strlen(text) < sizeof(terminal_farewell))
            strcat(terminal_farewell, text);
    }
}

static void terminal_catch_crashes(void)
{
    struct sigaction action = {.sa_handler = terminal_crashed, .sa_flags = (int)SA_RESETHAND};
    static bool once;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(terminal_crashes) / sizeof(terminal_crashes[0]); i++)
        sigaction(terminal_crashes[i], &action, NULL);
    if (!once)
        atexit(terminal_leave);
    an_memory_before_exhausted(terminal_leave);
    once = true;
}

/*
 * The character set of the locale's variables; where they say nothing, UTF-8, which terminals
 * speak. Only the set: numbers and sorting stay as they are.
 */
static bool terminal_set_locale(void)
{
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
        return true;
    return an_cells_locale_is_utf8() && setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

static void terminal_block_signals(struct screen *screen)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
    sigemptyset(&screen->blocked);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaddset(&screen->blocked, numbers[i]);
    sigprocmask(SIG_BLOCK, &screen->blocked, &screen->before);
    screen->signals = signalfd(-1, &screen->blocked, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void terminal_set_up(struct screen *screen)
{
    const char *no_colour = getenv("NO_COLOR");
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    meta(stdscr, TRUE);
    leaveok(stdscr, FALSE);
    set_escdelay(TERMINAL_ESCAPE_MS);
    curs_set(0);
    mousemask(TERMINAL_CLICKS | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0);
    screen->colour = !(no_colour && *no_colour) && has_colors() && start_color() == OK;
    if (screen->colour)
        use_default_colors();
}

static void screen_close(struct an_front *front)
{
    struct screen *screen = (struct screen *)front;
    endwin();
    terminal_taken = 0;
    delscreen(screen->curses);
    close(screen->signals);
    for (size_t i = 0; i < sizeof(terminal_crashes) / sizeof(terminal_crashes[0]); i++)
        signal(terminal_crashes[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &screen->before, NULL);
    free(screen->pair);
    free(screen);
}

static struct an_table_style screen_style(struct an_front *front)
{
    struct screen *screen = (struct screen *)front;
    return (struct an_table_style){.width = (unsigned)COLS, .utf8 = screen->utf8};
}

/* A terminal that can put its cursor anywhere and wipe. */
static bool terminal_can_draw(void)
{
    static const char *const needed[] = {"cup", "clear", "el"};
    const char *name = getenv("TERM");
    int error;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !name || !*name ||
        strcmp(name, "dumb") == 0 || setupterm(NULL, STDOUT_FILENO, &error) != OK)
        return false;
    bool can = true;
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        const char *text = tigetstr(needed[i]);
        can = can && text && text != (const char *)-1;
    }
    del_curterm(cur_term);
    return can;
}

struct an_front *an_screen_open(void)
{
    if (!terminal_can_draw() || tcgetattr(STDOUT_FILENO, &terminal_found) != 0)
        return NULL;
    struct screen *screen = an_memory_zeroed(1, sizeof(*screen));
    screen->utf8 = terminal_set_locale();
    terminal_block_signals(screen);
    screen->curses = newterm(NULL, stdout, stdin);
    if (!screen->curses || screen->signals < 0) {
        sigprocmask(SIG_SETMASK, &screen->before, NULL);
        free(screen);
        return NULL;
    }
    terminal_prepare_farewell();
    terminal_catch_crashes();
    terminal_taken = 1;
    terminal_set_up(screen);
    screen->front = (struct an_front){
        .show = screen_show, .wait = screen_wait_for, .style = screen_style, .close = screen_close};
    return &screen->front;
}

/* End, or stop until somebody continues us, as the signal would have it. */
static void terminal_obey(struct screen *screen, int number)
{
    sigset_t one;
    endwin();
    terminal_taken = 0;
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    /* Here again: stopped and continued. */
    sigprocmask(SIG_BLOCK, &screen->blocked, NULL);
    tcgetattr(STDOUT_FILENO, &terminal_found);
    terminal_taken = 1;
}

static void terminal_fit(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col)
        resizeterm(size.ws_row, size.ws_col);
}

static void terminal_take_signals(struct screen *screen)
{
    struct signalfd_siginfo info;
    while (read(screen->signals, &info, sizeof(info)) == sizeof(info)) {
        int number = (int)info.ssi_signo;
        if (number != SIGWINCH && number != SIGCONT)
            terminal_obey(screen, number);
        else if (number == SIGCONT)
            reset_prog_mode(); /* after SIGSTOP nobody gave the terminal back in order */
    }
    terminal_fit();
    /* ncurses believes that the screen still is as it left it. */
    clearok(curscr, TRUE);
    curs_set(0);
}

static enum an_key terminal_key_of_code(wint_t code)
{
    switch (code) {
    case KEY_UP:
        return AN_KEY_UP;
    case KEY_DOWN:
        return AN_KEY_DOWN;
    case KEY_LEFT:
        return AN_KEY_LEFT;
    case KEY_RIGHT:
        return AN_KEY_RIGHT;
    case KEY_PPAGE:
        return AN_KEY_PAGE_UP;
    case KEY_NPAGE:
        return AN_KEY_PAGE_DOWN;
    case KEY_HOME:
    case KEY_FIND: /* what some terminals send for it */
        return AN_KEY_HOME;
    case KEY_END:
    case KEY_SELECT:
    case KEY_LL:
        return AN_KEY_END;
    case KEY_ENTER:
        return AN_KEY_ENTER;
    case KEY_BACKSPACE:
    case KEY_DC:
        return AN_KEY_ERASE;
    default:
        return AN_KEY_NONE;
    }
}

static enum an_key terminal_key_of_character(wint_t character)
{
    switch (character) {
    case '\r':
    case '\n':
        return AN_KEY_ENTER;
    case 033:
        return AN_KEY_ESCAPE;
    case 0177:
    case '\b':
        return AN_KEY_ERASE;
    case 'A' - '@':
        return AN_KEY_MARK_ALL;
    case 'P' - '@':
        return AN_KEY_UP;
    case 'N' - '@':
        return AN_KEY_DOWN;
    case 'U' - '@':
        return AN_KEY_CLEAR;
    default:
        return AN_KEY_NONE;
    }
}

static void terminal_take_mouse(struct an_press *ret_press)
{
    MEVENT event;
    if (getmouse(&event) != OK)
        return;
    if (event.bstate & BUTTON4_PRESSED) {
        ret_press->key = AN_KEY_UP;
    } else if (event.bstate & BUTTON5_PRESSED) {
        ret_press->key = AN_KEY_DOWN;
    } else if (event.bstate & TERMINAL_CLICKS) {
        ret_press->key = AN_KEY_POINT;
        ret_press->line = (uint32_t)event.y; /* of the screen; the list knows where it begins */
    }
}

/* Result: false if no key is waiting. */
static bool terminal_take_key(struct an_press *ret_press)
{
    wint_t character;
    int kind = get_wch(&character);
    *ret_press = (struct an_press){.key = AN_KEY_NONE};
    if (kind == ERR)
        return false;
    if (kind == KEY_CODE_YES && character == KEY_MOUSE) {
        terminal_take_mouse(ret_press);
    } else if (kind == KEY_CODE_YES) {
        ret_press->key = terminal_key_of_code(character);
    } else if (character >= ' ' && character != 0177) {
        ret_press->key = AN_KEY_TEXT;
        an_escape_encode((uint32_t)character, ret_press->text);
    } else {
        ret_press->key = terminal_key_of_character(character);
    }
    return true;
}

enum screen_event screen_wait(struct screen *screen, int descriptor, int timeout_ms,
                              struct an_press *ret_press)
{
    struct pollfd waited[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                              {.fd = screen->signals, .events = POLLIN},
                              {.fd = descriptor, .events = POLLIN}};
    refresh();
    if (terminal_take_key(ret_press))
        return SCREEN_KEY;
    int ready = poll(waited, 3, timeout_ms);
    if (ready == 0)
        return SCREEN_LATE;
    if (ready < 0)
        return SCREEN_REDRAW;
    if (waited[1].revents) {
        terminal_take_signals(screen);
        return SCREEN_REDRAW;
    }
    if (waited[2].revents)
        return SCREEN_READY;
    if (terminal_take_key(ret_press))
        return SCREEN_KEY;
    /* Readable, but nothing came of it: the other side is closed. */
    return waited[0].revents & (POLLHUP | POLLERR | POLLNVAL) ? SCREEN_GONE : SCREEN_REDRAW;
}
