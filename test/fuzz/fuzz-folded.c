/*
 * fuzz-folded.c -- feeds bytes to the reader of folded stacks and checks what must be true of any.
 *
 * Built with clang and -fsanitize=fuzzer it is a target of libFuzzer. With FUZZ_ALONE it changes
 * its own samples at random: "fuzz-folded [ROUNDS [SEED]]"; or it runs the files that it is given.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/input/folded_reader.h"
#include "analyzer/output/folded_writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static struct an_source *source_of(const void *data, size_t bytes)
{
    char path[40];
    struct an_source *source = NULL;
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    if (write(descriptor, data, bytes) != (ssize_t)bytes)
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
    if (an_source_open(path, &source) != 0)
        abort();
    close(descriptor);
    return source;
}

static void check_tree(const struct an_tree *tree, enum an_value value)
{
    uint64_t sum = 0;
    for (uint32_t node = 1; node < tree->node_count; node++) {
        assert(tree->parent[node] < node);
        assert(tree->name[node] < an_names_count(tree->names));
    }
    for (uint32_t node = 0; tree->self[value] && node < tree->node_count; node++) {
        assert(!__builtin_add_overflow(sum, tree->self[value][node], &sum));
    }
    assert(sum == tree->sum[value]);
}

/* What was read is written, and read again: the sum must be the same, and no line bad. */
static void check_round_trip(const struct an_profile *profile,
                             const struct an_folded_format *format)
{
    char *text = NULL;
    size_t bytes = 0;
    struct an_folded_format again = *format;
    struct an_folded_output output = {.value = format->value,
                                      .scale = profile->scale[format->value],
                                      .exact = true,
                                      .order = AN_BY_TIME};
    struct an_profile copy;
    FILE *stream = open_memstream(&text, &bytes);
    an_folded_write(profile->tree, &output, stream);
    fclose(stream);
    again.one_column = true;
    struct an_source *source = source_of(text, bytes);
    an_profile_init(&copy);
    int failed = an_folded_load(source, &again, &copy, NULL);
    assert(failed == 0 || (failed == -ENODATA && profile->tree->sum[format->value] == 0));
    if (!failed)
        assert((unsigned __int128)copy.tree->sum[format->value] * profile->scale[format->value] ==
               (unsigned __int128)profile->tree->sum[format->value] * copy.scale[format->value]);
    an_profile_release(&copy);
    an_source_close(source);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes < 1)
        return 0;
    /* The first byte chooses how it is read. */
    uint8_t how = data[0];
    struct an_folded_format format = {
        .value = how & 1 ? AN_TIME : AN_BYTES,
        .factor = how & 1 ? 1000 : 1,
        .one_column = how & 2,
        .in_order = (how & 12) == 4,
        .single = how & 16,
    };
    bool pair = (how & 12) == 8;
    struct an_profile profile, before;
    struct an_source *source;
    source = source_of(data + 1, bytes - 1);
    an_profile_init(&profile);
    an_profile_init(&before);
    int failed = an_folded_load(source, &format, &profile, pair ? &before : NULL);
    check_tree(profile.tree, format.value);
    check_tree(before.tree, format.value);
    if (!failed && pair)
        assert(before.tree->node_count == profile.tree->node_count);
    if (!failed)
        check_round_trip(&profile, &format);
    an_profile_release(&profile);
    an_profile_release(&before);
    an_source_close(source);
    return 0;
}

#ifdef FUZZ_ALONE

static const char *const samples[] = {
    "\x02main;f 3\nmain;g 4\nmain 18446744073709551615\n",
    "\x01\xef\xbb\xbfmain;f 3.25\r\n# comment\n\nmain;;h 0.000000001\r\n",
    "\x08main;f 3 4\nmain;g 4 5\nx 0 1.5\n",
    "\x04m;a 1\nm;a;b 2\nm;a 3\n;; 4\n",
    "\x12\xff\xfe\x01;\xf0\x9f\x98\x80 x 65536\n\t a\tb 7 \n",
    "\x00\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x4d\xcc\xcc\xb3\x4e\x53\x30\xe2\x02\x00",
};

/* xorshift64: the same rounds on every machine. */
static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % limit;
}

static size_t mutate(uint8_t *data, size_t bytes, size_t room)
{
    static const char pieces[] = " ;\n.\r#0123456789-+\t\0\xff";
    for (uint64_t changes = random_below(8) + 1; changes; changes--) {
        size_t at = (size_t)random_below(bytes);
        switch (random_below(5)) {
        case 0:
            data[at] = (uint8_t)random_below(256);
            break;
        case 1:
            data[at] = (uint8_t)pieces[random_below(sizeof(pieces))];
            break;
        case 2:
            if (bytes > 2)
                memmove(data + at, data + at + 1, --bytes - at);
            break;
        default: {
            /* Repeat a part, somewhere else. */
            size_t length = (size_t)random_below(bytes - at) + 1;
            size_t to = (size_t)random_below(bytes);
            if (bytes + length > room)
                break;
            memmove(data + to + length, data + to, bytes - to);
            memmove(data + to, data + (at >= to ? at + length : at), length);
            bytes += length;
            break;
        }
        }
        if (bytes == 0)
            bytes = 1;
    }
    return bytes;
}

static void run_file(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    size_t bytes = fread(data, 1, sizeof(data), file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, bytes);
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    if (argc > 1 && rounds == 0) {
        for (int i = 1; i < argc; i++)
            run_file(argv[i]);
        return 0;
    }
    random_state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t round = 0; round < rounds; round++) {
        uint8_t data[8192];
        const char *sample = samples[round % (sizeof(samples) / sizeof(samples[0]))];
        size_t bytes = strlen(sample + 1) + 1;
        memcpy(data, sample, bytes);
        /* Bad enough to be new, good enough to come past the first check. */
        for (uint64_t times = random_below(4) + 1; times; times--)
            bytes = mutate(data, bytes, sizeof(data));
        LLVMFuzzerTestOneInput(data, bytes);
    }
    printf("%" PRIu64 " rounds\n", rounds);
    return 0;
}

#endif
