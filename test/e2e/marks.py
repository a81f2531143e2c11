"""Marks in the source: roots, what their words leave of a run, and what the debug log says.

Usage: marks.py BUILD_DIRECTORY [NAME...]

Programs of test/samples/marks, built by gcc and clang, as C and as C++, with marks alone and beside
the compiler's hooks, are profiled; the folded files and recordings are compared with what the
source says.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import read_calls  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "../samples/marks")
BUILD = os.path.abspath(sys.argv[1])
COMPILERS = [name for name in ("gcc", "clang", "g++", "clang++") if shutil.which(name)]
WAYS = {"marks": [], "marks and hooks": ["-finstrument-functions"]}
failures = []


def say(name, why=""):
    print(("not ok" if why else "ok") + " - " + name + (": " + why if why else ""), flush=True)
    if why:
        failures.append(name)


def build(directory, source, compiler, *options):
    program = os.path.join(directory, os.path.splitext(source)[0])
    language = ["-x", "c++"] if "++" in compiler else []
    subprocess.run([compiler, "-O1", "-g", "-w", "-DTHAG_PROFILING", "-pthread", "-rdynamic",
                    "-I" + os.path.join(HERE, "../../runtime/include"), *options, *language,
                    os.path.join(SAMPLES, source), "-o", program], check=True)
    return program


class Run:
    """One profiled run: its files by kind, {stack without arguments: number} each."""

    def __init__(self, directory, program, *arguments, variable="both", keys="", detail=""):
        self.output = os.path.join(directory, "out")
        self.log = os.path.join(directory, "tmp")
        shutil.rmtree(self.output, ignore_errors=True)
        shutil.rmtree(self.log, ignore_errors=True)
        os.makedirs(self.output)
        os.makedirs(self.log)
        environment = {key: value for key, value in os.environ.items() if key != "THAG_PROFILER"}
        environment.update(LD_PRELOAD=BUILD + "/preload/libthagpreload.so", TMPDIR=self.log)
        if variable is not None:
            environment["THAG_PROFILER"] = "%s,%s,quiet,%s,%s" % (variable, self.output, detail, keys)
        result = subprocess.run([program, *arguments], env=environment, capture_output=True,
                                text=True, errors="replace", check=False, timeout=600,
                                cwd=self.output)
        self.status, self.text, self.errors = result.returncode, result.stdout, result.stderr

    def files(self):
        return sorted(os.path.basename(path) for path in glob.glob(self.output + "/*"))

    def folded(self, kind):
        result = {}
        for path in glob.glob(self.output + "/*[0-9]" + kind + ".folded"):
            with open(path) as file:
                for line in file:
                    stack, number = line.rsplit(" ", 1)
                    stack = re.sub(r"\([^;]*\)", "", stack)
                    result[stack] = result.get(stack, 0) + int(number)
        return result

    def recordings(self):
        return [read_calls.Recording(path) for path in sorted(glob.glob(self.output + "/*.thag"))
                if "-snap" not in os.path.basename(path)]

    def calls(self):
        return self.recordings()[0].paths()

    def log_lines(self, word):
        lines = []
        for path in glob.glob(self.log + "/thag_profiler*/*.log"):
            with open(path) as file:
                lines += [line.rstrip("\n").split("] ", 1)[1] for line in file if word in line]
        return lines


def difference(wanted, found):
    return "; ".join("%s: %s, not %s" % (key, found.get(key, "missing"), wanted.get(key, "there"))
                     for key in sorted(set(wanted) | set(found))
                     if wanted.get(key) != found.get(key))


def below(paths, name):
    """What is at or below NAME, which is the root of its paths."""
    return {path: number for path, number in paths.items() if path.split(";")[0] == name}


# What roots.c does inside of its roots.
ROOT_CALLS = {"root": 2, "root;work": 4, "root;inner_root": 1, "root;inner_root;work": 1}
ROOT_BYTES = {"root": 200, "root;work": 40, "root;inner_root;work": 7}
HOOKED_BYTES = {"root;plain": 200, "root;work": 40, "root;inner_root;work": 7}


def check_root(run, hooked):
    """All of a run of type both."""
    calls = {path: number for path, number in run.calls().items()
             if not re.search(r"plain|let_tick", path)}
    why = difference(ROOT_CALLS, below(calls, "root"))
    why = why or difference({"tick": 10}, {path.split(";")[-1]: number
                                           for path, number in calls.items() if "tick" in path})
    others = {path for path in calls if not path.startswith("root")} - {"tick"}
    why = why or ", ".join(others)
    memory = run.folded("-memory")
    ticks = sum(number for path, number in memory.items() if path.endswith("tick"))
    memory = {path: number for path, number in memory.items() if "tick" not in path}
    why = why or difference(HOOKED_BYTES if hooked else ROOT_BYTES, memory)
    why = why or ("" if ticks == 30 else "%d bytes of ticks" % ticks)
    for kind in ("", "-inclusive"):
        tops = {path.split(";")[0] for path in run.folded(kind)} - {"tick"}
        why = why or ("" if tops == {"root"} else "%s roots: %s" % (kind, tops))
    return why


def roots(directory):
    for compiler in COMPILERS:
        for way, options in WAYS.items():
            name = "roots, %s, %s" % (compiler, way)
            program = build(directory, "roots.c", compiler, "-DROOT=THAG_ENABLE_PROFILING", *options)
            for variable in (None, "both"):
                run = Run(directory, program, variable=variable)
                say(name + (", no variable" if variable is None else ""),
                    check_root(run, options) if run.status == 0 else "status %d" % run.status)
            run = Run(directory, program, detail="true")
            walked = run.folded("-memory_detail")
            tops = {path.split(";")[0].strip() for path in walked
                    if "tick" not in path}
            why = "" if tops == {"root"} else "roots of the walked stacks: %s" % tops
            total = sum(size for path, size in walked.items() if "tick" not in path)
            say(name + ", in detail", why or ("" if total == 247 else "%d bytes" % total))


def kinds(run):
    """Which of time and memory a run has, and whether there is a file at all."""
    return ("T" if run.folded("") else "") + ("M" if run.folded("-memory") else "") if run.files() \
        else "nothing"


# ROOT, THAG_PROFILER's type (None: not set), what comes out
PRECEDENCE = [
    ("", None, "TM"), ("", "time", "T"), ("", "memory", "M"), ("", "none", "nothing"),
    ("()", None, "TM"), ("(yes)", None, "TM"), ("(both)", None, "TM"),
    ("(time)", None, "T"), ("(memory)", None, "M"), ("(time)", "memory", "M"),
    ("(memory)", "both", "TM"), ("(memory)", "", "nothing"),
    ("(no)", None, "nothing"), ("(no)", "both", "nothing"),
    ("(runtime)", None, "nothing"), ("(runtime)", "both", "TM"), ("(runtime)", "time", "T"),
    ("(function(time))", None, "TM"), ("(memory, function(mem_detail))", None, "M"),
    ("(function(none), time)", None, "T"),
]


def precedence(directory):
    for root, variable, wanted in PRECEDENCE:
        program = build(directory, "roots.c", "gcc", "-DROOT=THAG_ENABLE_PROFILING" + root)
        found = kinds(Run(directory, program, variable=variable))
        say("precedence, %s, THAG_PROFILER %s" % (
            root or "bare", "not set" if variable is None else repr(variable)),
            "" if found == wanted else "%s, not %s" % (found, wanted))


def root_words(directory):
    """What function() leaves of the root's own frame."""
    rows = {"(function(none))": ({"work": 4 + 1}, {"work": 47, "plain": 200}),
            "(function(time))": ({"root": 2, "root;work": 4, "root;inner_root": 1,
                                  "root;inner_root;work": 1},
                                 {"root;work": 40, "root;inner_root;work": 7,
                                  "[unmarked]": 200}),
            "(function(mem_summary))": ({"work": 5}, ROOT_BYTES)}
    for root, (calls, memory) in rows.items():
        for compiler in COMPILERS:
            program = build(directory, "roots.c", compiler, "-DROOT=THAG_ENABLE_PROFILING" + root)
            run = Run(directory, program)
            found = {path: number for path, number in run.calls().items() if "tick" not in path}
            timed = {path.split(";")[0] for path in run.folded("-inclusive")} - {"tick"}
            why = "" if timed == {path.split(";")[0] for path in calls} else "timed: %s" % timed
            if root != "(function(mem_summary))":
                why = why or difference(calls, found)
            bytes_of = {path: number for path, number in run.folded("-memory").items()
                        if "tick" not in path}
            say("root words, %s, %s" % (root, compiler), why or difference(memory, bytes_of))


# Rows of the matrix: what a flag leaves in a run of type time, memory, both, and of both with every
# event. T time; M bytes; D single events with their stacks.
MASK = {
    "bare": ("T", "M", "TM", "TD"), "global_": ("T", "M", "TM", "TD"),
    "time_": ("T", "", "T", "T"), "summary": ("", "M", "M", "M"),
    "detail": ("", "D", "D", "D"), "both_": ("T", "M", "TM", "TM"),
    "time_detail": ("T", "D", "TD", "TD"), "if_time": ("T", "", "T", "T"),
    "if_both": ("T", "M", "TM", "TM"),
}
SECTIONS = {"s_bare": "bare", "s_global": "global_", "s_time": "time_", "s_summary": "summary",
            "s_detail": "detail", "s_both": "both_", "s_time_detail": "time_detail",
            "async::s_async": "bare", "inside": "time_"}


def leaves(folded):
    """Sums by leaf; of a walked stack the function that asked is busy's caller."""
    result = {}
    for path, number in folded.items():
        names = [name.strip() for name in path.split(";")]
        leaf = names[-2] if names[-1] == "busy" and len(names) > 1 else names[-1]
        result[leaf] = result.get(leaf, 0) + number
    return result


def mask_why(run, column):
    time = leaves(run.folded(""))
    memory = leaves({path: size for path, size in run.folded("-memory").items()
                     if "libstdc++" not in path and size != 72704})
    events = leaves(run.folded("-memory_detail"))
    whys = []
    for row in [*MASK, *SECTIONS]:
        wanted = MASK[SECTIONS.get(row, row)][column]
        found = "T" if time.get(row, 0) > 0 else ""
        if events.get(row):
            found += "D"
        elif memory.get(row):
            found += "M"
        if found != wanted:
            whys.append("%s: %s, not %s" % (row, found or "nothing", wanted or "nothing"))
    if column == 0:
        return "; ".join(whys)
    # What is passed on: time_ and if_time to functions; s_time, twins and inside to sections.
    wanted = {"functions": 200, "sections": 300, "twins": 200}
    total = sum(memory.values())
    for name, size in wanted.items():
        if memory.get(name, 0) != size:
            whys.append("%s has %d bytes, not %d" % (name, memory.get(name, 0), size))
    if total != 2200:
        whys.append("%d bytes in all" % total)
    if memory.get("alone"):
        whys.append("alone is not passed on")
    return "; ".join(whys)


def mask(directory):
    for compiler in COMPILERS:
        for way, options in WAYS.items():
            program = build(directory, "mask.c", compiler, *options)
            for column, (kind, detail) in enumerate((("time", ""), ("memory", ""), ("both", ""),
                                                     ("both", "true"))):
                run = Run(directory, program, variable=kind, detail=detail)
                say("mask, %s, %s, %s%s" % (compiler, way, kind, " in detail" * bool(detail)),
                    mask_why(run, column) if run.status == 0 else "status %d" % run.status)


def walked(directory):
    singly = {"main;outer;inner;busy": 1,
              "main;outer;again;down;down;at_two;down;down;lowest;plain;busy": 3}
    whole = dict(singly, **{"main;outer;plain;busy": 2, "main;plain;busy": 4})
    for compiler in COMPILERS:
        for way, options in WAYS.items():
            program = build(directory, "walked.c", compiler, *options)
            # Hooked functions below a section are marks of their own, which say nothing of events.
            for detail, wanted in (("", {} if options else singly), ("true", whole)):
                run = Run(directory, program, detail=detail)
                found = {re.sub(r" ?\([^)]*\)| ", "", path): size
                         for path, size in run.folded("-memory_detail").items()
                         if "busy" in path}
                say("walked, %s, %s%s" % (compiler, way, " in detail" * bool(detail)),
                    difference(wanted, found) if run.status == 0 else "status %d" % run.status)


def odd(directory):
    calls = {"twice": 3, "twice_in_block": 3, "has_small": 3, "has_small;small": 6, "ends": 3,
             "ends;wide": 3, "ends;wide;narrow": 3, "memory_only": 3, "time_only": 3}
    marks = {"both": ["second", "second", "not open", "not open", "other sections open"],
             "time": ["second", "second", "not open", "not open", "other sections open",
                      "for memory has no"],
             "memory": ["second", "second", "not open", "not open", "other sections open",
                        "for time has no"]}
    for compiler in COMPILERS:
        for way, options in WAYS.items():
            program = build(directory, "odd.c", compiler, *options)
            for kind, wanted in marks.items():
                run = Run(directory, program, variable=kind)
                found = {path[5:] if path.startswith("main;") else path: number
                         for path, number in run.calls().items() if path != "main"}
                lines = run.log_lines("mark: ")
                if not options: # nm knows nothing of inlined functions
                    found["has_small;small"] = found.pop("has_small;has_small", 0)
                why = difference(calls, found) if kind != "memory" or not options else ""
                for words in wanted:
                    hits = [line for line in lines if words in line]
                    if len(hits) != wanted.count(words):
                        why = why or "%d lines with %r: %s" % (len(hits), words, lines)
                extra = [line for line in lines if not any(words in line for words in wanted)]
                # In a run of type memory, twice's second mark has time alone as its flag.
                why = why or "; ".join(extra)
                say("odd marks, %s, %s, %s" % (compiler, way, kind), why)


# What tasks.c does, by thread or task, whatever thread it ran on.
FIBRE = "async::job;[fibres];body"
TASK_CALLS = {
    "async::job": 3, FIBRE: 3, FIBRE + ";inner": 3, FIBRE + ";inner;step": 60,
    FIBRE + ";inner;waiting": 60, FIBRE + ";step": 3, "turn": 66, "turn;between": 66,
    "request": 2, "request;piece": 6, "request;between": 2, "async::request": 2,
    "async::request;piece": 12, "async::other": 2, "async::other;piece": 6,
}
TASK_BYTES = {
    FIBRE + ";inner;step": 600, FIBRE + ";step": 30, "request;piece": 30,
    "async::request;piece": 60, "async::other;piece": 30,
}


def without(path, prefixes):
    for prefix in prefixes:
        if path == prefix:
            return None
        if path.startswith(prefix + ";"):
            return path[len(prefix) + 1:]
    return path


def tasks(directory):
    for compiler in COMPILERS:
        for way, options in WAYS.items():
            program = build(directory, "tasks.c", compiler, *options)
            run = Run(directory, program)
            if run.status:
                say("tasks, %s, %s" % (compiler, way), "status %d" % run.status)
                continue
            calls = {without(path, ("main", "work")): number
                     for path, number in run.calls().items()}
            calls.pop(None, None)
            why = difference(TASK_CALLS, calls)
            heap = {}
            for path, (_, size) in run.recordings()[0].heap().items():
                path = without(path, ("main", "work"))
                heap[path] = heap.get(path, 0) + size
            heap.pop(None, None)
            why = why or difference(TASK_BYTES, heap)
            timed = run.folded("-inclusive")
            shown = {path.replace("[fibres];", "async::") for path in TASK_CALLS}
            shown = {path.replace("async::body", "async::body") for path in shown}
            missing = shown - {without(path, ("main", "work")) for path in timed}
            why = why or ", ".join(sorted(missing))
            lines = run.log_lines("task: ")
            say("tasks, %s, %s" % (compiler, way), why or "; ".join(lines))


def views(directory):
    for compiler in COMPILERS:
        for way, options in WAYS.items():
            program = build(directory, "views.c", compiler, *options)
            bare = subprocess.run([program], check=False).returncode
            say("views, %s, %s, bare" % (compiler, way), "check %d" % bare if bare else "")
            run = Run(directory, program)
            say("views, %s, %s" % (compiler, way), "check %d" % run.status if run.status else "")


def wait_for(pattern, count):
    """Files that a resolver which nobody waits for writes."""
    for _ in range(6000):
        if len(glob.glob(pattern)) >= count:
            return True
        time.sleep(0.1)
    return False


def snapshots(directory):
    program = build(directory, "snapshots.c", "gcc")
    run = Run(directory, program, "calls")
    wait_for(run.output + "/*-snap[12]-memory.folded", 2)
    why = "" if run.text == "1\n2\n" else "gave %r" % run.text
    for number, size in (("-snap1", 1000), ("-snap2", 6000), ("", 6000)):
        files = [path for path in glob.glob(run.output + "/*[0-9]%s-memory.folded" % number)
                 if ("-snap" in path) == bool(number)]
        found = 0
        for path in files:
            with open(path) as file:
                found += sum(int(line.split()[-1]) for line in file if "work" in line)
        why = why or ("" if found == size else "%d bytes of work in %s" % (found, number or "all"))
    first = glob.glob(run.output + "/*-snap1.thag")[0]
    info = subprocess.run([BUILD + "/analyzer/thag_profile", "info", first], capture_output=True,
                          text=True, check=False).stdout
    why = why or ("" if "snapshot of a program that went on" in info else "info: " + info)
    say("snapshots, by call", why)

    run = Run(directory, program, "busy")
    numbers = [int(word) for word in run.text.split()]
    why = "" if numbers == list(range(1, 11)) else "gave %s" % numbers
    for path in glob.glob(run.output + "/*-snap*.thag"):
        result = subprocess.run([BUILD + "/analyzer/thag_profile", "stats", path],
                                capture_output=True, text=True, check=False)
        if result.returncode or "work" not in result.stdout:
            why = why or "%s: status %d %s" % (os.path.basename(path), result.returncode,
                                               result.stderr)
    say("snapshots, while threads work", why)


def signals(directory):
    program = build(directory, "snapshots.c", "gcc")
    keys = "snapshot_signal=SIGUSR1,toggle_signal=usr2"
    run = Run(directory, program, "signals", keys=keys)
    why = "" if run.status == 0 and run.text == "0\n" else "%d %r" % (run.status, run.text)
    calls = run.recordings()[0].paths()
    why = why or ("" if calls.get("work") == 13 else "calls: %s" % calls)
    snaps = sorted(glob.glob(run.output + "/*-snap*.thag"))
    counts = [read_calls.Recording(path).paths().get("work") for path in snaps]
    say("signals", why or ("" if counts == [10, 13] else "snapshots with %s calls" % counts))

    run = Run(directory, program, "own", keys=keys)
    why = "" if run.text == "1\n" else "the program's handler did not run: %r" % run.text
    said = run.errors.splitlines()
    wanted = "thag: THAG_PROFILER: snapshot_signal: the program uses signal 10; " \
        "the key has no effect"
    say("signals, the program's own handler", why or ("" if said == [wanted] else repr(said)))

    ignoring = ["/bin/sh", "-c", "trap '' USR1; exec \"$0\" own", program]
    run = Run(directory, ignoring[0], *ignoring[1:], keys=keys)
    wanted = "thag: THAG_PROFILER: snapshot_signal: the program was started to handle or ignore " \
        "signal 10; the key has no effect"
    say("signals, ignored from the start",
        "" if wanted in run.errors.splitlines() and run.text == "1\n" else
        "%r %r" % (run.errors, run.text))


def coroutines(directory):
    """Guards on the heap: the program lives, and by gcc's names the counts are exact."""
    wanted = {"body": 200, "body;round": 200, "resume": 500, "resume;round": 300}
    for compiler in [name for name in COMPILERS if "++" in name]:
        options = ["-stdlib=libstdc++"] if "clang" in compiler else []
        try:
            program = build(directory, "coroutine_marks.cc", compiler, "-std=c++20", *options)
        except subprocess.CalledProcessError:
            say("coroutines, %s # skipped: it does not build them" % compiler)
            continue
        run = Run(directory, program)
        why = "" if run.status == 0 else "status %d" % run.status
        if compiler == "g++":
            found = {path: number for path, number in run.calls().items() if "std::" not in path}
            why = why or difference(wanted, found)
        say("coroutines, " + compiler, why)


def root_fork(directory):
    for compiler in COMPILERS:
        for way, options in WAYS.items():
            run = Run(directory, build(directory, "root_fork.c", compiler, *options))
            calls = [recording.paths() for recording in run.recordings()]
            wanted = [{"root": 1, "root;work": 1}, {"work": 2}]
            say("a root that forks, %s, %s" % (compiler, way), "" if len(calls) == 2 and all(
                one in calls for one in wanted) else repr(calls))


def late_root(directory):
    for compiler in ("gcc", "clang"):
        if compiler not in COMPILERS:
            continue
        program = build(directory, "late_root.c", compiler, "-ldl")
        library = os.path.join(directory, "late.so")
        subprocess.run([compiler, "-O1", "-w", "-DTHAG_PROFILING", "-DLIBRARY", "-shared", "-fPIC",
                        "-I" + os.path.join(HERE, "../../runtime/include"),
                        os.path.join(SAMPLES, "late_root.c"), "-o", library], check=True)
        run = Run(directory, program, library)
        say("a root in a late library, " + compiler, difference(
            {"work": 1, "late_root": 2, "late_root;work": 2}, run.calls()))


TESTS = {"coroutines": coroutines, "root_fork": root_fork, "late_root": late_root,
         "mask": mask, "walked": walked, "odd": odd, "tasks": tasks, "views": views,
         "snapshots": snapshots, "signals": signals, "roots": roots, "precedence": precedence, "root_words": root_words}


def main():
    with tempfile.TemporaryDirectory() as directory:
        for name, test in TESTS.items():
            if not sys.argv[2:] or name in sys.argv[2:]:
                test(directory)
    print("%d failed" % len(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
