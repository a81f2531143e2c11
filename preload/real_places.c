/*
 * real_places.c -- see the header.
 */
#include "preload/real_places.h"

#include <dlfcn.h>

/* The linker's names for the ends of the section. */
extern const struct pl_real_place __start_pl_real_places[] __attribute__((visibility("hidden")));
extern const struct pl_real_place __stop_pl_real_places[] __attribute__((visibility("hidden")));

void *pl_real_find_place(void **place, const char *name)
{
    *place = dlsym(RTLD_NEXT, name);
    return *place;
}

void pl_real_find_places(void)
{
    for (const struct pl_real_place *place = __start_pl_real_places; place < __stop_pl_real_places;
         place++) {
        if (!*place->place) {
            pl_real_find_place(place->place, place->name);
        }
    }
}
