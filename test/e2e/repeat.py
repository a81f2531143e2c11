"""Runs a test again and again: what depends on luck shows.

Usage: repeat.py TIMES SCRIPT ARGUMENTS...

One TAP line a round, with what failed in it and why. A round that fails does not end the loop.
"""
import subprocess
import sys


def main():
    times = int(sys.argv[1])
    failed = 0
    print("1..%d" % times)
    for number in range(1, times + 1):
        result = subprocess.run([sys.executable, *sys.argv[2:]], capture_output=True, text=True,
                                errors="replace", check=False)
        lines = [line for line in result.stdout.splitlines() if line.startswith(("not ok", "#"))]
        bad = result.returncode != 0 or any(line.startswith("not ok") for line in lines)
        failed += bad
        print("%s %d - round %d" % ("not ok" if bad else "ok", number, number))
        for line in lines + result.stderr.splitlines()[-5:] if bad else []:
            print("#", line.removeprefix("# "))
        sys.stdout.flush()
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
