"""THAG_PROFILER and SIZE_TRACKING_THRESHOLD, the names of the files, and the debug log.

Rows 5, 6, 13, 42 and 44 of docs/hazards.md. Whatever is wrong with a setting or a directory: one
clear line at most, and the program runs as it would without.
"""

import os
import re
import shutil
import subprocess
import time

import run
from run import case, check, equal

PROGRAM = run.sample("allocates")
OUTPUT = "100 blocks of 48 bytes\n"


def unharmed(outcome, lines=0):
    equal(outcome.status, 3, "exit status")
    equal(outcome.out, OUTPUT, "output")
    equal(len(outcome.err.splitlines()), lines, "lines on standard error: " + outcome.err)
    return outcome


def profiled(profiler, lines=0, **options):
    recording = unharmed(run.preloaded([PROGRAM], profiler, **options), lines).recording()
    equal(recording["main.allocations"], 100, "allocations")
    equal(recording["main.bytes"], 4800, "bytes")
    equal(recording["main.frees"], 50, "frees")
    return recording


def refused(profiler, *words):
    outcome = unharmed(run.preloaded([PROGRAM], profiler), 1)
    equal(outcome.files(), [], "files")
    for word in ("THAG_PROFILER", "not profiling") + words:
        check(word in outcome.err, repr(word), "is not in", repr(outcome.err))


def silent(profiler):
    equal(unharmed(run.preloaded([PROGRAM], profiler)).files(), [], "files")


@case
def no_variable_records_both():
    equal(profiled(None)["content"], 1 + 4, "content")


@case
def types_in_any_case_and_with_blanks_are_understood():
    for spelling, content in (("memory", 1), ("MEMORY", 1), ("  Memory  ,,,", 1), ("both", 5),
                              ("Both", 5), ("sample+memory", 9), ("sample+both", 13)):
        recording = profiled(spelling.rstrip(",") + ",,,,resolve=no")
        equal(recording["content"], content, spelling)


@case
def none_and_an_empty_type_record_nothing():
    for spelling in ("none", "NONE", "", ",", ",,,", " , ", ",,,,resolve=no"):
        silent(spelling)


@case
def time_without_hooks_leaves_no_heap_record():
    outcome = unharmed(run.preloaded([PROGRAM], "time,,,true,resolve=no"))
    for recording in outcome.recordings():
        equal(recording["allocations"], 0, "allocations")


@case
def empty_positions_are_legal():
    for spelling in ("memory,,,true", "memory,,,", "memory,", "memory,,,,", "memory, , , ,"):
        profiled(spelling)
    equal(profiled("memory,,,true,resolve=no")["content"], 1 + 2, "content")


@case
def bad_values_are_told_with_the_legal_words():
    refused("memroy", "type", "'memroy'", "both", "sample+memory")
    refused("memory,,loud", "debug_level", "'loud'", "announce")
    refused("memory,,,perhaps", "memory_detail", "'perhaps'", "true")
    refused("memory,,,,stram=1", "'stram=1'")
    refused("memory,,,,resolve", "'resolve'")
    refused("memory,,,,follow=some", "follow", "'some'", "fork", "all")
    refused("memory,,,,stream=0", "stream", "1 to 86400")
    refused("memory,,,,max_size=99999999999999999999", "max_size")
    refused("memory,,,,sample_hz=-1", "sample_hz")
    refused("memory,,,,toggle_signal=SIGNOPE", "toggle_signal")


@case
def keys_in_an_early_position_are_told_the_right_spelling():
    for spelling in ("stream=1", "memory,stream=1", "memory,,stream=1", "memory,,,stream=1"):
        refused(spelling, "THAG_PROFILER=both,,,,stream=1")


@case
def keys_are_understood_in_any_order():
    recording = profiled("memory,,,, max_size = 64M , resolve=no,follow=no,clock=tsc,precise=yes,"
                         "sample_clock=wall,store=file,start=on,toggle_signal=usr1")
    equal(recording["reservation_bytes"], 64 << 20, "reservation")


@case
def output_directory_is_made_with_parents():
    target = os.path.join(run.scratch(), "a b/c,d".replace(",", "-"), "e")
    outcome = unharmed(run.preloaded([PROGRAM], f"memory,{target},,,resolve=no"))
    equal(outcome.files(), [], "files in the working directory")
    equal(len(os.listdir(target)), 1, "files in the output directory")
    outcome = unharmed(run.preloaded([PROGRAM], "memory,x//y/../z/,,,resolve=no"))
    equal(len(os.listdir(os.path.join(outcome.directory, "x/z"))), 1, "files in a relative one")


@case
def tilde_is_the_home_directory():
    home = os.path.join(run.scratch(), "home")
    for spelling, place in (("~", home), ("~/deep/er", home + "/deep/er")):
        unharmed(run.preloaded([PROGRAM], f"memory,{spelling},,,resolve=no",
                               extra={"HOME": home}))
        equal(len([f for f in os.listdir(place) if f.endswith(".thag")]), 1, spelling)


@case
def empty_environment_is_enough():
    outcome = unharmed(run.preloaded([PROGRAM], None, clear=True))
    equal(outcome.recording()["main.allocations"], 100, "allocations")


@case
def threshold_records_only_larger_sizes():
    for threshold, wanted in (("47", 100), ("48", 0), ("0", 100), ("", 100), (" 47 ", 100)):
        outcome = unharmed(run.preloaded([PROGRAM], extra={"SIZE_TRACKING_THRESHOLD": threshold}))
        recording = outcome.recording()
        equal(recording.get("main.allocations", 0), wanted, "threshold " + threshold)
        equal(recording.get("main.frees", 0), wanted // 2, "frees at threshold " + threshold)
    for bad in ("x", "-1", "12K", "99999999999999999999999"):
        outcome = unharmed(run.preloaded([PROGRAM], extra={"SIZE_TRACKING_THRESHOLD": bad}), 1)
        check("SIZE_TRACKING_THRESHOLD" in outcome.err and bad in outcome.err, outcome.err)
        equal(outcome.recording()["main.allocations"], 100, "allocations")


def told(outcome, *words):
    unharmed(outcome, 1)
    for word in ("thag: ", "not profiling") + words:
        check(word in outcome.err, repr(word), "is not in", repr(outcome.err))


@case
def unwritable_directory_is_one_line():
    run.need_root()
    library = shutil.copy(run.PRELOAD, run.scratch())
    program = shutil.copy(PROGRAM, run.scratch())
    place = os.path.join(run.scratch(), "locked")
    os.mkdir(place, 0o555)
    told(run.preloaded([program], preload=[library], user=65534, cwd=place),
         place, "permission denied")
    told(run.preloaded([program], f"memory,{place}/under", preload=[library], user=65534),
         place, "permission denied")


@case
def directory_that_is_a_file_is_one_line():
    place = os.path.join(run.scratch(), "file")
    with open(place, "w", encoding="ascii"):
        pass
    told(run.preloaded([PROGRAM], f"memory,{place}"), place, "not a directory")
    told(run.preloaded([PROGRAM], f"memory,{place}/below"), place, "not a directory")


@case
def read_only_file_system_is_one_line():
    run.need_root()
    place = os.path.join(run.scratch(), "disk")
    os.mkdir(place)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "thag", place], check=False,
                          capture_output=True)
    if done.returncode != 0:
        raise run.Skip("mount is not permitted")
    try:
        told(run.preloaded([PROGRAM], cwd=place), place, "read-only file system")
    finally:
        subprocess.run(["umount", place], check=True)


@case
def closed_standard_error_gets_no_line():
    outcome = run.preloaded([PROGRAM], "memroy", preexec_fn=lambda: os.close(2))
    equal((outcome.status, outcome.out, outcome.err), (3, OUTPUT, ""), "end and output")


@case
def names_are_program_and_local_time():
    for zone, offset in (("UTC", 0), ("XYZ-5:30", 19800), ("America/New_York", None),
                         (":Asia/Tokyo", 32400)):
        before = int(time.time())
        outcome = unharmed(run.preloaded([PROGRAM], extra={"TZ": zone}))
        after = int(time.time())
        name = outcome.files()[0]
        recording = outcome.recording()
        if offset is not None:
            equal(recording["utc_offset_s"], offset, "offset in " + zone)
        stamps = [time.strftime("allocates-%Y%m%d-%H%M%S.thag",
                                time.gmtime(second + recording["utc_offset_s"]))
                  for second in range(before, after + 1)]
        check(name in stamps, name, "is none of", stamps)
        equal(recording["base_name"] + ".thag", name, "BASE")
        equal(recording["file_mode"], 600, "mode")


@case
def odd_program_names_are_kept():
    for given in ("a.b-c", "with space", "-dash", "semi;colon", "\u00fc\u00f1\u00ee"):
        program = os.path.join(run.scratch(), given)
        shutil.copy(PROGRAM, program)
        outcome = unharmed(run.preloaded([program]))
        check(re.fullmatch(re.escape(given) + r"-\d{8}-\d{6}\.thag", outcome.files()[0]),
              outcome.files())


@case
def arguments_are_kept_one_by_one():
    arguments = ["100", "a b", "", "c;d\n", "-- x"]
    outcome = run.preloaded([PROGRAM, "100", "48", *arguments])
    path = os.path.join(outcome.directory, outcome.files()[0])
    with open(path, "rb") as file:
        wanted = "\0".join([PROGRAM, "100", "48", *arguments]).encode()
        check(wanted in file.read(), "the arguments are not in the recording as they were given")


@case
def deleted_program_keeps_its_name():
    program = os.path.join(run.scratch(), "gone")
    shutil.copy(run.sample("deletes_itself"), program)
    names = run.preloaded([program]).files()
    equal(len(names), 2, "recordings of both images")
    for name in names:  # both began within a second, or not
        check(re.fullmatch(r"gone-\d{8}-\d{6}(-\d+)?\.thag", name), name)


def occupy(directory, tail):
    for second in range(int(time.time()) - 1, int(time.time()) + 60):
        name = time.strftime("allocates-%Y%m%d-%H%M%S", time.gmtime(second)) + tail
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write("precious")


@case
def taken_names_get_the_pid_and_nothing_is_overwritten():
    for suffix in (".thag", ".folded", "-memory.folded", "-memory_detail_dealloc.folded"):
        place = os.path.join(run.scratch(), "clash" + suffix)
        os.mkdir(place)
        occupy(place, suffix)
        outcome = unharmed(run.preloaded([PROGRAM], cwd=place, extra={"TZ": "UTC"}))
        made = [name for name in os.listdir(place) if name.endswith(f"-{outcome.pid}.thag")]
        equal(len(made), 1, "recordings with the pid beside " + suffix)
        for name in os.listdir(place):
            if name not in made:
                with open(os.path.join(place, name), encoding="ascii") as file:
                    equal(file.read(), "precious", name)


@case
def taken_names_with_the_pid_get_a_number():
    place = os.path.join(run.scratch(), "clash")
    os.mkdir(place)
    occupy(place, ".thag")
    outcome = unharmed(run.preloaded(
        [PROGRAM], cwd=place, extra={"TZ": "UTC"},
        preexec_fn=lambda: [occupy(place, f"-{os.getpid()}{n}.thag") for n in ("", "-1")]))
    made = [name for name in os.listdir(place) if name.endswith(f"-{outcome.pid}-2.thag")]
    equal(len(made), 1, "recordings with pid and number")


def log_of(outcome, temporary, folder="thag_profiler"):
    place = os.path.join(temporary, folder)
    names = os.listdir(place)
    equal(len(names), 1, "logs in " + place)
    with open(os.path.join(place, names[0]), encoding="ascii") as file:
        text = file.read()
    equal(names[0], outcome.files(".thag")[0].replace(".thag", "-debug.log"), "name of the log")
    equal(os.stat(place).st_mode & 0o7777, 0o700, "mode of the folder")
    for word in ("program: " + PROGRAM, "level: ", "start: ", "configuration: THAG_PROFILER=",
                 "recording: " + outcome.directory, "modules: ", "module: " + PROGRAM + ", build-id",
                 "lost: events: 0", "end: exit"):
        check(word in text, repr(word), "is not in", text)
    for line in text.splitlines()[4:]:
        check(re.match(r"\d{8}-\d{6} \[\d+\] ", line), "no time and thread:", line)
    return text


@case
def debug_log_quiet_is_written_and_not_announced():
    temporary = run._scratch.fresh()
    outcome = unharmed(run.preloaded([PROGRAM], "memory,,quiet,,resolve=no",
                                     extra={"TMPDIR": temporary}))
    log_of(outcome, temporary)


@case
def debug_log_announce_is_one_line_with_its_path():
    temporary = run._scratch.fresh()
    outcome = unharmed(run.preloaded([PROGRAM], "memory,,announce,,resolve=no",
                                     extra={"TMPDIR": temporary}), 1)
    log_of(outcome, temporary)
    check(os.path.isfile(outcome.err.split(": ")[-1].strip()), outcome.err)


@case
def debug_log_does_not_follow_a_link():
    temporary, elsewhere = run._scratch.fresh(), run._scratch.fresh()
    os.symlink(elsewhere, os.path.join(temporary, "thag_profiler"))
    outcome = unharmed(run.preloaded([PROGRAM], "memory,,quiet,,resolve=no",
                                     extra={"TMPDIR": temporary}))
    equal(os.listdir(elsewhere), [], "files behind the link")
    log_of(outcome, temporary, f"thag_profiler-{os.getuid()}")


@case
def debug_log_in_another_users_folder_goes_to_its_own():
    run.need_root()
    temporary = run._scratch.fresh()
    os.mkdir(os.path.join(temporary, "thag_profiler"), 0o777)
    os.chown(os.path.join(temporary, "thag_profiler"), 65534, 65534)
    outcome = unharmed(run.preloaded([PROGRAM], "memory,,quiet,,resolve=no",
                                     extra={"TMPDIR": temporary}))
    log_of(outcome, temporary, f"thag_profiler-{os.getuid()}")


run.main()
