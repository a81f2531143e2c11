"""Names of functions, from the run to the folded file: languages, code made at run time, and debug
data that comes later, from elsewhere, or not at all.

Rows 55 to 73 of docs/hazards.md, as far as one program in many packings does not show them: that is
the zoo's.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import time

import run
from run import case, check, equal

TOOL = os.path.join(run.BUILD, "analyzer", "thag_profile")
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "samples", "names")


def compiled(compiler, source, *flags):
    run.need(compiler, os.path.basename(compiler))
    program = os.path.join(run.scratch(), source.split(".")[0])
    shutil.copy(os.path.join(SOURCES, source), run.scratch())
    subprocess.run([compiler, *flags, source, "-o", program], cwd=run.scratch(), check=True,
                   capture_output=True)
    return program


def recorded(command, detail=False, **options):
    """A run of which nothing is resolved yet."""
    outcome = run.preloaded(command, "memory,,," + ("true" if detail else "") + ",resolve=no",
                            **options)
    equal(outcome.status, 0, f"end of {command[0]} ({outcome.err})")
    return outcome.own().path


def resolved(recording, *options, extra=None, detail=False):
    """{bytes: [frames, root first]} of the stacks, and what the tool said."""
    done = subprocess.run([TOOL, "resolve", *options, recording], capture_output=True, text=True,
                          env={**os.environ, **(extra or {})}, check=False)
    equal(done.returncode, 0, "status of resolve (" + done.stderr + ")")
    stem = recording[:-len(".thag")] + ("-memory_detail" if detail else "-memory")
    with open(stem + ".folded", encoding="utf-8") as file:
        lines = [line.rstrip("\n").rpartition(" ") for line in file]
    return {int(size): frames.split(";") for frames, _, size in lines}


def in_order(frames, *wanted):
    """The wanted frames occur, in this order."""
    rest = iter(frames)
    for frame in wanted:
        check(frame in rest, "no", repr(frame), "in that place of", frames)


def last_of(frames, count):
    return frames[-count:]


@case
def cxx_program_has_its_names_and_lines():
    recording = recorded([compiled("/usr/bin/g++", "shop.cc", "-O2", "-g")], detail=True)
    found = resolved(recording)
    equal(last_of(found[7000], 3), ["main", "shop::Till::close(int)",
                                    "void* shop::Till::count<long>(long)"], "members")
    check(re.search(r"^main;.*shop::\(anonymous namespace\)::twice<.*;.*lambda.*operator\(\)",
                    ";".join(last_of(found[3000], 3))), "lambda:", found[3000])
    found = resolved(recording, detail=True)
    equal(last_of(found[7000], 2), ["shop::Till::close(int) (shop.cc:17)",
                                    "void* shop::Till::count<long>(long) (shop.cc:10)"], "lines")
    mangled = resolved(recording, "--no-demangle")
    check("_ZN4shop4Till5closeEi" in mangled[7000], "mangled names:", mangled[7000])


@case
def rust_program_with_older_names():
    recording = recorded([compiled("/usr/bin/rustc", "shop.rs", "-O", "-g")], detail=True)
    found = resolved(recording, "--cut-hashes")
    in_order(found[7000], "shop::main", "<shop::Shop as shop::Stock>::fill",
             "alloc::vec::Vec<T>::with_capacity")
    in_order(found[10000], "shop::main", "shop::boxed", "alloc::boxed::Box<T>::new")
    in_order(found[3000], "shop::main", "shop::by_closure", "shop::by_closure::{{closure}}",
             "alloc::vec::from_elem")
    check(not any(re.search(r"::h[0-9a-f]{16}$", frame) for frame in found[3000]), found[3000])
    found = resolved(recording)
    check(any(re.fullmatch(r"shop::boxed::h[0-9a-f]{16}", frame) for frame in found[10000]),
          "hashes unless they are cut:", found[10000])
    found = resolved(recording, "--cut-hashes", detail=True)
    in_order(found[7000], "shop::main (shop.rs:33)",
             "<shop::Shop as shop::Stock>::fill (shop.rs:14)")


@case
def rust_program_with_newer_names():
    recording = recorded([compiled("/usr/bin/rustc", "shop.rs", "-O", "-g", "-C",
                                   "symbol-mangling-version=v0")])
    found = resolved(recording)
    in_order(found[7000], "shop::main", "<shop::Shop as shop::Stock>::fill",
             "<alloc::vec::Vec<u8>>::with_capacity")
    in_order(found[10000], "shop::main", "shop::boxed::<[u64: 1250]>")
    in_order(found[3000], "shop::by_closure", "shop::by_closure::{closure#0}")


@case
def d_program_has_its_names():
    program = compiled("/usr/bin/gdc", "shop.d", "-g", "-O0")
    found = resolved(recorded([program]))
    in_order(found[7000], "D main", "shopping.Shop.fill(ulong)")
    in_order(found[10000], "D main", "shopping.boxed!(int).boxed(int)")
    in_order(found[3000], "D main", "shopping.outer(int)", "shopping.outer(int).nested()")


@case
def code_made_at_run_time_has_the_name_in_its_map_or_one_for_all():
    if os.uname().machine != "x86_64":
        raise run.Skip("the code is x86-64's")
    program = compiled("/usr/bin/gcc", "jit.c", "-O1")
    recording = recorded([program])
    pid = run.Recording(recording)["pid"]
    try:
        found = resolved(recording)
    finally:
        os.unlink(f"/tmp/perf-{pid}.map")
    equal(found[7000][-1], "LazyCompile:~sells /shop.js:3", "named")
    equal(found[3000][-1], "[jit]", "not named")


@case
def javascript_has_its_names_where_the_engine_writes_them():
    node = run.need("/usr/bin/node", "nodejs")
    script = os.path.join(run.scratch(), "work.js")
    with open(script, "w", encoding="ascii") as file:
        file.write("function makeBuffers(n) { const all = []; for (let i = 0; i < n; i++) "
                   "all.push(new ArrayBuffer(54321)); return all.length; }\n"
                   "let sum = 0; for (let i = 0; i < 300; i++) sum += makeBuffers(20);\n"
                   "console.log(sum);\n")
    outcome = run.preloaded([node, "--perf-basic-prof", script], "memory,,,,resolve=no")
    equal(outcome.out, "6000\n", "output")
    recording = outcome.own()
    try:
        resolved(recording.path)
    finally:
        os.unlink(f"/tmp/perf-{recording['pid']}.map")
    with open(recording.path[:-len(".thag")] + "-memory.folded", encoding="utf-8") as file:
        text = file.read()
    check("makeBuffers " + script in text, "no function of the script has its name")


def python_frames(*options):
    python = run.need("/usr/bin/python3.11", "python3.11")
    recording = recorded([python, "-c", "x = [bytes(70000) for i in range(50)]"],
                         extra={"PYTHONMALLOC": "malloc"})
    found = resolved(recording, *options)
    return [frames for frames in found.values() if any("Eval" in frame for frame in frames)]


@case
def python_with_its_debug_package_has_static_and_inlined_functions():
    run.need("/usr/bin/python3.11d", "python3.11-dbg")
    stacks = python_frames("--all-inlines")
    names = {frame for frames in stacks for frame in frames}
    check("_PyEval_EvalFrameDefault" in names, sorted(names)[:50])
    check("pymain_run_python" in names, "static functions:", sorted(names)[:80])
    check("_PyEval_EvalFrame" in names, "inlined functions")


@case
def python_without_its_debug_package_has_what_it_exports():
    root = os.path.join(run.scratch(), "root")
    os.makedirs(root + "/usr/bin")
    shutil.copy(run.need("/usr/bin/python3.11", "python3.11"), root + "/usr/bin")
    stacks = python_frames("--sysroot", root)
    names = {frame for frames in stacks for frame in frames}
    check("_PyEval_EvalFrameDefault" in names and "Py_BytesMain" in names, sorted(names)[:50])
    check("pymain_run_python" not in names, "nothing but exported functions")
    check(any(re.fullmatch(r"python3\.11\+0x[0-9a-f]+", name) for name in names),
          "what is not exported is not guessed:", sorted(names)[:50])


@case
def program_that_was_replaced_since_is_noticed():
    program = compiled("/usr/bin/g++", "shop.cc", "-O2", "-g")
    recording = recorded([program])
    subprocess.run(["g++", "-O0", "-g", "shop.cc", "-o", program], cwd=run.scratch(), check=True)
    done = subprocess.run([TOOL, "stats", recording], capture_output=True, text=True, check=True)
    check("another build" in done.stderr + done.stdout, "a note:", done.stderr)
    check("close" not in done.stdout, "names of the other build:", done.stdout)


@case
def recording_is_resolved_on_another_machine():
    program = compiled("/usr/bin/g++", "shop.cc", "-O2", "-g")
    recording = recorded([program])
    root = os.path.join(run.scratch(), "root")
    os.makedirs(root + os.path.dirname(program))
    shutil.move(program, root + program)
    found = resolved(recording)
    check(all(frame.startswith("shop+0x") for frame in last_of(found[7000], 2)), found[7000])
    found = resolved(recording, "--sysroot", root)
    check("shop::Till::close(int)" in found[7000], found[7000])


@case
def module_without_debug_data_is_listed_with_its_package():
    sqlite = run.need("/usr/bin/sqlite3", "sqlite3")
    recording = recorded([sqlite, ":memory:", "select 1;"])
    done = subprocess.run([TOOL, "info", "--format", "json", recording], capture_output=True,
                          text=True, check=True)
    modules = json.loads(done.stdout)["modules_without_debug_data"]
    found = [module for module in modules if module["path"] == sqlite]
    equal([module["package"] for module in found], ["sqlite3"], "package")
    equal(len(found[0]["build_id"]), 40, "digits of the build-id")
    weights = [module["bytes"] for module in modules]
    equal(weights, sorted(weights, reverse=True), "order")


@case
def silent_debuginfod_server_is_given_up():
    program = compiled("/usr/bin/g++", "shop.cc", "-O2", "-g")
    subprocess.run(["strip", program], check=True)
    recording = recorded([program])
    with socket.create_server(("127.0.0.1", 0)) as server:
        extra = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{server.getsockname()[1]}/",
                 "DEBUGINFOD_CACHE_PATH": run.scratch() + "/cache", "DEBUGINFOD_MAXTIME": "2",
                 "no_proxy": "127.0.0.1"}
        begun = time.monotonic()
        found = resolved(recording, "--debuginfod", extra=extra)
        took = time.monotonic() - begun
    check(7000 in found, "the folded file is there all the same")
    check(took < 60, "it took", took, "seconds")


run.main()
