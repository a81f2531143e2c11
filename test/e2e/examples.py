"""The programs of docs/examples: each builds without a warning, runs under the preload as it does
bare, and its recording shows what its comment says.

Usage: examples.py BUILD_DIRECTORY
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
EXAMPLES = os.path.join(TOP, "docs/examples")
HOOKS = ["-finstrument-functions"]
MARKS = ["-DTHAG_PROFILING", "-I" + os.path.join(TOP, "runtime/include")]
failures = []


def program(name, compiler, *options):
    """Build, run bare and profiled: the directory with the recording."""
    directory = tempfile.mkdtemp(dir=scratch)
    path = os.path.join(directory, name.split(".")[0])
    subprocess.run([compiler, "-O2", "-g", "-Wall", "-Wextra", "-Werror", *options,
                    os.path.join(EXAMPLES, name), "-o", path], check=True)
    bare = subprocess.run([path], check=True, capture_output=True, text=True).stdout
    seen = subprocess.run([path], check=True, capture_output=True, text=True, env=dict(
        os.environ, LD_PRELOAD=LIBRARY, THAG_PROFILER="both,%s" % directory)).stdout
    if bare != seen:
        raise AssertionError("it prints %r, not %r" % (seen, bare))
    return directory


def calls(directory):
    """{function: calls}"""
    recording, = glob.glob(directory + "/*.thag")
    text = subprocess.run([TOOL, "stats", "--value", "time", "--format", "csv", recording],
                          check=True, capture_output=True, text=True).stdout
    rows = re.findall(r'^"?(.*?)"?,\d+,\d+,(\d+),', text, re.M)
    return {name: int(number) for name, number in rows}


def wanted(found, expected):
    for name, number in expected.items():
        if found.get(name) != number:
            raise AssertionError("%s: %s calls, not %d" % (name, found.get(name), number))


def threaded():
    directory = program("threaded.c", "gcc", "-pthread", *HOOKS)
    found = calls(directory)
    wanted(found, {"main": 1, "work": 3, "take": 63, "keep": 60, "smallest_factor": 60})
    recording, = glob.glob(directory + "/*.thag")
    chart = directory + "/chart.html"
    subprocess.run([TOOL, "chart", "--no-open", "-o", chart, recording], check=True,
                   capture_output=True)
    with open(chart) as file:
        lanes = re.findall(r'"name":"(\w+)","tid":', file.read())
    if not 2 <= len(lanes) <= 4 or set(lanes) != {"threaded"}:
        raise AssertionError("lanes: %s" % lanes)


def coroutines():
    found = calls(program("coroutines.cc", "g++", "-std=c++20", *HOOKS))
    wanted(found, {"main": 1, "Numbers::next(long&)": 4001, "is_prime(long)": 17388})
    for body in ("async::squares(long)", "async::primes(long)"):
        if found.get(body, 0) < 2000: # and how often to begin and to end is the compiler's choice
            raise AssertionError("%s: %s calls" % (body, found.get(body)))


def sections():
    found = calls(program("sections.c", "gcc", *MARKS))
    wanted(found, {"prepare": 1, "simulate": 1, "smooth": 40, "report": 1})


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    LIBRARY = os.path.join(BUILD, "preload/libthagpreload.so")
    TOOL = os.path.join(BUILD, "analyzer/thag_profile")
    with tempfile.TemporaryDirectory() as scratch:
        for example in (threaded, coroutines, sections):
            try:
                example()
                print("ok - " + example.__name__)
            except (AssertionError, subprocess.CalledProcessError) as error:
                failures.append(example)
                print("not ok - %s: %s" % (example.__name__, error))
    print("%d failed" % len(failures))
    sys.exit(bool(failures))
