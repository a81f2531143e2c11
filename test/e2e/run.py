"""run.py -- programs as they are and under the preload, and what the recording says about them.

A test file imports this, marks its cases with @case, and ends with run.main(). It is started as
  FILE.py BUILD [NAME...]
and prints TAP. Each case gets a fresh directory, which is removed unless the case fails.

A case's name is situation and outcome. A case that cannot run here raises Skip with the reason.
"""

import bisect
import functools
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback

BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "."
PRELOAD = os.path.join(BUILD, "preload", "libthagpreload.so")
COUNTER = os.path.join(BUILD, "test", "support", "libcount_heap.so")
DUMP = os.path.join(BUILD, "test", "support", "recording_dump")
SAMPLES = os.path.join(BUILD, "test", "samples")
ALONE = "memory,,,,resolve=no"
LIMIT_S = 600

_cases = []


class Skip(Exception):
    """The case cannot run on this machine."""


def case(function):
    _cases.append(function)
    return function


def sample(name):
    return os.path.join(SAMPLES, name)


def check(truth, *what):
    if not truth:
        raise AssertionError(" ".join(str(part) for part in what))


def equal(got, wanted, what):
    check(got == wanted, what + ":", "got", repr(got), "instead of", repr(wanted))


class Recording(dict):
    """The key=value lines of recording_dump; numbers where they are numbers."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        done = subprocess.run([DUMP, path, "--stacks"], capture_output=True, text=True,
                              errors="replace")
        check(done.returncode == 0, path, "does not hold together:", done.stderr)
        self.stacks = []  # (allocations, bytes, frees, live, flags, [frame...]), leaf first
        for line in done.stdout.splitlines():
            key, _, value = line.partition("=")
            if key == "stack":
                numbers = value.split(" ", 5)
                self.stacks.append(tuple(map(int, numbers[:5])) + (numbers[5].split(";"),))
            else:
                self[key] = int(value) if value.lstrip("-").isdigit() else value

    def modules(self, name):
        """The sums of each module whose path ends in NAME, in the order of appearance."""
        found = []
        for number in range(self["module_count"]):
            if str(self.get(f"module.{number}.path", "")).endswith(name):
                prefix = f"module.{number}."
                found.append({key[len(prefix):]: value for key, value in self.items()
                              if key.startswith(prefix)})
        return found

    def sites(self, binary):
        """{function of BINARY: [allocations, bytes, frees, live]}, by the innermost frame in it."""
        names = Symbols(binary)
        base = os.path.basename(binary)
        sums = {}
        for numbers in self.stacks:
            for frame in numbers[5]:
                module, _, offset = frame.rpartition("+0x")
                if module == base:
                    name = names.at(int(offset, 16))
                    old = sums.setdefault(name, [0, 0, 0, 0])
                    sums[name] = [a + b for a, b in zip(old, numbers[:4])]
                    break
        return sums


@functools.lru_cache(maxsize=None)
class Symbols:
    def __init__(self, binary):
        out = subprocess.run(["nm", "-n", "--defined-only", binary], capture_output=True,
                             text=True, check=True).stdout
        rows = [line.split() for line in out.splitlines()]
        rows = [(int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW"]
        self.starts = [row[0] for row in rows]
        self.names = [row[1] for row in rows]

    def at(self, address):
        place = bisect.bisect_right(self.starts, address) - 1
        return self.names[place] if place >= 0 else "?"


class Outcome:
    def __init__(self, status, out, err, directory, pid):
        self.status, self.out, self.err = status, out, err
        self.directory, self.pid = directory, pid

    def files(self, suffix=""):
        return sorted(name for name in os.listdir(self.directory) if name.endswith(suffix))

    def recordings(self):
        return [Recording(os.path.join(self.directory, name)) for name in self.files(".thag")]

    def recording(self):
        found = self.recordings()
        check(len(found) == 1, "there are", len(found), "recordings;", self.err)
        return found[0]

    def own(self):
        """The recording of the process that was started."""
        return self.of(self.pid)

    def of(self, pid):
        found = [recording for recording in self.recordings() if recording["pid"] == pid]
        check(len(found) == 1, "there are", len(found), "recordings of", pid, ";", self.err)
        return found[0]

    def counts(self, pid=None):
        """What the counting preload saw: (allocations, bytes, frees)."""
        path = os.path.join(self.directory, f"counts.{pid or self.pid}")
        with open(path, "rb") as file:
            return struct.unpack("<3Q", file.read(24))


class Scratch:
    """The directory of a case, with one for each run in it."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="thag-e2e-")
        os.chmod(self.path, 0o755)
        self.runs = 0

    def fresh(self):
        self.runs += 1
        path = os.path.join(self.path, str(self.runs))
        os.mkdir(path)
        return path


_scratch = None


def scratch():
    return _scratch.path


def environment(profiler=ALONE, extra=None, preload=(), clear=False):
    """The environment of a preloaded program. PROFILER None: the variable is not set."""
    result = {} if clear else {key: value for key, value in os.environ.items()
                               if not key.startswith(("THAG_", "LD_", "SIZE_TRACKING", "MALLOC_"))}
    result["LD_PRELOAD"] = ":".join(preload or [PRELOAD])
    if profiler is not None:
        result["THAG_PROFILER"] = profiler
    result.update(extra or {})
    return result


def start(command, env, directory, **options):
    return subprocess.Popen(command, env=env, cwd=options.pop("cwd", directory),
                            stdin=options.pop("stdin", subprocess.DEVNULL),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def finish(process, directory):
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        try:
            err = process.communicate(timeout=5)[1]
        except subprocess.TimeoutExpired: # a child of it still holds the pipes
            err = b"?"
        raise AssertionError(f"still running after {LIMIT_S} s; stderr: {err!r}") from None
    return Outcome(process.returncode, out.decode(errors="replace"),
                   err.decode(errors="replace"), directory, process.pid)


def away_from_tools():
    """A copy of the preload that finds no resolver beside it: what that would print or write is
    not the recorder's. Everybody may read it."""
    place = os.path.join(_scratch.path, "lib")
    os.makedirs(place, exist_ok=True)
    path = os.path.join(place, "libthagpreload.so")
    return path if os.path.exists(path) else shutil.copy(PRELOAD, path)


def stand_in(text, interpreter="/bin/sh"):
    """A script in the place of the tool that is started at the end of the process."""
    path = os.path.join(_scratch.fresh(), "resolver")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"#!{interpreter}\n{text}")
    os.chmod(path, 0o700)
    return path


def bare(command, extra=None, **options):
    directory = _scratch.fresh()
    env = {**environment(None, extra), "LD_PRELOAD": (extra or {}).get("LD_PRELOAD", "")}
    if not env["LD_PRELOAD"]:
        del env["LD_PRELOAD"]
    return finish(start(command, env, directory, **options), directory)


def preloaded(command, profiler=ALONE, extra=None, preload=(), counted=False, clear=False,
              **options):
    """Run COMMAND under the preload in a fresh directory."""
    directory = _scratch.fresh()
    extra = dict(extra or {})
    preload = list(preload or [PRELOAD if "resolve" in (profiler or "") else away_from_tools()])
    if counted:
        preload.append(COUNTER)
        extra["COUNT_HEAP_OUT"] = os.path.join(directory, "counts")
    env = environment(profiler, extra, preload, clear)
    return finish(start(command, env, directory, **options), directory)


def same(command, extra=None, cwd=None, **options):
    """Run COMMAND bare and under the preload: output and end must be the same."""
    common = {key: options[key] for key in ("preexec_fn", "umask", "user", "close_fds")
              if key in options}
    if cwd:
        common["cwd"] = options["cwd"] = cwd
    without = bare(command, extra, **common)
    under = preloaded(command, extra=extra, **options)
    equal(under.status, without.status, f"end of {command[0]} ({under.err!r})")
    equal(under.out, without.out, "output")
    equal(under.err, without.err, "standard error")
    return under


def exact(outcome, recording=None):
    """The recording agrees with the counting preload to the unit."""
    recording = recording or outcome.own()
    allocations, size, frees = outcome.counts(recording["pid"])
    equal(recording["events_lost"], 0, "lost events")
    equal(recording["allocations"], allocations, "allocations")
    equal(recording["bytes"], size, "bytes")
    equal(recording["frees"] + recording["unknown_frees"], frees, "frees")
    equal(recording["live"], recording["live_bytes"], "live bytes, summed and at hand")
    return recording


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def need(path, package):
    if not os.path.exists(path):
        raise Skip(f"{path} is missing (package {package})")
    return path


def _run(function):
    global _scratch
    _scratch = Scratch()
    begun = time.monotonic()
    try:
        function()
    except Skip as reason:
        shutil.rmtree(_scratch.path, ignore_errors=True)
        return f" # SKIP {reason}", True
    except Exception:  # pylint: disable=broad-except
        for line in traceback.format_exc().splitlines() + ["files: " + _scratch.path]:
            print("#", line)
        return "", False
    shutil.rmtree(_scratch.path, ignore_errors=True)
    return f" # {time.monotonic() - begun:.1f} s", True


def _unignore_signals():
    """Whoever runs the tests may do it under nohup, or behind a shell's ampersand."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def main():
    _unignore_signals()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    wanted = sys.argv[2:]
    chosen = [f for f in _cases if not wanted or any(word in f.__name__ for word in wanted)]
    print(f"1..{len(chosen)}")
    failed = 0
    for number, function in enumerate(chosen, 1):
        note, good = _run(function)
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} {function.__name__.replace('_', '-')}{note}",
              flush=True)
    sys.exit(1 if failed else 0)
