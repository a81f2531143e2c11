"""Threads of every size and end, and signals at the worst moments.

Rows 8, 9, 22, 27, 35, 37, 39 of docs/hazards.md.
"""

import platform

import run
from run import case, check, equal

THREADS = run.sample("threads")
SIGNALS = run.sample("signals")


def threads(situation, left_behind=0):
    outcome = run.same([THREADS, situation], counted=True)
    recording = run.exact(outcome)
    equal(recording["main.live_blocks"], left_behind, "the program's blocks left behind")
    equal(recording["nested_calls"], 0, "nested calls")
    return recording


@case
def small_stacks_are_enough():
    equal(threads("small")["main.allocations"], 500, "allocations")


@case
def two_thousand_threads_alive_at_once_are_recorded():
    recording = threads("alive")
    equal(recording["main.allocations"], 2000, "allocations")
    equal(recording["max_threads"], 2001, "threads alive at once")
    check(recording["peak_bytes"] >= 2000 * 1000, "peak", recording["peak_bytes"])
    equal(recording["thread_count"], 2001, "slots")


@case
def thousands_of_short_threads_share_slots_and_memory():
    recording = threads("many")
    equal(recording["main.allocations"], 50000, "allocations")
    check(recording["thread_count"] <= 4, recording["thread_count"], "slots")
    check(recording["used_pages"] < 200, recording["used_pages"], "pages")
    taken = sum(recording[f"thread.{n}.times_taken"] for n in range(recording["thread_count"]))
    check(taken >= 5001, taken, "threads took slots")


@case
def thousands_of_thread_names_have_bounded_slots():
    recording = threads("many-named")
    equal(recording["main.allocations"], 50000, "allocations")
    check(recording["thread_count"] <= 300, recording["thread_count"], "slots")


@case
def destructors_of_thread_values_allocate_in_every_round():
    recording = threads("destructors", left_behind=50)
    taken = sum(recording[f"thread.{n}.times_taken"] for n in range(recording["thread_count"]))
    # In the last round ours comes first: the three calls after it take a state each.
    equal(taken, 1 + 50 * 4, "states taken: each thread keeps its own up to the last round")
    equal(recording["main.allocations"], 50 * (10 + 5), "allocations, destructors included")
    check(recording["thread_count"] <= 3, recording["thread_count"], "slots")


@case
def threads_that_begin_and_end_by_asking_for_their_stack_do_not_wait_for_themselves():
    # Java's threads do: libc's own allocation for the answer is their first.
    recording = threads("asking")
    equal(recording["main.allocations"], 50 * 10, "allocations")


@case
def threads_that_ask_libc_itself_for_their_stack_do_not_wait_for_themselves():
    equal(threads("asking-libc")["main.allocations"], 50 * 10, "allocations")


@case
def destructors_of_thread_locals_allocate():
    outcome = run.same([run.sample("cxx_thread_local")], counted=True)
    recording = run.exact(outcome)
    check(recording["allocations"] > 80 * 52, "allocations", recording["allocations"])


@case
def cancellation_finds_no_point_in_a_hook():
    equal(threads("cancellation")["main.allocations"], 1000, "allocations")


def signals(situation):
    """Every heap call of the program is booked, or counted as one that a hook was found in."""
    outcome = run.preloaded([SIGNALS, situation])
    equal((outcome.status, outcome.err), (0, ""), "end")
    calls, handled = (int(word) for word in outcome.out.split() if word.isdigit())
    recording = outcome.recording()
    equal(recording["events_lost"] + recording["stacks_unknown"], 0, "losses")
    return recording, calls, handled


def seen(recording):
    return sum(recording[key] for key in ("main.allocations", "main.frees", "unknown_frees",
                                          "nested_calls"))


@case
def timer_at_one_kilohertz_into_allocating_code():
    for situation in ("timer", "timer-alternate"):
        recording, calls, handled = signals(situation)
        check(handled >= 300, handled, "signals")
        equal(seen(recording), calls, situation + ": heap calls")


@case
def handler_that_allocates_inside_a_hook_is_counted():
    for situation in ("inside", "inside-alternate", "inside-own", "inside-fibre"):
        recording, calls, handled = signals(situation)
        equal(handled, 200, situation + ": signals")
        equal(recording["nested_calls"], 400, situation + ": calls inside a hook")
        equal(seen(recording), calls, situation + ": heap calls")
        equal(recording["guard_takeovers"], 0, situation + ": takeovers")


@case
def handler_that_jumps_out_of_a_hook_loses_nothing_after():
    for situation in ("jump-out", "jump-same", "jump-alternate", "jump-from-alternate"):
        recording, _, _ = signals(situation)
        extra = 1 if "alternate" in situation else 0
        equal(recording["main.allocations"], 200 + extra, situation + ": allocations")
        equal(recording["main.frees"], 200, situation + ": frees")
        equal(recording["guard_takeovers"], 200, situation + ": takeovers")
        equal(recording["nested_calls"], 0, situation + ": calls inside a hook")


@case
def handler_that_jumps_out_of_a_threads_first_hook_loses_nothing_after():
    recording, calls, _ = signals("jump-first")
    equal(calls, 20 * 20, "heap calls that came to an end")
    equal(recording["main.allocations"], 20 * 10, "allocations")
    equal(recording["main.frees"], 20 * 10, "frees")


@case
def handler_that_jumps_out_of_a_hook_at_any_instruction_mixes_nothing_up():
    if platform.machine() != "x86_64":
        raise run.Skip("the trap flag is x86-64's")
    program = run.sample("jumps_anywhere")
    outcome = run.preloaded([program, "101"])
    equal((outcome.status, outcome.err), (0, ""), "end")
    calls, jumps = (int(word) for word in outcome.out.split() if word.isdigit())
    recording = outcome.recording()
    check(jumps > 30, jumps, "jumps")
    check(recording["guard_takeovers"] > jumps / 2, recording["guard_takeovers"], "takeovers")
    equal(recording["nested_calls"], 0, "calls inside a hook")
    equal(recording["events_lost"] + recording["stacks_unknown"], 0, "losses")
    # What was jumped out of is booked, or not.
    for key in ("main.allocations", "main.frees"):
        check(calls // 2 <= recording[key] <= calls // 2 + jumps, key, recording[key], "of", calls)
    names = run.Symbols(program)
    for *_, frames in recording.stacks:
        own = [names.at(int(frame.rpartition("+0x")[2], 16)) for frame in frames
               if frame.startswith("jumps_anywhere+")]
        own = [name for name in own if name not in ("allocate", "trapped", "_start")]
        check(own[-2:] == ["jump_everywhere", "main"] and len(set(own[:-2])) == 1, "stack:", own)


@case
def child_that_goes_back_into_the_hook_it_was_forked_in_is_whole():
    for situation, inside, blocks in (("fork-inside", 0, 1), ("fork-calls-inside", 1, 1),
                                      ("fork-inside-realloc", 0, 2),
                                      ("fork-calls-inside-realloc", 1, 2)):
        outcome = run.preloaded([SIGNALS, situation])
        equal((outcome.status, outcome.out, outcome.err),
              (0, f"{10 * (blocks + 1)} calls, 10 handled\n", ""), situation + ": end")
        parent = outcome.own()
        equal((parent["main.allocations"], parent["main.frees"]), (10 * blocks, 10 * blocks),
              situation + ": the parent's calls")
        equal(parent["children"], 10, "children")
        children = [r for r in outcome.recordings() if r["pid"] != outcome.pid]
        equal(len(children), 10, "recordings of children")
        for child in children:
            equal(child["main.allocations"], 10 + inside, situation + ": the child's allocations")
            equal(child["main.frees"], 10 + inside, situation + ": the child's frees")
            equal(child["unknown_frees"], 1, situation + ": the block it was forked in")
            equal(child["max_threads"], 2, situation + ": threads of the child")


SIGNALLED = run.sample("signalled")


def signalled(situation, tool=None):
    """The outcome, and of each process what was recorded: (pid, allocations)."""
    keys = "toggle_signal=USR2,snapshot_signal=USR1," + (f"resolver={tool}" if tool else
                                                         "resolve=no")
    outcome = run.preloaded([SIGNALLED, situation], "memory,,,," + keys)
    equal((outcome.status, outcome.err), (0, ""), situation + ": end")
    counts = {}
    for recording in outcome.recordings():
        sites = recording.sites(SIGNALLED)
        equal(sites.get("passed"), None, situation + ": allocations while it stood")
        counts[recording["pid"]] = sites["kept"][0]
    return outcome, counts


@case
def signal_that_stops_the_recording_stops_it_for_all_threads():
    outcome, counts = signalled("threads")
    equal(counts, {outcome.pid: 10 + 30 + 1 + 3}, "allocations")


@case
def signal_that_stops_a_child_is_no_matter_to_its_parent():
    outcome, counts = signalled("children")
    equal(counts.pop(outcome.pid), 5 + 6, "the parent's allocations")
    equal(sorted(counts.values()), [10, 40], "the children's allocations")


@case
def signal_that_the_program_waits_for_is_the_programs():
    outcome, counts = signalled("waits")
    equal(outcome.out, "waited for: 12\n", "output")
    equal(counts, {outcome.pid: 10}, "allocations")


@case
def snapshot_by_signal_leaves_nothing_behind():
    for tool in (None, run.stand_in("exit 0\n")):
        outcome = run.preloaded([SIGNALLED, "snapshot"], "memory,,,,snapshot_signal=USR1," +
                                (f"resolver={tool}" if tool else "resolve=no"))
        equal((outcome.status, outcome.err), (0, ""), "end")
        equal(outcome.out, "errno: 4711\nchildren: -1 No child processes\ndescriptor: 3\n"
              "ended: 0\n", "what the program sees")
        equal(len(outcome.files("-snap1.thag")), 1, "snapshots")


run.main()
