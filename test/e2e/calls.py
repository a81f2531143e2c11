"""Call counts and places in the tree, of programs that leave functions in every way.

Usage: calls.py BUILD_DIRECTORY [SAMPLE...]

Each sample says in its first comment what is to be seen: "expect PATH CALLS" lines, all paths
there are ("gcc" and "clang" instead of "expect" for one compiler's code); "open PATH" lines, all
that are open at the end; or "check NAME" for a function below.
It is built by gcc and clang, plain and optimised, as C and where it can be as C++.
"""
import csv
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import read_calls  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "../samples/calls")
LONG = os.environ.get("THAG_TEST_LONG")
LEVELS = ["-O0", "-O1", "-O2", "-O3"] if LONG else ["-O0", "-O2"]
failures = []


def say(passed, name, why=""):
    print(("ok" if passed else "not ok") + " - " + name + (": " + why if why else ""), flush=True)
    if not passed:
        failures.append(name)


class Sample:
    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)
        self.expect = {"expect": {}, "gcc": {}, "clang": {}}
        self.open, self.words = set(), {}
        with open(path) as file:
            text = file.read()
        for line in re.findall(r"^(?: \*|//) (\w+ .*)$", text, re.M):
            word, rest = line.split(" ", 1)
            if word in self.expect:
                frames, calls = rest.rsplit(" ", 1)
                self.expect[word][frames] = int(calls)
            elif word == "open":
                self.open.add(rest)
            elif word in ("check", "stack", "recordings", "options", "kind", "libraries",
                          "marks"):
                self.words[word] = rest

    def builds(self):
        compilers = ["g++", "clang++"] if self.path.endswith(".cc") else ["gcc", "clang"]
        for compiler in compilers:
            if not shutil.which(compiler):
                print("# skipped: there is no " + compiler)
                continue
            for level in LEVELS:
                yield compiler, level


def how_marked(sample):
    """Hooks in every function, or marks in the source, or "both"."""
    hooks = ["-finstrument-functions"]
    marks = ["-DTHAG_PROFILING", "-I" + os.path.join(HERE, "../../runtime/include")]
    word = sample.words.get("marks")
    return marks if word == "alone" else hooks + marks if word == "too" else hooks


def build(sample, compiler, level, directory):
    program = os.path.join(directory, "program")
    standard = ["-std=c++20"] if sample.words.get("options") == "c++20" else []
    if "c++20" in sample.words.get("options", "") and compiler == "clang++":
        standard += ["-stdlib=libstdc++"]
    result = subprocess.run(
        [compiler, level, "-g", "-w", *how_marked(sample), *standard, "-pthread",
         sample.path, "-o", program,
         *("-l" + library for library in sample.words.get("libraries", "").split())],
        capture_output=True, text=True, check=False)
    return program if result.returncode == 0 else result.stderr.strip().splitlines()[0]


def run(library, program, directory, arguments=(), stack=None, kind="time"):
    output = os.path.join(directory, "out")
    shutil.rmtree(output, ignore_errors=True)
    environment = dict(os.environ, LD_PRELOAD=library,
                       THAG_PROFILER="%s,%s,,,resolve=no" % (kind, output))
    before = resource.getrlimit(resource.RLIMIT_STACK)
    if stack: # inherited: a shell in between would be profiled too
        resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, before[1]))
    result = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True,
                            check=False, timeout=600)
    resource.setrlimit(resource.RLIMIT_STACK, before)
    files = sorted(glob.glob(output + "/*.thag"))
    return result, [read_calls.Recording(file) for file in files]


def own_path(path):
    """Without what the headers of the C++ library bring in, and names of a coroutine's parts."""
    names = [re.sub(r"\.(actor|destroy|cleanup|resume|part|constprop|isra)\.?\d*| \[.*\]", "", name)
             for name in path.split(";")]
    return ";".join(name for name in names if not name.startswith("std::"))


def spliced(recording):
    """{path: calls} and the open paths."""
    paths, still_open = {}, set()
    for root in recording.trees().values():
        for node in root.walk():
            path = own_path(node.path())
            if node.calls and not node.name.startswith("std::"):
                paths[path] = paths.get(path, 0) + node.calls
            if node.open and path:
                still_open.add(path)
    return paths, still_open


def difference(wanted, found):
    lines = []
    for path in sorted(set(wanted) | set(found)):
        if wanted.get(path) != found.get(path):
            lines.append("%s: %s, not %s" % (path, found.get(path, "missing"),
                                             wanted.get(path, "there")))
    return "; ".join(lines)


def check_expected(sample, name, recordings):
    if len(recordings) != 1:
        say(False, name, "%d recordings" % len(recordings))
        return
    paths, still_open = spliced(recordings[0])
    own = "clang" if "clang" in name else "gcc"
    why = difference({**sample.expect["expect"], **sample.expect[own]}, paths)
    if not why and still_open != sample.open:
        why = "open: " + " ".join(sorted(still_open))
    say(not why, name, why)


def check_deep_marks(name, recordings, _):
    """Counts whatever the place; that of heap use where there is a mark that records it."""
    calls, places = {}, {}
    for root in recordings[0].trees().values():
        for node in root.walk():
            calls[node.name] = calls.get(node.name, 0) + node.calls
            places.setdefault(node.name, set()).add(node.path())
    wanted = {"main": 1, "down": 40000, "leaf": 2, "saves": 2, "after": 2, "part": 400}
    why = difference(wanted, {key: calls.get(key) for key in wanted})
    if not why and places["after"] != {"main;after"}:
        why = "after is at %s" % places["after"]
    if not why and recordings[0].folded:
        why = "%d calls are said to have had no room" % recordings[0].folded
    say(not why, name, why)


def check_wide(name, recordings, _):
    numbers = range(10, 90)
    wanted = {"main": 1}
    for b in numbers:
        wanted["main;branch_%d" % b] = 5
        wanted["main;branch_%d;all_leaves" % b] = 5
        for n in numbers:
            wanted["main;branch_%d;all_leaves;leaf_%d" % (b, n)] = 5
    why = difference(wanted, recordings[0].paths())
    say(not why, name, why[:200])


def check_deep(name, recordings, _):
    recording = recordings[0]
    calls, nodes = {}, []
    for root in recording.trees().values():
        for node in root.walk():
            calls[node.name] = calls.get(node.name, 0) + node.calls
            nodes.append(node)
    leaf = [node for node in nodes if node.name == "leaf"]
    main = [node for node in nodes if node.name == "main"][0]
    marker = [node for node in nodes if node.name == "[elided]"]
    wanted = {"main": 1, "down": 2000000, "leaf": 2, "after": 2}
    why = difference(wanted, {key: calls.get(key) for key in wanted})
    if not why and (len(leaf) != 1 or len(marker) != 1 or leaf[0].parent is not marker[0]):
        why = "the leaf is not under the marker"
    if not why and [node.path() for node in nodes if node.name == "after"] != ["main;after"]:
        why = "after is not main's child"
    if not why and not 0 <= marker[0].exclusive() < main.inclusive / 100:
        why = "the marker keeps %d ticks" % marker[0].exclusive()
    if not why and leaf[0].inclusive < main.inclusive / 100:
        why = "the leaf has lost its time"
    say(not why, name, why)


def check_forks(name, recordings, _):
    paths = [recording.paths() for recording in recordings]
    parent = [p for p in paths if "main" in p]
    child = [p for p in paths if "main" not in p]
    if len(parent) != 1 or len(child) != 1:
        say(False, name, repr(paths))
        return
    why = difference({"main": 1, "main;helper": 1, "main;split": 1, "main;split;helper": 1},
                     parent[0])
    why += difference({"helper": 1, "only_child": 1, "only_child;helper": 1}, child[0])
    say(not why, name, why)


def without_handler(paths):
    """The handler's own calls out; False if it was not seen once, as one subtree."""
    tops = [path for path in paths if path.split(";")[-1] == "in_handler"]
    if len(tops) != 1 or paths[tops[0]] != 1:
        return None, "in_handler: %r" % tops
    top = tops[0]
    parent = top.rpartition(";")[0]
    for inner, calls in (("", 1), (";small_3", 1), (";ping", 1), (";ping;pong", 1),
                         (";ping;pong;small_7", 1), (";ping;small_1", 1), (";ping;small_2", 1)):
        if paths.pop(top + inner, None) != calls:
            return None, "inside the handler: " + inner
    beside = parent + ";small_3" if parent else "small_3"
    if beside not in paths:
        return None, "the handler's second call is elsewhere than its first"
    paths[beside] -= 1
    if not paths[beside]:
        del paths[beside]
    return paths, ""


def check_trapped(name, recordings, context):
    library, program, directory, result = context
    bare = recordings[0].paths()
    count = int(result.stdout)
    step = 1 if LONG == "each" else max(1, count // 40)
    for at in range(0, count - 100, step): # not each run has the same number
        _, runs = run(library, program, directory, [str(at)])
        paths, why = without_handler(runs[0].paths())
        why = why or difference(bare, paths)
        if not why and runs[0].folded:
            why = "%d calls folded" % runs[0].folded
        if why:
            say(False, name, "at instruction %d of %d: %s" % (at, count, why))
            return
    say(True, name, "%d instructions, each %d." % (count, step))


def check_heap(name, recordings, _):
    recording = recordings[0]
    wanted = {"main": (1, 9), "main;makes": (20, 1045 + 130), "main;jumps": (1, 7)}
    why = difference(wanted, recording.heap())
    names = recording.stack_names()
    for root in recording.trees().values():
        for node in root.walk():
            for stack in node.stacks:
                if not why and names.get(stack) != node.path():
                    why = "stack %d is %s, not %s" % (stack, names.get(stack), node.path())
    say(not why, name, why)


def folded(path):
    """{path: number} of a folded file."""
    with open(path) as file:
        return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in file}


def check_known_times(name, recordings, context):
    """Through the tool, as users see it. The machine may be busy: what was off the CPU is left out
    where the recorder's cost is looked for."""
    _, _, directory, result = context
    output = os.path.join(directory, "out")
    recording = glob.glob(output + "/*.thag")[0]
    tool = os.path.join(os.path.abspath(sys.argv[1]), "analyzer/thag_profile")
    subprocess.run([tool, "resolve", recording], check=True, capture_output=True)
    total = folded(recording[:-5] + "-inclusive.folded")
    own = folded(recording[:-5] + ".folded")
    known = dict(zip(("busy", "long_busy", "sleeps", "falls"), map(int, result.stdout.split())))
    whys = []
    for function in ("long_busy", "sleeps", "falls"):
        seen = total["main;" + function] * 1000
        if abs(seen - known[function]) > max(known[function] / 20, 2e6):
            whys.append("%s: %d ns, not %d" % (function, seen, known[function]))
    calls = recordings[0].paths()
    if sum(number for path, number in calls.items() if path.endswith(";falls")) != 11:
        whys.append("falls is not called 11 times")
    if calls.get("main;calls_tiny;tiny") != 1000000:
        whys.append("tiny is not called 1000000 times")
    off = {node.path(): node.off_cpu_ns for root in recordings[0].trees().values()
           for node in root.walk()}
    for path in ("main;calls_tiny", "main;calls_tiny;tiny"):
        took = own.get(path, 0) * 1000 - off[path]
        if took > 20e6:
            whys.append("%s keeps %d ns for itself" % (path, took))
    if abs(off["main;sleeps"] - known["sleeps"]) > known["sleeps"] / 10:
        whys.append("sleeps was off the CPU for %d ns" % off["main;sleeps"])
    for path, ns in total.items():
        below = sum(other for inner, other in total.items() if inner.rpartition(";")[0] == path)
        if below > ns + 20: # each line is rounded once
            whys.append("what %s calls takes longer than it" % path)
    whys += check_statistics(recording, known)
    say(not whys, name, "; ".join(whys))


def check_stops(name, recordings, _):
    why = difference({"main": 1, "main;seen": 2}, recordings[0].paths())
    why += difference({"main;seen": (2, 200)}, recordings[0].heap())
    frees = recordings[0].frees()
    if not why and frees != 1:
        why = "%d frees, not 1" % frees
    spans = recordings[0].spans()
    if not why and [span.path for span in spans] != ["main", "main;seen", "main;seen"]:
        why = "spans of " + ", ".join(span.path for span in spans)
    why = why or overlaps(spans)
    say(not why, name, why)


def overlaps(spans):
    """Of spans in the order of their starts: does one end within another that began before it?"""
    open_until = []
    for span in spans:
        while open_until and open_until[-1] <= span.start:
            open_until.pop()
        if open_until and open_until[-1] < span.start + span.ticks:
            return "%s at %d outlasts what it is in" % (span.path, span.start)
        open_until.append(span.start + span.ticks)
    return ""


def order_of(spans, path):
    return [span.path for span in spans if span.path == path or span.path.startswith(path + ";")]


def check_spans(name, recordings, context):
    library, program, directory, _ = context
    spans = recordings[0].spans()
    stacks = {(span.slot, span.stack) for span in spans}
    whys = [overlaps([span for span in spans if (span.slot, span.stack) == one]) for one in stacks]
    left, right = "alternates;left", "alternates;right"
    turn = [left, left + ";leaf", right, right + ";leaf", right + ";leaf"]
    if order_of(spans, "alternates") != ["alternates"] + 20 * turn:
        whys.append("thread: " + " ".join(order_of(spans, "alternates")))
    trips = [span for span in spans if span.path.endswith("fibre_body;round_trip")]
    if len(trips) != 18 or {span.stack for span in trips} != {1, 2}:
        whys.append("fibres: %d trips on stacks %s" % (len(trips), {one.stack for one in trips}))
    if any(a.start + a.ticks < b.start for a, b in zip(trips, trips[1:])):
        whys.append("fibres: trips do not overlap")
    result, runs = run(library, program, directory, ["many"])
    size = os.stat(glob.glob(directory + "/out/*.thag")[0]).st_size
    whys += ["many: " + why for why in few_of_many(runs[0], 30)]
    if result.returncode or size > 16 << 20:
        whys.append("many: status %d, %d bytes" % (result.returncode, size))
    _, runs = run(library, program, directory, ["killed"])
    whys += ["killed: " + why for why in few_of_many(runs[0], 16)]
    say(not any(whys), name, "; ".join(filter(None, whys)))


def few_of_many(recording, slow):
    """What is wrong with the spans of a program that made more calls than there is room for."""
    spans = recording.spans()
    slot = spans[0].slot
    kept = [span for span in spans if span.path == "main;many;slow"]
    nodes = {node.path(): node for node in recording.trees()[slot].walk()}
    if recording.resolutions[slot] == 0:
        yield "the resolution is 0"
    if len(kept) != slow or sum(span.ticks for span in kept) != nodes["main;many;slow"].inclusive:
        yield "%d spans of slow" % len(kept)
    if recording.spans_lost:
        yield "%d spans lost" % recording.spans_lost
    if overlaps(spans):
        yield overlaps(spans)


def check_sums(name, recordings, context):
    library, program, directory, result = context
    whys = list(sums_wrong(recordings[0], result, 18))
    if LONG: # 119 million calls
        result, runs = run(library, program, directory, ["35"])
        whys += list(sums_wrong(runs[0], result, 35))
    say(not whys, name, "; ".join(whys))


def sums_wrong(recording, result, size):
    """What is wrong with the calls of fib(SIZE) in four threads."""
    fib = [1, 1]
    while len(fib) <= size + 1:
        fib.append(fib[-1] + fib[-2])
    calls, ran = {}, []
    for root in recording.trees().values():
        for node in root.walk():
            calls[node.name] = calls.get(node.name, 0) + node.calls
            if node.parent and node.exclusive() < 0:
                yield "%s has called for longer than it took" % node.path()
        top = root.children["calculate"]
        ran.append(top.inclusive * recording.ns_per_tick())
        own = sum(node.exclusive() for node in top.walk())
        if abs(own - top.inclusive) > top.inclusive / 1000:
            yield "the own times are %d ticks, not %d" % (own, top.inclusive)
    wanted = {"calculate": 4, "fib": 4 * (2 * fib[size] - 1)}
    yield from filter(None, [difference(wanted, {key: calls.get(key) for key in wanted})])
    least, most = (int(word) for word in result.stdout.split())
    # A slot serves one thread after the other.
    if sum(ran) < least or max(ran) > 4 * most:
        yield "took %s ns, not %d to %d each" % (ran, least, most)


def check_statistics(recording, known):
    """What stats says of single calls, as csv: minimum, average and maximum, and the bounds."""
    tool = os.path.join(os.path.abspath(sys.argv[1]), "analyzer/thag_profile")
    text = subprocess.run([tool, "stats", "--format", "csv", recording], check=True,
                          capture_output=True, text=True).stdout
    rows = {row["function"]: row for row in csv.DictReader(text.splitlines())}
    for function, row in rows.items():
        least, average, most = (int(row[key + "_ns"]) for key in ("min", "average", "max"))
        if function != "falls" and not least - 100 <= average <= most + 100: # ns of roundings
            yield "%s: %d, %d, %d are no minimum, average, maximum" % (function, least, average,
                                                                      most)
        if int(row["self_ns"]) > int(row["self_at_most_ns"]):
            yield "%s: the own time is above what it is at most" % function
    if abs(int(rows["long_busy"]["max_ns"]) - known["long_busy"]) > known["long_busy"] / 20:
        yield "long_busy: the longest call is %s ns" % rows["long_busy"]["max_ns"]
    if int(rows["busy"]["calls"]) != 2 or int(rows["busy"]["min_ns"]) < 30e6 * .95:
        yield "busy: %s" % rows["busy"]


CHECKS = {"stops": check_stops, "known_times": check_known_times,
          "heap": check_heap, "sums": check_sums, "wide": check_wide, "spans": check_spans,
          "deep": check_deep, "deep_marks": check_deep_marks, "forks": check_forks, "trapped": check_trapped}


def main():
    library = os.path.join(os.path.abspath(sys.argv[1]), "preload/libthagpreload.so")
    chosen = sys.argv[2:]
    for name in chosen:
        if not os.path.exists(os.path.join(SAMPLES, name)):
            sys.exit("no sample is called " + name)
    with tempfile.TemporaryDirectory() as directory:
        for path in sorted(glob.glob(SAMPLES + "/*.c") + glob.glob(SAMPLES + "/*.cc")):
            sample = Sample(path)
            if chosen and sample.name not in chosen:
                continue
            for compiler, level in sample.builds():
                name = "%s, %s %s" % (sample.name, compiler, level)
                if sample.words.get("check") == "trapped" and level not in ("-O0", "-O2"):
                    continue
                program = build(sample, compiler, level, directory)
                if not os.path.exists(program):
                    missing = "coroutine" in program or "No such file" in program or \
                        "file not found" in program
                    say(missing, name, "skipped: does not build: " + program)
                    continue
                result, recordings = run(library, program, directory,
                                         stack=sample.words.get("stack"),
                                         kind=sample.words.get("kind", "time"))
                if result.returncode != 0:
                    say(False, name, "exit status %d %s" % (result.returncode, result.stderr))
                elif len(recordings) != int(sample.words.get("recordings", 1)):
                    say(False, name, "%d recordings" % len(recordings))
                elif "check" in sample.words:
                    CHECKS[sample.words["check"]](name, recordings,
                                                  (library, program, directory, result))
                else:
                    check_expected(sample, name, recordings)
    print("%d failed" % len(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
