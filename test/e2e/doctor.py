"""thag_profile doctor: everything that a recording needs is fine, or the line says what to do."""

import os
import re
import shutil
import subprocess

import run
from run import case, check, equal

TOOL = os.path.join(run.BUILD, "analyzer", "thag_profile")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../samples/launched.c")


class Findings:
    def __init__(self, outcome):
        self.status, self.text = outcome.status, outcome.out
        self.by_subject = {}
        equal(outcome.err, "", "standard error")
        equal(outcome.files(), [], "what is left behind")
        for finding in re.sub(r"\n {20}", " ", outcome.out).splitlines():
            match = re.fullmatch(r"(fine|note|to do) +(.{12}) (.*)", finding)
            if match:
                self.by_subject[match.group(2).strip()] = (match.group(1), match.group(3))
            else:
                check(finding.startswith("       "), "a line of neither kind:", finding)
            check(all(len(line) <= 80 for line in outcome.out.splitlines()
                      if "/" not in line), "wide lines:", outcome.out)

    def says(self, subject, state, *words):
        check(subject in self.by_subject, subject, "is not in", self.text)
        equal(self.by_subject[subject][0], state, subject + " in\n" + self.text)
        for word in words:
            check(word in self.by_subject[subject][1], repr(word), "is not in", self.text)
        return self


def doctor(*words, extra=None, tool=TOOL, **options):
    directory = options.pop("directory", None) or run._scratch.fresh()  # pylint: disable=W0212
    env = run.environment(None, extra)
    if "LD_PRELOAD" not in (extra or {}):
        del env["LD_PRELOAD"]
    return Findings(run.finish(run.start([tool, "doctor", *words], env, directory, **options),
                               directory))


def build(name, *arguments, compiler="cc"):
    program = os.path.join(run.scratch(), name)
    done = subprocess.run([compiler, "-fno-builtin", SOURCE, "-o", program, *arguments],
                          check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise run.Skip(f"cannot be built here: {compiler} {' '.join(arguments)}")
    return program


@case
def build_tree_is_fine():
    found = doctor()
    equal(found.status, 0, "exit status of\n" + found.text)
    found.says("library", "fine", run.PRELOAD).says("settings", "fine", "is not set")
    found.says("directory", "fine", "was made").says("disk", "fine").says("libc", "fine")


@case
def missing_library_is_to_be_built():
    tool = shutil.copy(TOOL, run.scratch())
    found = doctor(tool=tool)
    if found.status == 0:
        raise run.Skip("a library is installed: " + found.text)
    found.says("library", "to do", "meson install")
    equal(found.status, 1, "exit status")
    check(os.path.join(run.scratch(), "libthagpreload.so") in found.text, found.text)


@case
def settings_are_told_as_the_recorder_has_them():
    for value, state, words in (
            ("memory,,,true", "fine", "memory,,,true"), ("memry", "to do", "is none of both"),
            ("both,,,,stream=x", "to do", "a number from 1"), ("none", "to do", "records nothing"),
            ("stream=1", "to do", "fourth comma")):
        found = doctor(extra={"THAG_PROFILER": value})
        found.says("settings", state, words)
        equal(found.status, 1 if state == "to do" else 0, "exit status of\n" + found.text)
    found = doctor(extra={"SIZE_TRACKING_THRESHOLD": "few"})
    found.says("settings", "to do", "SIZE_TRACKING_THRESHOLD: 'few'")


@case
def directory_that_cannot_be_written_to_is_named():
    found = doctor(extra={"THAG_PROFILER": "both,/proc/nowhere"})
    found.says("directory", "to do", "/proc/", "--output")
    equal(found.status, 1, "exit status")


@case
def directory_that_is_yet_to_be_made_is_not_made():
    for name in ("new/one", os.path.join(run.scratch(), "new", "one")):
        equal(doctor(extra={"THAG_PROFILER": "both," + name}).status, 0, "exit status")
    equal(os.path.exists(os.path.join(run.scratch(), "new")), False, "directory was made")


@case
def missing_resolver_is_named():
    found = doctor(extra={"THAG_PROFILER": "both,,,,resolver=/nowhere"})
    found.says("directory", "to do", "resolver=PATH")
    equal(doctor(extra={"THAG_PROFILER": "both,,,,resolve=no"}).status, 0, "not asked for")


@case
def hooks_and_debug_data_are_fine():
    found = doctor(build("whole", "-g", "-finstrument-functions"))
    equal(found.status, 0, "exit status of\n" + found.text)
    found.says("program", "fine").says("stacks", "fine")
    found.says("debug data", "fine", "lines").says("hooks", "fine", "it is compiled")


@case
def missing_hooks_are_a_note_with_the_flags():
    found = doctor(build("plain", "-g"))
    equal(found.status, 0, "exit status of\n" + found.text)
    found.says("hooks", "note", "-finstrument-functions")
    for system in ("gcc ", "clang ", "meson ", "cmake ", "cargo "):
        check(system in found.text, system, found.text)


@case
def hooks_of_a_library_count():
    library = os.path.join(run.scratch(), "libhooked.so")
    source = os.path.join(run.scratch(), "hooked.c")
    with open(source, "w", encoding="ascii") as file:
        file.write("int hooked(void) { return 1; }\n")
    subprocess.run(["cc", "-g", "-shared", "-fPIC", "-finstrument-functions", source, "-o", library],
                   check=True)
    found = doctor(build("uses", "-g", "-Wl,--no-as-needed", library))
    check(f"{library} compiled with" in re.sub(r"\s+", " ", found.text), found.text)
    found.says("hooks", "note", "those of the program")


@case
def missing_names_are_to_be_compiled_in():
    for flags, words in ((("-g0",), "no files and lines"), (("-s",), "not even functions")):
        found = doctor(build("nameless", *flags))
        found.says("debug data", "to do", words, "compile with -g")
        equal(found.status, 1, "exit status")


@case
def separate_debug_data_is_found():
    program = build("split", "-g", "-Wl,--build-id=sha1")
    subprocess.run(["objcopy", "--only-keep-debug", program, program + ".debug"], check=True)
    subprocess.run(["objcopy", "--strip-all", "--add-gnu-debuglink=" + program + ".debug", program],
                   check=True)
    doctor(program).says("debug data", "fine", "split.debug")


@case
def what_cannot_be_recorded_is_to_do():
    for name, flags, compiler, words in (
            ("static", ("-static",), "cc", "linked statically"),
            ("narrow", ("-m32",), "cc", "32-bit"), ("musl", (), "musl-gcc", "musl"),
            ("address", ("-fsanitize=address",), "cc", "AddressSanitizer")):
        try:
            program = build(name, *flags, compiler=compiler)
        except FileNotFoundError:
            continue
        found = doctor(program).says("program", "to do", words)
        equal(found.status, 1, "exit status")
    found = doctor("no-such-program").says("program", "to do", "not found")
    equal(found.status, 1, "exit status")


@case
def scripts_are_looked_through():
    program = build("interpreter", "-g")
    script = os.path.join(run.scratch(), "script")
    for first in (f"#!{program}", "#!/usr/bin/env interpreter", "#!/usr/bin/env -S interpreter -x"):
        with open(script, "w", encoding="ascii") as file:
            file.write(first + "\n")
        os.chmod(script, 0o755)
        found = doctor(script, extra={"PATH": run.scratch() + ":" + os.environ["PATH"]})
        found.says("program", "fine", "is a script", program).says("debug data", "fine")


run.main()
