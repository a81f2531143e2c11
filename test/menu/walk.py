"""Every branch of the menu, at the smallest size and at a large one, screen by screen."""

import os
import subprocess

import terminal
from terminal import TOOL, Terminal, asked, case, check, make_runs

SIZES = ((80, 24), (200, 60))


def at_both_sizes(walk):
    for size in SIZES:
        make_runs()
        for name in os.listdir("."):
            if name.endswith(".html"):
                os.unlink(name)
        with Terminal(size=size) as screen:
            screen.expect("start")
            walk(screen)


def leave(screen, *names):
    """Esc at each level shows the one above; above the first is the end."""
    for name in names:
        screen.keys("Escape")
        screen.expect(name)
    screen.keys("Escape")
    screen.ends()


def open_actions(screen, kind, program, back):
    """From the start to what can be made of a run; BACK is the name of the screens."""
    screen.type(kind + " single")
    screen.shows("1 of")
    screen.keys("Enter")
    screen.expect(kind + "-programs")
    screen.type(program)
    screen.shows("Filter: " + program, "1 of")
    screen.keys("Enter")
    screen.expect(back + "-runs")
    screen.keys("Enter")
    screen.expect(back + "-actions")


@case
def time_graphs_are_made_and_shown():
    def walk(screen):
        open_actions(screen, "time", "app", "time")
        screen.keys("Enter")
        screen.expect("time-palettes")
        screen.keys("Down", "Enter")
        screen.expect("time-page-made")
        check(asked().endswith("/app-20240103-030405-flamegraph.html"), "address of the page")
        screen.keys("Escape")
        screen.expect("time-actions")
        # The palette is remembered, and the page not overwritten.
        screen.keys("Enter")
        screen.expect("time-palettes-again")
        screen.keys("Enter")
        screen.expect("time-page-made-again")
        check(asked().endswith("/app-20240103-030405-flamegraph-2.html"), "address of the page")
        with open("app-20240103-030405-flamegraph-2.html", encoding="utf-8") as page:
            text = page.read()
        check('"blue"' in text and "read_line" in text, "page")
        screen.keys("Escape")
        screen.expect("time-actions")
        leave(screen, "time-runs-back", "time-programs-back", "start-filtered")
        os.unlink(".config/thag/thag.ini")

    at_both_sizes(walk)


@case
def time_charts_are_made_and_shown():
    def walk(screen):
        open_actions(screen, "time", "app", "time")
        screen.keys("Down", "Down", "Enter")
        screen.expect("time-palettes")
        screen.keys("Enter")
        screen.expect("chart-made")
        check(asked().endswith("/app-20240103-030405-flamechart.html"), "address of the page")
        leave(screen, "chart-actions", "time-runs-back", "time-programs-back", "start-filtered")

    at_both_sizes(walk)


@case
def time_is_filtered_by_functions_in_each_way():
    def walk(screen):
        open_actions(screen, "time", "app", "time")
        screen.keys("Down", "Enter")
        screen.expect("filter-nothing")
        screen.keys("Enter")
        screen.expect("filter-exclude")
        screen.type("s")
        screen.shows("Filter: s_")
        screen.keys("C-u")
        screen.shows("Filter: _")
        screen.type("compare")
        screen.shows("1 of 6")
        screen.keys("Space", "Enter")
        screen.expect("filter-excluded")
        screen.keys("Down", "Down", "Enter")
        screen.expect("filter-exclude-self")
        screen.keys("Space", "Enter")
        screen.expect("filter-excluded-self")
        screen.keys("Down", "Down", "Down", "Enter")
        screen.expect("filter-include")
        screen.type("split")
        screen.shows("1 of 6")
        screen.keys("Space")
        screen.shows("1 marked")
        screen.keys("Enter")
        screen.expect("filter-included")
        screen.keys("Enter")
        screen.expect("time-palettes")
        screen.keys("Enter")
        screen.expect("filter-page-made")
        asked()
        with open("app-20240103-030405-flamegraph.html", encoding="utf-8") as page:
            text = page.read()
        check("split" in text and "compare" not in text and "read_line" not in text, "page")
        leave(screen, "filter-actions", "time-runs-back", "time-programs-back", "start-filtered")

    at_both_sizes(walk)


@case
def filters_can_be_begun_anew_and_left():
    def walk(screen):
        open_actions(screen, "time", "app", "time")
        screen.keys("Down", "Down", "Down", "Enter")
        screen.expect("chart-filter-nothing")
        screen.keys("Enter")
        screen.shows("Leave out which functions")
        screen.keys("C-a")
        screen.shows("6 marked")
        screen.keys("Enter")
        screen.expect("chart-filter-all")
        screen.keys("Enter")
        screen.expect("filter-nothing-to-draw")
        screen.keys("Escape")
        screen.expect("chart-filter-all")
        screen.keys("End", "Enter")
        screen.expect("chart-filter-nothing")
        screen.keys("Enter")
        screen.shows("Leave out which functions")
        screen.keys("Escape")
        screen.expect("chart-filter-nothing")
        leave(screen, "chart-filter-actions", "time-runs-back", "time-programs-back",
              "start-filtered")

    at_both_sizes(walk)


@case
def time_statistics_are_read():
    def walk(screen):
        open_actions(screen, "time", "app", "time")
        screen.type("by time")
        screen.shows("1 of 7")
        screen.keys("Enter")
        screen.expect("statistics-by-what")
        for name in ("function", "stack", "file", "module"):
            screen.keys("Enter")
            screen.expect("statistics-by-" + name)
            screen.keys("Escape")
            screen.shows("A row for what?")
            screen.keys("Down")
        screen.keys("Escape")
        screen.shows("statistics by time")
        screen.keys("Down", "Enter")
        screen.shows("A row for what?")
        screen.keys("Enter")
        screen.expect("statistics-by-calls")
        screen.type("sort")
        screen.expect("statistics-filtered")
        screen.keys("Right")
        screen.shows("Filter: sort")
        screen.keys("Enter")
        leave(screen, "statistics-actions", "time-runs-back", "time-programs-back",
              "start-filtered")

    at_both_sizes(walk)


@case
def inclusive_times_alone_have_statistics_only():
    def walk(screen):
        open_actions(screen, "time", "old", "inclusive")
        screen.keys("Enter")
        screen.shows("A row for what?")
        screen.keys("Enter")
        screen.expect("inclusive-statistics")
        screen.keys("Escape")
        screen.shows("A row for what?")
        leave(screen, "inclusive-actions", "inclusive-runs", "inclusive-programs-back",
              "start-filtered")

    at_both_sizes(walk)


@case
def memory_statistics_and_sizes_are_read():
    def walk(screen):
        open_actions(screen, "memory", "sample", "memory")
        screen.type("stat")
        screen.shows("1 of 7")
        screen.keys("Enter")
        screen.expect("memory-statistics")
        screen.keys("End")
        screen.expect("memory-statistics-end")
        screen.keys("Escape")
        screen.shows("memory statistics")
        screen.keys("Down", "Enter")
        screen.expect("memory-sizes")
        leave(screen, "memory-sizes-actions", "memory-runs", "memory-programs-back",
              "start-memory")

    at_both_sizes(walk)


@case
def sizes_of_frees_follow_those_of_allocations():
    def walk(screen):
        open_actions(screen, "memory", "app", "memory-app")
        screen.type("size")
        screen.shows("1 of 7")
        screen.keys("Enter")
        screen.expect("sizes-of-detail")
        screen.keys("Escape")
        screen.shows("distribution")
        screen.keys("Escape")
        screen.shows("Which run?")

    at_both_sizes(walk)


@case
def memory_is_filtered_by_facts():
    def walk(screen):
        open_actions(screen, "memory", "sample", "memory")
        screen.keys("Down", "Enter")
        screen.expect("facts-nothing")
        screen.type("only alloc")
        screen.shows("1 of 7")
        screen.keys("Enter")
        screen.expect("facts")
        screen.type("leaked")
        screen.shows("1 of 5")
        screen.keys("Space")
        screen.shows("1 marked")
        screen.keys("Enter")
        screen.expect("facts-leaked")
        screen.keys("Down", "Down", "Down", "Down", "Down", "Enter")
        screen.shows("Which allocations not?")
        screen.type("own")
        screen.shows("1 of 5")
        screen.keys("Space", "Enter")
        screen.expect("facts-text")
        screen.type("LIBPART")
        screen.expect("facts-text-typed")
        screen.keys("Enter")
        screen.expect("facts-nothing-left")
        leave(screen, "facts-actions", "memory-runs", "memory-programs-back", "start-memory")

    at_both_sizes(walk)


@case
def facts_are_said_as_options():
    def mark(screen, kind, *facts):
        screen.type(kind + " alloc")
        screen.shows("1 of 7")
        screen.keys("Enter")
        for fact in facts:
            screen.type(fact)
            screen.shows("1 of 5")
            screen.keys("Space")
            screen.keys("C-u")
            screen.shows("Filter: _")
        screen.keys("Enter")

    def walk(screen):
        open_actions(screen, "memory", "sample", "memory")
        screen.keys("Down", "Enter")
        screen.expect("facts-nothing")
        mark(screen, "only", "leaked", "frequent")
        screen.shows("2 marked")
        mark(screen, "no", "own")
        screen.type("It's \\E")
        screen.shows("E_")
        screen.keys("Enter")
        screen.shows("1 marked")
        screen.keys("Home", "Enter")
        screen.expect("facts-palettes")
        screen.keys("Enter")
        screen.expect("facts-page-made")
        asked()
        command = ["graph", "sample-20240106-070809.thag", "--palette", "aqua", "--value", "bytes",
                   "--fact", "leaked", "--fact", "frequent", "--exclude", r"(?i)\QIt's \E\\\QE\E"]
        subprocess.run([TOOL, *command, "--no-open", "-o", "same.html"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open("same.html", encoding="utf-8") as said:
            with open("sample-20240106-070809-bytes-flamegraph.html", encoding="utf-8") as made:
                check(made.read() == said.read(), "the command makes the same page")
        leave(screen, "facts-actions", "memory-runs", "memory-programs-back", "start-memory")

    at_both_sizes(walk)


@case
def two_runs_are_compared():
    def walk(screen):
        for kind in ("time", "memory"):
            screen.type(kind + " diff")
            screen.shows("1 of")
            screen.keys("Enter")
            screen.expect(kind + "-compare-programs")
            screen.type("app")
            screen.shows("1 of")
            screen.keys("Enter")
            screen.expect(kind + "-before")
            screen.keys("Enter")
            screen.expect(kind + "-after")
            screen.keys("Enter")
            screen.expect(kind + "-compared")
            check("-diff.html" in asked(), "address of the page")
            screen.keys("Escape")
            screen.expect(kind + "-after")
            screen.keys("Escape")
            screen.expect(kind + "-before")
            screen.keys("Escape")
            screen.shows("Which program?")
            screen.keys("Escape")
            screen.shows("What do you want to look at?")

    at_both_sizes(walk)


@case
def exit_and_back_are_rows_too():
    def walk(screen):
        open_actions(screen, "time", "app", "time")
        screen.keys("End", "Enter")
        screen.expect("time-runs-back")
        screen.keys("Escape")
        screen.shows("Which program?")
        screen.keys("Escape")
        screen.expect("start-filtered")
        screen.keys("End", "Enter")
        screen.ends()

    at_both_sizes(walk)


terminal.main()
