"""Processes that make processes: each has its own recording, or none, as follow= says.

Rows 12 to 21 of docs/hazards.md.
"""

import os
import tempfile
import time

import run
from run import case, check, equal

PROGRAM = run.sample("families")
FORKS = ("fork", "_Fork", "raw", "clone", "title")


def family(kind, follow=None):
    """The parent's recording, and those of its descendants."""
    options = f",follow={follow}" if follow else ""
    outcome = run.same([PROGRAM, kind], profiler=run.ALONE + options)
    equal(outcome.status, 6, "the parent's status")
    check("4" in outcome.out, "the child's status:", outcome.out)
    parent = outcome.own()
    equal(parent["main.allocations"], 110, "the parent's allocations")
    equal(parent["main.live_blocks"], 110, "the parent's blocks")
    equal(parent["main.live"], 11000, "the parent's bytes")
    equal(parent["family_pid"], outcome.pid, "the parent's family")
    equal(parent["unknown_frees"], 0, "the parent's unknown frees")
    equal(parent["ended"], 1, "the parent's end")
    others = [r for r in outcome.recordings() if r["pid"] != outcome.pid]
    for other in others:
        equal(other["family_pid"], outcome.pid, "the child's family")
        if kind in FORKS:
            check(other["base_name"].endswith(f"-{other['pid']}"), "name of a forked child:",
                  other["base_name"])
    return parent, others


@case
def forked_children_record_their_own_blocks_alone():
    for kind in FORKS:
        parent, children = family(kind)
        equal(len(children), 1, kind + ": children's recordings")
        child = children[0]
        equal(child["parent_pid"], parent["pid"], kind + ": parent")
        equal(child["main.allocations"], 20, kind + ": the child's allocations")
        equal(child["main.live"], 2000, kind + ": the child's bytes")
        equal(child["main.frees"], 0, kind + ": the child's frees of its own")
        check(child["unknown_frees"] >= 10, kind + ": the child's frees of inherited blocks")
        equal(child["end_reason"], "return", kind + ": the child's end")
        equal(parent["children"], 1, kind + ": children counted by the parent")
        check(child["peak_bytes"] < 10000, kind + ": the child's peak is its own")


@case
def forked_child_of_a_program_with_another_title_is_recorded():
    # Firefox's fork server takes its arguments out of the list that main() was given.
    parent, children = family("title")
    equal([child["main.allocations"] for child in children], [20], "the child's allocations")
    arguments = parent["arguments"]
    equal(children[0]["arguments"], arguments.replace("title", "TTTTT"), "the child's arguments")


@case
def forked_child_without_a_heap_call_has_no_recording_and_no_effect():
    parent, children = family("silent")
    equal(len(children), 0, "children's recordings")
    equal(parent["end_reason"], "return", "the parent's end")


@case
def vfork_and_spawn_leave_the_parent_alone():
    for kind in ("vfork", "spawn", "exec"):
        parent, children = family(kind)
        equal([c["main.allocations"] for c in children], [30], kind + ": the image's allocations")
        equal(children[0]["main.live"], 3000, kind + ": the image's bytes")
        equal(parent["end_reason"], "return", kind + ": the parent's end")
    _, children = family("failing-vfork")
    equal(len(children), 0, "recordings of a child that could not exec")


@case
def system_children_belong_to_the_family():
    _, children = family("system")
    check(30 in [c.get("main.allocations") for c in children], "the image's allocations")


@case
def cleared_environment_leaves_the_image_unprofiled():
    _, children = family("cleared")
    equal([c["main.allocations"] for c in children if c.get("main.allocations")], [],
          "recordings of the image")


@case
def follow_no_records_no_child():
    for kind in ("fork", "raw", "clone", "vfork", "spawn", "exec", "system"):
        parent, children = family(kind, "no")
        equal(len(children), 0, kind + ": children's recordings")
        if kind in FORKS:
            equal(parent["children"], 1, kind + ": children counted by the parent")


@case
def follow_fork_records_forked_children_but_no_other_program():
    for kind, wanted in (("fork", 1), ("raw", 1), ("vfork", 0), ("spawn", 0), ("exec", 0),
                         ("system", 0)):
        _, children = family(kind, "fork")
        equal(len(children), wanted, kind + ": children's recordings")


@case
def five_hundred_forks_while_others_allocate_all_end():
    # In memory: five hundred files on a disk take a minute to make.
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        outcome = run.preloaded([run.sample("forks_while_others_allocate"), "500"], cwd=place)
        outcome.directory = place
        all_ended_well(outcome, 500, step=25)


@case
def forks_while_others_hold_locks_leave_children_that_lose_nothing():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        outcome = run.preloaded(
            [run.sample("forks_while_others_allocate"), "60", "new-stacks"],
            run.ALONE + ",max_size=256M", cwd=place)
        outcome.directory = place
        all_ended_well(outcome, 60, step=1)


def all_ended_well(outcome, count, step):
    equal((outcome.status, outcome.err), (0, ""), "end")
    equal(outcome.out, f"{count} children ended well\n", "output")
    own = outcome.own()
    equal(own["children"], count, "children counted")
    equal(own["main.live_blocks"], 0, "blocks left behind")
    names = outcome.files(".thag")
    equal(len(names), count + 1, "recordings")
    for name in names[::step]:
        recording = run.Recording(os.path.join(outcome.directory, name))
        if recording["pid"] != outcome.pid:
            equal(recording["main.allocations"], 71, "a child's allocations")
            equal(recording["main.live_blocks"], 0, "a child's blocks left behind")
            equal(recording["events_lost"] + recording["stacks_unknown"], 0, "a child's losses")


def last_child_is_recorded(program):
    done = os.path.join(run.scratch(), "done")
    outcome = run.preloaded([run.sample(program), done])
    equal((outcome.status, outcome.out, outcome.err), (0, "", ""), "end and output")
    limit = time.monotonic() + run.LIMIT_S
    while not os.path.exists(done) and time.monotonic() < limit:
        time.sleep(0.02)

    def daemons():
        return [r for r in outcome.recordings() if r["pid"] != outcome.pid and r["ended"] and
                r.get("main.allocations") == 50]
    while not daemons() and time.monotonic() < limit:
        time.sleep(0.02)
    equal(len(daemons()), 1, "recordings of the daemon")
    equal(daemons()[0]["main.live"], 5000, "the daemon's bytes")
    equal(daemons()[0]["family_pid"], outcome.pid, "the daemon's family")


@case
def daemon_that_forks_twice_is_recorded():
    last_child_is_recorded("daemon")


@case
def image_that_an_orphan_becomes_knows_its_family():
    last_child_is_recorded("orphan")


@case
def chain_of_execs_adds_one_variable():
    outcome = run.preloaded(["/usr/bin/env"] * 5)
    equal((outcome.status, outcome.err), (0, ""), "end")
    entries = [line for line in outcome.out.splitlines() if line.startswith("THAG_PARENT=")]
    equal(entries, [f"THAG_PARENT={outcome.pid}"], "entries in the last image's environment")


@case
def daemon_names_what_its_family_left_when_the_first_process_is_gone():
    done = os.path.join(run.scratch(), "done")
    outcome = run.preloaded([run.sample("daemon"), done], profiler="memory",
                            preload=[run.PRELOAD])
    equal((outcome.status, outcome.out, outcome.err), (0, "", ""), "end and output")
    limit = time.monotonic() + run.LIMIT_S
    while len(outcome.files("-memory.folded")) < 3 and time.monotonic() < limit:
        time.sleep(0.02)
    recordings = outcome.recordings()
    equal(outcome.files("-memory.folded"),
          sorted(r["base_name"] + "-memory.folded" for r in recordings), "folded files")
    blocks = {r["main.allocations"]: r for r in recordings}
    equal(sorted(blocks), [1, 7, 50], "allocations of the first process, the worker, the daemon")
    equal(blocks[50]["resolver_seen"], 1, "resolver of the daemon")
    equal(blocks[7]["resolver_seen"], 0, "resolver of the worker, whose parent will do it")
    # The worker of root could not open its own any more.
    equal(os.path.getsize(blocks[7].path), blocks[7]["used_pages"] * 4096, "the worker's file")


@case
def shell_pipeline_and_make_like_chains_are_unchanged():
    script = "for i in 1 2 3; do (echo $i | cat | sed s/^/x/); done; exec /bin/sh -c 'exit 9'"
    outcome = run.same(["/bin/sh", "-c", script], profiler=run.ALONE)
    equal(outcome.status, 9, "status")
    for recording in outcome.recordings():
        equal(recording["family_pid"], outcome.pid, "family of " + recording["base_name"])
    names = [r["base_name"] for r in outcome.recordings()]
    check(sum(name.startswith("sed-") for name in names) == 3, "three seds among", names)


@case
def images_before_the_last_exec_and_their_children_get_their_folded_files():
    script = "/bin/ls / >/dev/null; exec /bin/ls /dev"
    outcome = run.preloaded(["/bin/sh", "-c", script], profiler="memory", preload=[run.PRELOAD])
    equal((outcome.status, outcome.err), (0, ""), "end")
    names = [r["base_name"] for r in outcome.recordings() if r["allocations"]]
    check(len(names) >= 3, "recordings of the shell and of two lists:", names)
    equal(outcome.files("-memory.folded"), sorted(n + "-memory.folded" for n in names),
          "folded files")


run.main()
