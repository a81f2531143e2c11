"""What a program can see of its guest: nothing.

Rows 11, 24, 37, 38, 40, 41, 42 of docs/hazards.md.
"""

import os
import signal

import run
from run import case, check, equal


def resolver(text, interpreter="/bin/sh"):
    return "memory,,,,resolver=" + run.stand_in(text, interpreter)


def is_same(profiler=run.ALONE):
    outcome = run.same([run.sample("self_report")], profiler=profiler)
    check("children: -1 No child processes" in outcome.out, outcome.out)
    equal(outcome.recording()["end_reason"], "return", "reason of the end")


@case
def descriptors_tasks_children_signals_errno_environment_and_zone_are_as_without():
    is_same()


@case
def nothing_is_visible_of_the_resolver():
    done = os.path.join(run.scratch(), "done")
    is_same(resolver(f"echo \"$0 $*\" > {done}\nls -l /proc/self/fd >> {done}\n"))
    with open(done, encoding="ascii") as file:
        text = file.read()
    check("resolve --family" in text and ".thag\n" in text, "arguments of the resolver:", text)


@case
def nothing_is_visible_of_the_streaming_companion():
    done = os.path.join(run.scratch(), "done")
    is_same(resolver(f"echo \"$0 $*\" >> {done}\n") + ",stream=1")


@case
def resolver_that_fails_hangs_up_or_is_missing_changes_nothing():
    is_same(resolver("exit 77"))
    is_same(resolver("kill -KILL $$"))
    is_same("memory,,,,resolver=/nowhere/at/all")


@case
def resolver_is_not_profiled_and_gets_defaults():
    seen = os.path.join(run.scratch(), "seen")
    reading, writing = os.pipe()  # whoever holds the writing end keeps a reader waiting
    # Not a shell script: some shells unblock signals themselves.
    outcome = run.preloaded([run.sample("self_report")], resolver(
        f"import os\nwith open('{seen}', 'w') as file:\n"
        "    print(sorted(os.environ), sorted(os.listdir('/proc/self/fd')), file=file)\n"
        "    print(open('/proc/self/status').read(), os.readlink('/proc/self/fd/1'), file=file)\n"
        "    print('leader', os.getpid() == os.getsid(0), file=file)\n", "/usr/bin/python3 -IS"),
        pass_fds=(writing,), preexec_fn=lambda: signal.signal(signal.SIGUSR2, signal.SIG_IGN))
    os.close(writing)
    equal(os.read(reading, 1), b"", "the end of the pipe")
    os.close(reading)
    outcome.recording()
    with open(seen, encoding="utf-8") as file:
        text = file.read()
    check("LD_PRELOAD" not in text and "THAG_" not in text, text)
    check("SigBlk:\t0000000000000000" in text, text)
    ignored = int(text.partition("SigIgn:")[2].split()[0], 16)
    equal(ignored >> (signal.SIGUSR2 - 1) & 1, 0, "the program's ignored signal, in the resolver")
    check("['0', '1', '2', '3', '4']" in text, "descriptors: two are python's own:", text)
    check("/dev/null" in text and "leader True" in text, text)


@case
def signal_that_comes_while_the_resolver_runs_leaves_the_exit_status():
    # Without the resolver the process would be gone before.
    pid = os.path.join(run.scratch(), "pid")
    outcome = run.preloaded([run.sample("leaves_pid"), pid],
                            resolver(f"kill -TERM $(cat {pid})\nkill -ALRM $(cat {pid})\n"))
    equal((outcome.status, outcome.out, outcome.err), (3, "done\n", ""), "end and output")


@case
def descriptors_that_are_closed_and_reused_hold_the_programs_bytes_alone():
    run.same([run.sample("reuses_descriptors")])
    for options in ("resolve=no", "max_size=1M,resolve=no", "store=memory,resolve=no"):
        plain = run.bare([run.sample("reuses_descriptors")])
        outcome = run.preloaded([run.sample("reuses_descriptors")], "memory,,,," + options)
        equal(outcome.status, 0, "exit status with " + options)
        for name in plain.files():
            with open(os.path.join(plain.directory, name), "rb") as one, \
                    open(os.path.join(outcome.directory, name), "rb") as other:
                equal(other.read(), one.read(), name + " with " + options)
        recording = outcome.recording()
        equal(recording["main.allocations"], 600, "allocations with " + options)
        equal(recording["main.frees"], 600, "frees with " + options)


@case
def interrupted_program_is_ended_by_its_signal():
    equal(run.preloaded(["/bin/sh", "-c", "kill -INT $$"]).status, -signal.SIGINT, "status")


run.main()
