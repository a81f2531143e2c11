/*
 * recording_file.c -- BASE.thag as a file: header, extents, and bytes that were checked.
 */
#include "analyzer/input/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/support/memory.h"

int an_recording_file_read(const struct an_recording_file *file, uint64_t offset, void *ret_bytes,
                           size_t bytes, const char *what, struct an_fault *fault)
{
    char *to = ret_bytes;
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = pread(file->fd, to + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return an_fault_set(fault, -errno, "%s: cannot read %s at offset %" PRIu64 ": %s",
                                file->path, what, offset + done, strerror(errno));
        if (got == 0)
            return an_fault_set(fault, -EBADMSG,
                                "%s: the file ends at offset %" PRIu64 ", inside %s", file->path,
                                offset + done, what);
        done += (size_t)got;
    }
    return 0;
}

/* What makes a header unusable, or NULL. RET_OFFSET tells where. */
static const char *header_flaw(const struct rec_header *header, size_t *ret_offset)
{
    const struct {
        bool flaw;
        size_t offset;
        const char *words;
    } check[] = {
        {header->magic == 0, 0, "the recording had not begun, or the file is no recording"},
        {header->magic != REC_MAGIC, 0, "this is no thag recording"},
        {header->byte_order != REC_BYTE_ORDER, offsetof(struct rec_header, byte_order),
         "the byte order is another one"},
        {header->version != REC_VERSION, offsetof(struct rec_header, version),
         "the format's version is not the one this program knows"},
        {header->header_bytes != sizeof(*header), offsetof(struct rec_header, header_bytes),
         "the header has another length"},
        {header->page_bytes != REC_PAGE_BYTES, offsetof(struct rec_header, page_bytes),
         "pages have another size"},
        {header->node_count > UINT32_MAX, offsetof(struct rec_header, node_count),
         "more nodes than can be numbered"},
        {header->stack_count > UINT32_MAX, offsetof(struct rec_header, stack_count),
         "more stacks than can be numbered"},
        {header->thread_count > UINT32_MAX, offsetof(struct rec_header, thread_count),
         "more threads than can be numbered"},
        {header->module_count > UINT32_MAX, offsetof(struct rec_header, module_count),
         "more modules than can be numbered"},
        {header->extent_count > UINT32_MAX, offsetof(struct rec_header, extent_count),
         "more extents than can be numbered"},
        {header->used_pages > (UINT64_C(1) << 44), offsetof(struct rec_header, used_pages),
         "more pages than a file can have"},
    };
    for (size_t i = 0; i < sizeof(check) / sizeof(check[0]); i++) {
        if (check[i].flaw) {
            *ret_offset = check[i].offset;
            return check[i].words;
        }
    }
    return NULL;
}

static int header_read(const struct an_recording_file *file, struct rec_header *ret_header,
                       struct an_fault *fault)
{
    struct rec_header header;
    if (file->bytes == 0)
        return an_fault_set(fault, -EBADMSG, "%s: the file is empty", file->path);
    size_t known = file->bytes < sizeof(header) ? (size_t)file->bytes : sizeof(header);
    memset(&header, 0, sizeof(header));
    int error = an_recording_file_read(file, 0, &header, known, "the header", fault);
    if (error != 0)
        return error;
    size_t offset = 0;
    const char *flaw = header_flaw(&header, &offset);
    if (flaw == NULL && known < sizeof(header))
        return an_fault_set(fault, -EBADMSG, "%s: the file ends at offset %zu, inside the header",
                            file->path, known);
    if (flaw != NULL)
        return an_fault_set(fault,
                            offset == offsetof(struct rec_header, version) ? -ENOTSUP : -EBADMSG,
                            "%s: offset %zu: %s", file->path, offset, flaw);
    *ret_header = header;
    return 0;
}

/* False if pages FIRST.. do not lie behind the header, in the used part, and in the file. */
static bool pages_inside(const struct an_recording_file *file, const struct rec_header *header,
                         uint64_t first, uint64_t count)
{
    uint64_t limit = file->bytes / REC_PAGE_BYTES;
    if (limit > header->used_pages)
        limit = header->used_pages;
    return first >= 1 && count >= 1 && first < limit && count <= limit - first;
}

static int extent_check(const struct an_recording_file *file, const struct rec_header *header,
                        const struct rec_extent *extent, uint64_t offset, struct an_fault *fault)
{
    if (extent->kind > REC_KIND_SAMPLINGS)
        return an_fault_set(fault, -EBADMSG,
                            "%s: offset %" PRIu64 ": extent of unknown kind %" PRIu32, file->path,
                            offset, extent->kind);
    if (!pages_inside(file, header, extent->first_page, extent->page_count))
        return an_fault_set(fault, -EBADMSG,
                            "%s: offset %" PRIu64 ": extent of page %" PRIu64 " and %" PRIu64
                            " more does not lie inside the %" PRIu64
                            " used pages of a file of %" PRIu64 " bytes",
                            file->path, offset, extent->first_page, extent->page_count - 1,
                            header->used_pages, file->bytes);
    if (extent->first_index > UINT32_MAX)
        return an_fault_set(fault, -EBADMSG,
                            "%s: offset %" PRIu64 ": extent begins at record %" PRIu64
                            ", more than can be numbered",
                            file->path, offset, extent->first_index);
    return 0;
}

struct extent_list {
    struct rec_extent *extent;
    uint32_t count, room;
};

static void list_add(struct extent_list *list, const struct rec_extent *extent)
{
    if (list->count == list->room) {
        list->room = list->room == 0 ? 64 : list->room * 2;
        list->extent = an_memory_resize(list->extent, list->room, sizeof(*list->extent));
    }
    list->extent[list->count++] = *extent;
}

/* Read the ENTRIES first entries of one segment of the table, a page at a time. */
static int segment_read(const struct an_recording_file *file, const struct rec_header *header,
                        uint64_t first_page, uint64_t entries, struct extent_list *list,
                        struct an_fault *fault)
{
    struct rec_extent page[REC_PAGE_BYTES / sizeof(struct rec_extent)];
    const uint64_t per_page = sizeof(page) / sizeof(page[0]);
    for (uint64_t done = 0; done < entries; done += per_page) {
        uint64_t offset = first_page * REC_PAGE_BYTES + done * sizeof(page[0]);
        uint64_t count = entries - done < per_page ? entries - done : per_page;
        int error = an_recording_file_read(file, offset, page, count * sizeof(page[0]),
                                           "the extent table", fault);
        for (uint64_t i = 0; i < count && error == 0; i++) {
            if (page[i].kind == REC_KIND_NONE)
                continue;
            error = extent_check(file, header, &page[i], offset + i * sizeof(page[0]), fault);
            if (error == 0)
                list_add(list, &page[i]);
        }
        if (error != 0)
            return error;
    }
    return 0;
}

static int extent_order(const void *left, const void *right)
{
    const struct rec_extent *a = left, *b = right;
    return (a->first_page > b->first_page) - (a->first_page < b->first_page);
}

/*
 * Disjoint extents are what keeps the work of every later loop within the size of the file: with
 * overlaps a small file could ask for any amount of it.
 */
static int extents_disjoint(const struct an_recording_file *file, const struct extent_list *list,
                            struct an_fault *fault)
{
    for (uint32_t i = 1; i < list->count; i++) {
        const struct rec_extent *before = &list->extent[i - 1], *extent = &list->extent[i];
        if (extent->first_page < before->first_page + before->page_count)
            return an_fault_set(fault, -EBADMSG,
                                "%s: offset %" PRIu64 ": two extents lie in the same page",
                                file->path, extent->first_page * REC_PAGE_BYTES);
    }
    return 0;
}

/* Collect the table's segments and what they list, the segments as extents of no kind. */
static int extents_read(const struct an_recording_file *file, const struct rec_header *header,
                        struct extent_list *list, struct an_fault *fault)
{
    uint64_t left = header->extent_count;
    for (unsigned s = 0; s < REC_EXTENT_SEGMENTS && left != 0; s++) {
        uint64_t entries = (uint64_t)REC_EXTENT_FIRST << s;
        uint64_t first_page = header->extent_segment[s];
        uint64_t page_count = entries * sizeof(struct rec_extent) / REC_PAGE_BYTES;
        if (first_page == 0)
            break; /* entries are claimed before their segment is there */
        if (!pages_inside(file, header, first_page, page_count))
            return an_fault_set(
                fault, -EBADMSG,
                "%s: offset %zu: segment %u of the extent table does not lie inside "
                "the %" PRIu64 " used pages of a file of %" PRIu64 " bytes",
                file->path, offsetof(struct rec_header, extent_segment[s]), s, header->used_pages,
                file->bytes);
        struct rec_extent table = {.first_page = first_page, .page_count = page_count};
        list_add(list, &table);
        uint64_t count = left < entries ? left : entries;
        int error = segment_read(file, header, first_page, count, list, fault);
        if (error != 0)
            return error;
        left -= count;
    }
    if (list->count == 0)
        return 0;
    qsort(list->extent, list->count, sizeof(*list->extent), extent_order);
    return extents_disjoint(file, list, fault);
}

int an_recording_file_refresh(struct an_recording_file *file, struct an_fault *fault)
{
    struct stat status;
    if (fstat(file->fd, &status) != 0)
        return an_fault_set(fault, -errno, "%s: %s", file->path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return an_fault_set(fault, -EBADMSG, "%s: not a regular file", file->path);
    struct an_recording_file fresh = *file;
    fresh.bytes = (uint64_t)status.st_size;
    int error = header_read(&fresh, &fresh.header, fault);
    if (error != 0)
        return error;
    /* What the table of a live recording lists may be younger than the header read before it. */
    struct rec_header bounds = fresh.header;
    struct extent_list list = {0};
    error = extents_read(&fresh, &bounds, &list, fault);
    for (int tries = 0; error != 0 && tries < 8 && !an_recording_file_ended(&fresh); tries++) {
        struct rec_header later;
        if (header_read(&fresh, &later, fault) != 0 || later.used_pages == bounds.used_pages)
            break;
        bounds.used_pages = later.used_pages;
        list.count = 0;
        error = extents_read(&fresh, &bounds, &list, fault);
    }
    if (error != 0) {
        free(list.extent);
        return error;
    }
    free(file->extent);
    fresh.extent = list.extent;
    fresh.extent_count = list.count;
    *file = fresh;
    return 0;
}

static int file_open(const char *path, struct an_recording_file *ret_file, struct an_fault *fault)
{
    /* O_NONBLOCK: a name may be a pipe that nobody writes to. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return an_fault_set(fault, -errno, "%s: %s", path, strerror(errno));
    *ret_file = (struct an_recording_file){.fd = fd, .path = an_memory_text(path)};
    return 0;
}

int an_recording_file_open(const char *path, struct an_recording_file *ret_file,
                           struct an_fault *fault)
{
    struct an_recording_file file;
    int error = file_open(path, &file, fault);
    if (error != 0)
        return error;
    int fd = file.fd;
    free(file.path);
    return an_recording_file_open_descriptor(fd, path, ret_file, fault);
}

int an_recording_file_open_descriptor(int fd, const char *path, struct an_recording_file *ret_file,
                                      struct an_fault *fault)
{
    struct an_recording_file file = {.fd = fd, .path = an_memory_text(path)};
    int error = an_recording_file_refresh(&file, fault);
    if (error != 0) {
        an_recording_file_close(&file);
        return error;
    }
    *ret_file = file;
    return 0;
}

int an_recording_file_header(const char *path, struct rec_header *ret_header,
                             struct an_fault *fault)
{
    struct an_recording_file file;
    int error = file_open(path, &file, fault);
    if (error != 0)
        return error;
    struct stat status;
    if (fstat(file.fd, &status) != 0)
        error = an_fault_set(fault, -errno, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        error = an_fault_set(fault, -EBADMSG, "%s: not a regular file", path);
    file.bytes = error == 0 ? (uint64_t)status.st_size : 0;
    if (error == 0)
        error = header_read(&file, ret_header, fault);
    an_recording_file_close(&file);
    return error;
}

void an_recording_file_close(struct an_recording_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file->extent);
    *file = (struct an_recording_file){.fd = -1};
}

const struct rec_extent *an_recording_file_extent(const struct an_recording_file *file,
                                                  enum rec_kind kind, uint64_t offset,
                                                  uint64_t bytes)
{
    uint64_t page = offset / REC_PAGE_BYTES;
    uint32_t low = 0, high = file->extent_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (file->extent[middle].first_page <= page)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const struct rec_extent *extent = &file->extent[low - 1];
    uint64_t end = (extent->first_page + extent->page_count) * REC_PAGE_BYTES;
    if (extent->kind != (uint32_t)kind || offset > end || bytes > end - offset)
        return NULL;
    return extent;
}

int an_recording_file_text(const struct an_recording_file *file, const struct rec_text *text,
                           uint32_t limit, const char *what, char **ret_text, size_t *ret_bytes,
                           struct an_fault *fault)
{
    if (text->offset == 0 && text->bytes == 0) {
        *ret_text = NULL;
        *ret_bytes = 0;
        return 0;
    }
    if (text->bytes > limit)
        return an_fault_set(fault, -EBADMSG, "%s: %s has %" PRIu32 " bytes, more than is possible",
                            file->path, what, text->bytes);
    if (an_recording_file_extent(file, REC_KIND_TEXT, text->offset, text->bytes) == NULL)
        return an_fault_set(fault, -EBADMSG,
                            "%s: %s lies at offset %" PRIu64 ", where there is no text", file->path,
                            what, text->offset);
    char *copy = an_memory_array((size_t)text->bytes + 1, 1);
    int error = an_recording_file_read(file, text->offset, copy, text->bytes, what, fault);
    if (error != 0) {
        free(copy);
        return error;
    }
    copy[text->bytes] = '\0';
    *ret_text = copy;
    *ret_bytes = text->bytes;
    return 0;
}
