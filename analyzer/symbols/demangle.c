/*
 * demangle.c -- readable names for mangled ones, by libiberty.
 */
#include "analyzer/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/support/memory.h"

/*
 * libiberty refuses names over half of its recursion limit, 1 KiB; templates are longer. Without
 * its limit it needs some hundred bytes of stack for each byte of the name, so longer names get a
 * stack of their own, which costs address space only as far as it is used.
 */
#define SHORT_NAME_BYTES      (DEMANGLE_RECURSION_LIMIT / 2)
#define LONGEST_NAME_BYTES    (64u << 10)
#define LONG_NAME_STACK_BYTES ((size_t)256 << 20)
#define LONGEST_RESULT_BYTES  ((size_t)1 << 20)

struct demangling {
    const char *raw;
    int options;
    char *text;
    size_t bytes, room;
    bool whole;
    jmp_buf out;
};

/* The demangler offers no way to stop it but to leave it; it holds no memory while it prints. */
static void text_append(const char *part, size_t bytes, void *context)
{
    struct demangling *demangling = context;
    if (bytes > LONGEST_RESULT_BYTES - demangling->bytes)
        longjmp(demangling->out, 1);
    while (demangling->room - demangling->bytes <= bytes) {
        demangling->room = demangling->room == 0 ? 256 : demangling->room * 2;
        demangling->text = an_memory_resize(demangling->text, demangling->room, 1);
    }
    memcpy(demangling->text + demangling->bytes, part, bytes);
    demangling->bytes += bytes;
    demangling->text[demangling->bytes] = '\0';
}

static void *demangle_itanium(void *context)
{
    struct demangling *demangling = context;
    int rust = demangling->options & ~(DMGL_PARAMS | DMGL_ANSI);
    if (setjmp(demangling->out) != 0) {
        demangling->whole = false;
        return NULL;
    }
    demangling->whole = rust_demangle_callback(demangling->raw, rust, text_append, demangling) != 0;
    if (demangling->whole || demangling->raw[1] == 'R')
        return NULL;
    demangling->bytes = 0;
    int plain = demangling->options & ~DMGL_VERBOSE;
    demangling->whole =
        cplus_demangle_v3_callback(demangling->raw, plain, text_append, demangling) != 0;
    return NULL;
}

static void demangle_on_large_stack(struct demangling *demangling)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setstacksize(&attributes, LONG_NAME_STACK_BYTES) == 0 &&
        pthread_create(&thread, &attributes, demangle_itanium, demangling) == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static bool is_d_name(const char *raw)
{
    return raw[1] == 'D' && ((raw[2] >= '0' && raw[2] <= '9') || strcmp(raw, "_Dmain") == 0);
}

/* "_DTi16_D3pkg..." enters a method of an interface and has its name; RAW where it is none. */
static const char *d_thunk_skip(const char *raw)
{
    if (strncmp(raw, "_DTi", 4) != 0)
        return raw;
    size_t digits = strspn(raw + 4, "0123456789");
    return digits != 0 && strncmp(raw + 4 + digits, "_D", 2) == 0 ? raw + 4 + digits : raw;
}

char *an_demangle(const char *raw, bool cut_hash)
{
    raw = d_thunk_skip(raw);
    if (raw[0] != '_' || raw[1] == '\0')
        return NULL;
    size_t bytes = strlen(raw);
    if (is_d_name(raw))
        return bytes <= SHORT_NAME_BYTES ? dlang_demangle(raw, DMGL_PARAMS | DMGL_ANSI) : NULL;
    if ((raw[1] != 'Z' && raw[1] != 'R') || bytes > LONGEST_NAME_BYTES)
        return NULL;
    struct demangling demangling = {.raw = raw, .options = DMGL_PARAMS | DMGL_ANSI};
    /* Verbose means the hash in Rust's older names, but a crate number in each part of newer ones.
     */
    if (!cut_hash && raw[1] == 'Z')
        demangling.options |= DMGL_VERBOSE;
    if (bytes < SHORT_NAME_BYTES) {
        demangle_itanium(&demangling);
    } else {
        demangling.options |= DMGL_NO_RECURSE_LIMIT;
        demangle_on_large_stack(&demangling);
    }
    if (!demangling.whole) {
        free(demangling.text);
        return NULL;
    }
    return demangling.text;
}
