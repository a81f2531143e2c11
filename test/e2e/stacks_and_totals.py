"""Stacks of odd places, and totals that are easy to get wrong.

Rows 74 to 86 of docs/hazards.md, as far as heap profiles meet them.
"""

import csv
import gzip
import json
import os
import platform
import re
import resource
import subprocess

import run
from run import case, check, equal

STACKS = run.sample("stacks")
LEDGER = run.sample("ledger")


def functions(frames, binary):
    """Names of those frames that lie in BINARY, innermost first."""
    names = run.Symbols(binary)
    base = binary.rsplit("/", 1)[-1] + "+0x"
    return [names.at(int(frame[len(base):], 16)) for frame in frames if frame.startswith(base)]


def stacks(situation):
    recording = run.exact(run.same([STACKS, situation], counted=True))
    return recording, [(numbers, functions(numbers[5], STACKS)) for numbers in recording.stacks]


@case
def very_deep_stack_keeps_its_weight_and_its_inner_end():
    recording, found = stacks("deep")
    equal(recording["main.allocations"], 6, "allocations")
    elided = [(n, f) for n, f in found if "[elided]" in n[5]]
    equal(len(elided), 1, "stacks with frames left out")
    numbers, names = elided[0]
    equal(numbers[0], 5, "allocations at the depth")
    equal(names[0], "site", "innermost function")
    check(set(names[1:]) == {"recurse"}, "the frames between:", set(names))
    check(recording["deepest"] <= 1024, recording["deepest"], "frames")
    check(numbers[4] & 1, "the stack is marked as cut")


@case
def fibres_at_the_edge_of_memory_are_walked():
    recording, found = stacks("fibres")
    equal(recording["main.allocations"], 400, "allocations")
    on_fibres = sum(n[0] for n, f in found if "fibre_run" in f)
    equal(on_fibres, 200, "allocations on fibres")
    off = sum(n[0] for n, f in found if f[:2] == ["site", "fibres"])
    equal(off, 200, "allocations between")
    for _, names in found:
        check(not ("fibre_run" in names and "main" in names), "a fibre under main:", names)


def need_x86_64():
    if platform.machine() != "x86_64":
        raise run.Skip("the code is x86-64's")


@case
def code_without_unwind_data_ends_the_walk_and_nothing_else():
    need_x86_64()
    recording, found = stacks("undescribed")
    equal(recording["main.allocations"] + recording["no_module.allocations"], 70, "allocations")
    bare = [n for n, f in found if f[:1] == ["without_unwind_data"]]
    equal(sum(n[0] for n in bare), 10, "allocations of the function without unwind data")
    wild = [f for n, f in found if f[:1] == ["with_a_wild_frame_pointer"]]
    equal(wild[0][:3], ["with_a_wild_frame_pointer", "undescribed", "main"], "stack")
    equal(recording["no_module.allocations"], 10, "allocations of code that was made")
    neither = [n for n, f in found if f[:1] == ["with_neither"]]
    equal(sum(n[0] for n in neither), 20, "allocations without unwind data or a frame pointer")
    check(all(len(n[5]) == 1 and n[4] & 1 for n in neither), "such stacks end there")
    check(all(n[4] & 3 for n in bare), "such stacks are marked")
    by_pointer = [(n, f) for n, f in found if f[:1] == ["with_a_frame_pointer_alone"]]
    equal(sum(n[0] for n, _ in by_pointer), 10, "allocations where the frame pointer leads on")
    for numbers, names in by_pointer:
        check("main" in names, "stack:", names)
        equal(numbers[4], 2, "marked as guessed, and as nothing else")


@case
def handlers_stand_above_what_they_interrupt():
    recording, found = stacks("handlers")
    equal(recording["main.allocations"], 20, "allocations")
    for numbers, names in found:
        if names:
            equal(names[:2], ["site", "handler"], "innermost functions")
            equal(names[2:5], ["interrupted", "handlers", "main"], "outer functions")
            equal(numbers[4] & 1, 0, "marked as cut")


@case
def function_that_is_interrupted_at_its_first_instruction_is_walked_by_its_own_rule():
    need_x86_64()
    _, found = stacks("trapped")
    found = [(n, f) for n, f in found if f]
    equal(sum(n[0] for n, _ in found), 10, "allocations")
    for numbers, names in found:
        equal(names, ["site", "on_trap", "trapped_at_once", "trapped", "main", "_start"], "stack")
        equal(numbers[4], 0, "marks")


@case
def return_addresses_that_are_none_end_the_stack_and_mark_it():
    need_x86_64()
    _, found = stacks("odd-ends")
    found = [n for n, f in found if f[:1] == ["site"]]
    equal(sum(n[0] for n in found), 8, "allocations")
    for numbers in found:
        equal(len(numbers[5]), 2, "frames of " + ";".join(numbers[5]))
    equal(sum(n[0] for n in found if n[4] == 0), 1, "stacks that ended in order, at 0")
    equal(sum(n[0] for n in found if n[4] & 1), 7, "stacks that are marked as cut")


@case
def caller_that_is_never_returned_to_keeps_its_name():
    recording, found = stacks("jumps")
    equal(recording["main.allocations"], 20, "allocations")
    names = [f for n, f in found if n[0] == 20]
    equal(names, [["site", "leaves", "never_returned_to", "jumps", "main", "_start"]], "stack")


def ledger(situation):
    """The same by the counter, behind which blocks are in the map, and without, in the shadow."""
    recording = run.exact(run.same([LEDGER, situation], counted=True))
    sites = recording.sites(LEDGER)
    equal(run.preloaded([LEDGER, situation]).recording().sites(LEDGER), sites, "in the shadow")
    return recording, sites


@case
def peak_is_the_highest_moment_and_is_split_by_stack():
    recording, sites = ledger("peak")
    equal(recording["peak_bytes"], 110000, "peak")
    equal(recording["at_peak"], 110000, "sum of the stacks at the peak")
    equal(recording["main.live"], 50000, "bytes left behind")
    equal(sites["first_site"][:2], [150, 150000], "first site")
    equal(sites["second_site"][:2], [60, 60000], "second site")


@case
def temporary_blocks_are_those_freed_before_the_next():
    recording, _ = ledger("temporary")
    equal(recording["temporary"], 400, "temporary blocks")


@case
def sizes_beyond_32_bits_and_equal_sizes_are_right():
    recording, sites = ledger("sizes")
    equal(recording["max_bytes"], 5 << 30, "largest block")
    equal(sites["first_site"], [100, 6400, 100, 0], "equal sizes")
    equal(sites["second_site"], [1001, sum(i * i for i in range(1000)) + (5 << 30), 1001, 0],
          "all sizes")


@case
def blocks_that_change_hands_between_threads_are_freed_once():
    recording, _ = ledger("hands")
    equal(recording["main.allocations"], 4 * (20000 + 6667), "allocations")
    equal(recording["main.live_blocks"], 0, "blocks left behind")
    equal(recording["main.live"], 0, "bytes left behind")
    equal(recording["unknown_frees"], 0, "unknown frees")
    check(recording["peak_bytes"] < 64 * 400 + 200000, "peak", recording["peak_bytes"])


@case
def places_that_are_taken_again_before_their_free_has_returned_are_the_new_owners():
    program = run.sample("hands_over")
    outcome = run.same([program])
    equal(outcome.out, "all places were handed over\n", "output")
    recording = outcome.recording()
    sites = recording.sites(program)
    equal(sites["take_over"], [20, 2000, 20, 0], "blocks of the second owner")
    equal(sites["first_owner"], [20, 2000, 20, 0], "blocks of the first owner")
    equal(sites["grow"], [10, 1200, 10, 0], "blocks that were grown")
    equal(recording["unknown_frees"], 0, "unknown frees")
    equal(recording["temporary"], 30, "temporary blocks: none of the second owner's")


def tool(outcome, *words):
    program = os.path.join(run.BUILD, "analyzer", "thag_profile")
    return subprocess.run([program, *words, outcome.recording().path], capture_output=True,
                          text=True, check=True).stdout


def table(outcome, *options):
    return tool(outcome, "stats", "--format", "csv", *options)


@case
def sizes_state_the_exact_sum_also_where_their_buckets_are_bounds():
    outcome = run.preloaded([LEDGER, "sizes"])
    told = json.loads(tool(outcome, "sizes", "--format", "json"))
    equal(told["bytes_exact"], False, "buckets")
    equal(told["bytes"], outcome.recording()["bytes"], "sum")
    equal(told["count"], outcome.recording()["allocations"], "count")


@case
def table_has_the_smallest_and_the_largest_block_and_says_what_it_knows():
    def singles(outcome):
        rows = [line.split(",") for line in table(outcome, "--by", "function").splitlines()]
        at = rows[0].index("min_bytes")
        equal(rows[0][at:], ["min_bytes", "max_bytes", "min_at_least_bytes"], "columns")
        return {row[0]: [int(number) for number in row[at:]] for row in rows[1:] if row[at]}

    outcome = run.preloaded([LEDGER, "sizes"])
    rows = singles(outcome)
    equal(rows["first_site"], [64, 64, 64], "equal sizes")
    equal(rows["second_site"], [1, 5 << 30, 0], "sizes by their classes")
    told = tool(outcome, "stats")
    check("\u22641 B" in told and "\u2264: the smallest" in told, "the sign and what it means:", told)
    rows = singles(run.preloaded([LEDGER, "sizes"], "memory,,,true"))
    equal(rows["second_site"], [0, 5 << 30, 0], "sizes by their events")


CLOCK = """#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define PLAIN __attribute__((no_instrument_function))
static volatile int earlier; /* seconds */
PLAIN int clock_gettime(clockid_t clock, struct timespec *ret_now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, ret_now);
    ret_now->tv_sec -= clock == CLOCK_MONOTONIC ? earlier : 0;
    return result;
}
__attribute__((noinline)) void leaves_earlier(void) { earlier = 5; }
__attribute__((noinline)) void leaves_in_time(void) { usleep(1000); }
int main(void)
{
    for (int i = 0; i < 10; i++) {
        leaves_earlier();
        earlier = 0;
        leaves_in_time();
    }
    return 0;
}
"""


@case
def calls_that_end_before_they_began_count_no_time_and_are_told():
    source, program = (os.path.join(run.scratch(), name) for name in ("clock.c", "clock"))
    with open(source, "w", encoding="ascii") as file:
        file.write(CLOCK)
    subprocess.run(["gcc", "-O1", "-g", "-finstrument-functions", "-rdynamic", source, "-o",
                    program], check=True)
    outcome = run.preloaded([program], "time,,,,clock=monotonic,resolve=no")
    equal((outcome.status, outcome.err), (0, ""), "end")
    rows = {row["function"]: row for row in csv.DictReader(table(outcome).splitlines())}
    for name in ("leaves_earlier", "leaves_in_time"):
        equal(rows[name]["calls"], "10", "calls of " + name)
    equal(rows["leaves_earlier"]["total_ns"], "0", "time of the calls that ended earlier")
    check(10e6 <= int(rows["leaves_in_time"]["total_ns"]) <= int(rows["main"]["total_ns"]) < 60e9,
          "times:", rows)
    text = tool(outcome, "info")
    check(" 10  calls ended before they began" in text, text)


@case
def events_without_number_cost_the_analyzer_no_memory():
    # 3 million lines of 200 stacks, 250 MB unpacked; 200 MB of address space in all.
    path = os.path.join(run.scratch(), "long-memory.folded.gz")
    lines = "".join(f"main;{'level;' * 10}site_{i} 16\n" for i in range(200)).encode() * 15
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(1000):
            file.write(lines)
    done = subprocess.run(
        [os.path.join(run.BUILD, "analyzer", "thag_profile"), "stats", "--format", "csv", path],
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20)))
    equal((done.returncode, done.stderr), (0, ""), "end")
    rows = {row["function"]: row for row in csv.DictReader(done.stdout.splitlines())}
    equal(rows["site_7"]["self_bytes"], str(15000 * 16), "bytes of a stack")


@case
def info_names_threads_of_one_name_once():
    text = tool(run.preloaded([LEDGER, "hands"]), "info")
    count = re.search(r"^(\d+) threads, ", text, re.M)
    check(count and int(count[1]) > 1, "threads:", text)
    equal(re.findall(r"^ +(\d+)  ledger$", text, re.M), [count[1]], "threads called ledger")


@case
def table_by_file_names_the_sources_without_asking_for_lines():
    text = table(run.preloaded([LEDGER, "temporary"]), "--by", "file")
    check("\nledger.c," in text, "files:", text)


@case
def table_of_a_stripped_program_takes_its_names_from_the_debug_dir():
    run.need("/usr/bin/objcopy", "binutils")
    program = os.path.join(run.scratch(), "stripped")
    debug = os.path.join(run.scratch(), "debug")
    os.mkdir(debug)
    subprocess.run(["objcopy", "--only-keep-debug", LEDGER, "stripped.debug"], cwd=debug,
                   check=True)
    subprocess.run(["objcopy", "--strip-all",
                    f"--add-gnu-debuglink={debug}/stripped.debug", LEDGER, program], check=True)
    outcome = run.preloaded([program, "temporary"])
    check("\nmain," not in table(outcome), "names without debug data:", table(outcome))
    text = table(outcome, "--debug-dir", debug)
    check("\nmain," in text, "names with it:", text)


run.main()
