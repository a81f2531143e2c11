"""Every way out of a process: the recording is whole, the end is the program's own.

Rows 23, 25, 26, 27, 28, 80, 83 of docs/hazards.md.
"""

import os
import signal

import run
from run import case, check, equal

PROGRAM = run.sample("exit_doors")
BLOCKS, HANDLERS, SIZE = 1000, 10, 100


def left_by(door, reason, status=5, late=0, exit_status=None, blocks=BLOCKS, own=()):
    """LATE handlers of ten blocks each ran after main's BLOCKS. OWN: sizes of further blocks that
    were left behind."""
    outcome = run.same([PROGRAM, door], counted=True)
    equal(outcome.status, status, "end by " + door)
    recording = run.exact(outcome)
    equal(recording["end_reason"], reason, "reason of the end")
    equal(recording["ended"], int(reason != "none"), "stamp of the end")
    equal(recording["main.allocations"], blocks + late * HANDLERS + len(own),
          "blocks, handlers included")
    equal(recording["main.live_blocks"], BLOCKS // 2 + len(own), "blocks left behind")
    equal(recording["main.live"], BLOCKS // 2 * SIZE + sum(own), "bytes left behind")
    equal(recording["peak_bytes"] >= BLOCKS * SIZE, True, "peak")
    library = recording.modules("liblate_library.so")[0]
    ended = late == 2  # its destructor ran, after those of the program
    equal(library["allocations"], 11 if ended else 1, "allocations of the library")
    equal(library["live_blocks"], 0 if ended else 1, "blocks that the library left behind")
    if exit_status is not None:
        equal(recording["exit_status"], exit_status, "status in the recording")


@case
def return_and_exit_are_whole_with_handlers_and_destructors():
    left_by("return", "return", late=2)
    left_by("exit", "return", late=2)


@case
def exit_without_handlers_is_whole():
    left_by("_exit", "_exit", exit_status=5)
    left_by("_Exit", "_exit", exit_status=5)


@case
def quick_exit_is_whole_with_its_handlers():
    left_by("quick_exit", "quick_exit", late=1)


@case
def pthread_exit_from_main_ends_the_process():
    left_by("pthread_exit", "return", status=0, late=2)


@case
def exit_from_a_thread_and_from_a_handler_is_whole():
    left_by("thread", "return", late=2)
    left_by("thread-_exit", "_exit", exit_status=5, own=[40])
    left_by("handler", "_exit", exit_status=5)


@case
def abort_and_fatal_signals_are_whole():
    left_by("abort", "none", status=-signal.SIGABRT)
    left_by("segv", "none", status=-signal.SIGSEGV)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP, signal.SIGPIPE,
                   signal.SIGALRM, signal.SIGUSR1, signal.SIGQUIT, signal.SIGBUS):
        left_by(str(int(number)), "none", status=-number)


@case
def raw_exit_system_call_is_whole():
    left_by("raw", "none")


@case
def failed_exec_goes_on():
    left_by("failing-exec", "return", late=2, blocks=BLOCKS + HANDLERS)
    left_by("failing-exec-killed", "none", status=-signal.SIGKILL)


@case
def exec_leaves_two_whole_recordings():
    outcome = run.same([PROGRAM, "exec"])
    first, second = sorted(outcome.recordings(), key=lambda recording: recording["end_reason"])
    equal((first["end_reason"], second["end_reason"]), ("exec", "return"), "ends")
    equal(first["pid"], second["pid"], "pids")
    equal(second["family_pid"], first["pid"], "family")
    equal(first["main.allocations"], BLOCKS + 1, "allocations of the first image")
    equal(first["live"], first["live_bytes"], "live bytes of the first image, summed and at hand")
    equal(second["main.allocations"], BLOCKS + 2 * HANDLERS, "allocations of the second image")
    equal(second["main.live_blocks"], BLOCKS // 2, "blocks that the second image left behind")


@case
def uncaught_exception_is_whole():
    outcome = run.same([run.sample("cxx_uncaught")], counted=True)
    equal(outcome.status, -signal.SIGABRT, "end")
    run.exact(outcome)


@case
def caught_exceptions_leave_no_block_behind():
    outcome = run.same([run.sample("cxx_uncaught"), "catch"], counted=True)
    recording = run.exact(outcome)
    equal(recording["main.live_blocks"], 0, "blocks of the program's frames")
    check(recording["allocations"] > 200 * 22, "too few allocations")


@case
def exit_while_other_threads_allocate_holds_together():
    program = run.sample("exit_while_others_allocate")
    for door, status, reason in (("exit", 5, "return"), ("_exit", 5, "_exit"),
                                 ("quick_exit", 5, "quick_exit"), ("kill", -9, "none"),
                                 ("abort", -6, "none")):
        for _ in range(6):
            outcome = run.preloaded([program, door])
            equal((outcome.status, outcome.out, outcome.err), (status, "", ""), "end by " + door)
            recording = outcome.recording()
            equal(recording["end_reason"], reason, "reason of the end")
            check(recording["main.allocations"] >= 4000, "the threads had allocated")
            check(0 <= recording["main.live_blocks"] <= 4, "one block per thread at most")
            os.unlink(recording.path)


@case
def calls_after_the_end_of_the_recording_are_not_booked():
    # The tool at the end of the process reads a recording that stands still: it says when to go on.
    program = run.sample("goes_on_after_the_end")
    for door in ("exit", "_exit", "quick_exit"):
        go, gone = (os.path.join(run.scratch(), word + door) for word in ("go", "gone"))
        tool = run.stand_in(f"touch {go}\nfor i in $(seq 2000); do\n"
                            f"[ -e {gone} ] && exit\nsleep 0.01\ndone\n")
        outcome = run.preloaded([program, door, go, gone], f"memory,,,,resolver={tool}")
        equal((outcome.status, outcome.out, outcome.err), (5, "", ""), "end by " + door)
        check(os.path.exists(gone), "the thread went on after the end by", door)
        recording = outcome.recording()
        equal(recording["main.allocations"], 100, "allocations up to the end by " + door)
        equal(recording["main.frees"], 0, "frees up to the end by " + door)


run.main()
