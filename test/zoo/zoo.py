"""One program in every way that debug data comes in: the resolver says the same of each.

The program itself prints what is right: the addresses of calls in it, and the functions, files and
lines that belong to them. Where addr2line and llvm-symbolizer are known to be right they are asked
too, so that the program is not believed alone.
"""

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(BUILD, "test", "support", "name_addresses")
PROGRAM = "animals"
LIMIT_S = 600  # of a command that takes a second or two
os.environ["CCACHE_DISABLE"] = "1"  # it may be set to ignore the folder, where .dwo files are
EXPORTED = re.compile(r"outer_function|has_a_cold_part|shop::Till::.*")
_variants = []
_scratch = None


class Skip(Exception):
    pass


def variant(function):
    _variants.append(function)
    return function


def need(tool):
    if shutil.which(tool) is None:
        raise Skip(f"{tool} is missing")
    return tool


def sh(*words, cwd, **options):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False,
                          timeout=LIMIT_S, **options)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
    return done.stdout


class Animal:
    """A built program, its folder, and what it says of itself."""

    def __init__(self, folder):
        self.folder = folder
        self.path = os.path.join(folder, PROGRAM)

    @functools.cached_property
    def places(self):
        """[(kind, address, [frames])], a frame being a list of texts that are all right."""
        found = []
        for line in sh(self.path, cwd=self.folder).splitlines():
            kind, address, *frames = line.split("\t")
            found.append((kind, address, [alternatives(frame) for frame in frames]))
        assert len(found) == 10, found
        return found

    @functools.cached_property
    def build_id(self):
        return re.search(r"Build ID: (\w+)", sh("readelf", "-n", self.path, cwd="/")).group(1)

    def copy(self):
        """The same program in a folder of its own, without the files beside it."""
        other = Animal(fresh())
        shutil.copy(self.path, other.path)
        other.__dict__["places"] = self.places
        return other

    def file(self, *parts):
        path = os.path.join(self.folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def sh(self, *words):
        return sh(*words, cwd=self.folder)

    def strip_to(self, *parts, link=True):
        """Take the debug data out, into a file of that name, with a link to it or without."""
        debug = self.file(*parts)
        self.sh("objcopy", "--only-keep-debug", PROGRAM, debug)
        self.sh("strip", PROGRAM)
        if link:
            self.sh("objcopy", f"--add-gnu-debuglink={debug}", PROGRAM)
        return debug

    def forget_build_id(self):
        self.sh("objcopy", "--remove-section=.note.gnu.build-id", PROGRAM)
        return self


def alternatives(frame):
    names, _, line = frame.rpartition(" (")
    return [f"{name} ({line}" for name in names.split("|")]


def fresh():
    return tempfile.mkdtemp(dir=_scratch)


@functools.lru_cache(maxsize=None)
def built(*flags, compiler="gcc", link=()):
    """The program, compiled in its own folder; not to be changed, but for copy()."""
    need(compiler)
    cxx = {"gcc": "g++", "clang": "clang++"}[compiler]
    need(cxx)
    animal = Animal(fresh())
    for name in ("animals.c", "animals.cc", "animals.h"):
        shutil.copy(os.path.join(HERE, name), animal.folder)
    if not any(flag.startswith("-O") for flag in flags):
        flags = ("-O2", *flags)
    animal.sh(compiler, "-c", *flags, "animals.c", "-o", "c.o")
    animal.sh(cxx, "-c", *flags, "animals.cc", "-o", "cc.o")
    animal.sh(cxx, *flags, "c.o", "cc.o", "-o", PROGRAM, "-Wl,--build-id=sha1", *link)
    return animal


def asked(animal, *options):
    """What the resolver says, a list of frames per place; and the last line of its own report."""
    addresses = "".join(address + "\n" for _, address, _ in animal.places)
    done = subprocess.run([TOOL, "-s", *options, animal.path], input=addresses, text=True,
                          capture_output=True, check=False, timeout=LIMIT_S)
    assert done.returncode == 0, done.stderr
    return [line.split(";") for line in done.stdout.splitlines()], done.stderr


def agree(wanted, said, who):
    assert len(wanted) == len(said), f"{who} said {said}"
    for (_, address, frames), have in zip(wanted, said):
        assert len(frames) == len(have) and all(h in f for f, h in zip(frames, have)), \
            f"{who} said of {address}: {have}; right is {frames}"


def whole(animal, *options, reader="libdw"):
    """All is right, and READER has read it; what libdw can read the own reader says likewise."""
    said, report = asked(animal, *options)
    agree(animal.places, said, "the resolver")
    assert report.startswith(f"debug; by {reader};"), report
    if reader == "libdw":
        said, report = asked(animal, "-o", *options)
        agree(animal.places, said, "the own reader")
        assert report.startswith("debug; by own reader;"), report


def name_of(frame):
    return frame.rpartition(" (")[0]


def functions_only(animal, *options):
    """The function that holds the code is right, and nothing else is told."""
    wanted = [(kind, address, [[name_of(frames[0][0])]]) for kind, address, frames in animal.places]
    said, _ = asked(animal, *options)
    agree(wanted, said, "the resolver")


def offset_of(address):
    return f"{PROGRAM}+{address}"


def offsets_only(animal, *options):
    """Nothing is known, and nothing is guessed."""
    wanted = [(kind, address, [[offset_of(address)]]) for kind, address, _ in animal.places]
    said, _ = asked(animal, *options)
    agree(wanted, said, "the resolver")


def exports_only(animal, *options):
    """Exported functions have names. Their cold parts lie outside of the exported symbols."""
    wanted = []
    for kind, address, frames in animal.places:
        name = name_of(frames[0][0])
        known = EXPORTED.fullmatch(name) and kind != "rare"
        wanted.append((kind, address, [[name if known else offset_of(address)]]))
    said, report = asked(animal, *options)
    agree(wanted, said, "the resolver")
    assert report.startswith("exports;"), report


def peer_frames(text):
    """The answers of addr2line or llvm-symbolizer, in our form: outermost first."""
    answers = []
    for block in re.split(r"(?m)^0x[0-9a-f]+\n", text)[1:]:
        lines = [line for line in block.splitlines() if line]
        frames = []
        for name, place in zip(lines[0::2], lines[1::2]):
            place = re.sub(r" \(discriminator \d+\)", "", place).split("/")[-1]
            frames.append(f"{name} ({':'.join(place.split(':')[:2])})")
        answers.append(frames[::-1])
    return answers


def without_scopes(frame):
    """What has no mangled name others call by the last part of its name."""
    short = {re.sub(r"(\(anonymous namespace\)|\w+|\{\w+\})::", "", text) for text in frame}
    return frame + sorted(short)


def peers_agree(animal):
    """The program is right about itself, say others, where they are right."""
    for tool in ("addr2line", "llvm-symbolizer"):
        if shutil.which(tool) is None:
            print(f"# {tool} is missing: not asked")
            continue
        places = animal.places
        if tool == "addr2line":
            # It calls what has no mangled name like the function around it.
            places = [place for place in places if all(len(frame) == 1 for frame in place[2])]
        wanted = [(kind, address, [without_scopes(frame) for frame in frames])
                  for kind, address, frames in places]
        addresses = [address for _, address, _ in places]
        text = animal.sh(tool, "-a", "-f", "-i", "-C", "-e", PROGRAM, *addresses)
        text = re.sub(r"(?m)^0x0+", "0x", text)
        # Parts are folded on their functions by us, not by them.
        text = re.sub(r" \[clone \.cold\]| \(\.cold\)|\.cold\b", "", text)
        agree(wanted, peer_frames(text), tool)


# The compiler's own ways.

@variant
def as_gcc_has_it():
    animal = built("-g")
    whole(animal)
    peers_agree(animal)


@variant
def as_clang_has_it():
    animal = built("-g", compiler="clang")
    whole(animal)
    peers_agree(animal)


@variant
def dwarf_2():
    whole(built("-gdwarf-2"))


@variant
def dwarf_3():
    whole(built("-gdwarf-3"))


@variant
def dwarf_4():
    animal = built("-gdwarf-4")
    whole(animal)
    peers_agree(animal)


@variant
def dwarf_4_of_clang():
    whole(built("-gdwarf-4", compiler="clang"))


@variant
def dwarf_of_64_bits():
    whole(built("-g", "-gdwarf64"))


@variant
def types_apart():
    whole(built("-g", "-fdebug-types-section"))


@variant
def not_optimized():
    whole(built("-g", "-O0"))


@variant
def optimized_most():
    whole(built("-g", "-O3"))


@variant
def link_time_optimization():
    whole(built("-g", "-flto"))


@variant
def fixed_addresses():
    whole(built("-g", "-fno-pie", "-no-pie"))


@variant
def dropped_sections():
    animal = built("-g", "-ffunction-sections", link=("-Wl,--gc-sections",))
    assert "is_dropped" not in sh("nm", animal.path, cwd="/")
    whole(animal)


@variant
def dropped_sections_by_lld():
    need("ld.lld")
    whole(built("-g", "-ffunction-sections", link=("-fuse-ld=lld", "-Wl,--gc-sections")))


@variant
def dropped_sections_by_gold():
    need("ld.gold")
    whole(built("-g", "-ffunction-sections", link=("-fuse-ld=gold", "-Wl,--gc-sections")))


@variant
def gcc_and_clang_in_one_program():
    clang, animal = built("-g", compiler="clang"), Animal(fresh())
    animal.sh("g++", os.path.join(built("-g").folder, "c.o"), os.path.join(clang.folder, "cc.o"),
              "-o", PROGRAM)
    whole(animal)


@variant
def no_index_of_addresses():
    animal = built("-g").copy()
    animal.sh("objcopy", "-R", ".debug_aranges", PROGRAM)
    whole(animal)


# Packed sections.

@variant
def packed_by_the_compiler():
    whole(built("-g", "-gz=zlib"))


def packed(kind):
    animal = built("-g").copy()
    words = ("objcopy", f"--compress-debug-sections={kind}", PROGRAM)
    if subprocess.run(words, cwd=animal.folder, capture_output=True, check=False).returncode != 0:
        raise Skip(f"objcopy cannot pack with {kind}")
    return animal


@variant
def packed_as_of_old():
    animal = packed("zlib-gnu")
    assert ".zdebug_info" in sh("readelf", "-SW", animal.path, cwd="/")
    whole(animal)


@variant
def packed_by_zstandard():
    animal = packed("zstd")
    assert "ZSTD" in sh("readelf", "-tW", animal.path, cwd="/")
    whole(animal, reader="own reader")


@variant
def packed_in_an_unknown_way():
    animal = packed("zlib")
    with open(animal.path, "r+b") as file:
        content = file.read()
        for line in sh("readelf", "-SW", animal.path, cwd="/").splitlines():
            found = re.search(r"\.debug_info\s+PROGBITS\s+\w+\s+(\w+)", line)
            if found:
                at = int(found.group(1), 16)
                assert content[at:at + 4] == b"\1\0\0\0"
                file.seek(at)
                file.write(b"\x63")
    functions_only(animal)


# Split debug data.

def without_dwo(animal):
    """The program in a folder that has no .dwo files, nor has the folder that it names."""
    return animal.copy()


def split(*flags, compiler="gcc"):
    """A freshly built program and the names of its .dwo files, in its folder."""
    built.cache_clear()
    animal = built("-g", "-gsplit-dwarf", *flags, compiler=compiler)
    names = sorted(name for name in os.listdir(animal.folder) if name.endswith(".dwo"))
    assert len(names) == 2, names
    return animal, names


@variant
def split_dwarf_5():
    whole(split()[0])


@variant
def split_dwarf_4():
    whole(split("-gdwarf-4")[0])


@variant
def split_dwarf_of_clang():
    whole(split(compiler="clang")[0])


@variant
def split_dwarf_4_of_clang():
    whole(split("-gdwarf-4", compiler="clang")[0])


@variant
def split_files_beside_the_program_that_was_moved():
    animal, names = split()
    moved = animal.copy()
    for name in names:
        shutil.move(animal.file(name), moved.folder)
    whole(moved, reader="own reader")


@variant
def split_files_in_a_debug_dir():
    animal, names = split()
    directory = fresh()
    for name in names:
        shutil.move(animal.file(name), directory)
    whole(animal, "-d", directory, reader="own reader")


@variant
def split_files_below_a_sysroot():
    animal, names = split()
    root = fresh()
    place = root + animal.folder
    os.makedirs(place)
    for name in [*names, PROGRAM]:
        shutil.move(animal.file(name), place)
    animal.__dict__["places"] = Animal(place).places
    whole(animal, "-r", root, reader="own reader")


@variant
def split_files_that_are_gone():
    animal, names = split()
    for name in names:
        os.remove(animal.file(name))
    said, _ = asked(animal)
    for have, (_, _, frames) in zip(said, animal.places):
        assert len(have) == 1 and name_of(have[0]) == name_of(frames[0][0]), have
        assert have[0].endswith(frames[-1][0].rpartition(" (")[2]), f"line of {have}"


@variant
def split_files_of_another_build():
    animal, names = split()
    other, _ = split("-DOTHER=1", "-O0")
    for name in names:
        shutil.copy(other.file(name), animal.file(name))
    said, _ = asked(animal)
    assert all(len(have) == 1 for have in said), said


def package(animal, names, maker):
    need(maker)
    animal.sh(maker, *(["-o", PROGRAM + ".dwp"] if maker == "dwp" else []), *names,
              *([] if maker == "dwp" else ["-o", PROGRAM + ".dwp"]))
    for name in names:
        os.remove(animal.file(name))


@variant
def package_of_split_dwarf_5():
    animal, names = split(compiler="clang")
    package(animal, names, "llvm-dwp")
    whole(animal, reader="own reader")


# No package of gcc's split DWARF 5: llvm-dwp 14 does not end on it, dwp 2.40 crashes.

@variant
def package_of_split_dwarf_4_by_llvm():
    animal, names = split("-gdwarf-4")
    package(animal, names, "llvm-dwp")
    whole(animal, reader="own reader")


@variant
def package_of_split_dwarf_4():
    animal, names = split("-gdwarf-4")
    package(animal, names, "dwp")
    whole(animal, reader="own reader")


@variant
def package_in_a_debug_dir_for_a_stripped_program():
    animal, names = split(compiler="clang")
    package(animal, names, "llvm-dwp")
    directory = fresh()
    shutil.move(animal.file(PROGRAM + ".dwp"), directory)
    animal.sh("objcopy", "--only-keep-debug", PROGRAM, os.path.join(directory, "animals.debug"))
    animal.sh("strip", PROGRAM)
    whole(animal, "-d", directory, reader="own reader")


# Shared parts of several programs.

def dwz(*words):
    need("dwz")
    return ("dwz", *words)


@variant
def shared_within_one_file():
    animal = built("-g").copy()
    animal.sh(*dwz(PROGRAM))
    whole(animal)


@variant
def shared_within_one_file_of_dwarf_4():
    animal = built("-gdwarf-4").copy()
    animal.sh(*dwz(PROGRAM))
    whole(animal)


def shared(where, link):
    """Two programs that share a file of dwz at WHERE of their folder, known to them as LINK."""
    need("dwz")
    animal = built("-g").copy()
    os.makedirs(os.path.dirname(animal.file(where)), exist_ok=True)
    shutil.copy(built("-g", "-DOTHER=2", "-O3").path, animal.file("other"))
    animal.sh("dwz", "-m", where, "-M", link, PROGRAM, "other")
    assert ".gnu_debugaltlink" in sh("readelf", "-SW", animal.path, cwd="/")
    return animal


@variant
def shared_file_beside():
    whole(shared("common.debug", "common.debug"))


@variant
def shared_file_below_a_sysroot():
    animal = shared("root/usr/lib/debug/.dwz/common.debug", "/usr/lib/debug/.dwz/common.debug")
    root = animal.file("root")
    os.makedirs(root + animal.folder)
    shutil.move(animal.path, root + animal.path)
    whole(animal, "-r", root)


@variant
def shared_file_in_a_debug_dir():
    animal = shared("dbg/.dwz/common.debug", "/usr/lib/debug/.dwz/common.debug")
    whole(animal, "-d", animal.file("dbg"))


@variant
def shared_file_of_another_build():
    animal = shared("common.debug", "common.debug")
    other = shared("common.debug", "common.debug")
    id_of = re.search(r"Build ID: (\w+)", sh("readelf", "-n", other.file("common.debug"), cwd="/"))
    with open(other.file("common.debug"), "rb") as file:
        content = bytearray(file.read())
    at = content.find(bytes.fromhex(id_of.group(1)))
    content[at] ^= 1
    with open(animal.file("common.debug"), "wb") as file:
        file.write(content)
    said, _ = asked(animal)
    for have, (_, _, frames) in zip(said, animal.places):
        assert name_of(have[0]) == name_of(frames[0][0]), have


# Debug files.

@variant
def debug_file_beside_by_link():
    animal = built("-g").copy().forget_build_id()
    animal.strip_to("animals.debug")
    whole(animal)


@variant
def debug_file_below_dot_debug():
    animal = built("-g").copy().forget_build_id()
    animal.strip_to(".debug", "animals.debug")
    whole(animal)


@variant
def debug_file_by_link_below_a_sysroot():
    animal = built("-g").copy().forget_build_id()
    root = animal.file("root")
    animal.strip_to(f"root/usr/lib/debug{animal.folder}/animals.debug")
    os.makedirs(root + animal.folder)
    shutil.move(animal.path, root + animal.path)
    whole(animal, "-r", root)


def by_build_id(animal, directory):
    identity = animal.build_id
    return animal.strip_to(directory, ".build-id", identity[:2], identity[2:] + ".debug",
                           link=False)


@variant
def debug_file_by_build_id_in_a_debug_dir():
    animal = built("-g").copy()
    by_build_id(animal, "dbg")
    whole(animal, "-d", animal.file("dbg"))


@variant
def debug_file_by_build_id_below_a_sysroot():
    animal = built("-g").copy()
    root = animal.file("root")
    by_build_id(animal, "root/usr/lib/debug")
    os.makedirs(root + animal.folder)
    shutil.move(animal.path, root + animal.path)
    whole(animal, "-r", root)


@variant
def debug_file_alone_is_left():
    animal = built("-g").copy()
    identity = animal.build_id
    by_build_id(animal, "dbg")
    os.remove(animal.path)
    whole(animal, "-d", animal.file("dbg"), "-b", identity)


@variant
def debug_file_that_is_packed():
    animal = built("-g").copy()
    debug = by_build_id(animal, "dbg")
    animal.sh("objcopy", "--compress-debug-sections=zlib", debug)
    whole(animal, "-d", animal.file("dbg"))


@variant
def debug_file_with_a_shared_file():
    animal = shared("dbg/.dwz/common.debug", "../../.dwz/common.debug")
    by_build_id(animal, "dbg")
    whole(animal, "-d", animal.file("dbg"))


@variant
def debug_file_with_a_wrong_crc():
    animal = built("-g").copy().forget_build_id()
    with open(animal.strip_to("animals.debug"), "ab") as file:
        file.write(b"x")
    offsets_only(animal)


@variant
def debug_file_of_another_build():
    animal = built("-g").copy()
    by_build_id(animal, "dbg")
    other = built("-g", "-O0").copy()
    identity = animal.build_id
    other.sh("objcopy", "--only-keep-debug", PROGRAM,
             animal.file("dbg", ".build-id", identity[:2], identity[2:] + ".debug"))
    offsets_only(animal, "-d", animal.file("dbg"))


@variant
def program_of_another_build():
    animal = built("-g")
    said, report = asked(animal, "-b", built("-g", "-O0").build_id)
    assert report.startswith("other build;"), report
    assert said == [[offset_of(address)] for _, address, _ in animal.places], said


# What is left of stripped programs.

@variant
def symbols_without_debug_data():
    animal = built("-g").copy()
    animal.sh("strip", "-g", PROGRAM)
    functions_only(animal)


@variant
def stripped():
    animal = built("-g").copy()
    animal.sh("strip", PROGRAM)
    offsets_only(animal)


@variant
def stripped_with_exported_functions():
    animal = built("-g", "-rdynamic").copy()
    animal.sh("strip", PROGRAM)
    exports_only(animal)


@variant
def stripped_with_packed_symbols():
    need("xz")
    animal = built("-g").copy()
    animal.sh("objcopy", "--strip-debug", PROGRAM, "mini")
    animal.sh("xz", "mini")
    animal.sh("strip", PROGRAM)
    animal.sh("objcopy", "--add-section", ".gnu_debugdata=mini.xz", PROGRAM)
    functions_only(animal)


def inlined_by_short_name(animal):
    """Debug data without types has the plain name of what was inlined, and no scopes."""
    wanted = []
    for kind, address, frames in animal.places:
        short = [[re.sub(r"^.*?([\w$]+(<[^>]*>|\(\))?)(\([^()]*\))?( const)? \(", r"\1 (", text)
                  for text in frame] + frame for frame in frames[1:]]
        wanted.append((kind, address, [frames[0], *short]))
    said, _ = asked(animal)
    agree(wanted, said, "the resolver")


@variant
def lines_without_types():
    inlined_by_short_name(built("-g1"))


@variant
def lines_without_types_of_clang():
    inlined_by_short_name(built("-gline-tables-only", compiler="clang"))


def run(function):
    begun = time.monotonic()
    try:
        function()
    except Skip as reason:
        return f" # SKIP {reason}", True
    except (AssertionError, subprocess.TimeoutExpired) as error:
        print("#", str(error).replace("\n", "\n# "))
        return "", False
    return f" # {time.monotonic() - begun:.1f} s", True


def scratch_set(folder):
    """Where everything is built; its owner removes it."""
    global _scratch
    _scratch = folder


def main():
    wanted = sys.argv[2:]
    chosen = [f for f in _variants if not wanted or any(word in f.__name__ for word in wanted)]
    print(f"1..{len(chosen)}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="thag-zoo-") as folder:
        scratch_set(folder)
        for number, function in enumerate(chosen, 1):
            note, good = run(function)
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} {function.__name__.replace('_', '-')}"
                  f"{note}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
