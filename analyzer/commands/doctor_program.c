/*
 * doctor_program.c -- whether a program can be recorded, and what a recording of it will show.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/doctor.h"
#include "analyzer/launch/obstacle.h"
#include "analyzer/launch/preload.h"
#include "analyzer/launch/program.h"
#include "analyzer/support/memory.h"
#include "analyzer/symbols/debug_search.h"

static void check_start(struct an_doctor *doctor, const struct an_program *program,
                        const struct an_obstacle *obstacle)
{
    if (obstacle->is_there)
        an_doctor_say(doctor, AN_DOCTOR_TODO, "program", "%s %s", program->image, obstacle->text);
    else if (program->is_script)
        an_doctor_say(doctor, AN_DOCTOR_FINE, "program",
                      "%s is a script; its interpreter %s can be recorded", program->path,
                      program->image);
    else
        an_doctor_say(doctor, AN_DOCTOR_FINE, "program", "%s can be recorded", program->path);
    if (program->has_own_allocator)
        an_doctor_say(doctor, AN_DOCTOR_TODO, "allocator",
                      "it defines malloc itself, in front of the recorder: link that allocator as "
                      "a shared library, else its heap is not seen");
}

static void check_stacks(struct an_doctor *doctor, const struct an_program *program)
{
    if (program->has_unwind_data)
        an_doctor_say(doctor, AN_DOCTOR_FINE, "stacks", "it has unwind data");
    else
        an_doctor_say(doctor, AN_DOCTOR_TODO, "stacks",
                      "it has no unwind data, stacks will be cut: compile it with "
                      "-fasynchronous-unwind-tables");
}

/* The image has been opened; DEBUG is its separate file or NULL. */
static void say_names(struct an_doctor *doctor, const struct an_elf_image *image,
                      const struct an_elf_image *debug)
{
    bool has_lines = image->has_dwarf || (debug && debug->has_dwarf);
    bool has_names = image->symbols || image->packed_symbols || (debug && debug->symbols);
    if (has_lines)
        an_doctor_say(doctor, AN_DOCTOR_FINE, "debug data", "functions, files and lines%s%s",
                      image->has_dwarf ? "" : ", in ", image->has_dwarf ? "" : debug->path);
    else
        an_doctor_say(doctor, AN_DOCTOR_TODO, "debug data",
                      "%s: compile with -g, or install the debug package of your distribution; "
                      "--debuginfod fetches it where there is a server",
                      has_names ? "functions have names, but no files and lines"
                                : "not even functions have names, but for exported ones");
}

static void check_names(struct an_doctor *doctor, const struct an_program *program)
{
    struct an_elf_image *image = an_elf_image_open(program->image);
    struct an_elf_image *debug = NULL;
    bool is_system = false;
    char *path = realpath(program->image, NULL);
    if (image && path && !image->has_dwarf)
        debug = an_debug_search(&(struct an_debug_places){.debug_dir_count = 0}, path,
                                &image->build_id, image, &is_system);
    if (image)
        say_names(doctor, image, debug);
    an_elf_image_close(debug);
    an_elf_image_close(image);
    free(path);
}

static void advise_hooks(struct an_doctor *doctor)
{
    static const char *const lines[] = {
        "gcc    -g -finstrument-functions",
        "clang  -g -finstrument-functions",
        "       (-finstrument-functions-after-inlining: not what was inlined)",
        "meson  meson setup build -Dbuildtype=debugoptimized \\",
        "         -Dc_args=-finstrument-functions \\",
        "         -Dcpp_args=-finstrument-functions",
        "cmake  cmake -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo \\",
        "         -DCMAKE_C_FLAGS=-finstrument-functions \\",
        "         -DCMAKE_CXX_FLAGS=-finstrument-functions",
        "cargo  CFLAGS='-g -finstrument-functions' cargo build",
        "       (the C parts of crates; rustc itself has no such hooks)",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        an_doctor_add(doctor, lines[i]);
}

/* The first library with hooks, NULL: none. Freed by free(). */
static char *library_with_hooks(const struct an_loading *loading)
{
    char *found = NULL;
    for (size_t i = 0; i < loading->count && !found; i++) {
        struct an_program library;
        an_program_look(loading->path[i], &library);
        if (library.has_hooks)
            found = an_memory_text(loading->path[i]);
        an_program_release(&library);
    }
    return found;
}

static void check_hooks(struct an_doctor *doctor, const struct an_program *program,
                        const struct an_loading *loading)
{
    char *library = program->has_hooks ? NULL : library_with_hooks(loading);
    if (program->has_hooks || library)
        an_doctor_say(doctor, AN_DOCTOR_FINE, "hooks",
                      "%s compiled with -finstrument-functions: calls are timed",
                      library ? library : "it is");
    if (library)
        an_doctor_say(doctor, AN_DOCTOR_NOTE, "hooks", "those of the program itself are not");
    if (!program->has_hooks && !library) {
        an_doctor_say(doctor, AN_DOCTOR_NOTE, "hooks",
                      "nothing in it is compiled with -finstrument-functions: the heap is "
                      "recorded, the time of calls is not. To time them:");
        advise_hooks(doctor);
    }
    free(library);
}

void an_doctor_check_program(struct an_doctor *doctor, const char *name)
{
    struct an_program program;
    struct an_obstacle obstacle;
    struct an_loading loading;
    char *path = NULL;
    int error = an_program_find(name, &path);
    if (error) {
        an_doctor_say(doctor, AN_DOCTOR_TODO, "program", "%s: %s", path ? path : name,
                      error == -ENOENT ? "not found; give its path" : strerror(-error));
        free(path);
        return;
    }
    char *library = an_preload_find();
    char *list = an_preload_list(library ? library : AN_PRELOAD_NAME, getenv("LD_PRELOAD"));
    an_program_look(path, &program);
    an_obstacle_find(&program, list, &obstacle, &loading);
    if (!program.image) {
        an_doctor_say(doctor, AN_DOCTOR_TODO, "program", "%s: its interpreter is missing", path);
    } else {
        check_start(doctor, &program, &obstacle);
        if (program.is_readable && !obstacle.is_there) {
            check_stacks(doctor, &program);
            check_names(doctor, &program);
            check_hooks(doctor, &program, &loading);
        }
    }
    an_loading_release(&loading);
    an_program_release(&program);
    free(list);
    free(library);
    free(path);
}
