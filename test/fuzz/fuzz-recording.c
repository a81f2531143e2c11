/*
 * fuzz-recording.c -- gives damaged recordings to every command.
 *
 * With clang's libFuzzer (-DFUZZ_WITH_LIBFUZZER) a target of its own. Else a program that damages
 * composed recordings: fuzz-recording [ROUNDS [SEED]]. Whatever a command prints goes to /dev/null;
 * what counts is that it comes back, and that the sanitizers have nothing to say.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/commands/command.h"
#include "test/support/recording_builder.h"

/* These would run the file, or look at it as a program. */
static bool takes_program(const struct an_command *command)
{
    return strcmp(command->name, "record") == 0 || strcmp(command->name, "doctor") == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static char folder[64], path[96];

static void folder_make(void)
{
    if (folder[0] != '\0')
        return;
    snprintf(folder, sizeof(folder), "/tmp/thag-fuzz-XXXXXX");
    if (mkdtemp(folder) == NULL)
        abort();
    snprintf(path, sizeof(path), "%s/sample-20231114-231320.thag", folder);
}

static void file_write(const uint8_t *data, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
        abort();
    close(fd);
}

/* Run one command on the file, with options that keep it from writing and from opening windows. */
static void command_run(const struct an_command *command)
{
    char *words[12];
    int count = 0;
    struct an_options options;
    words[count++] = (char *)command->name;
    if (command->options & AN_OPTION_BIT(OUTPUT)) {
        words[count++] = (char *)"-o";
        words[count++] = strcmp(command->name, "resolve") == 0 ? folder : (char *)"/dev/null";
    }
    if (command->options & AN_OPTION_BIT(FORCE))
        words[count++] = (char *)"-f";
    if (command->options & AN_OPTION_BIT(NO_OPEN))
        words[count++] = (char *)"--no-open";
    if (command->options & AN_OPTION_BIT(LINES))
        words[count++] = (char *)"--lines";
    if (command->options & AN_OPTION_BIT(FAMILY))
        words[count++] = (char *)"--family";
    for (unsigned i = 0; i < command->files_min || i < 1; i++)
        words[count++] = strcmp(command->name, "list") == 0 ? folder : path;
    words[count] = NULL;
    if (an_options_parse(command, count, words, &options) >= 0)
        return;
    int status = command->run(&options);
    if (status != AN_EXIT_FINE && status != AN_EXIT_USAGE && status != AN_EXIT_INPUT)
        abort();
    an_options_release(&options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    folder_make();
    file_write(data, bytes);
    for (size_t i = 0; an_commands[i] != NULL; i++) {
        if (!takes_program(an_commands[i]))
            command_run(an_commands[i]);
    }
    return 0;
}

#ifndef FUZZ_WITH_LIBFUZZER

static uint64_t state;

static uint64_t random_next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Numbers at which bounds break. */
static uint64_t random_number(uint64_t pages)
{
    const uint64_t edges[] = {0,          1,         2,          pages - 1, pages,     pages + 1,
                              4095,       4096,      4097,       1u << 20,  INT32_MAX, UINT32_MAX,
                              1ull << 44, INT64_MAX, 1ull << 63, UINT64_MAX};
    uint64_t choice = random_next() % (sizeof(edges) / sizeof(edges[0]) + 2);
    return choice < sizeof(edges) / sizeof(edges[0]) ? edges[choice] : random_next() % (pages * 2);
}

static void damage_once(uint8_t *data, size_t *bytes)
{
    uint64_t pages = (*bytes < REC_PAGE_BYTES ? 1 : *bytes / REC_PAGE_BYTES) + 1;
    uint64_t at = random_next() % *bytes;
    uint64_t number = random_number(pages);
    switch (random_next() % 8) {
    case 0:
        data[at] ^= (uint8_t)(1u << random_next() % 8);
        break;
    case 1: /* a word of the header */
        memcpy(data + random_next() % 84 * 8, &number, 8);
        break;
    case 2: /* a word of the extent table */
        memcpy(data + REC_PAGE_BYTES + random_next() % 64 * 8, &number, 8);
        break;
    case 3:
    case 4: /* any word, half or whole */
        at &= ~(uint64_t)7;
        memcpy(data + at, &number, random_next() % 2 ? 4 : 8);
        break;
    case 5: /* one page is another one; the buffer has all of them, also after a cut */
        memmove(data + random_next() % (pages - 1) * REC_PAGE_BYTES,
                data + random_next() % (pages - 1) * REC_PAGE_BYTES, REC_PAGE_BYTES);
        break;
    case 6:
        memset(data + at, (int)(random_next() % 2) * 255, 1 + random_next() % (*bytes - at) % 300);
        break;
    default:
        if (random_next() % 8 == 0)
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

static void quiet(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    dup2(nowhere, STDOUT_FILENO);
    /* The sanitizers speak on stderr; so does every refusal, which is what happens nearly always.
     */
    if (getenv("FUZZ_VERBOSE") == NULL)
        freopen("/dev/null", "w", stderr);
}

static void calls_add(struct builder *builder)
{
    builder_header(builder)->clock_kind = REC_CLOCK_TSC;
    uint32_t root = builder_call(builder, 0, 0, REC_SPECIAL_THREAD);
    uint32_t outer = builder_call(builder, 0, root, 0x401000);
    uint32_t inner = builder_call(builder, 0, outer, 0x402000);
    uint32_t fibre = builder_call(builder, 0, root, REC_SPECIAL_FIBRE);
    uint32_t body = builder_call(builder, 0, fibre, 0x403000);
    builder_call_at(builder, 0, body)->start = 500;
    for (uint32_t i = 0; i < 20; i++) {
        builder_span(builder, 0, i % 2 ? inner : outer, i * 100, 100 - i);
        builder_span(builder, 0, body, i * 50, 200)->stack = 1 + i % 2;
    }
    builder_thread_at(builder, 0)->call_root = root;
}

static void samples_add(struct builder *builder)
{
    for (uint32_t i = 0; i < 20; i++) {
        builder_sampled(builder, i % 2, 1 + i % 3, i, i * 1000);
        builder_sampling(builder, i % 2, i * 1000000, 1 + i % 3, 1000);
    }
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    state = argc > 2 ? strtoull(argv[2], NULL, 0) : 88172645463325252u;
    struct builder *builder = builder_sample();
    size_t whole_bytes = 0;
    for (uint32_t i = 0; i < 20; i++)
        builder_event(builder, i % 2, i * 100, 1 + i % 3, i, i % 4 == 3 ? REC_EVENT_FREE | 1 : 1);
    calls_add(builder);
    samples_add(builder);
    uint8_t *whole = builder_bytes(builder, &whole_bytes);
    uint8_t *data = malloc(whole_bytes);
    char remove[128];
    double slowest = 0;
    int report = dup(STDOUT_FILENO);
    quiet();
    for (unsigned long round = 0; round < rounds; round++) {
        size_t bytes = whole_bytes;
        memcpy(data, whole, bytes);
        for (uint64_t i = round == 0 ? 0 : 1 + random_next() % 4; i != 0; i--)
            damage_once(data, &bytes);
        double before = now();
        LLVMFuzzerTestOneInput(data, bytes);
        if (now() - before > slowest)
            slowest = now() - before;
    }
    dprintf(report, "%lu recordings, the slowest took %.3f s\n", rounds, slowest);
    free(data);
    free(whole);
    builder_free(builder);
    snprintf(remove, sizeof(remove), "rm -rf '%s'", folder);
    return system(remove) != 0 || slowest > 20;
}

#endif
