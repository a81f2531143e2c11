/*
 * symbols.c -- from places in modules to the names of functions.
 *
 * Distributions pack the DWARF of their debug files: that of glibc takes 70 ms to unpack and that
 * of its loader 8, at the end of every profiled process, to learn which of their functions were
 * inlined into which.
 * So a packed debug file over PACKED_LIMIT_BYTES from the system's directory only serves with its
 * symbol table, unless lines or all inlined functions are asked for. Programs, packed or not, and
 * debug files from elsewhere are always read whole. The rule looks at files alone, not at the time
 * there is or at how much was recorded: two runs of a program are named alike.
 */
#include "analyzer/symbols/symbols.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"
#include "analyzer/support/task.h"
#include "analyzer/symbols/clone_suffix.h"
#include "analyzer/symbols/debug_download.h"
#include "analyzer/symbols/demangle.h"
#include "analyzer/symbols/inlines.h"
#include "analyzer/symbols/name_shorten.h"
#include "analyzer/symbols/plt_stubs.h"
#include "analyzer/symbols/progress.h"
#include "analyzer/symbols/symbol_table.h"

#define PACKED_LIMIT_BYTES (128u << 10) /* unpacks in less than a millisecond */
#define NO_MODULE          UINT32_MAX
#define NOT_RESOLVED       UINT32_MAX

struct site {
    uint64_t offset; /* of a literal: its name */
    uint32_t module;
    bool exact;
    uint32_t frame; /* first of symbols->frame, or NOT_RESOLVED */
    uint32_t frame_count;
};

struct an_symbols {
    struct an_symbols_options options;
    struct an_names *names; /* as shown */
    struct an_names *raw;   /* as in the files */
    uint32_t *shown;        /* of raw name: the number in names, or UINT32_MAX */
    uint32_t shown_room;
    struct an_names *identities; /* of module files: path, NUL, build-id */
    struct an_module_file *module;
    uint32_t module_room;
    struct site *site;
    uint32_t site_count, site_room;
    uint32_t *slot; /* open hash of sites, number + 1; 0: empty */
    uint32_t slot_count;
    struct an_site_frame *frame;
    uint32_t frame_count, frame_room;
    uint32_t *pending; /* sites to resolve */
    uint32_t pending_count, pending_room;
    uint64_t resolved_count;
    struct an_progress progress;
};

struct an_symbols *an_symbols_new(const struct an_symbols_options *options)
{
    struct an_symbols *symbols = an_memory_zeroed(1, sizeof(*symbols));
    symbols->options = *options;
    /* No library of ours gets the idea by itself. */
    if (!options->debuginfod)
        unsetenv("DEBUGINFOD_URLS");
    symbols->names = an_names_new();
    symbols->raw = an_names_new();
    symbols->identities = an_names_new();
    symbols->slot_count = 256;
    symbols->slot = an_memory_zeroed(symbols->slot_count, sizeof(*symbols->slot));
    return symbols;
}

void an_symbols_free(struct an_symbols *symbols)
{
    if (symbols == NULL)
        return;
    for (uint32_t i = 0; i < an_names_count(symbols->identities); i++) {
        an_inlines_free(symbols->module[i].inlines);
        an_elf_image_close(symbols->module[i].packed);
        an_elf_image_close(symbols->module[i].debug);
        an_elf_image_close(symbols->module[i].image);
        free(symbols->module[i].path);
    }
    an_names_free(symbols->identities);
    an_names_free(symbols->names);
    an_names_free(symbols->raw);
    free(symbols->module);
    free(symbols->shown);
    free(symbols->site);
    free(symbols->slot);
    free(symbols->frame);
    free(symbols->pending);
    free(symbols);
}

uint32_t an_symbols_module(struct an_symbols *symbols, const char *path,
                           const struct an_build_id *build_id, bool vdso, uint64_t not_after_ns)
{
    size_t path_bytes = strlen(path) + 1;
    size_t bytes = path_bytes + build_id->bytes + 1;
    char *identity = an_memory_array(bytes, 1);
    memcpy(identity, path, path_bytes);
    memcpy(identity + path_bytes, build_id->value, build_id->bytes);
    identity[bytes - 1] = vdso ? 'v' : 'f';
    uint32_t count = an_names_count(symbols->identities);
    uint32_t module = an_names_intern(symbols->identities, identity, bytes);
    free(identity);
    if (module < count)
        return module;
    if (count == symbols->module_room) {
        symbols->module_room = symbols->module_room == 0 ? 16 : symbols->module_room * 2;
        symbols->module =
            an_memory_resize(symbols->module, symbols->module_room, sizeof(*symbols->module));
    }
    struct an_module_file *file = &symbols->module[module];
    *file = (struct an_module_file){.path = an_memory_text(path),
                                    .build_id = *build_id,
                                    .vdso = vdso,
                                    .not_after_ns = not_after_ns};
    const char *slash = strrchr(file->path, '/');
    file->base_name = slash == NULL ? file->path : slash + 1;
    if (file->base_name[0] == '\0')
        file->base_name = vdso ? "[vdso]" : "[unknown]";
    return module;
}

uint32_t an_symbols_module_count(const struct an_symbols *symbols)
{
    return an_names_count(symbols->identities);
}

const struct an_module_file *an_symbols_module_file(const struct an_symbols *symbols,
                                                    uint32_t module)
{
    return &symbols->module[module];
}

static uint32_t site_hash(const struct site *site)
{
    uint64_t hash = (site->offset * 2 + site->exact) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= ((uint64_t)site->module + 1) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (uint32_t)((hash ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void slots_grow(struct an_symbols *symbols)
{
    uint32_t mask = symbols->slot_count * 2 - 1;
    uint32_t *slot = an_memory_zeroed((size_t)mask + 1, sizeof(*slot));
    for (uint32_t i = 0; i < symbols->site_count; i++) {
        uint32_t at = site_hash(&symbols->site[i]) & mask;
        while (slot[at] != 0)
            at = (at + 1) & mask;
        slot[at] = i + 1;
    }
    free(symbols->slot);
    symbols->slot = slot;
    symbols->slot_count = mask + 1;
}

static uint32_t site_find(struct an_symbols *symbols, const struct site *wanted)
{
    uint32_t mask = symbols->slot_count - 1;
    uint32_t at = site_hash(wanted) & mask;
    for (; symbols->slot[at] != 0; at = (at + 1) & mask) {
        const struct site *site = &symbols->site[symbols->slot[at] - 1];
        if (site->offset == wanted->offset && site->module == wanted->module &&
            site->exact == wanted->exact)
            return symbols->slot[at] - 1;
    }
    if (symbols->site_count == symbols->site_room) {
        symbols->site_room = symbols->site_room == 0 ? 128 : symbols->site_room * 2;
        symbols->site = an_memory_resize(symbols->site, symbols->site_room, sizeof(*symbols->site));
        symbols->pending =
            an_memory_resize(symbols->pending, symbols->site_room, sizeof(*symbols->pending));
    }
    uint32_t number = symbols->site_count++;
    symbols->site[number] = *wanted;
    symbols->pending[symbols->pending_count++] = number;
    symbols->slot[at] = number + 1;
    if (symbols->site_count > symbols->slot_count / 2)
        slots_grow(symbols);
    return number;
}

uint32_t an_symbols_site(struct an_symbols *symbols, uint32_t module, uint64_t offset, bool exact)
{
    struct site site = {.offset = offset, .module = module, .exact = exact, .frame = NOT_RESOLVED};
    return site_find(symbols, &site);
}

uint32_t an_symbols_literal(struct an_symbols *symbols, const char *name)
{
    struct site site = {.offset = an_names_intern(symbols->names, name, strlen(name)),
                        .module = NO_MODULE,
                        .frame = NOT_RESOLVED};
    return site_find(symbols, &site);
}

/* The module's own file, if it is the recorded build. */
static void image_open(struct an_symbols *symbols, struct an_module_file *file)
{
    char path[PATH_MAX];
    const char *root = symbols->options.places.sysroot;
    if (file->vdso) {
        file->image = an_elf_image_vdso();
    } else if (file->path[0] == '/') {
        int bytes = snprintf(path, sizeof(path), "%s%s", root == NULL ? "" : root, file->path);
        if (bytes > 0 && (size_t)bytes < sizeof(path))
            file->image = an_elf_image_open(path);
    }
    if (file->image == NULL)
        return;
    bool same = file->build_id.bytes != 0
                    ? an_build_id_same(&file->build_id, &file->image->build_id)
                    : file->image->mtime_ns <= file->not_after_ns;
    if (same)
        return;
    an_elf_image_close(file->image);
    file->image = NULL;
    file->state = AN_MODULE_OTHER_BUILD;
}

static void module_state_set(struct an_module_file *file)
{
    bool dwarf = (file->image != NULL && file->image->has_dwarf) ||
                 (file->debug != NULL && file->debug->has_dwarf);
    bool symbols = (file->image != NULL && file->image->symbols != NULL) ||
                   (file->debug != NULL && file->debug->symbols != NULL) || file->packed != NULL;
    if (dwarf)
        file->state = AN_MODULE_DEBUG;
    else if (symbols)
        file->state = AN_MODULE_SYMBOLS;
    else if (file->image != NULL && file->image->dynamic_symbols != NULL)
        file->state = AN_MODULE_EXPORTS;
    else if (file->image != NULL)
        file->state = AN_MODULE_NAMELESS;
    else if (file->state != AN_MODULE_OTHER_BUILD)
        file->state = AN_MODULE_MISSING;
}

void an_symbols_module_open(struct an_symbols *symbols, uint32_t module)
{
    struct an_module_file *file = &symbols->module[module];
    if (file->opened)
        return;
    file->opened = true;
    image_open(symbols, file);
    bool whole = file->image != NULL && file->image->symbols != NULL && file->image->has_dwarf;
    if (!whole && !file->vdso) {
        const struct an_build_id *build_id = &file->build_id;
        if (build_id->bytes == 0 && file->image != NULL)
            build_id = &file->image->build_id;
        file->debug = an_debug_search(&symbols->options.places, file->path, build_id, file->image,
                                      &file->system_debug);
    }
    if (file->debug == NULL && symbols->options.debuginfod && !whole && !file->vdso)
        file->debug = an_debug_download(&file->build_id);
    if (file->image != NULL && file->image->symbols == NULL &&
        (file->debug == NULL || file->debug->symbols == NULL))
        file->packed = an_elf_image_unpack(file->image);
    module_state_set(file);
}

/* The inlined functions of a module, unless they are not wanted or cost too much. */
static struct an_inlines *inlines_open(struct an_symbols *symbols, struct an_module_file *file)
{
    const struct an_symbols_options *options = &symbols->options;
    struct an_elf_image *image = file->image;
    if (image == NULL || !image->has_dwarf)
        image = file->debug;
    if (image == NULL || file->inlines != NULL || (options->no_inline && !options->lines))
        return file->inlines;
    bool costly = image == file->debug && file->system_debug &&
                  image->packed_dwarf_bytes > PACKED_LIMIT_BYTES;
    if (costly && !options->lines && !options->all_inlines)
        return NULL;
    if (image->has_dwarf)
        file->inlines =
            an_inlines_new(image, &options->places, file->path,
                           options->own_reader ? AN_INLINES_BY_OWN_READER : AN_INLINES_BY_EITHER);
    return file->inlines;
}

static uint32_t name_shown(struct an_symbols *symbols, const char *raw, size_t bytes)
{
    uint32_t count = an_names_count(symbols->raw);
    uint32_t number = an_names_intern(symbols->raw, raw, an_clone_suffix_cut(raw, bytes));
    if (number < count)
        return symbols->shown[number];
    if (number >= symbols->shown_room) {
        symbols->shown_room = symbols->shown_room == 0 ? 128 : symbols->shown_room * 2;
        symbols->shown =
            an_memory_resize(symbols->shown, symbols->shown_room, sizeof(*symbols->shown));
    }
    const char *text = an_names_text(symbols->raw, number, NULL);
    char *readable =
        symbols->options.no_demangle ? NULL : an_demangle(text, symbols->options.cut_hash);
    if (readable != NULL && symbols->options.short_names) {
        char *whole = readable;
        readable = an_name_shorten(whole);
        free(whole);
    }
    const char *shown = readable == NULL ? text : readable;
    symbols->shown[number] = an_names_intern(symbols->names, shown, strlen(shown));
    free(readable);
    return symbols->shown[number];
}

static struct an_site_frame *frame_add(struct an_symbols *symbols, struct site *site)
{
    if (symbols->frame_count == symbols->frame_room) {
        symbols->frame_room = symbols->frame_room == 0 ? 256 : symbols->frame_room * 2;
        symbols->frame =
            an_memory_resize(symbols->frame, symbols->frame_room, sizeof(*symbols->frame));
    }
    if (site->frame == NOT_RESOLVED) {
        site->frame = symbols->frame_count;
        symbols->resolved_count++;
    }
    site->frame_count++;
    return &symbols->frame[symbols->frame_count++];
}

static void frame_line_set(struct an_symbols *symbols, struct an_site_frame *frame,
                           const struct an_inline_frame *source)
{
    frame->file = UINT32_MAX;
    frame->line = 0;
    if (!symbols->options.lines || source == NULL || source->file == NULL || source->line == 0)
        return;
    const char *slash = strrchr(source->file, '/');
    const char *base = slash == NULL ? source->file : slash + 1;
    frame->file = an_names_intern(symbols->names, base, strlen(base));
    frame->line = source->line;
}

static uint32_t stub_name(struct an_symbols *symbols, uint32_t function)
{
    static const char tail[] = "@plt";
    size_t bytes = 0;
    const char *name = an_names_text(symbols->names, function, &bytes);
    char *text = an_memory_array(bytes + sizeof(tail), 1);
    memcpy(text, name, bytes);
    memcpy(text + bytes, tail, sizeof(tail));
    uint32_t number = an_names_intern(symbols->names, text, bytes + sizeof(tail) - 1);
    free(text);
    return number;
}

/* The frames of one site, from what symbol table and DWARF answered. */
static void site_fill(struct an_symbols *symbols, struct site *site,
                      const struct an_symbol_query *symbol, const struct an_inline_query *inlined)
{
    const struct an_inline_frame *physical = inlined->frame_count == 0 ? NULL : &inlined->frame[0];
    uint32_t name;
    if (symbol->name != NULL) {
        name = name_shown(symbols, symbol->name, symbol->name_bytes);
        if (symbol->stub)
            name = stub_name(symbols, name);
    } else if (physical != NULL && physical->name != NULL) {
        name = name_shown(symbols, physical->name, strlen(physical->name));
    } else {
        char text[PATH_MAX + 32];
        int bytes = snprintf(text, sizeof(text), "%s+0x%" PRIx64,
                             symbols->module[site->module].base_name, site->offset);
        name = an_names_intern(symbols->names, text, (size_t)bytes);
    }
    struct an_site_frame *frame = frame_add(symbols, site);
    frame->name = name;
    frame_line_set(symbols, frame, physical);
    if (symbols->options.no_inline)
        return;
    for (uint32_t i = 1; i < inlined->frame_count; i++) {
        const char *text = inlined->frame[i].name == NULL ? "[inlined]" : inlined->frame[i].name;
        name = name_shown(symbols, text, strlen(text));
        frame = frame_add(symbols, site);
        frame->name = name;
        frame_line_set(symbols, frame, &inlined->frame[i]);
    }
}

static uint64_t site_address(const struct site *site)
{
    return site->exact || site->offset == 0 ? site->offset : site->offset - 1;
}

/* Ask all that there is about the module, best source first: an answer is not replaced. */
static void module_answer(struct an_symbols *symbols, uint32_t module,
                          struct an_symbol_query *symbol, struct an_inline_query *inlined,
                          uint32_t count)
{
    struct an_module_file *file = &symbols->module[module];
    an_symbols_module_open(symbols, module);
    if (file->image != NULL)
        an_symbol_table_answer(file->image, file->image->symbols, symbol, count);
    if (file->debug != NULL)
        an_symbol_table_answer(file->debug, file->debug->symbols, symbol, count);
    if (file->packed != NULL)
        an_symbol_table_answer(file->packed, file->packed->symbols, symbol, count);
    if (file->image != NULL)
        an_symbol_table_answer(file->image, file->image->dynamic_symbols, symbol, count);
    if (file->image != NULL)
        an_plt_stubs_answer(file->image, symbol, count);
    struct an_inlines *inlines = inlines_open(symbols, file);
    if (inlines != NULL)
        an_inlines_answer(inlines, inlined, count, symbols->options.lines, &symbols->progress);
}

/* Resolve COUNT sites of one module, in ascending order of address. */
static void module_resolve(struct an_symbols *symbols, uint32_t module, const uint32_t *site,
                           uint32_t count)
{
    struct an_symbol_query *symbol = an_memory_zeroed(count, sizeof(*symbol));
    struct an_inline_query *inlined = an_memory_zeroed(count, sizeof(*inlined));
    for (uint32_t i = 0; i < count; i++) {
        symbol[i].address = site_address(&symbols->site[site[i]]);
        inlined[i].address = symbol[i].address;
    }
    /* Without answers sites are called by module and offset, which ends the work fast. */
    if (an_task_is_wanted())
        module_answer(symbols, module, symbol, inlined, count);
    for (uint32_t i = 0; i < count; i++) {
        site_fill(symbols, &symbols->site[site[i]], &symbol[i], &inlined[i]);
        free(inlined[i].frame);
    }
    free(inlined);
    free(symbol);
}

static int pending_order(const void *left, const void *right, void *context)
{
    const struct an_symbols *symbols = context;
    const struct site *a = &symbols->site[*(const uint32_t *)left];
    const struct site *b = &symbols->site[*(const uint32_t *)right];
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    uint64_t a_address = site_address(a), b_address = site_address(b);
    return (a_address > b_address) - (a_address < b_address);
}

void an_symbols_resolve(struct an_symbols *symbols)
{
    uint32_t count = symbols->pending_count;
    if (count == 0)
        return;
    qsort_r(symbols->pending, count, sizeof(*symbols->pending), pending_order, symbols);
    an_progress_begin(&symbols->progress, "naming functions", count);
    for (uint32_t first = 0, next; first < count; first = next) {
        uint32_t module = symbols->site[symbols->pending[first]].module;
        next = first;
        while (next < count && symbols->site[symbols->pending[next]].module == module)
            next++;
        if (module == NO_MODULE)
            break; /* they sort last */
        an_progress_step(&symbols->progress, first, symbols->module[module].base_name);
        module_resolve(symbols, module, symbols->pending + first, next - first);
    }
    for (uint32_t i = count; i-- != 0;) {
        struct site *site = &symbols->site[symbols->pending[i]];
        if (site->module != NO_MODULE)
            break;
        struct an_site_frame *frame = frame_add(symbols, site);
        *frame = (struct an_site_frame){.name = (uint32_t)site->offset, .file = UINT32_MAX};
    }
    an_progress_end(&symbols->progress);
    symbols->pending_count = 0;
}

const struct an_site_frame *an_symbols_frames(const struct an_symbols *symbols, uint32_t number,
                                              uint32_t *ret_count, uint32_t *ret_module)
{
    const struct site *site = &symbols->site[number];
    *ret_count = site->frame_count;
    *ret_module = site->module;
    return symbols->frame + site->frame;
}

const struct an_names *an_symbols_names(const struct an_symbols *symbols)
{
    return symbols->names;
}

uint64_t an_symbols_resolved_count(const struct an_symbols *symbols)
{
    return symbols->resolved_count;
}

uint64_t an_symbols_unit_visits(const struct an_symbols *symbols, uint32_t module)
{
    const struct an_inlines *inlines = symbols->module[module].inlines;
    return inlines == NULL ? 0 : an_inlines_visits(inlines);
}

bool an_symbols_by_libdw(const struct an_symbols *symbols, uint32_t module)
{
    const struct an_inlines *inlines = symbols->module[module].inlines;
    return inlines != NULL && an_inlines_by_libdw(inlines);
}

const char *an_symbols_module_trouble(struct an_symbols *symbols, uint32_t module)
{
    struct an_module_file *file = &symbols->module[module];
    const struct an_inlines *inlines = file->opened ? inlines_open(symbols, file) : NULL;
    unsigned trouble = inlines == NULL ? 0 : an_inlines_trouble(inlines);
    if ((trouble & AN_DWARF_PACKING) != 0)
        return "is packed in a way that is not known here";
    if ((trouble & AN_DWARF_VERSION) != 0)
        return "is of a version of DWARF that is not known here";
    if ((trouble & AN_DWARF_DAMAGE) != 0)
        return "is damaged";
    if ((trouble & AN_DWARF_SPLIT) != 0)
        return "is split, and .dwo files or the .dwp file are not here";
    if ((trouble & AN_DWARF_SHARED) != 0)
        return "shares a file with others (dwz) that is not here";
    return NULL;
}
