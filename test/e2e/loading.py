"""Code that comes and goes, and code that runs before anything is ready.

Rows 1 to 4, 6, 7, 10, 29 to 34, 54 of docs/hazards.md.
"""

import run
from run import case, check, equal

PLUGINS = run.sample("plugins")
A, B = (40, 64), (60, 128)  # blocks and bytes that a run of each plug-in makes


def plugins(situation, **options):
    return run.same([PLUGINS, run.SAMPLES, situation], **options)


@case
def plug_ins_at_one_address_are_told_apart():
    recording = run.exact(plugins("one-after-another", counted=True))
    for name, (blocks, size) in (("libplugin_a.so", A), ("libplugin_b.so", B)):
        found = recording.modules(name)
        check(found, name, "is among the modules")
        equal(sum(m["allocations"] for m in found), 10 * blocks, name + ": allocations")
        equal(sum(m["bytes"] for m in found), 10 * blocks * size, name + ": bytes")
        check(all(m["build_id_bytes"] for m in found), name, "has a build-id")
    equal(recording["no_module.allocations"], 0, "allocations of no module")
    starts = set()
    for number in range(recording["module_count"]):
        if "plugin_" in recording[f"module.{number}.path"]:
            starts.add(recording[f"module.{number}.generations"])
    check(recording["generation"] > 1 and len(starts) > 1, "the generation was raised")
    for *_, flags, frames in recording.stacks:  # none is walked by the other one's rules
        own = [frame for frame in frames if frame.startswith("libplugin_")]
        check(not own or (len(own) == 2 and flags == 0), "stack:", flags, frames)


@case
def plug_ins_loaded_in_threads_while_others_allocate():
    recording = plugins("threads").recording()
    equal(recording["events_lost"] + recording["stacks_unknown"], 0, "losses")
    for name, (blocks, size), runs in (("libplugin_a.so", A, 40), ("libplugin_b.so", B, 20)):
        found = recording.modules(name)
        equal(sum(m["allocations"] for m in found), runs * blocks, name + ": allocations")
        equal(sum(m["bytes"] for m in found), runs * blocks * size, name + ": bytes")
    equal(recording["main.live_blocks"], 0, "blocks of the allocating thread left behind")


@case
def plug_in_in_the_place_of_another_is_told_apart_by_a_new_thread():
    recording = run.exact(plugins("new-thread", counted=True))
    for name, (blocks, size) in (("libplugin_a.so", A), ("libplugin_b.so", B)):
        found = recording.modules(name)
        equal(sum(m["allocations"] for m in found), blocks, name + ": allocations")
        equal(sum(m["bytes"] for m in found), blocks * size, name + ": bytes")


@case
def deeply_bound_plug_in_passes_by_and_no_total_goes_negative():
    outcome = plugins("deeply-bound")
    equal(outcome.out, "freed for good: 1\ndone\n", "what became of the plug-in's blocks")
    recording = outcome.recording()
    equal(recording.modules("libplugin_a.so"), [], "the plug-in as a module")
    equal(recording["unknown_frees"], 10, "frees of the plug-in's blocks")
    equal(recording["main.allocations"], 15, "allocations")
    equal(recording["main.frees"], 15, "frees, those that were noticed later included")
    equal(recording["main.live"], 0, "bytes left behind")
    check(recording["live"] >= 0, recording["live"], "live bytes")


@case
def plug_in_in_a_namespace_of_its_own_is_left_alone():
    recording = plugins("namespace").recording()
    equal(recording["main.allocations"], 1, "allocations")


@case
def libraries_that_libc_loads_for_itself_are_modules():
    recording = run.exact(plugins("libc", counted=True))
    equal(recording["no_module.allocations"], 0, "allocations of no module")


@case
def blocks_from_before_relocation_can_be_used_and_given_back():
    recording = run.same([run.sample("early")]).recording()
    equal(recording["content"], 1, "content: the setting was read before the environment is ready")
    equal(recording["before_start_allocations"], 5, "allocations before the start")
    equal(recording["before_start_bytes"], 100 + 300 + 20 + 2000 + 10, "bytes before the start")
    equal(recording["main.allocations"], 20 + 2, "preinit, constructor, two reallocs")
    equal(recording["main.live_blocks"], 20, "blocks left behind")
    equal(recording["unknown_frees"], 0, "unknown frees")


@case
def blocks_from_before_relocation_are_good_without_a_recording():
    outcome = run.same([run.sample("early")], profiler="none")
    equal(outcome.files(), [], "files")


@case
def look_up_that_allocates_is_served():
    # Such a dlsym() is what other libraries in front of libc have.
    library = run.sample("libdlsym_that_allocates.so")
    outcome = run.preloaded([run.sample("allocates")], preload=[run.away_from_tools(), library])
    equal((outcome.status, outcome.err), (3, ""), "end")
    recording = outcome.recording()
    equal(recording["main.allocations"], 100, "allocations")
    check(recording["before_start_allocations"] > 0, "nothing was served before the start")


run.main()
