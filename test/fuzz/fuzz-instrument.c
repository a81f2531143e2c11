/*
 * fuzz-instrument.c -- gives broken sources to the instrumenter; its laws hold for every text.
 *
 * Built with clang and -fsanitize=fuzzer it is a target of libFuzzer. With FUZZ_ALONE it changes
 * its own samples at random: "fuzz-instrument [ROUNDS [SEED]]"; or it runs the files that it is
 * given.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/support/instrument_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    /* The length of the text says in which language it is read, so that samples stay as they are.
     */
    enum in_language language = (enum in_language)(bytes % 3);
    /* A copy of just this size: reading too far is seen. */
    char *text = malloc(bytes + 1);
    if (!text)
        abort();
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    struct instrument_laws laws = instrument_laws_check(text, bytes, language);
    if (laws.broken) {
        fprintf(stderr, "%s does not hold, language %d, of:\n%.*s\n", laws.broken, (int)language,
                (int)bytes, text);
        abort();
    }
    free(text);
    return 0;
}

#ifdef FUZZ_ALONE

static const char *const samples[] = {
    "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  if (a) { g(\"{\"); }\n}\n",
    "int f(a, b) int a; char *b;\n{\n  THAG_PROFILED;\n  int g(int c) { return c; }\n}\n",
    "struct s { int x; } f(void) { return (struct s){ 1 }; } /* { */ int main() { }\n",
    "template <class T, int N = (1 > 2)> struct c : b<T> {\n c() : x{1}, y(2) { }\n"
    " ~c() noexcept { auto l = [&](int q) { co_return; }; }\n bool operator()(int) const { }\n};\n",
    "#include <thag_profiler.h>\n#line 1\nint f(void) { THAG_PROFILED; return 1; }\n",
    "\xEF\xBB\xBFint f(void)\r\n{ THAG_PROFILED; THAG_PROFILED(time);\r\n  "
    "THAG_SECTION(x);\r\n}\r\n",
    "#!/x\nmodule;\n#include \"thag_profiler.h\"\nint f() try : x{} { } catch (...) { }\n",
    "void h(int); signal(2, h); void h(int x) <% don't \\\n R\"x({)x\" '\\'' %>\n#if 0\nit's {\n"
    "#endif\nM(x) { a };\n",
};

static const char *const pieces[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    ",",
    "=",
    "<%",
    "%>",
    "\"",
    "'",
    "\\\n",
    "\n",
    "\r\n",
    "/*",
    "*/",
    "//",
    "#if 1\n",
    "#if 0\n",
    "#else\n",
    "\n#elif X\n",
    "\n#endif\n",
    " THAG_PROFILED;",
    "THAG_PROFILED",
    "\n\tTHAG_PROFILED;\n",
    "#include <thag_profiler.h>\n",
    "#line 1\n",
    "struct s",
    "enum",
    "operator",
    "requires",
    "template <",
    "R\"(",
    "int f(",
    "main",
    "typeof(x)",
    "namespace",
    "extern \"C\"",
    "module;",
    "\xEF\xBB\xBF",
    "?\?=",
    "->",
    "::",
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

/* Put LENGTH bytes of PIECE in at a random place. */
static size_t insert(uint8_t *data, size_t bytes, size_t room, const void *piece, size_t length)
{
    if (bytes + length > room)
        return bytes;
    size_t at = (size_t)random_below(bytes + 1);
    memmove(data + at + length, data + at, bytes - at);
    memcpy(data + at, piece, length);
    return bytes + length;
}

static size_t mutate(uint8_t *data, size_t bytes, size_t room)
{
    uint8_t part[64];
    size_t at = (size_t)random_below(bytes + 1);
    size_t length = (size_t)random_below(sizeof(part));
    if (length > bytes - at)
        length = bytes - at;
    switch (random_below(4)) {
    case 0:
        memmove(data + at, data + at + length, bytes - at - length);
        return bytes - length;
    case 1:
        memcpy(part, data + at, length);
        return insert(data, bytes, room, part, length);
    case 2:
        part[0] = (uint8_t)random_below(256);
        return insert(data, bytes, room, part, 1);
    default: {
        const char *piece = pieces[random_below(sizeof(pieces) / sizeof(pieces[0]))];
        return insert(data, bytes, room, piece, strlen(piece));
    }
    }
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
        uint8_t data[4096];
        const char *sample = samples[round % (sizeof(samples) / sizeof(samples[0]))];
        size_t bytes = strlen(sample);
        memcpy(data, sample, bytes);
        for (uint64_t times = random_below(8); times; times--)
            bytes = mutate(data, bytes, sizeof(data));
        LLVMFuzzerTestOneInput(data, bytes);
    }
    printf("%" PRIu64 " rounds\n", rounds);
    return 0;
}

#endif
