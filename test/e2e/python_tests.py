"""Python's own regression tests, bare and under the preload: the same tests run, fail and skip.

Usage: python_tests.py BUILD_DIRECTORY [--table] [MODULE...]

The tests are those of the python3 that is installed (Debian: libpython3.11-testsuite). A module
whose two runs differ is run again, bare and preloaded, twice: some of these tests depend on luck,
and what differs between two bare runs proves nothing. --table prints a row per module.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PYTHON = "/usr/bin/python3"
SECONDS_MAX = int(os.environ.get("THAG_TEST_SECONDS", 150)) # of one module: some wait for much longer
# What these modules test is the machine or its load, not the interpreter.
LEFT_OUT = {
    "test_gdb": "a debugger of its own",
    "test_tools": "the source tree of Python is not there",
    "test_ssl": "certificates of its day",
}


def modules():
    result = subprocess.run([PYTHON, "-m", "test", "--list-tests"], capture_output=True, text=True,
                            check=False)
    return result.stdout.split() if result.returncode == 0 else []


class Counts:
    """Of one run of one module."""

    def __init__(self, status, text):
        self.status = status
        self.run = sum(map(int, re.findall(r"^Ran (\d+) tests? in", text, re.M)))
        self.failed = self._sum("failures", text) + self._sum("errors", text)
        self.skipped = self._sum("skipped", text)

    @staticmethod
    def _sum(word, text):
        lines = re.findall(r"^(?:OK|FAILED) \((.*)\)$", text, re.M)
        return sum(int(n) for line in lines for n in re.findall(word + r"=(\d+)", line))

    def key(self):
        return (self.status, self.run, self.failed, self.skipped)

    def __str__(self):
        return "%d run, %d failed, %d skipped, status %s" % (self.run, self.failed, self.skipped,
                                                             self.status)


def run(module, library):
    """None: it took too long."""
    with tempfile.TemporaryDirectory() as directory:
        environment = dict(os.environ, TMPDIR=directory, PYTHONDONTWRITEBYTECODE="1")
        output = os.path.join(directory, "recordings")
        if library:
            environment.update(LD_PRELOAD=library, THAG_PROFILER="both,%s,,,resolve=no" % output)
        work = os.path.join(directory, "work")
        os.mkdir(work)
        process = subprocess.Popen([PYTHON, "-m", "test", "-v", module], cwd=work,
                                   env=environment, text=True, errors="replace",
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            text, _ = process.communicate(timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return None
        finally:
            shutil.rmtree(output, ignore_errors=True)
        return Counts(process.returncode, text)


def compare(module, library):
    """(passed, why, bare, preloaded)."""
    bare = run(module, None)
    if bare is None:
        return None, "skipped: takes more than %d s bare" % SECONDS_MAX, None, None
    seen_bare, seen_preloaded = {bare.key()}, set()
    for _ in range(3):
        preloaded = run(module, library)
        seen_preloaded.add(preloaded.key() if preloaded else None)
        if seen_bare & seen_preloaded:
            return True, "", bare, preloaded
        again = run(module, None)
        if again is not None:
            seen_bare.add(again.key())
    return False, "bare %s; preloaded %s" % (bare, preloaded or "took too long"), bare, preloaded


def main():
    arguments = sys.argv[1:]
    table = "--table" in arguments
    arguments = [word for word in arguments if word != "--table"]
    library = os.path.join(os.path.abspath(arguments[0]), "preload/libthagpreload.so")
    chosen = arguments[1:] or modules()
    if not chosen:
        print("1..0 # skipped: no regression tests; Debian: libpython3.11-testsuite")
        return 0
    if not table:
        print("1..%d" % len(chosen))
    failures = 0
    for number, module in enumerate(chosen, 1):
        if module in LEFT_OUT:
            passed, why, bare, preloaded = None, "skipped: " + LEFT_OUT[module], None, None
        else:
            passed, why, bare, preloaded = compare(module, library)
        failures += passed is False
        if table and bare:
            print("| %s | %d / %d / %d | %s | %s |" % (
                module, bare.run, bare.failed, bare.skipped,
                "%d / %d / %d" % (preloaded.run, preloaded.failed, preloaded.skipped)
                if preloaded else "too long", "same" if passed else why), flush=True)
        elif table:
            print("| %s | - | - | %s |" % (module, why), flush=True)
        elif passed is None:
            print("ok %d - %s # SKIP %s" % (number, module, why), flush=True)
        else:
            print("%s %d - %s%s" % ("ok" if passed else "not ok", number, module,
                                    ": " + why if why else ""), flush=True)
    return bool(failures) and not table


if __name__ == "__main__":
    sys.exit(main())
