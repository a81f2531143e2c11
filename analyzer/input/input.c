/*
 * input.c -- opens whatever the user names.
 */
#include "analyzer/input/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/input/folded_reader.h"
#include "analyzer/support/memory.h"
#include "analyzer/support/task.h"
#include "runtime/format/recording_format.h"

static const char *input_reason(int error)
{
    switch (error) {
    case -ENODATA:
        return "holds no line that could be used";
    case -EBADMSG:
        return "is damaged";
    case -EOVERFLOW:
        return "has a sum over 2^64 - 1";
    case -ENOTSUP:
        return "was recorded by another version";
    case -EFBIG:
        return "has a line of more than 256 MiB";
    case -EINVAL:
        return "has no two numbers on each line";
    default:
        return strerror(-error);
    }
}

int an_input_fault(struct an_fault *fault, int error, const char *path)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    return an_fault_set(fault, error, "%s: %s", name, input_reason(error));
}

/* The unit that the user gives decides before the name: it also says what is counted. */
static struct an_folded_format input_folded_format(enum an_kind *kind,
                                                   const struct an_input_options *options)
{
    struct an_folded_format format = {.value = an_kind_value(*kind), .in_order = options->in_order};
    bool is_time = an_value_unit(format.value) == AN_UNIT_NS;
    enum an_unit unit = is_time ? AN_UNIT_US : AN_UNIT_BYTES;
    if (options->unit_given && options->unit != unit) {
        bool wants_time = options->unit == AN_UNIT_NS || options->unit == AN_UNIT_US;
        if (wants_time != is_time || options->unit == AN_UNIT_COUNT)
            *kind = AN_KIND_UNKNOWN;
        if (options->unit == AN_UNIT_COUNT)
            format.value = AN_SAMPLES;
        else if (wants_time != is_time)
            format.value = wants_time ? AN_TIME : AN_BYTES;
        unit = options->unit;
    }
    format.factor = unit == AN_UNIT_US ? 1000 : 1;
    format.sizes_of = options->sizes_of;
    format.node_sizes = options->node_sizes;
    format.single = *kind == AN_KIND_MEMORY_DETAIL || *kind == AN_KIND_DEALLOC;
    return format;
}

static void input_name_profile(const char *path, struct an_profile *profile)
{
    int stamp = -1;
    profile->path = an_memory_text(path);
    profile->file_count = 1;
    if (strcmp(path, "-") == 0)
        return;
    char *base = an_input_base(path, &stamp);
    if (stamp > 0)
        profile->program = an_memory_text_part(base, (size_t)stamp);
    if (stamp >= 0)
        profile->base_name = base;
    else
        free(base);
}

static int input_load_folded(struct an_source *source, const char *path,
                             const struct an_input_options *options, struct an_profile *profile,
                             struct an_profile *before)
{
    input_name_profile(path, profile);
    profile->kind = an_input_kind(path);
    struct an_folded_format format = input_folded_format(&profile->kind, options);
    /* Our own files have one number: a name that ends in another one is no differential. */
    format.one_column = profile->base_name != NULL && !before;
    if (before) {
        input_name_profile(path, before);
        before->kind = profile->kind;
    }
    return an_folded_load(source, &format, profile, before);
}

struct an_recording_options an_input_recording_options(const struct an_input_options *options)
{
    return (struct an_recording_options){
        .raw = options->raw,
        .symbols = {.places = {.debug_dir = &options->debug_dir,
                               .debug_dir_count = options->debug_dir != NULL,
                               .sysroot = options->sysroot},
                    .debuginfod = options->debuginfod,
                    .no_demangle = options->no_demangle,
                    .short_names = options->short_names,
                    .no_inline = options->no_inline,
                    .lines = options->lines,
                    .cut_hash = options->cut_hashes,
                    .all_inlines = options->all_inlines},
        .thread = options->thread,
        .sizes = options->sizes,
        .sizes_if_readable = options->sizes_aside,
        .sizes_of = options->sizes_of,
        .node_sizes = options->node_sizes,
        .timeline = options->timeline,
        .timeline_sampled = options->timeline_sampled,
    };
}

/*
 * A recording is read at many places, so one that comes compressed or through a pipe is put into a
 * file without a name first. Pages of zeros become holes: what unpacks to gigabytes of nothing
 * takes no room.
 */
static int input_unpack(struct an_source *source, int *ret_fd)
{
    static const char zeros[REC_PAGE_BYTES];
    const char *directory = getenv("TMPDIR");
    int fd = open(directory != NULL && directory[0] == '/' ? directory : "/tmp",
                  O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0)
        fd = memfd_create("thag", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    char page[REC_PAGE_BYTES];
    off_t end = 0;
    ssize_t got = 0;
    for (size_t filled = 0;
         (got = an_source_read(source, page + filled, sizeof(page) - filled)) >= 0;) {
        filled += (size_t)got;
        if (got != 0 && filled < sizeof(page))
            continue;
        if (memcmp(page, zeros, filled) != 0 && pwrite(fd, page, filled, end) != (ssize_t)filled) {
            got = -EIO;
            break;
        }
        end += (off_t)filled;
        filled = 0;
        if (got == 0)
            break;
    }
    if (got == 0 && ftruncate(fd, end) != 0)
        got = -errno;
    if (got != 0) {
        close(fd);
        return (int)got;
    }
    *ret_fd = fd;
    return 0;
}

/* BASE.thag beside a folded file of BASE; freed by free(). NULL: the name has no such BASE. */
static char *input_recording_beside(const char *path)
{
    int stamp = -1;
    const char *slash = strrchr(path, '/');
    size_t directory = slash == NULL ? 0 : (size_t)(slash + 1 - path);
    enum an_kind kind = an_input_kind(path);
    if (kind == AN_KIND_UNKNOWN || kind == AN_KIND_RECORDING)
        return NULL;
    char *base = an_input_base(path, &stamp);
    size_t bytes = strlen(base);
    char *recording = an_memory_array(directory + bytes + sizeof(".thag"), 1);
    memcpy(recording, path, directory);
    strcpy(stpcpy(recording + directory, base), ".thag");
    free(base);
    return recording;
}

int an_input_open_recording(const char *path, const struct an_recording_select *select,
                            struct an_recording *ret_recording, struct an_fault *fault)
{
    struct an_source *source;
    char *beside = input_recording_beside(path);
    int error, fd = -1;
    if (beside != NULL) {
        error = an_recording_open(beside, select, ret_recording, fault);
        free(beside);
        return error;
    }
    if ((error = an_source_open(path, &source)) != 0)
        return an_input_fault(fault, error, path);
    if (!an_source_is_derived(source)) {
        error = an_recording_open(path, select, ret_recording, fault);
    } else if ((error = input_unpack(source, &fd)) != 0) {
        an_input_fault(fault, error, path);
    } else {
        error = an_recording_open_descriptor(fd, path, select, ret_recording, fault);
    }
    an_source_close(source);
    return error;
}

static int input_load_recording(struct an_source *source, const char *path,
                                const struct an_input_options *options, struct an_profile *profile,
                                struct an_fault *fault)
{
    struct an_recording_options recording = an_input_recording_options(options);
    int fd = -1;
    profile->recorded = true;
    if (!an_source_is_derived(source))
        return an_recording_load(path, &recording, profile, fault);
    int error = input_unpack(source, &fd);
    return error != 0 ? error : an_recording_load_descriptor(fd, path, &recording, profile, fault);
}

/*
 * The recording knows more than the folded files that were made of it: it is read instead, unless
 * the user wants the text (its unit, its order), or has nothing of what the file holds. The order
 * of calls is the recording's timeline.
 * Result: true if PROFILE is filled.
 */
static bool input_load_beside(const char *path, const struct an_input_options *options,
                              struct an_profile *profile)
{
    enum an_kind kind = an_input_kind(path);
    bool in_time = kind == AN_KIND_TIME || kind == AN_KIND_SAMPLE;
    bool order_of_lines = options->in_order && !(options->timeline && in_time);
    if (options->folded_only || order_of_lines || options->unit_given || kind == AN_KIND_DEALLOC)
        return false;
    char *beside = input_recording_beside(path);
    if (beside == NULL || access(beside, R_OK) != 0) {
        free(beside);
        return false;
    }
    struct an_recording_options recording = an_input_recording_options(options);
    struct an_profile full;
    struct an_fault fault = {""};
    recording.symbols.lines = recording.symbols.lines || kind == AN_KIND_MEMORY_DETAIL;
    an_profile_init(&full);
    bool loaded = an_recording_load(beside, &recording, &full, &fault) == 0 &&
                  an_tree_has(full.tree, an_kind_value(kind));
    /* The folded file was named where its modules were; here they are missing. */
    if (loaded && full.nameless_modules != 0 && !recording.symbols.lines) {
        an_profile_note(profile, "%s lacks modules here; the folded file is read alone", beside);
        loaded = false;
    }
    if (loaded) {
        an_profile_release(profile);
        *profile = full;
        profile->kind = kind;
        profile->recorded = true;
    } else {
        if (fault.text[0] != '\0')
            an_profile_note(profile, "%s; the folded file is read alone", fault.text);
        an_profile_release(&full);
    }
    free(beside);
    return loaded;
}

static int input_load(struct an_source *source, const char *path,
                      const struct an_input_options *options, struct an_profile *profile,
                      struct an_fault *fault)
{
    uint64_t magic = 0;
    ssize_t got = an_source_peek(source, &magic, sizeof(magic));
    if (got < 0)
        return (int)got;
    /* By its name, too: what is wrong with a cut or damaged one is for its own reader to say. */
    if ((got == sizeof(magic) && magic == REC_MAGIC) || an_input_kind(path) == AN_KIND_RECORDING)
        return input_load_recording(source, path, options, profile, fault);
    if (input_load_beside(path, options, profile))
        return 0;
    return input_load_folded(source, path, options, profile, NULL);
}

int an_input_open(const char *path, const struct an_input_options *options,
                  struct an_profile *ret_profile, struct an_fault *fault)
{
    struct an_source *source;
    struct an_profile profile;
    int failed = an_source_open(path, &source);
    if (failed)
        return an_input_fault(fault, failed, path);
    an_profile_init(&profile);
    fault->text[0] = '\0';
    failed = input_load(source, path, options, &profile, fault);
    an_source_close(source);
    if (!failed && !an_task_is_wanted())
        failed = -ECANCELED;
    if (failed) {
        an_profile_release(&profile);
        return fault->text[0] != '\0' ? failed : an_input_fault(fault, failed, path);
    }
    *ret_profile = profile;
    return 0;
}

int an_input_open_pair(const char *path, const struct an_input_options *options,
                       struct an_profile *ret_before, struct an_profile *ret_after,
                       struct an_fault *fault)
{
    struct an_source *source;
    struct an_profile before, after;
    int failed = an_source_open(path, &source);
    if (failed)
        return an_input_fault(fault, failed, path);
    an_profile_init(&before);
    an_profile_init(&after);
    failed = input_load_folded(source, path, options, &after, &before);
    an_source_close(source);
    if (failed) {
        an_profile_release(&before);
        an_profile_release(&after);
        return an_input_fault(fault, failed, path);
    }
    *ret_before = before;
    *ret_after = after;
    return 0;
}
