"""Damaged debug data of every kind for the resolver: debug_data.py BUILD [ROUNDS [SEED]].

The zoo builds the programs; fuzz-debug-data damages them. What a tool is missing for is left out.
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "zoo"))

import zoo  # pylint: disable=wrong-import-position


def plain():
    return [zoo.built("-g").path]


def old():
    return [zoo.built("-gdwarf-3", "-fdebug-types-section").path]


def of_clang():
    return [zoo.built("-gdwarf-4", compiler="clang").path]


def packed():
    return [zoo.packed("zlib").path]


def packed_again():
    return [zoo.packed("zstd").path]


def split():
    animal, names = zoo.split()
    return [animal.path, *(animal.file(name) for name in names)]


def package():
    animal, names = zoo.split(compiler="clang")
    zoo.package(animal, names, "llvm-dwp")
    return [animal.path, animal.path + ".dwp"]


def old_package():
    animal, names = zoo.split("-gdwarf-4")
    zoo.package(animal, names, "dwp")
    return [animal.path, animal.path + ".dwp"]


def shared():
    animal = zoo.shared("common.debug", "common.debug")
    return [animal.path, animal.file("common.debug")]


def stripped():
    animal = zoo.built("-g", "-rdynamic").copy()
    return [animal.path, animal.strip_to("animals.debug")]


def packed_symbols():
    zoo.need("xz")
    animal = zoo.built("-g").copy()
    animal.sh("objcopy", "--strip-debug", zoo.PROGRAM, "mini")
    animal.sh("xz", "mini")
    animal.sh("strip", zoo.PROGRAM)
    animal.sh("objcopy", "--add-section", ".gnu_debugdata=mini.xz", zoo.PROGRAM)
    return [animal.path]


def folders_make(scratch):
    """A folder of each kind, with what belongs together and nothing else."""
    made = []
    for kind in (plain, old, of_clang, packed, packed_again, split, package, old_package, shared,
                 stripped, packed_symbols):
        try:
            files = kind()
        except zoo.Skip as reason:
            print(f"without {kind.__name__}: {reason}")
            continue
        folder = os.path.join(scratch, kind.__name__)
        os.mkdir(folder)
        for file in files:
            shutil.move(file, folder) if file.endswith(".dwo") else shutil.copy(file, folder)
        made.append(folder)
    return made


def main():
    rounds, seed = (sys.argv[2:] + ["1000", "1"][len(sys.argv[2:]):])[:2]
    with tempfile.TemporaryDirectory(prefix="thag-fuzz-") as scratch:
        zoo.scratch_set(scratch)
        program = os.path.join(sys.argv[1], "test", "fuzz", "fuzz-debug-data")
        done = subprocess.run([program, rounds, seed, *folders_make(scratch)], check=False)
    sys.exit(done.returncode != 0)


main()
