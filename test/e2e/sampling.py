"""THAG_PROFILER=sample: where the time went, of programs that nobody recompiled.

Rows 35, 37, 75 to 78 of docs/hazards.md, for the sampler. Amounts of time are compared with what
the program's own clocks say, in the same run; how many signals there are is up to the kernel.
"""

import math
import os
import subprocess

import run
from run import case, check, equal

SHARES = run.sample("sampling-known_shares")
SITUATIONS = run.sample("sampling-situations")
WAITS = run.sample("sampling-waits")
TOOL = os.path.join(run.BUILD, "analyzer", "thag_profile")
MS = 1000 * 1000

def sampled(command, *keys, kind="sample", **options):
    keys = ",".join(keys + ("resolve=no",))
    return run.preloaded(command, f"{kind},,,,{keys}", **options)

def tool(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True)
    check(done.returncode == 0, arguments, "ends with", done.returncode, done.stderr)
    return done.stdout

class Samples:
    """Stacks of a recording with samples and ns."""

    def __init__(self, path):
        self.ns = self.by("sample_time", path)
        self.count = self.by("samples", path)
        self.total_ns = sum(self.ns.values())

    @staticmethod
    def by(value, path):
        sums = {}
        text = tool("convert", "--to", "folded", "--unit", "ns", "--value", value, path, "-o", "-")
        for line in text.splitlines():
            stack, _, amount = line.rpartition(" ")
            sums[tuple(stack.split(";"))] = int(amount)
        return sums

    def of(self, *frames, values=None):
        """Time, or other values, of the stacks that have FRAMES in this order."""
        total = 0
        for stack, amount in (values or self.ns).items():
            rest = iter(stack)
            total += amount if all(frame in rest for frame in frames) else 0
        return total

def of_process(outcome, pid=None):
    path = outcome.of(pid or outcome.pid).path
    return Samples(path)

def spent_in(samples, *frames):
    """Time in FRAMES, and what the kernel gave no samples for. It looks at timers of CPU time now
    and then only: on a machine that has much else to do, once in 100 ms of a thread's time."""
    return samples.of(*frames) + samples.of("[not sampled]")


def near(got, wanted, part, what):
    check(abs(got - wanted) <= part * wanted, what + ":", got, "instead of about", wanted)

def shares_are_right(*keys):
    outcome = sampled([SHARES, "600"], *keys)
    equal(outcome.status, 0, "exit status")
    spent = [int(word) for word in outcome.out.split()]
    samples = of_process(outcome)
    leaves = ("half", "third", "sixth", "twentieth")
    signals = sum(samples.count.values())
    seen = [samples.of(f"parent_of_{leaf}", leaf, values=samples.count) for leaf in leaves]
    for leaf, count, own in zip(leaves, seen, spent) if sum(seen) else ():
        share = own / sum(spent)
        error = 5 * math.sqrt(share * (1 - share) / signals)
        check(abs(count / sum(seen) - share) <= error, leaf, "has", count / sum(seen),
              "instead of", share, "give or take", error, "by", signals, "signals")
    return outcome, samples, sum(spent)

@case
def known_shares_of_cpu_time_are_shown():
    _, samples, spent = shares_are_right()
    check(samples.total_ns >= spent, "CPU time", samples.total_ns, "of at least", spent)
    near(samples.total_ns, 600 * MS, 0.05, "CPU time")

@case
def known_shares_by_the_wall_clock_are_shown():
    _, samples, spent = shares_are_right("sample_clock=wall")
    check(samples.total_ns >= spent, "time", samples.total_ns, "of at least", spent)

@case
def threads_that_die_young_are_not_lost():
    outcome = sampled([SITUATIONS, "young"])
    spent = int(outcome.out)
    samples = of_process(outcome)
    near(samples.of("young"), spent, 0.15, "CPU time of the threads")

@case
def threads_of_the_standard_are_sampled():
    outcome = sampled([SITUATIONS, "standard"])
    equal(outcome.out, "70\n", "output")
    near(of_process(outcome).of("standard"), 10 * 20 * MS, 0.1, "CPU time of the threads")

@case
def a_thread_with_a_small_stack_is_sampled():
    outcome = sampled([SITUATIONS, "small-stacks"], "sample_hz=2000")
    equal((outcome.status, outcome.out), (0, "done\n"), "end")
    near(of_process(outcome).of("small_stack"), 10 * 20 * MS, 0.1, "CPU time of the threads")

@case
def time_with_all_signals_blocked_is_told():
    outcome = sampled([SITUATIONS, "blocked"])
    spent = int(outcome.out)
    samples = of_process(outcome)
    check(samples.of("[signals blocked]") >= 0.8 * spent, "blocked", samples.ns)
    near(spent_in(samples, "blocked", "burn"), 300 * MS, 0.15, "the thread that lets them through")

@case
def the_programs_own_profiler_is_left_alone():
    outcome = sampled([SITUATIONS, "own-profiler"])
    spent, *seen = outcome.out.split()
    equal(seen, ["ticks", "own"], "what the program sees")
    near(spent_in(of_process(outcome), "own_profiler", "burn"), int(spent), 0.15, "CPU time")

@case
def a_forked_child_without_hooks_is_sampled_and_one_that_execs_is_not():
    outcome = sampled([SITUATIONS, "forks"])
    worker, status = map(int, outcome.out.split())
    equal(status, 0, "end of the child")
    near(spent_in(of_process(outcome, worker), "forks", "burn"), 300 * MS, 0.15,
         "CPU time of the child")
    equal(len(outcome.files(".thag")), 2, "recordings")

@case
def signals_do_not_end_a_new_image():
    for situation, times in (("execs", "60"), ("threads-exec", "15")):
        outcome = sampled([SITUATIONS, situation, times], "sample_hz=10000", "sample_clock=wall")
        equal((outcome.status, outcome.out), (0, "done\n"), situation)

@case
def a_failed_exec_ends_nothing():
    outcome = sampled([SITUATIONS, "failed-exec"])
    equal(outcome.out, "No such file or directory\n", "output")
    near(spent_in(of_process(outcome), "failed_exec", "burn"), 300 * MS, 0.15, "CPU time")

@case
def a_child_that_gives_all_signals_their_defaults_is_ended_by_none():
    outcome = sampled([SITUATIONS, "resets-actions"])
    equal(outcome.out, "0 0 0 \n", "ends of the children")
    equal(len(outcome.files(".thag")), 4, "recordings")


@case
def a_failed_exec_of_a_child_ends_nothing():
    outcome = sampled([SITUATIONS, "failed-exec-of-child"])
    child, status = map(int, outcome.out.split())
    equal(status, 0, "end of the child")
    near(spent_in(of_process(outcome, child), "failed_exec_of_child", "burn"), 300 * MS, 0.5,
         "CPU time of the child, which is sampled from its first hook on")

def as_without(command, *keys):
    without = run.bare(command)
    under = sampled(command, *keys)
    equal((under.status, under.out, under.err), (without.status, without.out, without.err),
          f"{command} with {keys}")
    return under


@case
def calls_that_are_never_restarted_are_not_disturbed():
    without = run.bare([WAITS])
    for clock in ("wall", "cpu"):
        under = sampled([WAITS], "sample_hz=10000", "sample_clock=" + clock)
        equal(under.out.splitlines(), without.out.splitlines(), clock)


@case
def waits_are_booked_where_they_are():
    calls = ("nanosleep", "poll", "select", "pselect", "epoll_wait", "pause", "sigsuspend",
             "sigtimedwait", "sigwait", "sem_timedwait", "semtimedop", "msgrcv", "accept",
             "connect", "recv")
    outcome = sampled([WAITS, *calls], "sample_clock=wall")
    samples = of_process(outcome)
    for call in calls:
        ns = samples.of("by_" + call, call)
        check(ns >= 50 * MS, call, "took", ns)


@case
def the_signals_number_is_the_programs_if_it_wants_it():
    as_without([SITUATIONS, "all-numbers"])
    for situation in ("one-number", "ended-by", "ignored-number", "waits-for"):
        for number in ("63", "62", "40"):
            as_without([SITUATIONS, situation, number])


@case
def samples_go_on_when_the_number_has_changed():
    for clock in ("cpu", "wall"):
        samples = of_process(sampled([SITUATIONS, "one-number"], "sample_clock=" + clock))
        # What waits when the number changes comes while our own code is at it.
        spent = spent_in(samples, "one_number", "burn") + samples.of("one_number", "[thag]")
        check(spent >= 0.85 * 120 * MS, "time", spent)
        check(clock == "wall" or samples.total_ns <= 1.15 * 120 * MS, "time", samples.ns)
    # Timers of the wall clock are never late.
    check(samples.of("one_number", "burn") >= 0.85 * 100 * MS, "time after the change", samples.ns)


@case
def it_is_told_that_the_program_uses_all_numbers():
    outcome = sampled([SITUATIONS, "all-numbers"])
    text = tool("info", outcome.own().path)
    check("the program uses all real-time signals itself" in text, text)


@case
def heap_calls_and_samples_are_in_one_recording():
    outcome = run.preloaded([run.sample("allocates")], "sample+both,,,,sample_hz=10000,resolve=no")
    recording = outcome.recording()
    equal(recording["content"], 1 + 4 + 8, "content")
    equal(recording["main.allocations"], 100, "allocations")

@case
def info_tells_the_rate():
    outcome = sampled([SHARES, "200"])
    text = tool("info", outcome.own().path)
    check(" of CPU time\n" in text and "rate         997 Hz asked, " in text, text)


@case
def tables_and_pages_tell_the_rate():
    outcome = sampled([SHARES, "200"])
    path = outcome.own().path
    page = os.path.join(outcome.directory, "page.html")
    tool("graph", path, "-o", page)
    with open(page, encoding="utf-8") as file:
        check("997 Hz asked, " in file.read(), "not in the page")
    for command in ("stats", "tree"):
        check("; 997 Hz asked, " in tool(command, path).splitlines()[0], command)


@case
def the_chart_has_a_lane_for_each_thread_that_was_sampled():
    outcome = sampled([SITUATIONS, "blocked"], kind="sample+both")
    page = os.path.join(outcome.directory, "chart.html")
    for arguments in ((), ("--value", "sample_time")):
        tool("chart", outcome.own().path, "-f", "-o", page, *arguments)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        check('"lanes":[' in text and '"fibre":0' in text, "no lane")
        check("may be several calls" in text, "samples are taken for calls")


@case
def one_page_has_hooks_heap_and_samples():
    source = os.path.join(run.scratch(), "hooked.c")
    program = os.path.join(run.scratch(), "hooked")
    with open(source, "w", encoding="ascii") as file:
        file.write("#include <stdlib.h>\nvolatile long sink;\n"
                   "void work(void) { free(malloc(10)); for (long i = 0; i < 100000000; i++) "
                   "sink += i; }\nint main(void) { work(); return 0; }\n")
    subprocess.run(["gcc", "-O1", "-g", "-finstrument-functions", source, "-o", program],
                   check=True)
    outcome = sampled([program], kind="sample+both")
    page = os.path.join(outcome.directory, "page.html")
    tool("graph", outcome.own().path, "-o", page)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for value in ("time", "calls", "sample_time", "samples", "bytes"):
        check(f'"name":"{value}"' in text, value, "is not offered")
    # CPU time beside time: what the machine does meanwhile is in the second alone.
    spent = spent_in(of_process(outcome), "main", "work")
    check(0 < spent <= 1.1 * hooked_ns(outcome, "work"), "time", spent)


def hooked_ns(outcome, function):
    """What the function's hooks say."""
    text = tool("convert", "--to", "folded", "--unit", "ns", "--value", "time",
                outcome.own().path, "-o", "-")
    return sum(int(line.rpartition(" ")[2]) for line in text.splitlines()
               if line.rpartition(" ")[0].endswith(";" + function))


@case
def the_folded_file_of_samples_is_written():
    outcome = run.preloaded([SHARES, "200"], "sample,,,,resolve=yes")
    names = [name for name in outcome.files(".folded") if name.endswith("-sample.folded")]
    equal(len(names), 1, "folded files of samples")
    with open(os.path.join(outcome.directory, names[0]), encoding="utf-8") as file:
        check(any(";half " in line for line in file), "the leaf is named")

@case
def a_storm_of_samples_changes_nothing():
    program = run.need(run.sample("sampling-storm"), "g++")
    plugin = run.sample("libplugin_a.so")
    seconds = int(os.environ.get("THAG_SOAK_SECONDS", "4"))
    for kind in ("sample", "sample+both"):
        for clock in ("wall", "cpu"):
            outcome = sampled([program, str(250 * seconds), plugin], "sample_hz=10000",
                              "sample_clock=" + clock, kind=kind)
            equal((outcome.status, outcome.out, outcome.err), (0, "calm\n", ""), clock)
            samples = of_process(outcome)
            check(spent_in(samples, "allocates(unsigned int)") > 0, "nothing seen", samples.ns)


if __name__ == "__main__":
    run.main()
