"""Programs that take things away from themselves, and places where little is to be had.

Rows 40 to 47 of docs/hazards.md. The program runs as without; the recording is whole, or up to the
moment when there was no room, and then one line says so.
"""

import contextlib
import os
import resource
import shutil
import signal
import subprocess

import run
from run import case, check, equal

PROGRAM = run.sample("surroundings")


def limited(kind, soft):
    return lambda: resource.setrlimit(kind, (soft, soft))


def whole(recording, blocks=2000):
    equal(recording["main.allocations"], blocks, "allocations")
    equal(recording["main.bytes"], blocks * 100, "bytes")
    equal(recording["main.live_blocks"], blocks // 1000, "blocks left behind")
    equal(recording["events_lost"] + recording["stacks_unknown"], 0, "losses")
    return recording


def same(situation, *arguments, **options):
    outcome = run.same([PROGRAM, situation, *arguments], **options)
    if outcome.status == 77:
        raise run.Skip(outcome.out.strip())
    equal(outcome.status, 3, "exit status")
    return outcome


@case
def no_descriptor_left():
    whole(same("no-descriptors").recording())


@case
def no_descriptor_from_the_start():
    def prepare():
        os.close(0)
        limited(resource.RLIMIT_NOFILE, 3)()
    whole(same("nothing", preexec_fn=prepare).recording())


@case
def descriptors_closed_from_the_start():
    whole(same("nothing", preexec_fn=lambda: [os.close(0), os.close(2)]).recording())


@case
def changed_root_is_recorded():
    run.need_root()
    root = os.path.join(run.scratch(), "root")
    os.mkdir(root)
    whole(same("changed-root", root).recording())
    equal(os.listdir(root), [], "files under the new root")


@case
def dropped_user_is_recorded():
    run.need_root()
    whole(same("dropped-user").recording())


@case
def dropped_user_is_told_how_the_functions_get_their_names():
    run.need_root()
    outcome = run.preloaded([PROGRAM, "dropped-user"], profiler="memory", preload=[run.PRELOAD])
    recording = whole(outcome.recording())
    equal(outcome.err, f"thag: {recording.path}: permission denied at the end; "
          "`thag_profile resolve` names its functions\n", "standard error")
    equal(recording["resolver_seen"], 0, "a resolver, which could not read it either")
    check(os.path.getsize(recording.path) > 1 << 30, "the file could not be cut")
    subprocess.run([os.path.join(run.BUILD, "analyzer", "thag_profile"), "resolve",
                    recording.path], check=True, stdout=subprocess.DEVNULL)
    equal(len(outcome.files("-memory.folded")), 1, "folded files")
    equal(os.path.getsize(recording.path), recording["used_pages"] * 4096, "the file, cut")


@case
def new_namespaces_are_recorded():
    run.need_root()
    outcome = same("unshared")
    parent = outcome.own()
    equal(parent["main.allocations"], 2000, "the parent's allocations")
    children = [r for r in outcome.recordings() if r["pid"] == 1]
    equal(len(children), 1, "recordings of the child, whose pid is 1 there")
    equal(children[0]["main.allocations"], 1000, "the child's allocations")


@case
def directory_out_of_reach_is_one_line():
    run.need_root()
    place = os.path.join(run.scratch(), "disk")
    os.mkdir(place)
    done = subprocess.run(["mount", "-t", "tmpfs", "thag", place], check=False,
                          capture_output=True)
    if done.returncode != 0:
        raise run.Skip("mount is not permitted")
    # Unmounted while it is the directory of the program: no path leads there any more.
    outcome = run.preloaded([PROGRAM, "nothing"], cwd=place,
                            preexec_fn=lambda: subprocess.run(["umount", "-l", place], check=True))
    equal((outcome.status, outcome.out), (3, "done\n"), "end and output")
    equal(len(outcome.err.splitlines()), 1, "lines: " + outcome.err)
    check("not profiling" in outcome.err, outcome.err)


@case
def directory_that_is_removed_is_no_matter():
    whole(same("gone-directory").recording())


@case
def sandboxed_program_is_never_killed_and_is_recorded():
    for situation in ("sandboxed-by-prctl", "sandboxed-by-syscall", "sandboxed-strictly"):
        recording = whole(same(situation).recording())
        if situation != "sandboxed-strictly":
            equal(recording["end_reason"], "_exit", situation + ": reason of the end")


@case
def sandboxed_program_has_room_for_new_stacks_and_keeps_its_modules():
    done = os.path.join(run.scratch(), "done")
    tool = run.stand_in(f"echo done > {done}\n")
    recording = same("sandboxed-new-stacks", profiler=f"memory,,,,resolver={tool}").recording()
    equal(recording["main.allocations"], 2000 + 4 * 250, "allocations")
    equal(recording["events_lost"] + recording["stacks_unknown"], 0, "losses")
    equal(recording["generation"], 1, "generations of the modules")
    equal((recording["resolver_seen"], os.path.exists(done)), (0, False), "resolver")


@case
def sandboxed_children_leave_the_parents_recording_alone():
    outcome = run.same([PROGRAM, "sandboxed-forks"])
    equal(outcome.status, -signal.SIGKILL, "end")
    recording = whole(outcome.recording())
    equal(recording["ended"], 0, "a child stamped the end of its parent")


@case
def asking_for_a_sandbox_changes_nothing():
    done = os.path.join(run.scratch(), "done")
    resolver = run.stand_in(f"echo done > {done}\n")
    outcome = same("sandbox-probed", profiler=f"memory,,,,resolver={resolver}")
    whole(outcome.recording())
    check("prctl: -1" in outcome.out and "available: 0" in outcome.out, outcome.out)
    check(os.path.exists(done), "the resolver was not run")


@case
def limited_address_space_is_shared_fairly():
    for mebibytes in (32, 64, 128, 512, 4096):
        whole(same("nothing", preexec_fn=limited(resource.RLIMIT_AS, mebibytes << 20)).recording())


@case
def limited_data_is_left_to_the_program():
    for mebibytes in (8, 16, 64):
        whole(same("nothing",
                   preexec_fn=limited(resource.RLIMIT_DATA, mebibytes << 20)).recording())


@case
def program_that_needs_most_of_what_it_may_have_gets_it():
    # In one block, of its address space or of its data.
    for kind, limit, needed in ((resource.RLIMIT_AS, 256 << 20, 160 << 20),
                                (resource.RLIMIT_DATA, 64 << 20, 56 << 20)):
        outcome = run.same([run.sample("allocates"), "1", str(needed)],
                           preexec_fn=limited(kind, limit))
        equal(outcome.recording()["main.bytes"], needed, "bytes")


@case
def limits_that_the_program_sets_itself_are_left_to_it():
    # The child has its own recording, whose reservation comes on top of what it inherits.
    for situation in ("limits-its-address-space", "limits-its-data"):
        outcome = same(situation)
        equal(outcome.out, "200 MiB\nchild: 9\ndone\n", situation + ": output")
        recordings = outcome.recordings()
        equal(sorted(r["main.allocations"] for r in recordings), [1, 2200],
              situation + ": allocations of the child and of the program")


@case
def memory_that_the_program_locks_is_its_own():
    outcome = run.same([run.sample("locks_memory")])
    equal(outcome.out, "0 4711\n", "end of mlockall() and errno")
    recording = outcome.recording()
    equal((recording["main.allocations"], recording["main.frees"]), (2000, 2000), "calls")
    equal(recording["events_lost"] + recording["unknown_frees"], 0, "losses")


@case
def limited_stack_is_walked_within_its_bounds():
    for soft in (64 << 10, 1 << 20, resource.RLIM_INFINITY):
        whole(same("nothing", preexec_fn=limited(resource.RLIMIT_STACK, soft)).recording())


@case
def limited_file_size_is_never_passed():
    for mebibytes in (1, 2, 64):
        recording = same("nothing", preexec_fn=limited(resource.RLIMIT_FSIZE,
                                                       mebibytes << 20)).recording()
        check(recording["reservation_bytes"] <= mebibytes << 20, "the reservation is too large")
        whole(recording)
    whole(same("small-files").recording())


@case
def file_size_limit_below_the_least_is_one_line():
    outcome = run.preloaded([PROGRAM, "nothing"],
                            preexec_fn=limited(resource.RLIMIT_FSIZE, 100000))
    equal((outcome.status, outcome.out), (3, "done\n"), "end and output")
    equal(len(outcome.err.splitlines()), 1, "lines: " + outcome.err)
    check("file size limit; not profiling" in outcome.err, outcome.err)


@contextlib.contextmanager
def small_disk(size):
    run.need_root()
    place = os.path.join(run.scratch(), "disk")
    os.makedirs(place, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "thag", place],
                          check=False, capture_output=True)
    if done.returncode != 0:
        raise run.Skip("mount is not permitted")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def full(outcome, *words):
    """The program ran as ever, one line says what is missing, the sums are right."""
    equal((outcome.status, outcome.out), (3, "done\n"), "end and output")
    equal(len(outcome.err.splitlines()), 1, "lines: " + outcome.err)
    for word in ("thag: ", ".thag", "missing") + words:
        check(word in outcome.err, repr(word), "is not in", outcome.err)
    recording = outcome.recording()
    equal(recording["full"], 1, "full")
    equal(recording["allocations"], 22000, "allocations, those without a stack included")
    equal(recording["frees"], 21998, "frees")
    equal(recording["live"], 200, "live bytes")
    check(recording["stacks_unknown"] > 1000, "allocations without a stack")


@case
def disk_that_fills_up_ends_the_growth_with_one_line():
    with small_disk("1m") as place:
        outcome = run.preloaded([PROGRAM, "many-stacks"], cwd=place)
        outcome.directory = place
        full(outcome, "no space left")


@case
def reservation_that_fills_up_ends_the_growth_with_one_line():
    full(run.preloaded([PROGRAM, "many-stacks"], "memory,,,,max_size=1M,resolve=no"), "max_size")


@case
def child_with_a_full_reservation_says_nothing():
    outcome = run.preloaded([PROGRAM, "many-stacks-in-a-child"],
                            "memory,,,,max_size=1M,resolve=no")
    equal((outcome.status, outcome.out, outcome.err), (3, "done\n", ""), "end and output")
    equal(sorted(r["full"] for r in outcome.recordings()), [0, 1], "full")


@case
def line_about_a_full_reservation_never_lands_in_a_file_of_the_program():
    outcome = run.preloaded([PROGRAM, "reopened-error"], "memory,,,,max_size=1M,resolve=no")
    equal((outcome.status, outcome.out, outcome.err), (3, "done\n", ""), "end and output")
    equal(outcome.recording()["full"], 1, "full")
    equal(os.stat(os.path.join(outcome.directory, "user-error")).st_size, 0, "bytes in the file")


@case
def disk_that_is_full_from_the_start_is_one_line():
    for pages in range(1, 6):  # one by one: each step of the beginning is refused once
        with small_disk(f"{pages * 4}k") as place:
            outcome = run.preloaded([PROGRAM, "nothing"], cwd=place)
            equal((outcome.status, outcome.out), (3, "done\n"), "end and output")
            equal(len(outcome.err.splitlines()), 1, f"lines with {pages} pages: " + outcome.err)
            check("no space left" in outcome.err, outcome.err)
            if "not profiling" in outcome.err:
                equal(os.listdir(place), [], "files left behind")


@case
def memory_store_is_copied_at_the_end():
    before = set(os.listdir("/dev/shm"))
    recording = whole(run.preloaded([PROGRAM, "nothing"],
                                    "memory,,,,resolve=no,store=memory").recording())
    equal(recording["end_reason"], "_exit", "reason of the end")
    left = [name for name in set(os.listdir("/dev/shm")) - before if "surroundings" in name]
    equal(left, [], "files left in memory")


@case
def set_user_id_program_runs_as_ever():
    run.need_root()
    place = os.path.join(run.scratch(), "suid")
    shutil.copy(run.sample("allocates"), place)
    os.chown(place, 65534, 65534)
    os.chmod(place, 0o4755)
    outcome = run.preloaded([place], preload=[run.PRELOAD], user=1)
    equal((outcome.status, outcome.out), (3, "100 blocks of 48 bytes\n"), "end and output")
    equal(outcome.files(), [], "recordings")


run.main()
