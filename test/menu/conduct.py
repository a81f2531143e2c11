"""How the menu behaves: signals, sizes, odd directories and names, terminals that cannot draw."""

import os
import re
import signal

import terminal
from terminal import Terminal, case, check, make_browser, make_runs, write


def at_actions(screen):
    screen.shows("What do you want to look at?")
    screen.keys("Enter")
    screen.shows("Which program?")
    screen.type("app")
    screen.shows("1 of")
    screen.keys("Enter")
    screen.shows("Which run?")
    screen.keys("Enter")
    screen.shows("What should be made of it?")


@case
def an_empty_directory_is_said_and_left():
    for size in ((80, 24), (200, 60)):
        with Terminal(size=size) as screen:
            screen.expect("empty")
            screen.keys("Enter")
            screen.expect("empty-programs")
            screen.keys("Escape")
            screen.expect("empty")
            screen.keys("Escape")
            screen.ends()


@case
def a_directory_that_is_not_there_is_an_error():
    with Terminal(words=("missing",)) as screen:
        screen.shows("'missing' is neither a command nor a directory")
        screen.ends(2)


@case
def a_thousand_runs_can_be_scrolled_and_filtered():
    for number in range(1000):
        stamp = f"20240102-00{number // 60:02}{number % 60:02}"
        write(f"app-{number % 7}-{stamp}.folded", f"main {number + 1}\n")
    for size in ((80, 24), (200, 60)):
        with Terminal(size=size) as screen:
            screen.shows("1 000 runs")
            screen.keys("Enter")
            screen.expect("thousand-programs")
            screen.keys("Enter")
            screen.expect("thousand-runs")
            screen.keys("PageDown")
            screen.expect("thousand-page")
            screen.keys("End")
            screen.expect("thousand-end")
            screen.keys("PageUp", "Up")
            screen.expect("thousand-up")
            screen.keys("Home")
            screen.expect("thousand-runs")
            screen.type("0015")
            screen.expect("thousand-filtered")
            screen.keys("BSpace")
            screen.shows("Filter: 001_")


@case
def names_may_be_wide_combining_or_hold_blanks():
    make_runs()
    for size in ((80, 24), (200, 60)):
        with Terminal(size=size) as screen:
            screen.shows("What do you want to look at?")
            screen.keys("Enter")
            screen.expect("names-programs")
            screen.type("\u30c4\u30fc")
            screen.expect("names-filtered")
            screen.keys("Enter")
            screen.expect("names-runs")
            screen.keys("Enter")
            screen.expect("names-actions")
            screen.keys("Down", "Enter")
            screen.shows("What should the picture show?")
            screen.keys("Enter")
            screen.expect("names-functions")
            screen.type("CAF\u00c9")
            screen.expect("names-functions-filtered")
            for title in ("What should the picture show?", "What should be made", "Which run?",
                          "Which program?"):
                screen.keys("Escape")
                screen.shows(title)
            screen.keys("C-u")
            screen.type("y too")
            screen.shows("1 of")
            screen.keys("Enter")
            screen.expect("names-blanks")
            screen.keys("Enter")
            screen.shows("What should be made of it?")
            screen.type("by time")
            screen.shows("1 of 7")
            screen.keys("Enter")
            screen.shows("A row for what?")
            screen.keys("Enter")
            screen.shows("two words", "a b")


@case
def runs_with_samples_bring_a_row_of_their_own():
    write("app-20240102-030405-sample.folded", "main;f 30\nmain;g 20\n")
    make_browser()
    with Terminal() as screen:
        screen.expect("samples")
        screen.type("samples single")
        screen.shows("1 of 7")
        for title in ("Which program?", "Which run?", "What should be made of it?",
                      "In which colours?", "The page is made"):
            screen.keys("Enter")
            screen.shows(title)
        check(terminal.asked().endswith("-sample-flamegraph.html"), "address")


@case
def a_resized_terminal_is_drawn_anew():
    make_runs()
    with Terminal(size=(200, 60)) as screen:
        at_actions(screen)
        screen.resize(80, 24)
        screen.expect("time-actions")
        screen.resize(200, 60)
        screen.expect("time-actions")
        screen.resize(40, 10)
        screen.expect("small-actions")
        screen.keys("End")
        screen.shows("back")
        screen.keys("Escape")
        screen.expect("small-runs")
        screen.resize(12, 3)
        screen.keys("Escape")
        screen.resize(80, 24)
        screen.shows("Which program?")


@case
def the_mouse_chooses_marks_and_scrolls():
    make_runs()

    def click(line, button=0):
        # Pressed and released in column 10, in the form that the terminal type announces.
        for what in (button, 3) if button < 64 else (button,):
            screen.type(f"\033[M{chr(32 + what)}{chr(32 + 10)}{chr(32 + line)}")

    with Terminal() as screen:
        screen.shows(" >  time single")
        click(6)
        screen.shows(" >  memory single")
        click(6)
        screen.shows("Which program?")
        screen.keys("Escape")
        screen.shows(" >  memory single")
        click(4, button=64)
        screen.shows(" >  time differential")
        click(4, button=65)
        screen.shows(" >  memory single")
        click(4)
        screen.shows(" >  time single")
        at_actions(screen)
        screen.keys("Down", "Enter")
        screen.shows("What should the picture show?")
        screen.keys("Enter")
        screen.shows("Leave out which functions")
        click(7)
        screen.shows(">[x]", "1 marked")
        click(7)
        screen.shows(">[ ]", "0 marked")


@case
def signals_give_the_terminal_back_and_end_the_program():
    make_runs()
    for number, status in ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131),
                           (signal.SIGSEGV, 139), (signal.SIGABRT, 134)):
        with Terminal() as screen:
            at_actions(screen)
            os.kill(screen.process(), number)
            screen.shows(f"status {status}, terminal kept")
            check("What should be made" not in screen.screen(), "the other screen is left")


@case
def control_c_ends_as_an_interrupt():
    make_runs()
    with Terminal() as screen:
        at_actions(screen)
        screen.keys("C-c")
        screen.ends(130)


@case
def a_stopped_menu_gives_the_terminal_back_and_comes_back():
    make_runs()
    for number in (signal.SIGTSTP, signal.SIGSTOP):
        with Terminal(program="bash", words=("--norc", "--noprofile", "-i"), PS1="ready> ") as screen:
            screen.shows("ready>")
            screen.type(terminal.TOOL + " .")
            screen.keys("Enter")
            at_actions(screen)
            if number == signal.SIGTSTP:
                screen.keys("C-z")
            else:
                shell = screen.process()
                menu = terminal.wait_until(lambda: _children(shell), "the menu")[0]
                os.kill(menu, number)
            screen.shows("ready>", "Stopped")
            screen.type("echo in between")
            screen.keys("Enter")
            screen.shows("\nin between")
            screen.type("fg")
            screen.keys("Enter")
            screen.shows("What should be made of it?")
            screen.keys("Down")
            screen.shows(" >  flamegraph, filtered")
            screen.keys("Escape")
            screen.shows("Which run?")


def _children(parent):
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


@case
def no_colour_is_none_and_colours_are_a_choice_of_the_terminal():
    make_runs()
    for terminal_type, no_colour, colours in (("tmux-256color", None, True),
                                              ("tmux-256color", "1", False),
                                              ("tmux-256color", "", True),
                                              ("vt100", None, False),
                                              ("screen", None, True)):
        with Terminal(TERM=terminal_type, NO_COLOR=no_colour) as screen:
            at_actions(screen)
            screen.keys("Enter")
            screen.shows("In which colours?", "rust")
            grounds = set(re.findall(r"\033\[(?:\d+;)*4[0-8](?:;5;\d+)?m", screen.screen(True)))
            check(bool(grounds) == colours, terminal_type, no_colour, "shows", grounds)


@case
def a_terminal_that_cannot_draw_gets_numbered_prompts():
    make_runs()
    with Terminal(TERM="dumb", size=(80, 60)) as screen:
        screen.expect("prompts-start")
        for answer, name in (("1", "prompts-programs"), ("app", "prompts-filtered"),
                             ("1", "prompts-runs"), ("1", "prompts-actions")):
            screen.type(answer)
            screen.keys("Enter")
            screen.expect(name)
        screen.type("2")
        screen.keys("Enter")
        screen.shows("What should the picture show?")
        screen.type("2")
        screen.keys("Enter")
        screen.shows("Leave out which functions")
        screen.type("2-3")
        screen.keys("Enter")
        screen.shows("[x]")
        screen.type(".")
        screen.keys("Enter")
        screen.shows("2 marked")
        for answer, text in (("1", "In which colours?"), ("4", "It is shown by noted"),
                             ("", "0) back"), ("0", "Which run?")):
            screen.type(answer)
            screen.keys("Enter")
            screen.shows(text)
        screen.keys("C-d")
        screen.ends()


@case
def a_locale_of_another_character_set_gets_plain_characters():
    make_runs()
    with Terminal(LC_ALL="POSIX") as screen:
        # A locale that says nothing: terminals speak UTF-8.
        screen.shows("\u2191\u2193 move")
    with Terminal(LC_ALL="en_US.ISO-8859-1") as screen:
        screen.shows("Arrows move")
        screen.keys("Enter")
        screen.shows("Which program?", "? ? ? ? ?")


@case
def broken_settings_are_told_ignored_and_kept():
    make_runs()
    os.makedirs("settings/thag")
    write("settings/thag/thag.ini", "[palette]\ntime = mauve\n")
    with Terminal(size=(200, 60), XDG_CONFIG_HOME=os.path.abspath("settings")) as screen:
        screen.shows("Settings are ignored", "line 2: 'mauve' is no palette")
        at_actions(screen)
        screen.keys("Enter")
        screen.shows("aqua    (last)")
        screen.keys("Down", "Enter")
        screen.shows("The palette is not remembered", "The page is made")
    with open("settings/thag/thag.ini", encoding="utf-8") as file:
        check(file.read() == "[palette]\ntime = mauve\n", "the file is as it was")


@case
def without_a_browser_the_path_is_said():
    make_runs()
    for variables in ({"BROWSER": None}, {"BROWSER": "/missing/browser"}):
        with Terminal(**variables) as screen:
            at_actions(screen)
            screen.keys("Enter")
            screen.shows("In which colours?")
            screen.keys("Enter")
            screen.shows("app-20240103-030405-flamegraph", "No browser could be started here")


@case
def a_run_that_cannot_be_read_is_told():
    write("bad-20240102-030405.folded", "nonsense\n")
    with Terminal() as screen:
        for title in ("What do you want", "Which program?", "Which run?", "What should be made"):
            screen.shows(title)
            screen.keys("Enter")
        screen.shows("In which colours?")
        screen.keys("Enter")
        screen.shows("No page was made", "holds no line that could be used")
        screen.keys("Escape")
        screen.shows("What should be made")
        screen.keys("Down", "Enter")
        screen.shows("This run cannot be read", "holds no line that could be used")
        screen.keys("Escape")
        screen.shows("What should be made")


@case
def long_work_shows_progress_and_can_be_given_up():
    os.mkfifo("slow-20240102-030405.folded")
    # The list shows regular files only, so the pipe hides behind a link to where it is read from.
    os.rename("slow-20240102-030405.folded", "pipe")
    write("slow-20240102-030405.folded", "main 1\n")
    with Terminal() as screen:
        for title in ("What do you want", "Which program?", "Which run?"):
            screen.shows(title)
            screen.keys("Enter")
        screen.shows("What should be made")
        os.unlink("slow-20240102-030405.folded")
        os.rename("pipe", "slow-20240102-030405.folded")
        screen.keys("Down", "Enter")
        screen.shows("Reading the run", "Esc cancel")
        screen.keys("Escape")
        screen.shows("What should be made")
        # The menu goes on; the reading ends with its pipe.
        screen.keys("Escape")
        screen.shows("Which run?")
        descriptor = os.open("slow-20240102-030405.folded", os.O_WRONLY)
        os.close(descriptor)
        screen.keys("Escape")
        screen.shows("Which program?")


@case
def without_a_terminal_the_runs_are_listed():
    make_runs()
    with Terminal(program="sh", words=("-c", f"{terminal.TOOL} . < /dev/null | head -n 1; "
                                             f"{terminal.TOOL} < /dev/null | head -n 1")) as screen:
        screen.shows("sample: 1 run\nsample: 1 run")


terminal.main()
