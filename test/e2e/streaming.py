"""Streaming: the folded files of stream=SECONDS while the program runs."""

import glob
import json
import os
import re
import subprocess
import tempfile
import time

import run
from run import case, check, equal

SECONDS = 6
TOOL = os.path.join(run.BUILD, "analyzer", "thag_profile")
LINE = re.compile(rb"^[^\n]+ \d+$")


def own_places(path):
    """{place: bytes} of a folded file; fails if it is not whole."""
    with open(path, "rb") as file:
        text = file.read()
    check(text.endswith(b"\n"), path, "ends in the middle of a line")
    sums = {}
    for line in text.splitlines():
        check(LINE.match(line), path, "has a broken line:", line)
        stack, _, number = line.rpartition(b" ")
        leaf = stack.rpartition(b";")[2].decode()
        sums[leaf] = sums.get(leaf, 0) + int(number)
    return sums


def start(directory, options, seconds=SECONDS):
    environment = {"PATH": os.environ["PATH"], "LD_PRELOAD": run.PRELOAD,
                   "THAG_PROFILER": f"memory,{directory},,,{options}"}
    return subprocess.Popen([run.sample("streams"), str(seconds)], env=environment,
                            stdout=subprocess.PIPE, text=True)


def printed(process):
    return {name: int(number) for name, number in
            (pair.split("=") for pair in process.communicate(timeout=run.LIMIT_S)[0].split())}


def folded_file(directory):
    found = glob.glob(f"{directory}/*-memory.folded")
    return found[0] if found else None


def written(directory):
    path = folded_file(directory)
    return path is not None and own_places(path).get("first_place", 0) > 0


def followers(directory):
    """Processes that still hold a path of DIRECTORY in their arguments."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                arguments = file.read()
        except OSError:
            continue
        if b"--follow" in arguments and directory.encode() in arguments:
            found.append(int(entry))
    return found


def watch(directory, process):
    """Read the file as fast as can be while the program runs: (contents that differed, reads)."""
    seen, reads = [], 0
    while process.poll() is None:
        path = folded_file(directory)
        if path:
            sums = own_places(path)
            reads += 1
            if not seen or sums != seen[-1]:
                seen.append(sums)
        time.sleep(0.001)
    return seen, reads


@case
def files_grow_and_are_whole_at_every_moment():
    with tempfile.TemporaryDirectory() as directory:
        process = start(directory, "stream=1", 3 * SECONDS)
        seen, reads = watch(directory, process)
        wanted = printed(process)
        equal(process.returncode, 0, "exit status, 1 if a child was seen")
        check(reads > 20, "only", reads, "reads")
        check(len(seen) >= 3, "the file changed only", len(seen), "times")
        for before, after in zip(seen, seen[1:]):
            for place, amount in before.items():
                check(after.get(place, 0) >= amount, place, "shrank")
        check("third_place" not in seen[0], "the first file knew what came later")
        final = own_places(folded_file(directory))
        for place, amount in wanted.items():
            equal(final.get(place), amount, place + " in the last file")


@case
def the_companion_ends_with_the_program():
    with tempfile.TemporaryDirectory() as directory:
        process = start(directory, "stream=1", 10 * SECONDS)
        deadline = time.monotonic() + run.LIMIT_S  # it comes up before the program's main()
        while not written(directory) and time.monotonic() < deadline:
            time.sleep(0.02)
        check(followers(directory), "no companion came up")
        process.kill()
        process.wait()
        deadline = time.monotonic() + run.LIMIT_S
        while followers(directory) and time.monotonic() < deadline:
            time.sleep(0.05)
        equal(followers(directory), [], "companions left after SIGKILL")
        check(written(directory), "nothing was written")


@case
def info_of_a_program_that_runs_counts_up_to_now():
    def told():
        info = [TOOL, "info", "--format", "json", *glob.glob(f"{directory}/*.thag")]
        done = subprocess.run(info, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return json.loads(done.stdout) if done.returncode == 0 else None

    with tempfile.TemporaryDirectory() as directory:
        environment = {"LD_PRELOAD": run.PRELOAD, "THAG_PROFILER":
                       f"memory,{directory},,,resolve=no"}
        with subprocess.Popen(["sleep", "600"], env=environment) as process:
            first = None
            while first is None or first["end"] != "running":
                first = told()  # not there yet, or not begun
            time.sleep(0.3)
            second = told()
            process.kill()
        equal(second["end"], "running", "end")
        passed = second["duration_ns"] - first["duration_ns"]
        check(passed >= 300_000_000, "only", passed, "ns have passed")
        last = told()
        equal(last["end"], "killed", "end")
        check(last["duration_ns"] < second["duration_ns"], "killed after", last["duration_ns"])


@case
def the_last_files_equal_those_without_streaming():
    names = []
    for options in ("stream=1", "resolve=yes"):
        with tempfile.TemporaryDirectory() as directory:
            process = start(directory, options)
            wanted = printed(process)
            with open(folded_file(directory), encoding="utf-8") as file:
                text = file.read()
            names.append([line.rpartition(" ")[0] for line in text.splitlines()])
            for place, amount in wanted.items():
                equal(own_places(folded_file(directory)).get(place), amount, place)
    equal(names[0], names[1], "stacks")


run.main()
