/*
 * roots.c -- see the header.
 */
#include "runtime/setup/roots.h"

#include <elf.h>
#include <link.h>

#include "runtime/hot/call_guards.h"
#include "runtime/hot/call_roots.h"

/* More roots than that are taken to be of the mode "yes". */
enum { ROOTS_MAX = 64, NOTE_TYPE = 1, HAS_WORDS = 1 << 16, IS_BARE = -1 };

/* A root by its id, and its words once they were seen. */
struct root {
    int id, words;
};

struct roots {
    struct root root[ROOTS_MAX];
    unsigned count;
    bool overflow;
};

static struct root *root_get(struct roots *roots, int id)
{
    for (unsigned i = 0; i < roots->count; i++) {
        if (roots->root[i].id == id) {
            return &roots->root[i];
        }
    }
    if (roots->count == ROOTS_MAX) {
        roots->overflow = true;
        return NULL;
    }
    roots->root[roots->count] = (struct root){id, IS_BARE};
    return &roots->root[roots->count++];
}

static size_t aligned(size_t bytes)
{
    return (bytes + 3) & ~(size_t)3;
}

static void notes_read(struct roots *roots, const char *at, size_t bytes)
{
    while (bytes >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        size_t name_bytes = aligned(note->n_namesz), all = sizeof *note + name_bytes;
        const char *name = at + sizeof *note;
        all += aligned(note->n_descsz);
        if (all > bytes) {
            return;
        }
        if (note->n_namesz == sizeof "thag" && note->n_descsz == 8 && note->n_type == NOTE_TYPE &&
            __builtin_memcmp(name, "thag", sizeof "thag") == 0) {
            const int *words = (const void *)(name + name_bytes);
            struct root *root = root_get(roots, words[0]);
            if (root && words[1] & HAS_WORDS) {
                root->words = words[1] & (HAS_WORDS - 1);
            }
        }
        at += all;
        bytes -= all;
    }
}

static int module_read(struct dl_phdr_info *module, size_t bytes, void *roots)
{
    (void)bytes;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE && segment->p_align <= 4) {
            notes_read(roots, (const char *)module->dlpi_addr + segment->p_vaddr, segment->p_memsz);
        }
    }
    return 0;
}

/* The types that roots which count ask for; 0: none counts. */
static int modes_of(const struct roots *roots, bool variable_is_set)
{
    int all = RT_MARK_MODE_TIME | RT_MARK_MODE_MEMORY;
    int modes = roots->overflow ? all : 0;
    for (unsigned i = 0; i < roots->count; i++) {
        int words = roots->root[i].words == IS_BARE ? all : roots->root[i].words;
        if (words & RT_MARK_MODE_NO || (words & RT_MARK_MODE_RUNTIME && !variable_is_set)) {
            continue;
        }
        modes |= words & all ? words & all : all;
    }
    return modes;
}

void rt_roots_find(struct rt_session *session)
{
    static struct roots roots;
    struct rt_config *config = &session->config;
    bool variable_is_set = rt_environment_get(&session->environment, "THAG_PROFILER") != NULL;
    dl_iterate_phdr(module_read, &roots);
    rt_roots_reset(variable_is_set);
    session->roots = roots.count != 0;
    if (!session->roots) {
        return;
    }
    int modes = modes_of(&roots, variable_is_set);
    if (!modes) {
        config->memory = config->time = config->sample = false;
    } else if (!variable_is_set) {
        config->memory = modes & RT_MARK_MODE_MEMORY;
        config->time = modes & RT_MARK_MODE_TIME;
    }
}
