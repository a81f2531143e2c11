"""thag_profile record: the program is started as if nobody stood in between, what can be recorded is
recorded, and one line says what cannot.

Rows 43, 48, 51 and 52 of docs/hazards.md.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess

import run
from run import case, check, equal

TOOL = os.path.join(run.BUILD, "analyzer", "thag_profile")
PROGRAM = run.sample("launched")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../samples/launched.c")
REFUSED = "thag_profile record: not recording: "


def clean(extra=None):
    env = run.environment(None, extra)
    if "LD_PRELOAD" not in (extra or {}):
        del env["LD_PRELOAD"]
    return env


def record(*words, extra=None, directory=None, **options):
    """thag_profile record WORDS in a fresh directory."""
    directory = directory or run._scratch.fresh()  # pylint: disable=protected-access
    return run.finish(run.start([TOOL, "record", *words], clean(extra), directory, **options),
                      directory)


def build(name, *arguments, compiler="cc"):
    program = os.path.join(run.scratch(), name)
    done = subprocess.run([compiler, "-g", "-fno-builtin", SOURCE, "-o", program, *arguments],
                          check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise run.Skip(f"cannot be built here: {compiler} {' '.join(arguments)}")
    return program


def report(outcome):
    """The lines of the summary, {label: [text...]}."""
    found = {}
    label = None
    for line in outcome.err.splitlines():
        match = re.fullmatch(r"  (.{12}) (.*)", line)
        if match:
            label = match.group(1).strip() or label
            found.setdefault(label, []).append(match.group(2))
    return found


def refused(outcome, *words, status=3):
    """Ran without being recorded, and one line says why."""
    equal(outcome.status, status, "exit status")
    lines = [line for line in outcome.err.splitlines() if line.startswith(REFUSED)]
    equal(outcome.err.count("thag"), lines[0].count("thag") if lines else -1,
          "lines on standard error: " + outcome.err)
    for word in words:
        check(word in lines[0], repr(word), "is not in", lines[0])
    equal(outcome.files(".thag"), [], "recordings")
    return outcome


@case
def program_is_recorded_and_the_next_command_works():
    outcome = record("--", PROGRAM, "one", "two words")
    equal(outcome.status, 3, "exit status")
    check(outcome.out.startswith("argument one\nargument two words\n"), outcome.out)
    recording = outcome.recording()
    equal(recording["main.live_blocks"], 100, "blocks left behind")
    said = report(outcome)
    check(said["allocations"][0].startswith("1 00"), said)
    check(said["live at end"][0].startswith("101 blocks, "), said)  # and that of stdout
    equal(sorted(said["files"]), outcome.files(), "files")
    equal(len(said["files"]), 2, "the recording and its folded file")
    equal(len(said["next"]), 1, "next")
    subprocess.run(said["next"][0] + " --no-open -o page.html", shell=True, check=True,
                   cwd=outcome.directory, stdout=subprocess.DEVNULL)


@case
def options_behind_the_program_are_its_own():
    outcome = record("--type", "memory", PROGRAM, "--type", "--help")
    check(outcome.out.startswith("argument --type\nargument --help\n"), outcome.out)


@case
def settings_become_the_variable():
    here = run._scratch.fresh()  # pylint: disable=protected-access
    rows = [
        ((), None, "both"),
        (("--type", "memory"), None, "memory"),
        (("--detail", "--set", "follow=no"), None, "both,,,true,follow=no"),
        (("--output", "a b"), None, f"both,{here}/a b/"),
        (("-o", "/tmp/~x"), "memory,~/y", "memory,/tmp/~x/"),
        ((), "memory,out,quiet,true,follow=fork", "memory,out,quiet,true,follow=fork"),
        (("--set", "follow=no"), "time,,,,stream=5", "time,,,,stream=5,follow=no"),
        ((), "", "both"),
    ]
    for words, inherited, wanted in rows:
        extra = {} if inherited is None else {"THAG_PROFILER": inherited}
        # Nothing is to be recorded here: the variable is what is looked at.
        outcome = record(*words, "/usr/bin/env", extra={**extra, "HOME": here}, directory=here)
        check(f"THAG_PROFILER={wanted}\n" in outcome.out, words, inherited, outcome.out)
        if "/tmp/~x" in words:
            shutil.rmtree("/tmp/~x", ignore_errors=True)


@case
def directory_is_made_and_names_are_quoted():
    program = os.path.join(run.scratch(), "it's a program")
    shutil.copy(PROGRAM, program)
    outcome = record("--output", "new/dir with blanks", program)
    equal(outcome.status, 3, "exit status")
    made = sorted(os.listdir(os.path.join(outcome.directory, "new/dir with blanks")))
    equal(sorted(map(os.path.basename, report(outcome)["files"])), made, "files")
    words = shlex.split(report(outcome)["next"][0])
    equal(words[1], "graph", "next command")
    check(os.path.exists(os.path.join(outcome.directory, words[2])), words)


@case
def wrong_words_are_refused_before_anything_runs():
    for words, text in ((("--type", "everything"), "everything"), (("--set", "colour=1"), "colour"),
                        (("--set", "follow=sometimes"), "no fork all"), (("--set", "follow"), "KEY"),
                        (("--output", "a,b"), "comma"), (("--detial",), "unknown option")):
        outcome = record(*words, PROGRAM)
        equal((outcome.status, outcome.out), (2, ""), "end and output")
        equal(len(outcome.err.splitlines()), 1, "lines: " + outcome.err)
        check(text in outcome.err, text, "is not in", outcome.err)
    equal(record().status, 2, "no program: exit status")


@case
def missing_program_is_127():
    for name in ("no-such-program", "./no-such-program", "/etc/passwd/x"):
        outcome = record(name)
        equal((outcome.status, outcome.out), (127, ""), "end and output")
        equal(outcome.err, f"thag_profile record: {name}: not found\n", "standard error")
    script = os.path.join(run.scratch(), "script")
    with open(script, "w", encoding="ascii") as file:
        file.write("#!/no/such/interpreter\n")
    os.chmod(script, 0o755)
    equal(record(script).status, 127, "missing interpreter: exit status")


@case
def program_that_may_not_be_executed_is_126():
    plain = os.path.join(run.scratch(), "plain")
    shutil.copyfile(PROGRAM, plain)
    for name in (plain, run.scratch()):
        outcome = record(name)
        equal((outcome.status, outcome.out), (126, ""), "end and output")
        equal(outcome.err, f"thag_profile record: {name}: Permission denied\n", "standard error")
    outcome = record("plain", extra={"PATH": run.scratch()})
    equal((outcome.status, outcome.err), (126, f"thag_profile record: {plain}: Permission denied\n"),
          "through PATH")


@case
def program_is_found_through_path():
    for path in (run.SAMPLES, "/nowhere::" + run.SAMPLES, "/etc/passwd:" + run.SAMPLES):
        outcome = record("launched", extra={"PATH": path})
        equal(outcome.status, 3, "exit status with PATH " + path)
        outcome.recording()


@case
def static_program_runs_unrecorded():
    refused(record(build("static", "-static")), "linked statically", "without -static")
    refused(record(build("static_pie", "-static-pie")), "linked statically")


@case
def children_of_a_static_program_are_recorded():
    outcome = record(build("static", "-static"), "start", PROGRAM)
    equal(outcome.status, 3, "exit status")
    equal(outcome.recording()["main.live_blocks"], 100, "blocks of the child")
    check("was not recorded itself" in outcome.err, outcome.err)
    equal(report(outcome)["children"], ["1 recorded beside it"], "children")
    equal(sorted(report(outcome)["files"]), outcome.files(), "files")
    equal(len(outcome.files(".folded")), 1, "folded files")


@case
def program_of_musl_runs_unrecorded():
    outcome = refused(record(build("musl", compiler="musl-gcc")), "musl", "glibc")
    check("LD_PRELOAD=(not set)" in outcome.out, outcome.out)


@case
def thirty_two_bit_program_runs_unrecorded():
    outcome = refused(record(build("narrow", "-m32")), "32-bit", "-m32")
    check("LD_PRELOAD=(not set)" in outcome.out, outcome.out)


@case
def sanitized_programs_run_unrecorded():
    for flag, name in (("address", "AddressSanitizer"), ("thread", "ThreadSanitizer")):
        program = build(flag, "-fsanitize=" + flag)
        outcome = record(program, extra={"ASAN_OPTIONS": "detect_leaks=0"})
        refused(outcome, name, "-fsanitize")


@case
def sanitizer_that_is_preloaded_stays_in_front():
    path = subprocess.run(["cc", "-print-file-name=libasan.so"], check=True, capture_output=True,
                          text=True).stdout.strip()
    if not os.path.isabs(path):
        raise run.Skip("the compiler has no libasan.so")
    path = os.path.realpath(path)
    outcome = record(PROGRAM, extra={"LD_PRELOAD": path, "ASAN_OPTIONS": "detect_leaks=0"})
    refused(outcome, "AddressSanitizer")
    check(f"LD_PRELOAD={path}\n" in outcome.out, outcome.out)


@case
def set_user_id_program_runs_unrecorded():
    run.need_root()
    program = os.path.join(run.scratch(), "privileged")
    shutil.copy(PROGRAM, program)
    os.chmod(program, 0o4755)
    directory = run._scratch.fresh()  # pylint: disable=protected-access
    os.chmod(directory, 0o777)
    if os.statvfs(directory).f_flag & os.ST_NOSUID:
        raise run.Skip("set-user-ID bits have no effect in this directory")
    tool = shutil.copytree(os.path.dirname(TOOL), os.path.join(run.scratch(), "tool"),
                           ignore=lambda _, names: [n for n in names if n != "thag_profile"])
    shutil.copy(run.PRELOAD, tool)
    done = run.finish(run.start([os.path.join(tool, "thag_profile"), "record", program], clean(),
                                directory, user=65534, group=65534, extra_groups=[]), directory)
    refused(done, "rights of another user")
    # For its owner the bit changes nothing.
    outcome = record(program)
    equal(outcome.status, 3, "exit status")
    outcome.recording()


@case
def allocator_inside_is_told_once():
    outcome = record(build("own", "-l:libjemalloc.a", "-lm", "-lpthread", "-lstdc++", "-ldl"))
    equal(outcome.status, 3, "exit status")
    equal(outcome.err.count("has an allocator of its own"), 1, outcome.err)


@case
def scripts_are_recorded_as_their_interpreter():
    need = run.need("/usr/bin/perl", "perl")
    for first, status in ((f"#!{need}\nexit 4;\n", 4), ("#! /bin/sh -e\nexit 5\n", 5),
                          ("exit 6\n", 6)):
        script = os.path.join(run.scratch(), "script")
        with open(script, "w", encoding="ascii") as file:
            file.write(first)
        os.chmod(script, 0o755)
        outcome = record(script)
        equal(outcome.status, status, "exit status of " + first)
        outcome.recording()


@case
def script_with_an_interpreter_that_cannot_be_preloaded_says_so():
    interpreter = build("static", "-static")
    script = os.path.join(run.scratch(), "script")
    with open(script, "w", encoding="ascii") as file:
        file.write(f"#!{interpreter}\n")
    os.chmod(script, 0o755)
    refused(record(script), "its interpreter", interpreter, "linked statically")


@case
def end_by_a_signal_is_passed_on_and_the_recording_resolved():
    for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGINT):
        outcome = record(PROGRAM, "kill", str(int(number)))
        equal(outcome.status, -number, "end")
        equal(outcome.recording()["main.live_blocks"], 100, "blocks left behind")
        equal(sorted(report(outcome)["files"]), outcome.files(), "files")
        equal(len(outcome.files(".folded")), 1, "folded files")


@case
def recording_of_a_program_that_puts_down_its_rights_is_resolved_by_the_launcher():
    run.need_root()
    outcome = record("--type", "memory", run.sample("surroundings"), "dropped-user")
    recording = outcome.recording()
    equal(outcome.status, 3, "exit status")
    equal(recording["resolver_seen"], 0, "a resolver that the program started")
    equal(outcome.files("-memory.folded"), [recording["base_name"] + "-memory.folded"],
          "folded files")
    equal(os.path.getsize(recording.path), recording["used_pages"] * 4096, "the file, cut")


@case
def recording_that_is_to_stay_as_it_is_stays():
    outcome = record("--set", "resolve=no", PROGRAM, "kill", "9")
    equal(outcome.files(), [outcome.files(".thag")[0]], "files")


def waiting(prefix=(), words=(), **options):
    """The waiting program under record, once it is ready."""
    directory = run._scratch.fresh()  # pylint: disable=protected-access
    process = run.start([*prefix, TOOL, "record", *words, PROGRAM, "wait"], clean(), directory,
                        start_new_session=True, **options)
    line = process.stdout.readline()
    deaf = line.startswith(b"deaf")
    if deaf:
        line = process.stdout.readline()
    equal(line, b"ready\n", "first line")
    return process, directory, deaf


@case
def terminal_signals_are_the_programs_alone():
    process, directory, _ = waiting()
    os.killpg(process.pid, signal.SIGINT)
    outcome = run.finish(process, directory)
    equal(outcome.status, 5, "the program's answer to SIGINT")
    check("next" in report(outcome), outcome.err)


@case
def signals_sent_to_the_launcher_reach_the_program_once():
    for number, status in ((signal.SIGTERM, 6), (signal.SIGHUP, 7)):
        process, directory, _ = waiting()
        os.kill(process.pid, number)
        outcome = run.finish(process, directory)
        equal(outcome.status, status, "the program's answer")
        check("next" in report(outcome), outcome.err)


@case
def hangup_that_is_ignored_stays_ignored():
    process, directory, deaf = waiting(
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    check(deaf, "the program was not told to ignore SIGHUP")
    os.kill(process.pid, signal.SIGHUP)
    os.killpg(process.pid, signal.SIGINT)
    equal(run.finish(process, directory).status, 5, "the program's answer to SIGINT")


@case
def ignored_sigchld_stays_ignored_and_hides_no_end():
    outcome = record(PROGRAM, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    equal(outcome.status, 3, "exit status")


@case
def other_preloads_are_kept_behind_ours():
    counts = os.path.join(run.scratch(), "counts")
    outcome = record(PROGRAM, extra={"LD_PRELOAD": run.COUNTER, "COUNT_HEAP_OUT": counts})
    equal(outcome.status, 3, "exit status")
    check(f"LD_PRELOAD={os.path.realpath(run.PRELOAD)}:{run.COUNTER}\n" in outcome.out, outcome.out)
    check([name for name in os.listdir(run.scratch()) if name.startswith("counts.")],
          "the other preload did not run")
    equal(outcome.of(outcome.recordings()[0]["pid"])["main.live_blocks"], 100, "blocks")


@case
def preload_that_is_there_already_is_not_doubled():
    outcome = record("/usr/bin/env", extra={"LD_PRELOAD": run.PRELOAD})
    check(f"LD_PRELOAD={run.PRELOAD}\n" in outcome.out, outcome.out)


@case
def children_are_counted():
    outcome = record(PROGRAM, "start", PROGRAM)
    equal(outcome.status, 3, "exit status")
    equal(len(outcome.recordings()), 2, "recordings")
    equal(report(outcome)["children"], ["1 recorded beside it"], "children")
    check(report(outcome)["next"][1].endswith(" list ."), outcome.err)


@case
def type_none_is_told():
    outcome = record("--type", "none", PROGRAM)
    equal((outcome.status, outcome.files()), (3, []), "end and files")
    check("its type is none" in outcome.err, outcome.err)


@case
def time_of_a_program_without_hooks_is_told():
    outcome = record("--type", "time", PROGRAM)
    equal(outcome.status, 3, "exit status")
    check(report(outcome)["calls"][0].startswith("none; -finstrument-functions"), outcome.err)
    hooked = build("hooked", "-finstrument-functions")
    outcome = record("--type", "time", hooked)
    check(report(outcome)["calls"][0].isdigit(), outcome.err)
    equal(len(outcome.files(".folded")), 2, "folded files")


@case
def samples_are_told():
    outcome = record("--type", "sample", "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
    equal(outcome.status, 0, "exit status")
    check(report(outcome)["samples"][0].endswith(" of CPU time"), outcome.err)
    check(" graph " in report(outcome)["next"][0], outcome.err)


CHOSEN = """
#include <stdlib.h>
long library(long x);
__attribute__((noinline)) long leaf(long x) { return x * 3 + 1; }
__attribute__((noinline)) long middle(long x) { return leaf(x) + leaf(x + 1); }
__attribute__((noinline)) void *make(long x) { return malloc(x + 10); }
__attribute__((noinline)) long top(long x)
{
    void *block = make(x);
    long sum = middle(x) + (block != 0);
    free(block);
    return sum;
}
int main(void)
{
    long sum = 0;
    for (long i = 0; i < 100; i++)
        sum += top(i) + library(i);
    return sum == 42;
}
"""
LIBRARY = """
__attribute__((noinline)) long inner(long x) { return x + 1; }
long library(long x) { return inner(x) * 2; }
"""


def chosen(*flags):
    """A program and a library with hooks. CALLS of its functions: see ALL."""
    folder = run.scratch()
    library, program = os.path.join(folder, "libchosen.so"), os.path.join(folder, "chosen")
    for text, output, more in ((LIBRARY, library, ("-shared", "-fPIC")), (CHOSEN, program, (library,))):
        with open(output + ".c", "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run(["cc", "-O1", "-g", "-finstrument-functions", *flags, output + ".c", "-o",
                        output, *more], check=True)
    return program


ALL = {"main": 1, "top": 100, "middle": 100, "make": 100, "leaf": 200, "library": 100, "inner": 100}


def calls(outcome):
    done = subprocess.run([TOOL, "stats", outcome.files(".thag")[0], "--value", "calls", "--format",
                           "csv", "--no-inline"], check=True, capture_output=True, text=True,
                          cwd=outcome.directory)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    name, count = rows[0].index("function"), rows[0].index("calls")
    return {row[name]: int(row[count]) for row in rows[1:]}


@case
def chosen_functions_alone_are_timed():
    program = chosen()
    equal(calls(record("--type", "time", program)), ALL, "calls without a choice")
    for words, names in (
            (("--only", "^leaf$"), ["leaf"]), (("--only", "^(top|inner)$"), ["top", "inner"]),
            (("--only", "LEAF|library", "-i"), ["leaf", "library"]),
            (("--only", "^top", "--only", "^mid"), ["top", "middle"]),
            (("--except", "leaf", "--except", "inner"), ["main", "top", "middle", "make", "library"]),
            (("--only", "e", "--except", "leaf|make"), ["middle", "inner"])):
        outcome = record("--type", "time", *words, program, extra={"TMPDIR": run.scratch()})
        equal(outcome.status, 0, "exit status")
        equal(calls(outcome), {name: ALL[name] for name in names}, "calls with " + " ".join(words))
        equal([name for name in os.listdir(run.scratch()) if "functions" in name], [],
              "lists left behind")


@case
def heap_stacks_are_whole_whatever_is_timed():
    program = chosen()
    outcome = record("--only", "^leaf$", program)
    with open(os.path.join(outcome.directory, outcome.files("-memory.folded")[0]),
              encoding="utf-8") as file:
        check("main;top;make " in file.read(), "the stack of the allocations is cut")


@case
def choice_without_such_a_function_is_told():
    outcome = record("--type", "time", "--only", "no_such_name", chosen())
    equal(outcome.status, 0, "exit status")
    check("no function that is compiled with" in outcome.err, outcome.err)
    outcome = record("--type", "time", "--only", "(", chosen())
    equal((outcome.status, outcome.out), (2, ""), "a wrong expression")


@case
def module_without_a_build_id_is_told():
    program = chosen("-Wl,--build-id=none")
    outcome = record("--type", "time", "--only", "leaf", program)
    equal(outcome.status, 0, "exit status")
    check("has no build-id" in outcome.err, outcome.err)


@case
def list_that_cannot_be_read_is_told_and_ignored():
    program = chosen()
    bad = os.path.join(run.scratch(), "bad")
    for text in (None, b"", b"thag" * 100, "a pipe"):
        if text == "a pipe":
            os.unlink(bad)
            os.mkfifo(bad)
        elif text is not None:
            with open(bad, "wb") as file:
                file.write(text)
        outcome = record("--type", "time", program, extra={"THAG_FUNCTIONS": bad})
        equal(outcome.status, 0, "exit status")
        equal(outcome.err.count("thag: THAG_FUNCTIONS: " + bad), 1, outcome.err)
        equal(calls(outcome), ALL, "calls")


run.main()
