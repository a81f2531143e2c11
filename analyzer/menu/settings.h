/*
 * settings.h -- what the menu remembers from one use to the next: the palette of each kind of
 * graph.
 *
 * The file is $XDG_CONFIG_HOME/thag/thag.ini, ~/.config without the variable:
 *
 *     [palette]
 *     time = aqua
 *     memory = mem
 *
 * It may be edited by hand. Sections and keys that are not known here are left alone. A file that
 * cannot be understood is reported, not used and not written to.
 *
 * Context of all functions: tool. Running out of memory ends the program with a message.
 */
#ifndef THAG_AN_SETTINGS_H
#define THAG_AN_SETTINGS_H

#include <stdbool.h>

#include "analyzer/output/palettes.h"
#include "analyzer/support/fault.h"

/* What has a palette of its own. */
enum an_subject { AN_SUBJECT_TIME, AN_SUBJECT_MEMORY, AN_SUBJECT_SAMPLE, AN_SUBJECT_COUNT };

/* The word for it, as in the settings file. */
const char *an_subject_name(enum an_subject subject);

struct an_settings {
    char *path;  /* owned; NULL: there is no place for settings */
    bool broken; /* the file is there and was not understood */
    enum an_palette palette[AN_SUBJECT_COUNT];
};

/*
 * Result:   0, also without a file; else -errno with FAULT saying what is wrong with it.
 *           RET_SETTINGS is filled in either case, with defaults for what could not be read.
 *           Released by an_settings_release().
 */
int an_settings_load(struct an_settings *ret_settings, struct an_fault *fault);
void an_settings_release(struct an_settings *settings);

/*
 * Remember a palette, in the file as well. The file appears whole or stays as it was; its other
 * lines stay.
 *
 * Result:   0; or -errno with FAULT set if the file could not be written: the palette is then
 *           remembered until the program ends.
 */
int an_settings_set_palette(struct an_settings *settings, enum an_subject subject,
                            enum an_palette palette, struct an_fault *fault);

#endif
