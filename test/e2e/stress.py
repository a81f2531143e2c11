"""All at once: threads that allocate, exchange blocks, fork, load, unload and end, under signals.

The recording equals the program's own ledger. THAG_SOAK_SECONDS makes it long.
"""

import os
import tempfile

import run
from run import case, check, equal

SECONDS = os.environ.get("THAG_SOAK_SECONDS", "2")
# Each plug-in that is loaded again brings its stacks anew.
SIZE = "256M" if int(SECONDS) <= 10 else "4G"


def stress(profiler, seed):
    run.LIMIT_S = 600 + 3 * int(SECONDS)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        outcome = run.preloaded([run.sample("stress"), SECONDS, str(seed), run.SAMPLES],
                                profiler, cwd=place)
        outcome.directory = place
        equal((outcome.status, outcome.err), (0, ""), "end")
        words = outcome.out.split()
        equal(words[1::2], ["allocations,", "bytes,", "frees"], "output: " + outcome.out)
        allocations, size, frees = (int(word) for word in words[0::2])
        own = outcome.own()
        equal(own["main.allocations"], allocations, "allocations")
        equal(own["main.bytes"], size, "bytes")
        equal(own["main.frees"], frees, "frees")
        equal(own["events_lost"] + own["stacks_unknown"] + own["unknown_frees"], 0, "losses")
        equal(own["live"], own["live_bytes"], "live bytes, summed and at hand")
        # What threads hold back is in their stacks' values, not yet in the total, or the reverse.
        bound = own["max_threads"] * (2 * own["pending_bound_bytes"] + own["max_bytes"])
        check(abs(own["at_peak"] - own["peak_bytes"]) <= bound, "the peak's stacks sum to",
              own["at_peak"], "beside a peak of", own["peak_bytes"], "with a bound of", bound)
        for name in ("libplugin_a.so", "libplugin_b.so"):
            equal(sum(m["live"] for m in own.modules(name)), 0, name + ": bytes left behind")
        children = [r for r in outcome.recordings() if r["pid"] != outcome.pid]
        equal(len(children), own["children"], "recordings of children")
        check(all(r["end_reason"] == "_exit" for r in children), "ends of children")


@case
def everything_at_once_equals_the_programs_ledger():
    for seed in (1, 2):
        stress("memory,,,,resolve=no,max_size=" + SIZE, seed)


run.main()
