/*
 * obstacle.c -- why the recorder will not see a program.
 */
#include "analyzer/launch/obstacle.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { OUR_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OUR_MACHINE = EM_AARCH64 };
#else
enum { OUR_MACHINE = EM_NONE }; /* the loader will tell */
#endif

static void obstacle_set(struct an_obstacle *obstacle, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void obstacle_set(struct an_obstacle *obstacle, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(obstacle->text, sizeof(obstacle->text), format, arguments);
    va_end(arguments);
    obstacle->is_there = true;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *machine_name(uint16_t machine)
{
    switch (machine) {
    case EM_386:
        return "i386";
    case EM_X86_64:
        return "x86-64";
    case EM_ARM:
        return "arm";
    case EM_AARCH64:
        return "aarch64";
    case EM_RISCV:
        return "riscv";
    case EM_PPC64:
        return "ppc64";
    case EM_S390:
        return "s390";
    default:
        return "another machine";
    }
}

/* Loaders of glibc go by these names on all machines. */
static bool is_glibc_loader(const char *loader)
{
    const char *name = base_name(loader);
    return strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld64.so.", 8) == 0 ||
           strncmp(name, "ld.so.", 6) == 0;
}

/* The sanitizer that the runtime NAME belongs to, if it does not bear a library in front of it. */
static const char *sanitizer_of(const char *name)
{
    static const char *const rows[][2] = {
        {"libasan.so", "AddressSanitizer"},     {"libclang_rt.asan", "AddressSanitizer"},
        {"libhwasan.so", "HWAddressSanitizer"}, {"libclang_rt.hwasan", "HWAddressSanitizer"},
        {"libtsan.so", "ThreadSanitizer"},      {"libclang_rt.tsan", "ThreadSanitizer"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strncmp(name, rows[i][0], strlen(rows[i][0])) == 0)
            return rows[i][1];
    }
    return NULL;
}

static const char *sanitizer_find(const struct an_program *program,
                                  const struct an_loading *loading)
{
    const char *found = NULL;
    for (size_t i = 0; i < loading->count && !found; i++)
        found = sanitizer_of(base_name(loading->path[i]));
    for (size_t i = 0; i < program->needed_count && !found; i++)
        found = sanitizer_of(program->needed[i]);
    return found;
}

/* What the file itself says. False: nothing against it. */
static bool obstacle_in_file(const struct an_program *program, struct an_obstacle *obstacle)
{
    if (!program->is_64_bit)
        obstacle_set(obstacle, "is a 32-bit program, the recorder is for 64 bits; build it "
                               "without -m32");
    else if (!program->is_our_byte_order ||
             (OUR_MACHINE != EM_NONE && program->machine != OUR_MACHINE))
        obstacle_set(obstacle, "is a program for %s; record it on such a machine",
                     program->is_our_byte_order ? machine_name(program->machine)
                                                : machine_name(EM_NONE));
    else if (program->is_loader)
        return true; /* started by hand; it preloads as ever */
    else if (!program->loader) {
        obstacle_set(obstacle, "is linked statically, nothing can be preloaded into it; link it "
                               "without -static");
        obstacle->keep_preload = true;
    } else if (strstr(base_name(program->loader), "musl"))
        obstacle_set(obstacle, "is linked with musl, the recorder is for glibc; build it with the "
                               "compiler of a glibc system");
    else if (!is_glibc_loader(program->loader))
        obstacle_set(obstacle, "has the loader %s, the recorder is for glibc's", program->loader);
    else if (access(program->loader, X_OK) != 0)
        obstacle_set(obstacle, "needs the loader %s, which is not there", program->loader);
    return obstacle->is_there;
}

void an_obstacle_find(const struct an_program *program, const char *list,
                      struct an_obstacle *ret_obstacle, struct an_loading *ret_loading)
{
    *ret_obstacle = (struct an_obstacle){0};
    *ret_loading = (struct an_loading){0};
    if (program->is_privileged) {
        obstacle_set(ret_obstacle, "gets rights of another user or group, and the loader drops "
                                   "what is preloaded then; record it as that user, or a copy "
                                   "without those rights");
        return;
    }
    if (!program->is_readable || obstacle_in_file(program, ret_obstacle))
        return;
    an_loading_ask(program, list, ret_loading);
    const char *sanitizer = sanitizer_find(program, ret_loading);
    if (sanitizer)
        obstacle_set(ret_obstacle,
                     "is linked with %s, which does not run with a library in front "
                     "of it; build it without -fsanitize",
                     sanitizer);
    else if (ret_loading->refusal)
        obstacle_set(ret_obstacle, "cannot load the recorder: %s", ret_loading->refusal);
}
