/*
 * settings.c -- what the menu remembers. Read by libinih, written line by line, for that library
 * does not write and comments of the user's are to stay.
 */
#include "analyzer/menu/settings.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/output/outfile.h"
#include "analyzer/support/folder.h"
#include "analyzer/support/memory.h"

#define SETTINGS_SECTION "palette"

static const char *const subject_names[AN_SUBJECT_COUNT] = {
    [AN_SUBJECT_TIME] = "time", [AN_SUBJECT_MEMORY] = "memory", [AN_SUBJECT_SAMPLE] = "sample"};

const char *an_subject_name(enum an_subject subject)
{
    return subject_names[subject];
}

/* The specification of base directories says that relative paths are to be ignored. */
static char *settings_path(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path;
    int length = -1;
    if (config && config[0] == '/')
        length = asprintf(&path, "%s/thag/thag.ini", config);
    else if (home && home[0] == '/')
        length = asprintf(&path, "%s/.config/thag/thag.ini", home);
    return length < 0 ? NULL : path;
}

struct settings_reading {
    struct an_settings *settings;
    char *wrong; /* the first value that is none */
};

/* Called by libinih for each key; 0 would count as an error of the line. */
static int settings_take(void *context, const char *section, const char *name, const char *value)
{
    struct settings_reading *reading = context;
    if (strcmp(section, SETTINGS_SECTION) != 0)
        return 1;
    for (int i = 0; i < AN_SUBJECT_COUNT; i++) {
        if (strcmp(name, subject_names[i]) != 0)
            continue;
        if (an_palette_find(value, &reading->settings->palette[i]))
            return 1;
        if (!reading->wrong)
            reading->wrong = an_memory_text(value);
        return 0;
    }
    return 1;
}

static void settings_default(struct an_settings *settings)
{
    for (int i = 0; i < AN_SUBJECT_COUNT; i++)
        settings->palette[i] = AN_PALETTE_AQUA;
}

int an_settings_load(struct an_settings *ret_settings, struct an_fault *fault)
{
    *ret_settings = (struct an_settings){.path = settings_path()};
    settings_default(ret_settings);
    if (!ret_settings->path)
        return 0;
    FILE *file = fopen(ret_settings->path, "re");
    if (!file && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    ret_settings->broken = true;
    if (!file)
        return an_fault_set(fault, -errno, "%s: %s", ret_settings->path, strerror(errno));
    struct settings_reading reading = {.settings = ret_settings};
    int line = ini_parse_file(file, settings_take, &reading);
    int failed = ferror(file) ? -EIO : 0; /* also of a directory */
    fclose(file);
    if (failed)
        an_fault_set(fault, failed, "%s: cannot be read", ret_settings->path);
    else if (line && reading.wrong)
        failed = an_fault_set(fault, -EINVAL, "%s, line %d: '%s' is no palette", ret_settings->path,
                              line, reading.wrong);
    else if (line)
        failed = an_fault_set(fault, -EINVAL, "%s, line %d: not understood", ret_settings->path,
                              line > 0 ? line : 0);
    free(reading.wrong);
    ret_settings->broken = failed != 0;
    if (failed)
        settings_default(ret_settings);
    return failed;
}

void an_settings_release(struct an_settings *settings)
{
    free(settings->path);
    settings->path = NULL;
}

/* "  key = value": true if the line sets KEY. */
static bool settings_line_sets(const char *line, const char *key)
{
    line += strspn(line, " \t");
    size_t bytes = strlen(key);
    if (strncmp(line, key, bytes) != 0)
        return false;
    line += bytes + strspn(line + bytes, " \t");
    return *line == '=' || *line == ':';
}

/* "[section]": true if the line begins one; RET_OURS tells which. */
static bool settings_line_begins(const char *line, bool *ret_ours)
{
    line += strspn(line, " \t");
    if (*line != '[')
        return false;
    *ret_ours = strncmp(line + 1, SETTINGS_SECTION "]", sizeof(SETTINGS_SECTION)) == 0;
    return true;
}

/* Copy the old file, if there is one, with our line in its place. */
static void settings_write(FILE *old, FILE *new, const char *key, const char *value)
{
    bool inside = false, written = false, begins;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while (old && (length = getline(&line, &room, old)) > 0) {
        begins = false;
        bool section = settings_line_begins(line, &begins);
        if (section && inside && !written) {
            fprintf(new, "%s = %s\n", key, value);
            written = true;
        }
        if (section)
            inside = begins;
        if (inside && !section && settings_line_sets(line, key)) {
            if (!written)
                fprintf(new, "%s = %s\n", key, value);
            written = true;
            continue;
        }
        fprintf(new, "%s%s", line, line[length - 1] == '\n' ? "" : "\n");
    }
    free(line);
    if (!written)
        fprintf(new, "%s%s = %s\n", inside ? "" : "[" SETTINGS_SECTION "]\n", key, value);
}

int an_settings_set_palette(struct an_settings *settings, enum an_subject subject,
                            enum an_palette palette, struct an_fault *fault)
{
    struct an_outfile file;
    settings->palette[subject] = palette;
    if (!settings->path)
        return an_fault_set(fault, -ENOENT, "there is no home directory to remember it in");
    if (settings->broken)
        return an_fault_set(fault, -EINVAL, "%s is not understood and left alone", settings->path);
    /* A link to the real file stays one. */
    char *target = realpath(settings->path, NULL);
    int failed = an_folder_make_parents(settings->path, 0700);
    if (!failed)
        failed = an_outfile_open(target ? target : settings->path, true, &file);
    if (!failed) {
        FILE *old = fopen(settings->path, "re");
        settings_write(old, file.stream, subject_names[subject], an_palette_name(palette));
        if (old)
            fclose(old);
        failed = an_outfile_commit(&file);
    }
    free(target);
    if (failed)
        an_fault_set(fault, failed, "%s: %s", settings->path, strerror(-failed));
    return failed;
}
