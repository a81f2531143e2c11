/*
 * program.c -- what a program is before it runs.
 */
#include "analyzer/launch/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "analyzer/support/memory.h"

/* As deep as the kernel follows scripts whose interpreters are scripts. */
enum { SCRIPTS_MAX = 5, SCRIPT_LINE_BYTES = 256 };

#if __BYTE_ORDER == __LITTLE_ENDIAN
enum { OUR_BYTE_ORDER = ELFDATA2LSB };
#else
enum { OUR_BYTE_ORDER = ELFDATA2MSB };
#endif

/* 0, or -errno: an executable regular file, as execve() wants it. */
static int file_check(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno == ENOTDIR ? -ENOENT : -errno;
    if (!S_ISREG(status.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
        return -EACCES;
    return 0;
}

static char *path_join(const char *directory, size_t bytes, const char *name)
{
    char *path = an_memory_array(bytes + strlen(name) + 3, 1);
    char *end = mempcpy(path, bytes ? directory : ".", bytes ? bytes : 1);
    *end++ = '/';
    strcpy(end, name);
    return path;
}

int an_program_find(const char *name, char **ret_path)
{
    char standard[256] = "";
    const char *list = getenv("PATH");
    char *refused = NULL;
    if (strchr(name, '/')) {
        int error = file_check(name);
        if (error == 0 || error == -EACCES)
            *ret_path = an_memory_text(name);
        return error;
    }
    if (!list && confstr(_CS_PATH, standard, sizeof(standard)) > 0)
        list = standard;
    for (const char *at = list; at && *name; at = *at ? at + 1 : NULL) {
        size_t bytes = strcspn(at, ":");
        char *path = path_join(at, bytes, name);
        int error = file_check(path);
        at += bytes;
        if (error == 0) {
            free(refused);
            *ret_path = path;
            return 0;
        }
        if (error == -EACCES && !refused)
            refused = path;
        else
            free(path);
    }
    if (!refused)
        return -ENOENT;
    *ret_path = refused;
    return -EACCES;
}

/* "/usr/bin/env NAME" starts NAME: that is the interpreter. INTERPRETER is taken over. */
static char *script_look_through_env(char *interpreter, const char *argument)
{
    const char *slash = strrchr(interpreter, '/');
    char *path = NULL;
    if (!slash || strcmp(slash, "/env") != 0)
        return interpreter;
    if (strncmp(argument, "-S", 2) == 0)
        argument += 2 + strspn(argument + 2, " \t");
    char *name = an_memory_text_part(argument, strcspn(argument, " \t"));
    if (*name && *name != '-' && !strchr(name, '=') && an_program_find(name, &path) == 0) {
        free(interpreter);
        interpreter = path;
    } else {
        free(path);
    }
    free(name);
    return interpreter;
}

/*
 * The interpreter in the first line of a script.
 * Result: NULL if the file is no script; freed by free().
 */
static char *script_interpreter(int fd)
{
    char line[SCRIPT_LINE_BYTES + 1];
    ssize_t bytes = pread(fd, line, SCRIPT_LINE_BYTES, 0);
    if (bytes < 2 || line[0] != '#' || line[1] != '!')
        return NULL;
    line[bytes] = '\0';
    line[strcspn(line, "\n")] = '\0';
    const char *start = line + 2 + strspn(line + 2, " \t");
    size_t length = strcspn(start, " \t");
    const char *argument = start + length + strspn(start + length, " \t");
    return script_look_through_env(an_memory_text_part(start, length), argument);
}

/* The permissions of the file that starts count, and a script's interpreter starts. */
static bool is_privileged(int fd, const struct stat *status)
{
    struct statvfs system;
    char capability[64];
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
        (fstatvfs(fd, &system) == 0 && (system.f_flag & ST_NOSUID)))
        return false;
    if ((status->st_mode & S_ISUID) && status->st_uid != getuid())
        return true;
    /* Without the group's right to execute, the bit meant mandatory locking. */
    if ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
        status->st_gid != getgid())
        return true;
    return getuid() != 0 &&
           fgetxattr(fd, "security.capability", capability, sizeof(capability)) > 0;
}

static void segments_read(struct an_program *program, Elf *elf, int fd)
{
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count && i < 4096; i++) {
        GElf_Phdr header;
        char path[4096];
        if (gelf_getphdr(elf, (int)i, &header) == NULL)
            continue;
        program->has_unwind_data |= header.p_type == PT_GNU_EH_FRAME;
        if (header.p_type != PT_INTERP || program->loader || header.p_filesz == 0 ||
            header.p_filesz >= sizeof(path))
            continue;
        if (pread(fd, path, header.p_filesz, (off_t)header.p_offset) == (ssize_t)header.p_filesz)
            program->loader = an_memory_text_part(path, strnlen(path, header.p_filesz));
    }
}

static void dynamic_read(struct an_program *program, Elf *elf, Elf_Scn *section,
                         const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;
    for (int i = 0; data && gelf_getdyn(data, i, &entry) != NULL && entry.d_tag != DT_NULL; i++) {
        const char *name = entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME
                               ? elf_strptr(elf, header->sh_link, entry.d_un.d_val)
                               : NULL;
        if (!name)
            continue;
        if (entry.d_tag == DT_SONAME) {
            program->is_loader = strncmp(name, "ld-", 3) == 0 || strncmp(name, "ld64.", 5) == 0;
            continue;
        }
        program->needed =
            an_memory_resize(program->needed, program->needed_count + 1, sizeof(*program->needed));
        program->needed[program->needed_count++] = an_memory_text(name);
    }
}

static void symbols_read(struct an_program *program, Elf *elf, Elf_Scn *section,
                         const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    for (int i = 1; data && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name)
            continue;
        if (symbol.st_shndx == SHN_UNDEF)
            program->has_hooks |= strcmp(name, "__cyg_profile_func_enter") == 0;
        else if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
            program->has_own_allocator |= strcmp(name, "malloc") == 0;
    }
}

static void sections_read(struct an_program *program, Elf *elf)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL)
            continue;
        if (header.sh_type == SHT_DYNAMIC)
            dynamic_read(program, elf, section, &header);
        else if (header.sh_type == SHT_DYNSYM)
            symbols_read(program, elf, section, &header);
    }
}

static void image_read(struct an_program *program, int fd)
{
    GElf_Ehdr header;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf != NULL && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) != NULL) {
        program->is_readable = true;
        program->is_64_bit = header.e_ident[EI_CLASS] == ELFCLASS64;
        program->is_our_byte_order = header.e_ident[EI_DATA] == OUR_BYTE_ORDER;
        program->machine = header.e_machine;
        segments_read(program, elf, fd);
        sections_read(program, elf);
    }
    elf_end(elf);
}

/* What libc runs where the kernel knows no format: execvp() has it as a script of the shell. */
static bool is_plain_text(int fd)
{
    char bytes[128];
    ssize_t count = pread(fd, bytes, sizeof(bytes), 0);
    return count >= 0 && memchr(bytes, '\0', (size_t)count) == NULL;
}

/* Look at one file. Result: the interpreter to look at in its stead, freed by free(), or NULL. */
static char *file_look(struct an_program *program, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        /* Programs may be executable without being readable. */
        if (errno == EACCES)
            program->image = an_memory_text(path);
        return NULL;
    }
    char *interpreter = script_interpreter(fd);
    if (!interpreter) {
        program->image = an_memory_text(path);
        image_read(program, fd);
        if (fstat(fd, &status) == 0)
            program->is_privileged = is_privileged(fd, &status);
        if (!program->is_readable && is_plain_text(fd)) {
            free(program->image);
            program->image = NULL;
            interpreter = an_memory_text("/bin/sh");
        }
    }
    program->is_script |= interpreter != NULL;
    close(fd);
    return interpreter;
}

void an_program_look(const char *path, struct an_program *ret_program)
{
    *ret_program = (struct an_program){.path = an_memory_text(path)};
    char *interpreter = file_look(ret_program, path);
    for (int i = 0; interpreter && i < SCRIPTS_MAX; i++) {
        char *next = file_look(ret_program, interpreter);
        free(interpreter);
        interpreter = next;
    }
    free(interpreter);
}

void an_program_release(struct an_program *program)
{
    for (size_t i = 0; i < program->needed_count; i++)
        free(program->needed[i]);
    free(program->needed);
    free(program->loader);
    free(program->image);
    free(program->path);
    *program = (struct an_program){0};
}
