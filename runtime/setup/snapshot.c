/*
 * snapshot.c -- see the header.
 */
#include "runtime/setup/snapshot.h"

#include <errno.h>
#include <fcntl.h>

#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/thread_state.h"
#include "runtime/setup/resolver.h"
#include "runtime/setup/session.h"

enum { NUMBER_MOST = 1 << 20 };

/* One snapshot at a time uses this: it must not lie on a thread's small stack. */
static struct {
    bool busy;
    int last; /* number taken last */
    struct rt_text base, path;
    union {
        struct rec_header header;
        char bytes[REC_PAGE_BYTES];
    } page;
} snapshot;

static void names_set(int number)
{
    rt_text_clear(&snapshot.base);
    rt_text_add(&snapshot.base, rt_session.base.at);
    rt_text_add(&snapshot.base, "-snap");
    rt_text_add_number(&snapshot.base, (uint64_t)number);
    rt_text_clear(&snapshot.path);
    rt_text_add(&snapshot.path, rt_session.directory.at);
    rt_text_add(&snapshot.path, "/");
    rt_text_add(&snapshot.path, snapshot.base.at);
    rt_text_add(&snapshot.path, ".thag");
}

/* A new file of the next number that is free, or -errno. */
static int create(void)
{
    int fd = -EEXIST;
    while (fd == -EEXIST && snapshot.last < NUMBER_MOST) {
        names_set(++snapshot.last);
        fd = snapshot.path.cut
                 ? -ENAMETOOLONG
                 : os_file_open(snapshot.path.at, O_WRONLY | O_CREAT | O_EXCL, 0600);
    }
    return fd;
}

static bool pages_write(int fd, uint64_t first, uint64_t count)
{
    uint64_t bytes = count << REC_PAGE_SHIFT;
    return os_file_write_at(fd, rt_recording_page(first), bytes, first << REC_PAGE_SHIFT) ==
           (long)bytes;
}

static bool kind_write(int fd, enum rec_kind kind)
{
    const struct rec_extent *extent;
    for (uint64_t i = 0; (extent = rt_recording_extent_at(i)) != NULL; i++) {
        if (__atomic_load_n(&extent->kind, __ATOMIC_ACQUIRE) == kind &&
            !pages_write(fd, extent->first_page, extent->page_count)) {
            return false;
        }
    }
    return true;
}

static bool extents_write(int fd)
{
    const struct rec_header *header = rt_recording.header;
    for (unsigned i = 0; i < REC_EXTENT_SEGMENTS && header->extent_segment[i]; i++) {
        uint64_t bytes = ((uint64_t)REC_EXTENT_FIRST << i) * sizeof(struct rec_extent);
        if (!pages_write(fd, header->extent_segment[i], bytes >> REC_PAGE_SHIFT)) {
            return false;
        }
    }
    return true;
}

/* The first page as it is now, of a recording that ends here. */
static bool header_write(int fd, struct rec_text base)
{
    struct rec_header *header = &snapshot.page.header;
    for (unsigned i = 0; i < sizeof snapshot.page; i++) {
        snapshot.page.bytes[i] = ((const volatile char *)rt_recording.header)[i];
    }
    header->base_name = base.bytes ? base : header->base_name;
    header->end_reason = REC_END_SNAPSHOT;
    header->end_ns = os_clock_monotonic_ns();
    return os_file_truncate(fd, header->used_pages << REC_PAGE_SHIFT) == 0 &&
           os_file_write_at(fd, snapshot.page.bytes, REC_PAGE_BYTES, 0) == REC_PAGE_BYTES;
}

/*
 * The recording goes on meanwhile. As for a reader of a live file, what refers to something comes
 * before it: values, slots, stacks, nodes, texts, and the tables that lead to all of them last. So
 * whatever a copied word refers to is in the copy.
 */
static bool copy(int fd)
{
    static const enum rec_kind order[] = {
        REC_KIND_EVENTS,     REC_KIND_SPANS,    REC_KIND_CALLS,   REC_KIND_COUNTERS,
        REC_KIND_HISTOGRAMS, REC_KIND_TIMELINE, REC_KIND_THREADS, REC_KIND_STACKS,
        REC_KIND_NODES,      REC_KIND_MODULES,  REC_KIND_TEXT,
    };
    struct rec_text base = rt_recording_text(snapshot.base.at, snapshot.base.bytes, os_thread_id());
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (!kind_write(fd, order[i])) {
            return false;
        }
    }
    return extents_write(fd) && header_write(fd, base);
}

/* What this thread holds back, unless a hook of its is being run. */
static void flush(void)
{
    struct rt_thread *thread = rt_tls.thread;
    if (thread && !rt_tls.guard && !rt_thread_is_ended() && rt_thread_is_ours(thread)) {
        rt_tls.guard = (uintptr_t)__builtin_frame_address(0);
        rt_heap_flush(thread);
        rt_tls.guard = 0;
    }
}

static int take(void)
{
    flush();
    rt_clock_mark();
    int fd = create();
    if (fd < 0) {
        return 0;
    }
    bool whole = copy(fd);
    os_file_close(fd);
    if (!whole) {
        os_file_remove(snapshot.path.at);
        return 0;
    }
    rt_resolver_name(&rt_session, &snapshot.path);
    return snapshot.last;
}

int rt_snapshot_take(void)
{
    if (rt_gate_read() != &rt_gate_open || !rt_process_is_ours() || os_is_frozen() ||
        __atomic_exchange_n(&snapshot.busy, true, __ATOMIC_ACQUIRE)) {
        return 0;
    }
    uint64_t signals; /* a handler that jumped out of here would leave it busy for ever */
    os_signals_block(&signals);
    int number = take();
    __atomic_store_n(&snapshot.busy, false, __ATOMIC_RELEASE);
    os_signals_restore(signals);
    return number;
}
