/*
 * debug_search.c -- finds the file with the debug data of a module.
 */
#include "analyzer/symbols/debug_search.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

#define SYSTEM_DIRECTORY "/usr/lib/debug"

struct search {
    const struct an_debug_places *places;
    const struct an_build_id *build_id;
    const struct an_elf_image *module;
    char path[PATH_MAX];
};

static bool image_belongs(const struct search *search, const struct an_elf_image *image)
{
    uint32_t crc = 0;
    if (image->symbols == NULL && !image->has_dwarf)
        return false;
    if (search->build_id->bytes != 0 && image->build_id.bytes != 0)
        return an_build_id_same(search->build_id, &image->build_id);
    return search->module != NULL && search->module->debug_link != NULL &&
           an_elf_image_crc(image, &crc) && crc == search->module->debug_link_crc;
}

/* Open the path that FORMAT gives, if it belongs to the module. */
static struct an_elf_image *try_path(struct search *search, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static struct an_elf_image *try_path(struct search *search, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(search->path, sizeof(search->path), format, arguments);
    va_end(arguments);
    if (bytes < 0 || (size_t)bytes >= sizeof(search->path))
        return NULL;
    struct an_elf_image *image = an_elf_image_open(search->path);
    if (image != NULL && image_belongs(search, image))
        return image;
    an_elf_image_close(image);
    return NULL;
}

static struct an_elf_image *try_build_id(struct search *search, const char *root,
                                         const char *directory)
{
    char hex[AN_BUILD_ID_BYTES * 2 + 1];
    const struct an_build_id *id = search->build_id;
    if (id->bytes < 2)
        return NULL;
    for (uint32_t i = 0; i < id->bytes; i++)
        snprintf(hex + (size_t)i * 2, 3, "%02x", id->value[i]);
    struct an_elf_image *image =
        try_path(search, "%s%s/.build-id/%.2s/%s.debug", root, directory, hex, hex + 2);
    if (image == NULL)
        image = try_path(search, "%s%s/%.2s/%s.debug", root, directory, hex, hex + 2);
    return image;
}

/* The three places of a debug link: beside the module, in .debug, and under a debug directory. */
static struct an_elf_image *try_link(struct search *search, const char *root,
                                     const char *module_path)
{
    const char *slash = strrchr(module_path, '/');
    const char *link = search->module == NULL ? NULL : search->module->debug_link;
    if (slash == NULL || link == NULL)
        return NULL;
    int folder = (int)(slash - module_path);
    struct an_elf_image *image = NULL;
    for (uint32_t i = 0; i < search->places->debug_dir_count && image == NULL; i++)
        image =
            try_path(search, "%s%.*s/%s", search->places->debug_dir[i], folder, module_path, link);
    if (image == NULL)
        image = try_path(search, "%s%.*s/%s", root, folder, module_path, link);
    if (image == NULL)
        image = try_path(search, "%s%.*s/.debug/%s", root, folder, module_path, link);
    if (image == NULL)
        image = try_path(search, "%s" SYSTEM_DIRECTORY "%.*s/%s", root, folder, module_path, link);
    return image;
}

/* What the user names may be a plain heap of files: by link name, or the unstripped twin itself. */
static struct an_elf_image *try_directory(struct search *search, const char *directory,
                                          const char *module_path)
{
    const char *slash = strrchr(module_path, '/');
    const char *base = slash == NULL ? module_path : slash + 1;
    struct an_elf_image *image = try_build_id(search, "", directory);
    if (image == NULL && search->module != NULL && search->module->debug_link != NULL)
        image = try_path(search, "%s/%s", directory, search->module->debug_link);
    if (image == NULL)
        image = try_path(search, "%s/%s", directory, base);
    if (image == NULL)
        image = try_path(search, "%s/%s.debug", directory, base);
    if (image == NULL)
        image = try_path(search, "%s%s", directory, module_path);
    return image;
}

/* Where links lead, for a merged /usr: /lib/x may have its debug file under usr/lib. */
static struct an_elf_image *try_real_path(struct search *search, const char *root,
                                          const char *module_path)
{
    if (search->module == NULL)
        return NULL;
    char *real = realpath(search->module->path, NULL);
    size_t root_bytes = strlen(root);
    struct an_elf_image *image = NULL;
    if (real != NULL && strncmp(real, root, root_bytes) == 0 &&
        strcmp(real + root_bytes, module_path) != 0)
        image = try_link(search, root, real + root_bytes);
    free(real);
    return image;
}

struct an_elf_image *an_debug_search(const struct an_debug_places *places, const char *module_path,
                                     const struct an_build_id *build_id,
                                     const struct an_elf_image *module, bool *ret_system)
{
    const char *root = places->sysroot == NULL ? "" : places->sysroot;
    struct search *search = an_memory_zeroed(1, sizeof(*search));
    search->places = places;
    search->build_id = build_id;
    search->module = module;
    struct an_elf_image *image = NULL;
    for (uint32_t i = 0; i < places->debug_dir_count && image == NULL; i++)
        image = try_directory(search, places->debug_dir[i], module_path);
    if (image == NULL)
        image = try_build_id(search, root, SYSTEM_DIRECTORY);
    if (image == NULL)
        image = try_link(search, root, module_path);
    if (image == NULL)
        image = try_real_path(search, root, module_path);
    if (image != NULL) {
        size_t root_bytes = strlen(root);
        *ret_system =
            strncmp(image->path, root, root_bytes) == 0 &&
            strncmp(image->path + root_bytes, SYSTEM_DIRECTORY "/", sizeof(SYSTEM_DIRECTORY)) == 0;
    }
    free(search);
    return image;
}

struct an_elf_image *an_debug_search_shared(const struct an_debug_places *places,
                                            const struct an_elf_image *image)
{
    const char *root = places->sysroot == NULL ? "" : places->sysroot;
    const char *link = image->shared_link, *slash = strrchr(link, '/');
    const char *own_slash = strrchr(image->path, '/'), *base = slash == NULL ? link : slash + 1;
    int folder = own_slash == NULL ? 0 : (int)(own_slash - image->path);
    struct search *search = an_memory_zeroed(1, sizeof(*search));
    struct an_elf_image *found = NULL;
    search->places = places;
    search->build_id = &image->shared_id;
    for (uint32_t i = 0; i < places->debug_dir_count && found == NULL; i++) {
        const char *directory = places->debug_dir[i];
        found = try_build_id(search, "", directory);
        if (found == NULL)
            found = try_path(search, "%s/.dwz/%s", directory, base);
        if (found == NULL)
            found = try_path(search, "%s/%s", directory, base);
        if (found == NULL && link[0] == '/')
            found = try_path(search, "%s%s", directory, link);
    }
    if (found == NULL && link[0] == '/')
        found = try_path(search, "%s%s", root, link);
    else if (found == NULL)
        found = try_path(search, "%.*s/%s", folder, image->path, link);
    if (found == NULL)
        found = try_build_id(search, root, SYSTEM_DIRECTORY);
    if (found == NULL)
        found = try_path(search, "%s" SYSTEM_DIRECTORY "/.dwz/%s", root, base);
    free(search);
    return found;
}
