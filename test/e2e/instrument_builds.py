"""Real projects with all their functions marked: they build as before and run as before, and under
the preload each function has as many calls as it was called.

The truth comes from the same sources built with a header that counts by itself.
"""
import collections
import csv
import glob
import os
import re
import shutil
import subprocess

import run

TOOL = os.path.join(run.BUILD, "instrument", "thag_instrument")
BACK = os.path.join(run.BUILD, "instrument", "thag_uninstrument")
PROFILE = os.path.join(run.BUILD, "analyzer", "thag_profile")
TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
HEADER = os.path.join(TOP, "runtime/include")
COUNTING = os.path.join(TOP, "test/samples/marked")
LIMIT_S = 600


def command(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace",
                          timeout=LIMIT_S, **options)
    run.check(done.returncode == 0, *words, "\n" + done.stdout + done.stderr)
    return done


class Project:
    """Sources below FOLDER, copied to the current directory as plain/ and marked/."""

    def __init__(self, folder, sources, flags, libraries=()):
        self.sources, self.flags, self.libraries = sources, flags, list(libraries)
        for copy in ("plain", "marked"):
            shutil.copytree(folder, copy, symlinks=True)

    def mark(self, files):
        paths = [os.path.join("marked", file) for file in files]
        print("#", command(TOOL, "-i", *paths).stderr.strip())
        for path in paths:
            command(TOOL, "--check", path)
        back = [command(BACK, "-q", path).stdout for path in paths[:40]]
        for path, text in zip(files, back):
            with open(os.path.join("plain", path), errors="replace") as file:
                run.equal(text, file.read(), path)

    def compile(self, compiler, which, *flags, link=True):
        """Result: the program and the warnings, without their places."""
        warnings, objects = collections.Counter(), []
        for source in self.sources:
            target = os.path.abspath(f"{which}-{os.path.basename(source)}.o")
            goal = ["-c", source, "-o", target] if link else ["-fsyntax-only", source]
            done = command(compiler, *self.flags, *flags, *goal, cwd=which)
            warnings.update(re.findall(r"warning: .*", done.stderr))
            objects.append(target)
        program = os.path.abspath(f"{which}-program")
        if link:
            command(compiler, *objects, *self.extra, *self.libraries, "-o", program)
        return program, warnings

    extra = ()

    def try_compiler(self, compiler, wanted):
        on = ["-I", HEADER, "-DTHAG_PROFILING"]
        _, before = self.compile(compiler, "plain", "-I", HEADER, link=False)
        _, off = self.compile(compiler, "marked", "-I", HEADER, link=False)
        run.equal(off - before, collections.Counter(), compiler + ": new warnings, off")
        program, warnings = self.compile(compiler, "marked", *on)
        run.equal(warnings - before, collections.Counter(), compiler + ": new warnings, on")
        run.equal(self.output(program), wanted, compiler + ": output without the preload")
        run.equal(self.calls(program, wanted), self.truth, compiler + ": calls")

    def output(self, program, **environment):
        done = command(program, env=dict(os.environ, **environment))
        return re.sub(r"\(\d+ ms.*\)", "", done.stdout)

    def calls(self, program, wanted):
        folder = os.path.abspath("recorded")
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        said = self.output(program, LD_PRELOAD=run.PRELOAD, THAG_PROFILER="time," + folder)
        run.equal(said, wanted, "output under the preload")
        recording, = glob.glob(folder + "/*.thag")
        table = command(PROFILE, "stats", recording, "--value", "calls", "--format", "csv",
                        "--top", "0").stdout
        calls = collections.Counter()
        for row in csv.DictReader(table.splitlines()):
            calls[base_name(row["function"])] += int(row["calls"])
        return calls

    def count(self, compiler):
        """The true calls, and what the program prints."""
        program, _ = self.compile(compiler, "plain")
        wanted = self.output(program)
        command(compiler.replace("++", "cc").replace("clangcc", "clang"), "-x", "c", "-c",
                COUNTING + "/count_marks.c", "-o", "count_marks.o")
        self.extra = [os.path.abspath("count_marks.o")]
        program, _ = self.compile(compiler, "marked", "-I", COUNTING)
        self.extra = ()
        run.equal(self.output(program, COUNT_MARKS=os.path.abspath("truth")), wanted,
                  "output when counting")
        self.truth = collections.Counter()
        with open("truth") as file:
            for line in file:
                calls, name = line.rstrip("\n").split(" ", 1)
                self.truth[name] += int(calls)
        print("#", len(self.truth), "names,", sum(self.truth.values()), "calls")
        return wanted


def base_name(function):
    """The name that __func__ has in a function that is called so."""
    name = re.sub(r"\[abi:\w+\]|\(anonymous namespace\)(::)?| const$| \[clone.*", "", function)
    operator = re.search(r"\boperator\W*(\(\))?[^(]*", name)
    if operator:
        return re.sub(r" <.*>$", "", operator.group(0))  # of a template: "operator<< <long>"
    depth, kept = 0, ""
    for byte in name:
        depth += byte == "<"
        if depth == 0:
            if byte == "(":
                break
            kept += byte
        depth -= byte == ">"
    return kept.split()[-1].split("::")[-1] if kept.split() else function


def compilers(*names):
    found = [name for name in names if shutil.which(name)]
    run.check(found, "there is no compiler")
    return found


def prove(project, files, names):
    project.mark(files)
    found = compilers(*names)
    wanted = project.count(found[0])
    for compiler in found:
        project.try_compiler(compiler, wanted)


LIBIBERTY = ("cplus-dem cp-demangle d-demangle rust-demangle xmalloc xexit xstrdup xmemdup "
             "safe-ctype hashtab splay-tree md5 sha1 crc32 concat fibheap dyn-string argv").split()
CONFIGURED = ("STDC_HEADERS HAVE_STDLIB_H HAVE_STRING_H HAVE_LIMITS_H HAVE_UNISTD_H "
              "HAVE_SYS_TYPES_H HAVE_STDINT_H HAVE_INTTYPES_H HAVE_MALLOC_H HAVE_SYS_STAT_H "
              "HAVE_DECL_BASENAME").split()


@run.case
def libiberty_in_c():
    os.chdir(run.scratch())
    archives = glob.glob("/usr/src/binutils/binutils-*.tar.xz")
    if not archives:
        raise run.Skip("the package binutils-source is not installed")
    os.mkdir("sources")
    command("tar", "-xf", archives[0], "-C", "sources", "--strip-components=1", "--wildcards",
            "*/libiberty/*.[ch]", "*/include/*.h")
    with open("sources/libiberty/config.h", "w") as file:
        file.writelines(f"#define {name} 1\n" for name in CONFIGURED)
    shutil.copy(COUNTING + "/libiberty_smoke.c", "sources/libiberty/smoke.c")
    sources = [f"libiberty/{name}.c" for name in LIBIBERTY + ["smoke"]]
    project = Project("sources", sources,
                      ["-g", "-O0", "-Wall", "-Wextra", "-DHAVE_CONFIG_H", "-Ilibiberty",
                       "-Iinclude"])
    prove(project, sources, ["gcc", "clang"])


@run.case
def googletest_in_cxx():
    os.chdir(run.scratch())
    folder = "/usr/src/googletest/googletest"
    if not os.path.isdir(folder):
        raise run.Skip("the package googletest is not installed")
    project = Project(folder, ["src/gtest-all.cc", "src/gtest_main.cc", "samples/sample1.cc",
                               "samples/sample1_unittest.cc", "samples/sample2.cc",
                               "samples/sample2_unittest.cc"],
                      ["-g", "-O0", "-std=c++14", "-Wall", "-Wextra", "-Iinclude", "-I."],
                      ["-lpthread"])
    files = [os.path.relpath(path, folder) for pattern in ("src/*", "include/gtest/**/*.h",
                                                           "samples/*")
             for path in glob.glob(os.path.join(folder, pattern), recursive=True)
             if path.endswith((".cc", ".h"))]
    prove(project, sorted(files), ["g++"])


@run.case
def the_instrumenter_itself():
    os.chdir(run.scratch())
    files = sorted(os.path.relpath(path, TOP) for path in glob.glob(TOP + "/instrument/*.[ch]"))
    os.mkdir("sources")
    shutil.copytree(TOP + "/instrument", "sources/instrument")
    sources = [file for file in files if file.endswith(".c") and "uninstrument" not in file]

    class Itself(Project):
        def output(self, program, **environment):
            return command(program, "--list", *sources[:8], cwd=os.path.abspath("plain"),
                           env=dict(os.environ, **environment)).stdout

    project = Itself("sources", sources,
                     ["-g", "-O0", "-std=gnu17", "-Wall", "-Wextra", "-D_GNU_SOURCE",
                      "-DTHAG_VERSION=\"0\"", "-I."], ["-lpcre2-8"])
    prove(project, files, ["gcc", "clang"])


if __name__ == "__main__":
    run.main()
