/*
 * symbols.h -- from places in modules to the names of functions.
 *
 * Words used here:
 *   module file  what a module was loaded from: path and build-id. However often, and wherever, it
 *                was loaded, it is one module file and is read once.
 *   site         one place that frames refer to: an offset in a module file, or a literal name such
 *                as "[unknown]". Each site is resolved once, however many stacks pass it and
 *                however often a recording is read again.
 *
 * Sites are collected first (an_symbols_site) and then resolved all at once (an_symbols_resolve),
 * so that the symbol table and each unit of DWARF are walked once for all of them.
 *
 * Never: contacts a server unasked; uses a file whose build-id is not the recorded one; takes the
 * nearest symbol for a name.
 *
 * Context of all functions: tool. One thread.
 */
#ifndef THAG_AN_SYMBOLS_H
#define THAG_AN_SYMBOLS_H

#include "analyzer/model/names.h"
#include "analyzer/symbols/debug_search.h"

struct an_symbols_options {
    struct an_debug_places places; /* texts have to live as long as the symbols */
    bool no_demangle;
    bool short_names; /* demangled ones with "..." for arguments and parameters */
    bool no_inline;
    bool lines;       /* with file and line; costs the line tables */
    bool cut_hash;    /* Rust's older names without their hash */
    bool debuginfod;  /* servers in DEBUGINFOD_URLS may be asked for debug files */
    bool all_inlines; /* also of large packed system debug files, see symbols.c */
    bool own_reader;  /* for tests: DWARF is not read by libdw, even where it can */
};

enum an_module_state {
    AN_MODULE_UNUSED,      /* no frame lies in it, so it was not opened */
    AN_MODULE_DEBUG,       /* symbols and DWARF */
    AN_MODULE_SYMBOLS,     /* a full symbol table, no DWARF */
    AN_MODULE_EXPORTS,     /* only the names that it exports */
    AN_MODULE_NAMELESS,    /* a file without any names */
    AN_MODULE_MISSING,     /* no file, or none that can be read */
    AN_MODULE_OTHER_BUILD, /* the file there is another build; nothing of it is used */
};

struct an_module_file {
    char *path;            /* owned, as recorded */
    const char *base_name; /* inside of path */
    struct an_build_id build_id;
    bool vdso;
    uint64_t
        not_after_ns; /* a file without build-id must not be younger than this, CLOCK_REALTIME */
    enum an_module_state state;
    bool opened;
    bool system_debug;           /* DEBUG lies in the distribution's directory */
    struct an_elf_image *image;  /* NULL: missing or not the one */
    struct an_elf_image *debug;  /* the separate debug file; NULL: none */
    struct an_elf_image *packed; /* symbols packed into a stripped IMAGE; NULL: none */
    struct an_inlines *inlines;  /* NULL: not needed yet, or none */
};

/* One function of a site; NAME and FILE are numbers of an_symbols_names(). */
struct an_site_frame {
    uint32_t name;
    uint32_t file; /* base name of the source file, UINT32_MAX: unknown */
    uint32_t line; /* 0: unknown */
};

struct an_symbols;

struct an_symbols *an_symbols_new(const struct an_symbols_options *options);
void an_symbols_free(struct an_symbols *symbols);

/* The number of a module file, which is added if it is new. */
uint32_t an_symbols_module(struct an_symbols *symbols, const char *path,
                           const struct an_build_id *build_id, bool vdso, uint64_t not_after_ns);
uint32_t an_symbols_module_count(const struct an_symbols *symbols);
const struct an_module_file *an_symbols_module_file(const struct an_symbols *symbols,
                                                    uint32_t module);

/*
 * The number of a site, which is added if it is new.
 *
 * Inputs:   OFFSET is the recorded address in the module file's own numbering. EXACT says that it
 *           is the instruction itself; else it is a return address, and the call before it is
 * meant.
 */
uint32_t an_symbols_site(struct an_symbols *symbols, uint32_t module, uint64_t offset, bool exact);
uint32_t an_symbols_literal(struct an_symbols *symbols, const char *name);

/* Resolve all sites that are not. On a terminal a line on stderr tells after a second how far. */
void an_symbols_resolve(struct an_symbols *symbols);

/*
 * The frames of a resolved site, the physical function first, then what was inlined into it.
 * RET_MODULE is the module file or UINT32_MAX. Lifetime: until the next an_symbols_resolve().
 */
const struct an_site_frame *an_symbols_frames(const struct an_symbols *symbols, uint32_t site,
                                              uint32_t *ret_count, uint32_t *ret_module);

/* Open the module file and look for its debug file, without resolving anything. */
void an_symbols_module_open(struct an_symbols *symbols, uint32_t module);

const struct an_names *an_symbols_names(const struct an_symbols *symbols);

/* How many sites were resolved so far; a site that is asked for again adds nothing. */
uint64_t an_symbols_resolved_count(const struct an_symbols *symbols);

/*
 * What keeps the debug data of a module that was opened from being read, as words that follow "its
 * debug data"; NULL: nothing. Of split debug data only what was looked for is known to be missing.
 */
const char *an_symbols_module_trouble(struct an_symbols *symbols, uint32_t module);

/* How many times a unit of a module's DWARF was visited so far. */
uint64_t an_symbols_unit_visits(const struct an_symbols *symbols, uint32_t module);

/* Whether a module's DWARF was read so far, and by libdw. */
bool an_symbols_by_libdw(const struct an_symbols *symbols, uint32_t module);

#endif
