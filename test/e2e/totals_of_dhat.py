"""Totals and peak of the ledger programs, beside those of valgrind's dhat, to the unit."""

import os
import shutil
import subprocess
import sys

import run
from run import Skip, case, check

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "verify_against_dhat")
PROGRAMS = ["alignment", "containers", "failures", "family", "fixed_blocks", "map_entries",
            "reallocs", "short_strings", "temporaries", "tree", "zero_sizes"]


def compare(name):
    if not shutil.which("valgrind"):
        raise Skip("valgrind is not installed")
    done = subprocess.run([TOOL, "--library", run.PRELOAD, "--dump", run.DUMP, "--",
                           os.path.join(run.SAMPLES, "ledger-" + name)],
                          capture_output=True, text=True)
    print("\n".join("# " + line for line in done.stdout.splitlines()), file=sys.stderr)
    check(done.returncode == 0, name, "differs:\n", done.stdout, done.stderr)


for program in PROGRAMS:
    def one(name=program):
        compare(name)
    one.__name__ = program + "_as_dhat_counts_it"
    case(one)

run.main()
