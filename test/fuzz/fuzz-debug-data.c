/*
 * fuzz-debug-data.c -- gives damaged ELF files and debug data to the resolver.
 *
 * With clang's libFuzzer (-DFUZZ_WITH_LIBFUZZER) a target of its own, the input being a module.
 * Else a program that damages the files of folders: fuzz-debug-data ROUNDS SEED FOLDER... A folder
 * holds a program "animals" and what belongs to it: debug files, split units, a package, shared
 * parts. What counts is that the resolver comes back, soon and in bounded memory, and that the
 * sanitizers have nothing to say.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/symbols/symbols.h"

#define ADDRESSES       300u
#define MOST_FILES      24u
#define MOST_PARTS      64u
#define LONGEST_ROUND_S 10.0
#define MOST_MIB        512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Name addresses all over a module's code, with all that there is, by libdw where it can or not. */
static void resolve(const char *path, const char *directory, uint64_t low, uint64_t high,
                    bool own_reader)
{
    struct an_symbols_options options = {.lines = true,
                                         .cut_hash = true,
                                         .all_inlines = true,
                                         .own_reader = own_reader,
                                         .places = {&directory, 1, NULL}};
    struct an_build_id none = {0};
    struct an_symbols *symbols = an_symbols_new(&options);
    uint32_t module = an_symbols_module(symbols, path, &none, false, UINT64_MAX);
    uint32_t site[ADDRESSES];
    for (uint32_t i = 0; i < ADDRESSES; i++)
        site[i] = an_symbols_site(symbols, module, low + (high - low) / ADDRESSES * i, true);
    an_symbols_resolve(symbols);
    for (uint32_t i = 0; i < ADDRESSES; i++) {
        uint32_t count = 0, of = 0;
        an_symbols_frames(symbols, site[i], &count, &of);
        if (count == 0 || of != module)
            abort();
    }
    an_symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char path[40];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (write(fd, data, bytes) != (ssize_t)bytes)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    resolve(path, "/nowhere", 0x1000, 0x3000, false);
    resolve(path, "/nowhere", 0x1000, 0x3000, true);
    close(fd);
    return 0;
}

#ifndef FUZZ_WITH_LIBFUZZER

/* A part of a file that is worth damaging. */
struct part {
    size_t offset, bytes;
};

struct file {
    char path[PATH_MAX]; /* in the scratch folder */
    uint8_t *data, *damaged;
    size_t bytes;
    struct part part[MOST_PARTS];
    uint32_t part_count;
};

struct folder {
    char path[64]; /* scratch */
    struct file file[MOST_FILES];
    uint32_t file_count;
    uint64_t low, high; /* code of the program */
};

static uint64_t state;

static uint64_t random_below(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit == 0 ? 0 : state % limit;
}

static void part_add(struct file *file, uint64_t offset, uint64_t bytes)
{
    if (bytes != 0 && offset < file->bytes && bytes <= file->bytes - offset &&
        file->part_count < MOST_PARTS)
        file->part[file->part_count++] = (struct part){(size_t)offset, (size_t)bytes};
}

/* The debug sections, the header, and the table of sections. */
static void parts_find(struct folder *folder, struct file *file, bool program)
{
    size_t names = 0, count = 0;
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)file->data, file->bytes);
    GElf_Ehdr header;
    if (elf == NULL || gelf_getehdr(elf, &header) == NULL)
        abort();
    elf_getshdrstrndx(elf, &names);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr head;
        gelf_getshdr(section, &head);
        const char *name = elf_strptr(elf, names, head.sh_name);
        if (head.sh_type != SHT_NOBITS &&
            (strstr(name, "debug") != NULL || name[1] == 's' || strncmp(name, ".rela", 5) == 0 ||
             strncmp(name, ".plt", 4) == 0))
            part_add(file, head.sh_offset, head.sh_size);
    }
    part_add(file, 0, 64);
    part_add(file, header.e_shoff, (uint64_t)header.e_shnum * header.e_shentsize);
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count && program; i++) {
        GElf_Phdr head;
        gelf_getphdr(elf, (int)i, &head);
        if (head.p_type == PT_LOAD && (head.p_flags & PF_X) != 0) {
            folder->low = head.p_vaddr;
            folder->high = head.p_vaddr + head.p_memsz;
        }
    }
    elf_end(elf);
}

static void file_write(const struct file *file, const uint8_t *data, size_t bytes)
{
    int fd = open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
        abort();
    close(fd);
}

static void file_load(struct folder *folder, const char *from, const char *name)
{
    struct file *file = &folder->file[folder->file_count];
    struct stat status;
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", from, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return;
    }
    file->bytes = (size_t)status.st_size;
    file->data = malloc(file->bytes + 1);
    file->damaged = malloc(file->bytes + 1);
    if (read(fd, file->data, file->bytes) != status.st_size)
        abort();
    close(fd);
    if (file->bytes < 64 || memcmp(file->data, ELFMAG, SELFMAG) != 0) {
        free(file->data);
        free(file->damaged);
        return;
    }
    stpcpy(stpcpy(stpcpy(file->path, folder->path), "/"), name);
    file_write(file, file->data, file->bytes);
    parts_find(folder, file, strcmp(name, "animals") == 0);
    folder->file_count++;
}

static void folder_load(struct folder *folder, const char *from)
{
    snprintf(folder->path, sizeof(folder->path), "/tmp/thag-fuzz-XXXXXX");
    if (mkdtemp(folder->path) == NULL)
        abort();
    DIR *directory = opendir(from);
    const struct dirent *entry;
    while (directory != NULL && (entry = readdir(directory)) != NULL &&
           folder->file_count < MOST_FILES)
        file_load(folder, from, entry->d_name);
    if (directory != NULL)
        closedir(directory);
    if (folder->high == 0) {
        fprintf(stderr, "%s: there is no program in it\n", from);
        exit(2);
    }
}

static void folder_remove(struct folder *folder)
{
    for (uint32_t i = 0; i < folder->file_count; i++) {
        unlink(folder->file[i].path);
        free(folder->file[i].data);
        free(folder->file[i].damaged);
    }
    rmdir(folder->path);
}

/* Numbers at which bounds break. */
static uint64_t random_number(const struct file *file)
{
    const uint64_t edges[] = {0,          1,          2,         127,        128,
                              255,        UINT16_MAX, INT32_MAX, UINT32_MAX, INT64_MAX,
                              UINT64_MAX, 1ull << 31, 1ull << 63};
    uint64_t choice = random_below(sizeof(edges) / sizeof(edges[0]) + 4);
    return choice < sizeof(edges) / sizeof(edges[0]) ? edges[choice] : random_below(file->bytes);
}

static void damage_once(struct file *file, size_t *bytes)
{
    const struct part *part = &file->part[random_below(file->part_count)];
    bool anywhere = file->part_count == 0 || random_below(16) == 0;
    size_t at = anywhere ? random_below(file->bytes) : part->offset + random_below(part->bytes);
    uint64_t number = random_number(file);
    static const size_t sizes[] = {1, 1, 2, 4, 4, 8};
    size_t size = sizes[random_below(sizeof(sizes) / sizeof(sizes[0]))];
    size_t left = file->bytes - at;
    switch (random_below(7)) {
    case 0:
        file->damaged[at] ^= (uint8_t)(1u << random_below(8));
        break;
    case 1:
    case 2:
    case 3:
        memcpy(file->damaged + at, &number, size > left ? left : size);
        break;
    case 4: /* another part of the file */
        size = 1 + random_below(left > 64 ? 64 : left);
        memmove(file->damaged + at, file->data + random_below(file->bytes - size + 1), size);
        break;
    case 5:
        memset(file->damaged + at, random_below(2) != 0 ? 0xff : 0, 1 + random_below(left) % 40);
        break;
    default:
        if (random_below(16) == 0)
            *bytes = at + 1;
        break;
    }
}

/* Of CPU time, for the machine may be busy. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double round_run(struct folder *folder, bool damage)
{
    struct file *file = &folder->file[random_below(folder->file_count)];
    char program[PATH_MAX];
    size_t bytes = file->bytes;
    memcpy(file->damaged, file->data, file->bytes);
    for (uint64_t i = damage ? 1 + random_below(6) : 0; i != 0; i--)
        damage_once(file, &bytes);
    file_write(file, file->damaged, bytes);
    snprintf(program, sizeof(program), "%s/animals", folder->path);
    double begin = now();
    resolve(program, folder->path, folder->low, folder->high, random_below(2) != 0);
    double took = now() - begin;
    if (took > LONGEST_ROUND_S) {
        char kept[] = "/tmp/thag-slow-XXXXXX";
        int fd = mkstemp(kept);
        fprintf(stderr, "%s took %.1f s; kept as %s\n", file->path, took, kept);
        if (fd < 0 || write(fd, file->damaged, bytes) != (ssize_t)bytes)
            abort();
    }
    file_write(file, file->data, file->bytes);
    return took;
}

int main(int argc, char **argv)
{
    static struct folder folder[16];
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    double slowest = 0;
    int count = argc - 3 > 16 ? 16 : argc - 3;
    struct rusage usage;
    if (count <= 0)
        return 2;
    state = strtoull(argv[2], NULL, 0) * 2 + 88172645463325252u;
    for (int i = 0; i < count; i++)
        folder_load(&folder[i], argv[i + 3]);
    for (uint64_t round = 0; round < rounds; round++) {
        double took = round_run(&folder[round % (uint64_t)count], round >= (uint64_t)count);
        slowest = took > slowest ? took : slowest;
    }
    for (int i = 0; i < count; i++)
        folder_remove(&folder[i]);
    getrusage(RUSAGE_SELF, &usage);
    printf("%" PRIu64 " rounds, the slowest took %.3f s, %ld MiB\n", rounds, slowest,
           usage.ru_maxrss / 1024);
    return slowest > LONGEST_ROUND_S || usage.ru_maxrss / 1024 > MOST_MIB;
}

#endif
