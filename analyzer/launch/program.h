/*
 * program.h -- what a program is before it runs: which file starts, and what its ELF file says.
 *
 * Nothing here runs the program. A script is followed to the ELF file of its interpreter, as the
 * kernel does it.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_PROGRAM_H
#define THAG_AN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Always true after an_program_look(): PATH is not NULL; IMAGE is the file that the kernel starts,
 * PATH or an interpreter. What could not be read is false, 0 or NULL.
 */
struct an_program {
    char *path;   /* the file that the user meant, as execvp() finds it */
    char *image;  /* the ELF file that starts; NULL: an interpreter is missing */
    char *loader; /* of the image, as it is written there; NULL: none */
    bool is_script;
    bool is_readable; /* the image is ELF and could be read; else nothing below is known */
    bool is_loader;   /* a dynamic loader itself, started by hand */
    bool is_64_bit;
    bool is_our_byte_order;
    uint16_t machine;       /* ELF e_machine */
    bool is_privileged;     /* gets rights that its caller lacks, so the loader drops preloads */
    bool has_own_allocator; /* defines malloc itself, in front of every preload */
    bool has_hooks;         /* calls what -finstrument-functions inserts */
    bool has_unwind_data;   /* says how its stack is walked */
    char **needed;          /* names of the libraries it asks for */
    size_t needed_count;
};

/*
 * The file that execvp(NAME) would start.
 *
 * Result:   0, and RET_PATH, freed by free(); -ENOENT; -EACCES for a file that is there and may not
 *           be executed, RET_PATH then names it; or what the system said.
 */
int an_program_find(const char *name, char **ret_path);

/* Look at the file at PATH. Released by an_program_release(). */
void an_program_look(const char *path, struct an_program *ret_program);
void an_program_release(struct an_program *program);

#endif
