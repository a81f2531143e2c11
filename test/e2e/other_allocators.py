"""Programs with an allocator that is not libc's.

Rows 48 to 52 of docs/hazards.md. Preloaded before or behind ours or linked as a library: the same
sums at each site. Inside the program itself, or no dynamic program at all: it runs as ever.
"""

import os
import subprocess

import run
from run import case, check, equal

LIBRARIES = {"jemalloc": "libjemalloc.so.2", "tcmalloc": "libtcmalloc_minimal.so.4",
             "mimalloc": "libmimalloc.so.2"}
SITES = {  # allocations, bytes, frees, live
    "small_site": [500, 20000, 0, 20000],
    "large_site": [10, 3000000, 0, 3000000],
    "aligned_site": [10, 81920, 0, 81920],
    "tiny_site": [78, 624, 0, 624],
    "churn_site": [10000, 1000000, 10000, 0],
    "grow_site": [100, 252500, 99, 5000],
    "zeroed_site": [100, 10000, 100, 0],
}
PLAIN = run.sample("own_malloc")


def whole(outcome, program):
    equal((outcome.status, outcome.out, outcome.err), (0, "done\n", ""), "end and output")
    recording = outcome.recording()
    sites = recording.sites(program)
    for name, wanted in SITES.items():
        equal(sites.get(name), wanted, name)
    equal(recording["events_lost"] + recording["stacks_unknown"], 0, "losses")
    return recording


def library(name):
    for place in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu",
                  "/usr/lib"):
        path = os.path.join(place, LIBRARIES[name])
        if os.path.exists(path):
            return path
    raise run.Skip(f"{LIBRARIES[name]} is not installed")


def in_both_orders(name):
    other = library(name)
    whole(run.preloaded([PLAIN], preload=[run.PRELOAD, other]), PLAIN)
    told(run.preloaded([PLAIN], preload=[other, run.PRELOAD]), other)


def told(outcome, definer):
    """In front of ours the other one serves the program: it runs as ever, and one line says so."""
    equal((outcome.status, outcome.out), (0, "done\n"), "end and output")
    equal(len(outcome.err.splitlines()), 1, "lines: " + outcome.err)
    check(f"{definer} has an allocator of its own" in outcome.err, outcome.err)


def build(name, *arguments):
    """Another build of the sample; the linker's refusal skips the case."""
    program = os.path.join(run.scratch(), name)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../samples/own_malloc.c")
    done = subprocess.run(["cc", "-O1", "-g", "-fno-builtin", source, "-o", program, *arguments],
                          check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise run.Skip(f"cannot be built here: {' '.join(arguments)}")
    return program


@case
def libcs_allocator_is_the_measure():
    recording = whole(run.preloaded([PLAIN]), PLAIN)
    equal(recording["main.live_blocks"], 599, "blocks left behind")


@case
def jemalloc_preloaded_before_and_behind():
    in_both_orders("jemalloc")


@case
def tcmalloc_preloaded_before_and_behind():
    in_both_orders("tcmalloc")


@case
def mimalloc_preloaded_before_and_behind():
    in_both_orders("mimalloc")


@case
def allocator_that_calls_its_own_functions_is_counted_once():
    library_path = run.sample("liballocator_upon_itself.so")
    recording = whole(run.preloaded([PLAIN], preload=[run.PRELOAD, library_path]), PLAIN)
    check(recording["nested_calls"] >= 100 + 10 + 100, recording["nested_calls"], "nested calls")


@case
def jemalloc_linked():
    program = build("own_jemalloc", library("jemalloc"))
    whole(run.preloaded([program]), program)


@case
def tcmalloc_linked():
    program = build("own_tcmalloc", library("tcmalloc"))
    whole(run.preloaded([program]), program)


@case
def mimalloc_linked():
    program = build("own_mimalloc", library("mimalloc"))
    whole(run.preloaded([program]), program)


def runs_as_ever(program):
    without = run.bare([program])
    outcome = run.preloaded([program])
    equal((outcome.status, outcome.out), (without.status, without.out), "end and output")
    return outcome


@case
def allocator_inside_the_program_runs_as_ever_and_is_told():
    program = build("own_static_jemalloc", "-l:libjemalloc.a", "-lm", "-lpthread", "-lstdc++")
    told(run.preloaded([program]), program)
    silent = run.preloaded([program], "none")
    equal((silent.status, silent.out, silent.err), (0, "done\n", ""), "not profiling")
    nowhere = run.preloaded([program], f"memory,{program}/below")  # a file is no directory
    equal(len(nowhere.err.splitlines()), 1, "lines where nothing is recorded: " + nowhere.err)


@case
def program_at_a_fixed_address_that_takes_mallocs_is_recorded_without_a_word():
    program = build("own_fixed", "-fno-pie", "-no-pie")
    whole(run.preloaded([program]), program)


@case
def static_program_runs_as_ever():
    outcome = runs_as_ever(build("own_static", "-static"))
    equal(outcome.err, "", "standard error")
    equal(outcome.files(".thag"), [], "recordings")


@case
def thirty_two_bit_program_runs_as_ever():
    outcome = runs_as_ever(build("own_32", "-m32"))
    equal(outcome.files(".thag"), [], "recordings")


@case
def threads_on_another_allocator_are_exact():
    program = run.sample("threads")
    for name in LIBRARIES:
        outcome = run.preloaded([program, "many"], preload=[run.PRELOAD, library(name)])
        equal((outcome.status, outcome.out, outcome.err), (0, "", ""), "end with " + name)
        recording = outcome.recording()
        equal(recording["main.allocations"], 50000, name + ": allocations")
        equal(recording["main.live_blocks"], 0, name + ": blocks left behind")


run.main()
