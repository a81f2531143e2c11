#include "analyzer/symbols/symbols.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/symbols/inlines.h"

#define MOST_PLACES 8
#define MOST_FRAMES 8

/* What a sample says about one place in it. */
struct place {
    uint64_t offset;
    int frame_count;
    char name[MOST_FRAMES][200];
    unsigned line[MOST_FRAMES];
};

static char folder[64];

static void setup(void)
{
    snprintf(folder, sizeof(folder), "/tmp/thag-symbols-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof(command), format, arguments);
    va_end(arguments);
    cr_assert_eq(system(command), 0, "%s", command);
}

static void teardown(void)
{
    shell("rm -rf '%s'", folder);
}

TestSuite(symbols, .init = setup, .fini = teardown);

static int sample_run(const char *program, struct place *ret_place)
{
    char text[1024];
    int count = 0;
    snprintf(text, sizeof(text), "'%s'", program);
    FILE *pipe = popen(text, "r");
    cr_assert_not_null(pipe);
    while (count < MOST_PLACES && fgets(text, sizeof(text), pipe) != NULL) {
        struct place *place = &ret_place[count++];
        const char *between = strchr(text, '\t') != NULL ? "\t\n" : " \n";
        char *word = strtok(text, between);
        *place = (struct place){.offset = strtoull(word, NULL, 16)};
        while ((word = strtok(NULL, between)) != NULL) {
            snprintf(place->name[place->frame_count], sizeof(place->name[0]), "%s", word);
            if (between[0] == ' ')
                place->line[place->frame_count] = (unsigned)atoi(strtok(NULL, between));
            place->frame_count++;
        }
    }
    cr_assert_eq(pclose(pipe), 0);
    cr_assert_gt(count, 0);
    return count;
}

static struct an_build_id build_id_of(const char *path)
{
    struct an_build_id none = {0};
    struct an_elf_image *image = an_elf_image_open(path);
    cr_assert_not_null(image, "%s", path);
    struct an_build_id id = image->build_id.bytes != 0 ? image->build_id : none;
    an_elf_image_close(image);
    return id;
}

/* "name:line;name:line" of a place in PATH, or names alone without lines. */
static void resolve(const char *path, const struct an_symbols_options *options,
                    const struct an_build_id *build_id, uint64_t offset, char *ret_text)
{
    struct an_symbols *symbols = an_symbols_new(options);
    uint32_t module = an_symbols_module(symbols, path, build_id, false, UINT64_MAX);
    uint32_t site = an_symbols_site(symbols, module, offset, false);
    uint32_t count = 0, site_module = 0;
    an_symbols_resolve(symbols);
    const struct an_site_frame *frame = an_symbols_frames(symbols, site, &count, &site_module);
    cr_assert_eq(site_module, module);
    ret_text[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        char *end = ret_text + strlen(ret_text);
        end += sprintf(end, "%s%s", i == 0 ? "" : ";",
                       an_names_text(an_symbols_names(symbols), frame[i].name, NULL));
        if (options->lines)
            sprintf(end, ":%" PRIu32, frame[i].line);
    }
    an_symbols_free(symbols);
}

static void expected(const struct place *place, bool lines, bool inlines, char *ret_text)
{
    ret_text[0] = '\0';
    for (int i = 0; i < place->frame_count && (i == 0 || inlines); i++) {
        char *end = ret_text + strlen(ret_text);
        end += sprintf(end, "%s%s", i == 0 ? "" : ";", place->name[i]);
        if (lines)
            sprintf(end, ":%u", place->line[i]);
    }
}

/* PATH, a copy of what PROGRAM was made from, resolves as PROGRAM says. */
static void resolves_as(const char *program, const char *path,
                        const struct an_symbols_options *options, bool inlines)
{
    struct place place[MOST_PLACES];
    struct an_build_id build_id = build_id_of(program);
    int count = sample_run(program, place);
    for (int i = 0; i < count; i++) {
        char want[1024], have[1024];
        expected(&place[i], options->lines, inlines, want);
        resolve(path, options, &build_id, place[i].offset, have);
        cr_assert_str_eq(have, want, "%s: %s instead of %s", path, have, want);
    }
}

static void resolves_whole(const char *program, const char *path,
                           const struct an_debug_places *places)
{
    struct an_symbols_options options = {0};
    if (places != NULL)
        options.places = *places;
    for (int i = 0; i < 4; i++) {
        options.lines = (i & 1) != 0;
        options.own_reader = (i & 2) != 0;
        resolves_as(program, path, &options, true);
    }
}

Test(symbols, inlined_chain_is_outermost_first_with_the_line_of_each_call)
{
    resolves_whole(SAMPLE_C, SAMPLE_C, NULL);
}

Test(symbols, old_dwarf_is_read)
{
    resolves_whole(SAMPLE_DWARF4, SAMPLE_DWARF4, NULL);
}

Test(symbols, split_dwarf_is_followed)
{
    resolves_whole(SAMPLE_SPLIT, SAMPLE_SPLIT, NULL);
}

Test(symbols, unit_without_aranges_is_found)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/sample", folder);
    shell("objcopy -R .debug_aranges '%s' '%s'", SAMPLE_C, path);
    resolves_whole(SAMPLE_C, path, NULL);
}

Test(symbols, compressed_sections_are_unpacked)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/sample", folder);
    shell("objcopy --compress-debug-sections=zlib '%s' '%s'", SAMPLE_C, path);
    resolves_whole(SAMPLE_C, path, NULL);
}

Test(symbols, cxx_names_are_demangled_at_every_level)
{
    struct an_symbols_options options = {0};
    resolves_as(SAMPLE_CXX, SAMPLE_CXX, &options, true);
}

Test(symbols, no_inline_leaves_the_physical_function_and_its_call_line)
{
    struct an_symbols_options options = {.no_inline = true};
    resolves_as(SAMPLE_C, SAMPLE_C, &options, false);
    options.lines = true;
    resolves_as(SAMPLE_C, SAMPLE_C, &options, false);
}

Test(symbols, no_demangle_keeps_mangled_names)
{
    struct an_symbols_options options = {.no_demangle = true};
    struct place place[MOST_PLACES];
    struct an_build_id build_id = build_id_of(SAMPLE_CXX);
    char text[1024];
    sample_run(SAMPLE_CXX, place);
    resolve(SAMPLE_CXX, &options, &build_id, place[0].offset, text);
    cr_assert_eq(strncmp(text, "_ZN4shop4Till5closeEiPKc;_ZN4shop4Till5countI", 45), 0, "%s", text);
}

/* The sample without its debug data at FOLDER/bin/sample, the data at FOLDER/KEPT. */
static void strip_to(char path[128], const char *kept)
{
    snprintf(path, 128, "%s/bin/sample", folder);
    shell("mkdir -p '%s/bin' && mkdir -p \"$(dirname '%s/%s')\" && "
          "objcopy --only-keep-debug '%s' '%s/%s' && strip -o '%s' '%s'",
          folder, folder, kept, SAMPLE_C, folder, kept, path, SAMPLE_C);
}

static void link_to(const char *path, const char *kept)
{
    shell("cd '%s/bin' && objcopy --remove-section=.note.gnu.build-id "
          "--add-gnu-debuglink='%s/%s' '%s'",
          folder, folder, kept, path);
}

static void build_id_name(char name[128], const char *root)
{
    struct an_build_id id = build_id_of(SAMPLE_C);
    int bytes = snprintf(name, 128, "%s/.build-id/%02x/", root, id.value[0]);
    for (uint32_t i = 1; i < id.bytes; i++)
        bytes += snprintf(name + bytes, 128 - (size_t)bytes, "%02x", id.value[i]);
    snprintf(name + bytes, 128 - (size_t)bytes, ".debug");
}

Test(symbols, debug_file_is_found_by_build_id_in_a_debug_dir_and_a_sysroot)
{
    char path[128], kept[128], directory[128];
    build_id_name(kept, "dbg");
    strip_to(path, kept);
    snprintf(directory, sizeof(directory), "%s/dbg", folder);
    const char *list[] = {"/nowhere", directory};
    struct an_debug_places places = {.debug_dir = list, .debug_dir_count = 2};
    resolves_whole(SAMPLE_C, path, &places);

    build_id_name(kept, "root/usr/lib/debug");
    strip_to(path, kept);
    snprintf(directory, sizeof(directory), "%s/root", folder);
    places = (struct an_debug_places){.sysroot = directory};
    shell("mkdir -p '%s/root/opt' && mv '%s' '%s/root/opt/sample'", folder, path, folder);
    resolves_whole(SAMPLE_C, "/opt/sample", &places);
    /* The module itself is gone: the build-id alone finds its debug file. */
    resolves_whole(SAMPLE_C, "/opt/gone", &places);
}

Test(symbols, unstripped_twin_in_a_debug_dir_is_found)
{
    char path[128], directory[128];
    strip_to(path, "other/x");
    snprintf(directory, sizeof(directory), "%s/twin", folder);
    shell("mkdir '%s' && cp '%s' '%s/sample'", directory, SAMPLE_C, directory);
    const char *list[] = {directory};
    struct an_debug_places places = {.debug_dir = list, .debug_dir_count = 1};
    resolves_whole(SAMPLE_C, path, &places);
}

/* Without a build-id the link's name and CRC have to do. */
static void found_by_link(const char *kept)
{
    char path[128];
    struct an_build_id none = {0};
    struct place place[MOST_PLACES];
    struct an_symbols_options options = {0};
    char want[1024], have[1024];
    strip_to(path, kept);
    link_to(path, kept);
    sample_run(SAMPLE_C, place);
    expected(&place[1], false, true, want);
    resolve(path, &options, &none, place[1].offset, have);
    cr_assert_str_eq(have, want, "%s", kept);
    /* Any change of the debug file changes its CRC. */
    shell("printf x >> '%s/%s'", folder, kept);
    resolve(path, &options, &none, place[1].offset, have);
    cr_assert_eq(strncmp(have, "sample+0x", 9), 0, "%s", have);
}

Test(symbols, debug_link_is_followed_beside_the_module_if_the_crc_is_right)
{
    found_by_link("bin/sample.debug");
}

Test(symbols, debug_link_is_followed_in_dot_debug_if_the_crc_is_right)
{
    found_by_link("bin/.debug/sample.debug");
}

Test(symbols, symbols_packed_into_a_stripped_module_are_unpacked)
{
    char path[128];
    strip_to(path, "other/x");
    shell("cd '%s' && objcopy --strip-debug '%s' mini && xz mini && "
          "objcopy --add-section .gnu_debugdata=mini.xz bin/sample",
          folder, SAMPLE_C);
    struct an_symbols_options options = {0};
    resolves_as(SAMPLE_C, path, &options, false);
    /* Garbage in that place is no name. */
    shell("cd '%s' && head -c 300 mini.xz >cut.xz && "
          "objcopy --update-section .gnu_debugdata=cut.xz bin/sample",
          folder);
    struct place place[MOST_PLACES];
    struct an_build_id build_id = build_id_of(SAMPLE_C);
    char have[1024];
    sample_run(SAMPLE_C, place);
    resolve(path, &options, &build_id, place[1].offset, have);
    cr_assert_eq(strncmp(have, "sample+0x", 9), 0, "%s", have);
}

Test(symbols, server_is_asked_only_if_that_is_wanted)
{
    char path[128], kept[128], urls[128];
    struct an_build_id id = build_id_of(SAMPLE_C);
    struct an_symbols_options options = {0};
    int bytes = snprintf(kept, sizeof(kept), "server/buildid/");
    for (uint32_t i = 0; i < id.bytes; i++)
        bytes += snprintf(kept + bytes, sizeof(kept) - (size_t)bytes, "%02x", id.value[i]);
    snprintf(kept + bytes, sizeof(kept) - (size_t)bytes, "/debuginfo");
    strip_to(path, kept);
    snprintf(urls, sizeof(urls), "file://%s/server", folder);
    setenv("DEBUGINFOD_URLS", urls, 1);
    setenv("DEBUGINFOD_CACHE_PATH", folder, 1);
    struct place place[MOST_PLACES];
    char have[1024], want[1024];
    sample_run(SAMPLE_C, place);
    expected(&place[1], false, true, want);
    options.debuginfod = true;
    resolve(path, &options, &id, place[1].offset, have);
    if (dlopen("libdebuginfod.so.1", RTLD_NOW) == NULL)
        cr_skip_test("libdebuginfod is not installed");
    cr_assert_str_eq(have, want);
    options.debuginfod = false;
    resolve(path, &options, &id, place[1].offset, have);
    cr_assert_eq(strncmp(have, "sample+0x", 9), 0, "%s", have);
    cr_assert_null(getenv("DEBUGINFOD_URLS"));
}

Test(symbols, other_build_is_not_used)
{
    struct place place[MOST_PLACES];
    struct an_build_id other = build_id_of(SAMPLE_DWARF4);
    struct an_symbols_options options = {0};
    struct an_symbols *symbols = an_symbols_new(&options);
    char want[64];
    sample_run(SAMPLE_C, place);
    uint32_t module = an_symbols_module(symbols, SAMPLE_C, &other, false, UINT64_MAX);
    uint32_t site = an_symbols_site(symbols, module, place[0].offset, false);
    uint32_t count = 0;
    an_symbols_resolve(symbols);
    const struct an_site_frame *frame = an_symbols_frames(symbols, site, &count, &module);
    cr_assert_eq(count, 1);
    snprintf(want, sizeof(want), "%s+0x%" PRIx64, strrchr(SAMPLE_C, '/') + 1, place[0].offset);
    cr_assert_str_eq(an_names_text(an_symbols_names(symbols), frame->name, NULL), want);
    cr_assert_eq(an_symbols_module_file(symbols, module)->state, AN_MODULE_OTHER_BUILD);
    an_symbols_free(symbols);
}

Test(symbols, file_without_build_id_must_not_be_younger_than_the_recording)
{
    char path[128];
    struct an_build_id none = {0};
    struct an_symbols_options options = {0};
    snprintf(path, sizeof(path), "%s/sample", folder);
    shell("objcopy --remove-section=.note.gnu.build-id '%s' '%s'", SAMPLE_C, path);
    struct an_symbols *symbols = an_symbols_new(&options);
    uint32_t module = an_symbols_module(symbols, path, &none, false, 1);
    an_symbols_module_open(symbols, module);
    cr_assert_eq(an_symbols_module_file(symbols, module)->state, AN_MODULE_OTHER_BUILD);
    an_symbols_free(symbols);
}

Test(symbols, address_outside_of_every_symbol_is_not_guessed)
{
    struct an_build_id build_id = build_id_of(SAMPLE_C);
    struct an_symbols_options options = {0};
    char text[1024], want[64];
    resolve(SAMPLE_C, &options, &build_id, 0x2, text);
    snprintf(want, sizeof(want), "%s+0x2", strrchr(SAMPLE_C, '/') + 1);
    cr_assert_str_eq(text, want);
}

Test(symbols, return_address_means_the_call_and_exact_address_itself)
{
    struct place place[MOST_PLACES];
    struct an_build_id build_id = build_id_of(SAMPLE_C);
    struct an_symbols_options options = {0};
    struct an_symbols *symbols = an_symbols_new(&options);
    /* The first byte of a function is a return address only of a call that ended the one before. */
    FILE *pipe = popen("nm '" SAMPLE_C "' | sed -n 's/ T outer_function//p'", "r");
    char line[64];
    cr_assert_not_null(fgets(line, sizeof(line), pipe));
    pclose(pipe);
    uint64_t begin = strtoull(line, NULL, 16);
    (void)place;
    uint32_t module = an_symbols_module(symbols, SAMPLE_C, &build_id, false, UINT64_MAX);
    uint32_t call = an_symbols_site(symbols, module, begin, false);
    uint32_t exact = an_symbols_site(symbols, module, begin, true);
    uint32_t count = 0, unused = 0;
    cr_assert_neq(call, exact);
    an_symbols_resolve(symbols);
    const struct an_site_frame *frame = an_symbols_frames(symbols, exact, &count, &unused);
    cr_assert_str_eq(an_names_text(an_symbols_names(symbols), frame->name, NULL), "outer_function");
    frame = an_symbols_frames(symbols, call, &count, &unused);
    cr_assert_str_neq(an_names_text(an_symbols_names(symbols), frame->name, NULL),
                      "outer_function");
    an_symbols_free(symbols);
}

/* The address of the stub that calls FUNCTION, by objdump; 0: none. */
static uint64_t stub_of(const char *function)
{
    char command[512], line[64];
    snprintf(command, sizeof(command),
             "objdump -d -j .plt -j .plt.sec -j .plt.got '%s' 2>/dev/null | "
             "sed -n 's/^0*\\([0-9a-f]*\\) <%s@plt>:/\\1/p'",
             SAMPLE_C, function);
    FILE *pipe = popen(command, "r");
    bool found = fgets(line, sizeof(line), pipe) != NULL;
    pclose(pipe);
    return found ? strtoull(line, NULL, 16) : 0;
}

Test(symbols, stub_has_the_name_of_what_it_calls)
{
    uint64_t stub = stub_of("printf");
    struct an_build_id build_id = build_id_of(SAMPLE_C);
    struct an_symbols_options options = {0};
    char text[1024];
    if (stub == 0)
        cr_skip_test("objdump knows no stub of printf");
    resolve(SAMPLE_C, &options, &build_id, stub + 1, text);
    cr_assert_str_eq(text, "printf@plt");
    resolve(SAMPLE_C, &options, &build_id, stub + 6, text);
    cr_assert_str_eq(text, "printf@plt");
}

Test(symbols, each_unit_is_visited_once_for_all_addresses)
{
    struct an_build_id build_id = build_id_of(SAMPLE_C);
    struct an_symbols_options options = {.lines = true};
    struct an_symbols *symbols = an_symbols_new(&options);
    struct place place[MOST_PLACES];
    int count = sample_run(SAMPLE_C, place);
    uint32_t module = an_symbols_module(symbols, SAMPLE_C, &build_id, false, UINT64_MAX);
    for (int i = 0; i < count; i++) {
        an_symbols_site(symbols, module, place[i].offset, false);
        an_symbols_site(symbols, module, place[i].offset, true);
    }
    an_symbols_resolve(symbols);
    cr_assert_eq(an_symbols_unit_visits(symbols, module), 1);
    an_symbols_free(symbols);
}

Test(symbols, libdw_reads_what_it_can)
{
    struct an_build_id build_id = build_id_of(SAMPLE_C);
    struct an_symbols_options options = {0};
    for (int own = 0; own < 2; own++) {
        options.own_reader = own != 0;
        struct an_symbols *symbols = an_symbols_new(&options);
        uint32_t module = an_symbols_module(symbols, SAMPLE_C, &build_id, false, UINT64_MAX);
        cr_assert_not(an_symbols_by_libdw(symbols, module));
        an_symbols_site(symbols, module, 0x1200, true);
        an_symbols_resolve(symbols);
        cr_assert_eq(an_symbols_by_libdw(symbols, module), own == 0);
        an_symbols_free(symbols);
    }
}

Test(symbols, each_site_is_resolved_once)
{
    struct an_build_id build_id = build_id_of(SAMPLE_C);
    struct an_symbols_options options = {0};
    struct an_symbols *symbols = an_symbols_new(&options);
    uint32_t module = an_symbols_module(symbols, SAMPLE_C, &build_id, false, UINT64_MAX);
    uint32_t first = an_symbols_site(symbols, module, 0x1200, false);
    an_symbols_resolve(symbols);
    cr_assert_eq(an_symbols_resolved_count(symbols), 1);
    cr_assert_eq(an_symbols_site(symbols, module, 0x1200, false), first);
    cr_assert_eq(an_symbols_module(symbols, SAMPLE_C, &build_id, false, UINT64_MAX), module);
    an_symbols_site(symbols, module, 0x1300, false);
    an_symbols_literal(symbols, "[unknown]");
    an_symbols_resolve(symbols);
    cr_assert_eq(an_symbols_resolved_count(symbols), 3);
    an_symbols_free(symbols);
}

Test(symbols, damaged_module_gives_a_name_or_an_offset)
{
    /* Each run zeroes or flips another part of the file. */
    char path[128];
    struct an_build_id build_id = build_id_of(SAMPLE_C);
    struct an_symbols_options options = {.lines = true};
    struct place place[MOST_PLACES];
    char text[4096];
    struct stat status;
    sample_run(SAMPLE_C, place);
    cr_assert_eq(stat(SAMPLE_C, &status), 0);
    snprintf(path, sizeof(path), "%s/sample", folder);
    unsigned random = 1;
    for (int round = 0; round < 200; round++) {
        shell("cp '%s' '%s'", SAMPLE_C, path);
        FILE *file = fopen(path, "r+b");
        for (int i = 0; i < 40; i++) {
            random = random * 1103515245u + 12345u;
            fseek(file, (long)(random % (unsigned long)status.st_size), SEEK_SET);
            fputc((int)(random >> 16 & 0xff), file);
        }
        fclose(file);
        resolve(path, &options, &build_id, place[0].offset, text);
        cr_assert_neq(text[0], '\0');
    }
}

Test(symbols, dwarf_of_the_future_leaves_the_symbols)
{
    char path[128], line[64];
    struct an_build_id build_id = build_id_of(SAMPLE_C);
    struct an_symbols_options options = {0};
    struct place place[MOST_PLACES];
    snprintf(path, sizeof(path), "%s/sample", folder);
    shell("cp '%s' '%s'", SAMPLE_C, path);
    FILE *pipe = popen(
        "readelf -SW '" SAMPLE_C "' | sed -n 's/.* [.]debug_info *[A-Z]* *[0-9a-f]* *//p'", "r");
    cr_assert_not_null(fgets(line, sizeof(line), pipe));
    pclose(pipe);
    FILE *file = fopen(path, "r+b");
    fseek(file, strtol(line, NULL, 16) + 4, SEEK_SET); /* behind the unit's size */
    fputc(9, file);
    fclose(file);
    sample_run(SAMPLE_C, place);
    struct an_symbols *symbols = an_symbols_new(&options);
    uint32_t module = an_symbols_module(symbols, path, &build_id, false, UINT64_MAX);
    uint32_t site = an_symbols_site(symbols, module, place[0].offset, false), count = 0, of = 0;
    an_symbols_resolve(symbols);
    const struct an_site_frame *frame = an_symbols_frames(symbols, site, &count, &of);
    cr_assert_eq(count, 1);
    cr_assert_str_eq(an_names_text(an_symbols_names(symbols), frame->name, NULL), place[0].name[0]);
    cr_assert_str_eq(an_symbols_module_trouble(symbols, module),
                     "is of a version of DWARF that is not known here");
    an_symbols_free(symbols);
}

Test(symbols, module_that_is_cut_while_mapped_is_survived)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/sample", folder);
    shell("cp '%s' '%s'", SAMPLE_C, path);
    struct an_elf_image *image = an_elf_image_open(path);
    cr_assert_not_null(image);
    cr_assert_eq(truncate(path, 4096), 0);
    uint32_t crc = 0;
    an_elf_image_crc(image, &crc);
    an_elf_image_close(image);
}

Test(symbols, split_unit_that_is_cut_while_mapped_is_survived)
{
    char path[128];
    struct an_debug_places places = {0};
    struct an_inline_query query = {0};
    struct an_progress progress;
    snprintf(path, sizeof(path), "%s/a", folder);
    shell(
        "cd '%s' && echo 'int main(void) { return 0; }' >a.c && "
        "CCACHE_DISABLE=1 cc -g -gsplit-dwarf -c a.c && cc a.o -o a && nm a | grep ' T main' >main",
        folder);
    char *name = NULL;
    cr_assert_neq(asprintf(&name, "%s/main", folder), -1);
    FILE *file = fopen(name, "r");
    cr_assert_eq(fscanf(file, "%" SCNx64, &query.address), 1);
    fclose(file);
    struct an_elf_image *image = an_elf_image_open(path);
    struct an_inlines *inlines = an_inlines_new(image, &places, path, AN_INLINES_BY_EITHER);
    cr_assert(an_inlines_by_libdw(inlines));
    shell("truncate -s 0 '%s'/*.dwo", folder);
    an_progress_begin(&progress, "", 1);
    an_inlines_answer(inlines, &query, 1, true, &progress);
    cr_assert_leq(query.frame_count, 1);
    an_inlines_free(inlines);
    an_elf_image_close(image);
    free(query.frame);
    free(name);
}
