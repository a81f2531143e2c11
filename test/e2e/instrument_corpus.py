"""The laws of thag_instrument and thag_uninstrument on all the C and C++ that is at hand."""
import glob
import os
import subprocess
import tempfile

import run

TOOL = os.path.join(run.BUILD, "test", "support", "instrument_corpus")


def laws_hold(*folders, limit_s=12000):
    done = subprocess.run([TOOL, *folders], capture_output=True, text=True, errors="replace",
                          timeout=limit_s)
    print("#", done.stdout.strip().splitlines()[-1])
    run.check(done.returncode == 0, done.stdout, done.stderr)


@run.case
def headers_of_the_system():
    laws_hold("/usr/include", limit_s=1500)


@run.case
def every_source_package():
    found = [folder for folder in ("/usr/src/googletest", "/usr/lib/gcc", "/usr/lib/llvm-14")
             if os.path.isdir(folder)]
    archives = glob.glob("/usr/src/linux-source-*.tar.xz") + \
        glob.glob("/usr/src/binutils/binutils-*.tar.xz")
    if not found and not archives:
        raise run.Skip("googletest, binutils-source and linux-source are not installed")
    if found:
        laws_hold(*found)
    for archive in archives:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["tar", "-xf", archive, "-C", folder], check=True)
            laws_hold(folder)


if __name__ == "__main__":
    run.main()
