/*
 * record_functions.c -- --only and --except: functions by name become address ranges.
 */
#include "analyzer/commands/record_functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/support/memory.h"
#include "analyzer/symbols/debug_search.h"
#include "analyzer/symbols/demangle.h"
#include "runtime/format/function_list.h"

struct list {
    const struct an_filter *filter;
    bool passes_over; /* no --only: what is listed is passed over */
    struct rec_list_module *module;
    struct rec_list_range *range;
    uint32_t module_count, range_count;
    uint32_t range_room;
};

/* A list without --only holds what --except means; else what of --only it leaves. */
static bool is_listed(const struct list *list, const char *raw)
{
    char *readable = an_demangle(raw, false);
    const char *name = readable ? readable : raw;
    size_t bytes = strlen(name);
    bool excluded = an_filter_means(list->filter, AN_FILTER_EXCLUDE, name, bytes);
    bool listed = list->passes_over
                      ? excluded
                      : !excluded && an_filter_means(list->filter, AN_FILTER_INCLUDE, name, bytes);
    free(readable);
    return listed;
}

static void range_add(struct list *list, uint64_t start, uint64_t bytes)
{
    if (list->range_count >= REC_LIST_RANGES_MAX)
        return;
    if (list->range_count == list->range_room) {
        list->range_room = list->range_room ? list->range_room * 2 : 64;
        list->range = an_memory_resize(list->range, list->range_room, sizeof(*list->range));
    }
    list->range[list->range_count++] = (struct rec_list_range){start, start + bytes};
}

static void symbols_list(struct list *list, const struct an_elf_image *image, Elf_Scn *section)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *data = gelf_getshdr(section, &header) ? elf_getdata(section, NULL) : NULL;
    for (int i = 1; data && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(image->elf, header.sh_link, symbol.st_name);
        bool is_function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
                           symbol.st_shndx != SHN_UNDEF && symbol.st_size != 0;
        if (is_function && name && *name && is_listed(list, name))
            range_add(list, symbol.st_value, symbol.st_size);
    }
}

static int ranges_order(const void *left, const void *right)
{
    const struct rec_list_range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Names of one function, and functions inside others, become one range. Result: how many stay. */
static uint32_t ranges_join(struct rec_list_range *range, uint32_t count)
{
    uint32_t kept = 0;
    if (count)
        qsort(range, count, sizeof(*range), ranges_order);
    for (uint32_t i = 0; i < count; i++) {
        struct rec_list_range *last = kept ? &range[kept - 1] : NULL;
        if (!last || range[i].start >= last->end)
            range[kept++] = range[i];
        else if (range[i].end > last->end)
            last->end = range[i].end;
    }
    return kept;
}

/* The functions of a file, by the best symbol table that there is. */
static void image_list(struct list *list, const struct an_elf_image *image)
{
    const struct an_debug_places places = {.debug_dir_count = 0};
    struct rec_list_module module = {.build_id_bytes = image->build_id.bytes,
                                     .first_range = list->range_count};
    bool is_system;
    struct an_elf_image *debug =
        image->symbols ? NULL
                       : an_debug_search(&places, image->path, &image->build_id, image, &is_system);
    if (image->symbols)
        symbols_list(list, image, image->symbols);
    else if (debug && debug->symbols)
        symbols_list(list, debug, debug->symbols);
    else if (image->dynamic_symbols)
        symbols_list(list, image, image->dynamic_symbols);
    an_elf_image_close(debug);
    memcpy(module.build_id, image->build_id.value, image->build_id.bytes);
    module.range_count =
        ranges_join(list->range + module.first_range, list->range_count - module.first_range);
    list->range_count = module.first_range + module.range_count;
    if (module.range_count == 0 || list->module_count == REC_LIST_MODULES_MAX)
        return;
    list->module = an_memory_resize(list->module, list->module_count + 1, sizeof(*list->module));
    list->module[list->module_count++] = module;
}

static void module_list(struct list *list, const char *path, struct an_record_functions *functions)
{
    struct an_elf_image *image = an_elf_image_open(path);
    if (image && image->build_id.bytes)
        image_list(list, image);
    else if (image && !functions->unknown)
        functions->unknown = an_memory_text(path);
    an_elf_image_close(image);
}

static int list_write(const struct list *list, char **ret_path, struct an_fault *fault)
{
    const struct rec_list_header header = {.magic = REC_LIST_MAGIC,
                                           .version = REC_LIST_VERSION,
                                           .passes_over = list->passes_over,
                                           .module_count = list->module_count,
                                           .range_count = list->range_count};
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    if (asprintf(&path, "%s/thag-functions-XXXXXX", folder && *folder ? folder : "/tmp") < 0)
        return an_fault_set(fault, -ENOMEM, "out of memory");
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    int error = file ? 0 : errno;
    if (file) {
        fwrite(&header, sizeof(header), 1, file);
        fwrite(list->module, sizeof(*list->module), list->module_count, file);
        fwrite(list->range, sizeof(*list->range), list->range_count, file);
        bool failed = ferror(file) != 0;
        if (fclose(file) != 0 || failed)
            error = errno ? errno : EIO;
    }
    if (error) {
        an_fault_set(fault, -error, "%s: %s", path, strerror(error));
        unlink(path);
        free(path);
        return -error;
    }
    *ret_path = path;
    return 0;
}

int an_record_functions_write(const struct an_filter *filter, const struct an_program *program,
                              const struct an_loading *loading,
                              struct an_record_functions *ret_functions, struct an_fault *fault)
{
    struct list list = {.filter = filter, .passes_over = !an_filter_has(filter, AN_FILTER_INCLUDE)};
    *ret_functions = (struct an_record_functions){0};
    if (program->has_hooks)
        module_list(&list, program->image, ret_functions);
    for (size_t i = 0; i < loading->count; i++) {
        struct an_program library;
        an_program_look(loading->path[i], &library);
        if (library.has_hooks)
            module_list(&list, loading->path[i], ret_functions);
        an_program_release(&library);
    }
    ret_functions->function_count = list.range_count;
    ret_functions->module_count = list.module_count;
    int error = list_write(&list, &ret_functions->path, fault);
    free(list.module);
    free(list.range);
    return error;
}
