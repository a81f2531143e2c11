/*
 * lifecycle.c -- see the header.
 */
#include "runtime/setup/lifecycle.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "runtime/hot/call_roots.h"
#include "runtime/hot/call_tasks.h"
#include "runtime/hot/call_tree.h"
#include "runtime/hot/event_stream.h"
#include "runtime/hot/heap_ledger.h"
#include "runtime/hot/live_blocks.h"
#include "runtime/hot/live_timeline.h"
#include "runtime/hot/module_map.h"
#include "runtime/hot/oddities.h"
#include "runtime/hot/pause.h"
#include "runtime/hot/process.h"
#include "runtime/hot/recording.h"
#include "runtime/hot/sampler.h"
#include "runtime/hot/stack_table.h"
#include "runtime/hot/thread_state.h"
#include "runtime/setup/debug_log.h"
#include "runtime/setup/family.h"
#include "runtime/setup/function_file.h"
#include "runtime/setup/local_time.h"
#include "runtime/setup/naming.h"
#include "runtime/setup/resolver.h"
#include "runtime/setup/roots.h"
#include "runtime/setup/sampling.h"
#include "runtime/setup/session.h"
#include "runtime/setup/signals.h"
#include "runtime/setup/store.h"
#include "runtime/setup/threads.h"

/* Events may fill this part of the reservation. */
enum { PROCESS_PAGE_BYTES = 4096, EVENTS_SHARE = 2 };

static struct {
    uint32_t starting; /* 0: nobody began; else the thread that did */
    uint32_t ended;    /* pid of the process that has ended */
    bool glibc_allocator;
    struct rt_text family_entry;
} life;

/* The text of the dynamic loader, out of its own program headers: hooks called from there mean that
 * the set of modules may be changing. */
static void find_loader(const struct rt_environment *environment)
{
    uintptr_t base = rt_environment_auxiliary(environment, AT_BASE);
    const ElfW(Ehdr) *elf = (const void *)base;
    rt_module_map.loader_bytes = 0;
    if (!base || __builtin_memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0) {
        return;
    }
    const ElfW(Phdr) *segment = (const void *)(base + elf->e_phoff);
    for (int i = 0; i < elf->e_phnum; i++) {
        if (segment[i].p_type == PT_LOAD && segment[i].p_flags & PF_X) {
            rt_module_map.loader_start = base + segment[i].p_vaddr;
            rt_module_map.loader_bytes = segment[i].p_memsz;
        }
    }
}

/* The word that a forked child finds zeroed. */
static void mark_process(void)
{
    uint32_t *ours = os_memory_map(PROCESS_PAGE_BYTES);
    if (ours && os_memory_wipe_on_fork(ours, PROCESS_PAGE_BYTES) == 0) {
        *ours = 1;
        rt_process.ours = ours;
    } else {
        rt_process.ours = NULL;
    }
    rt_call_gate_is_wiped =
        os_memory_wipe_on_fork(&rt_call_gate_page, sizeof rt_call_gate_page) == 0;
    rt_process.pid = os_process_id();
    rt_process.start_tid = os_thread_id();
}

static struct rec_text text_of(const struct rt_text *text)
{
    return rt_recording_text(text->at, text->bytes, rt_process.start_tid);
}

static struct rec_text text_of_string(const char *string)
{
    return rt_recording_text(string, __builtin_strlen(string), rt_process.start_tid);
}

/* The arguments, NUL separated, as they lie in memory now. */
static struct rec_text text_of_arguments(const struct rt_environment *environment)
{
    return environment->argument_bytes
               ? rt_recording_text(environment->arguments, environment->argument_bytes,
                                   rt_process.start_tid)
               : (struct rec_text){0, 0, 0};
}

static void header_fill(const struct rt_session *session)
{
    struct rec_header *header = rt_recording.header;
    const struct rt_config *config = &session->config;
    const ElfW(Ehdr) *self = (const void *)rt_environment_auxiliary(&session->environment, AT_BASE);
    header->content = (config->memory ? REC_CONTENT_HEAP : 0u) |
                      (config->memory && config->detail ? REC_CONTENT_DETAIL : 0u) |
                      (config->time ? REC_CONTENT_TIME : 0u) |
                      (config->sample ? REC_CONTENT_SAMPLE : 0u);
    header->machine = self ? self->e_machine : 0;
    header->start_realtime_ns = session->start_realtime_ns;
    header->start_monotonic_ns = session->start_monotonic_ns;
    header->pid = rt_process.pid;
    header->parent_pid = os_process_parent();
    header->family_pid = session->family_pid;
    header->uid = os_process_user();
    header->utc_offset_s = session->utc_offset_s;
    header->size_threshold_bytes = config->threshold_bytes;
    header->generation = rt_module_map.generation;
    if (config->sample) {
        header->sample_clock = config->sample_wall ? REC_SAMPLE_WALL : REC_SAMPLE_CPU;
        header->sample_hz = config->sample_hz;
    }
}

static void header_fill_texts(const struct rt_session *session)
{
    static struct rt_text directory;
    static char current[RT_TEXT_BYTES];
    struct rec_header *header = rt_recording.header;
    const char *setting = rt_environment_get(&session->environment, "THAG_PROFILER");
    struct utsname host;
    rt_text_clear(&directory);
    if (os_directory_current(current, sizeof current) > 0) {
        rt_text_add(&directory, current);
    }
    header->program = text_of(&session->program);
    header->arguments = text_of_arguments(&session->environment);
    header->directory = text_of(&directory);
    header->base_name = text_of(&session->base);
    if (os_host(&host) == 0) {
        header->host = text_of_string(host.nodename);
    }
    header->config = text_of_string(setting ? setting : "");
}

static void say_failure(int error)
{
    static struct rt_text line;
    rt_text_clear(&line);
    rt_text_add(&line, "thag: ");
    rt_text_add(&line, rt_session.path.bytes ? rt_session.path.at : rt_session.directory.at);
    rt_text_add(&line, ": ");
    rt_text_add_error(&line, -error);
    rt_text_add(&line, "; not profiling");
    rt_session_say(&line);
}

/* The shadow of the heap is wide, if mostly untouched: where that counts it would take from what
 * the program is allowed. */
static bool memory_is_plenty(void)
{
    return os_limit(RLIMIT_AS) == UINT64_MAX && os_limit(RLIMIT_DATA) == UINT64_MAX;
}

/* The recording of this process, from names to the published magic. 0 or -errno. */
static int recording_make(struct rt_session *session)
{
    session->start_realtime_ns = os_clock_realtime_ns();
    session->start_monotonic_ns = os_clock_monotonic_ns();
    session->utc_offset_s = rt_local_offset_s(&session->environment,
                                              (int64_t)(session->start_realtime_ns / 1000000000u));
    int result = rt_store_open(session);
    if (result < 0) {
        return result;
    }
    rt_module_map_reset();
    rt_unwind_forget_code();
    rt_threads_reset();
    rt_live_blocks_reset(life.glibc_allocator && memory_is_plenty());
    bool detail = session->config.memory && session->config.detail;
    rt_heap_reset(session->config.memory ? session->config.threshold_bytes : RT_HEAP_NOTHING,
                  detail);
    rt_events_reset(session->config.max_bytes / EVENTS_SHARE); /* a mark may ask for them, too */
    rt_oddities_reset();
    rt_tasks_reset();
    rt_call_gate_wanted = session->config.time;
    rt_sampling_reset(&session->config);
    header_fill(session);
    result = rt_stack_table_reset(rt_process.start_tid);
    if (result < 0) {
        rt_store_discard(session);
        return result;
    }
    if (session->config.memory) {
        rt_live_timeline_reset(rt_process.start_tid);
    }
    header_fill_texts(session);
    __atomic_store_n(&rt_recording.header->magic, REC_MAGIC, __ATOMIC_RELEASE);
    return 0;
}

static void family_entry_make(void)
{
    rt_text_clear(&life.family_entry);
    rt_text_add(&life.family_entry, "THAG_PARENT=");
    rt_text_add_number(&life.family_entry, rt_session.family_pid);
}

/* Settings into the session. False: not profiling, and it was said why if there is a why. */
static bool session_prepare(struct rt_session *session)
{
    static struct rt_text message;
    rt_environment_find(&session->environment);
    rt_environment_keep(&session->environment);
    os_file_identify(2, &session->error_file, NULL);
    rt_config_read(&session->environment, &session->config, &message);
    if (message.bytes) {
        rt_session_say(&message);
    }
    rt_roots_find(session);
    if (!session->config.memory && !session->config.time && !session->config.sample) {
        return false;
    }
    rt_naming_program(&session->environment, &session->program);
    int result = rt_naming_directory(&session->config.directory, &session->directory);
    if (result < 0) {
        rt_text_clear(&session->path);
        say_failure(result);
        return false;
    }
    /* An exec'ed image of the first process is its successor, not its child. */
    session->family_pid = rt_family_find(&session->environment, rt_process.pid);
    session->parent_pid = os_process_parent();
    return session->config.follow == RT_FOLLOW_ALL || session->family_pid == rt_process.pid;
}

static void begin(const struct rt_host *host)
{
    struct rt_session *session = &rt_session;
    mark_process();
    if (!session_prepare(session)) {
        rt_gate_set(&rt_gate_off);
        return;
    }
    rt_function_file_read(session);
    family_entry_make();
    find_loader(&session->environment);
    rt_resolver_prepare(session);
    life.glibc_allocator = host->glibc_allocator;
    int result = recording_make(session);
    if (result < 0) {
        say_failure(result);
        rt_gate_set(&rt_gate_off);
        return;
    }
    rt_pause_reset(!session->config.start_on, session->roots);
    rt_recording.header->before_start_allocations = host->before_start_allocations;
    rt_recording.header->before_start_bytes = host->before_start_bytes;
    rt_threads_watch(host->thread_attributes);
    rt_debug_log_begin(session);
    rt_sampling_begin(&session->config);
    if (session->config.stream_s) {
        rt_resolver_follow(session);
    }
    rt_gate_set(&rt_gate_open);
    rt_pause_settle();
    rt_signals_begin(session);
}

void rt_lifecycle_start(const struct rt_host *host)
{
    uint32_t nobody = 0;
    if (__atomic_compare_exchange_n(&life.starting, &nobody, os_thread_id(), false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        begin(host);
    }
}

void rt_lifecycle_fork_child(void)
{
    static uint32_t taken_by; /* the pid of the child that has begun */
    uint32_t pid = os_process_id();
    uint32_t before = __atomic_load_n(&taken_by, __ATOMIC_RELAXED);
    if (before == pid || !__atomic_compare_exchange_n(&taken_by, &before, pid, false,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        return; /* another thread of this child is at it */
    }
    rt_gate_set(&rt_gate_off);
    struct rt_session *session = &rt_session;
    struct rec_header *parents = rt_recording.header;
    rt_recording_count(&parents->children);
    uint64_t reserved = rt_recording.limit_pages << REC_PAGE_SHIFT, reach = rt_recording_reach();
    os_memory_replace(parents, reach);
    os_memory_unmap((char *)parents + reach, reserved - reach);
    if (session->config.follow == RT_FOLLOW_NO) {
        return;
    }
    session->parent_pid = rt_process.pid;
    mark_process();
    session->forked = true;
    uint32_t roots = rt_roots_of_forked(rt_tls.thread);
    rt_tls = (struct rt_tls){NULL, 0};
    int result = recording_make(session);
    if (result < 0) {
        say_failure(result);
        return;
    }
    rt_pause_inherit(roots);
    rt_debug_log_begin(session);
    rt_sampling_begin_forked(&session->config);
    rt_gate_set(&rt_gate_open);
    rt_pause_settle();
}

/* Said at the end: the hook that meets the limit may be anywhere in the program. */
static void say_full(void)
{
    static struct rt_text line;
    if (!rt_recording_is_full() || rt_session.forked) {
        return;
    }
    rt_text_clear(&line);
    rt_text_add(&line, "thag: ");
    rt_text_add(&line, rt_session.path.at);
    rt_text_add(&line, ": ");
    if (rt_recording.full_error == -EFBIG) {
        rt_text_add(&line, "max_size of ");
        rt_text_add_number(&line, rt_recording.limit_pages << REC_PAGE_SHIFT);
        rt_text_add(&line, " bytes was reached");
    } else {
        rt_text_add_error(&line, -rt_recording.full_error);
    }
    rt_text_add(&line, "; call stacks that came later are missing");
    rt_session_say(&line);
}

/*
 * Whether this process names what the family left. That is the first one's work, which starts no
 * resolver for each of its children; but a daemon's first process is gone long before it. Then it
 * is the work of those that outlived the process they came from: not of each child that a server
 * forks.
 */
static bool is_head_of_family(void)
{
    const struct rt_session *session = &rt_session;
    if (session->family_pid == rt_process.pid) {
        return true;
    }
    uint32_t parent = os_process_parent();
    return (parent == 1 || parent != session->parent_pid) &&
           !os_process_exists(session->family_pid);
}

/* A program that has put down its rights cannot open what it has written with them. */
static void say_unnamed(int error)
{
    static struct rt_text line;
    rt_text_clear(&line);
    rt_text_add(&line, "thag: ");
    rt_text_add(&line, rt_session.path.at);
    rt_text_add(&line, ": ");
    rt_text_add_error(&line, -error);
    rt_text_add(&line, " at the end; `thag_profile resolve` names its functions");
    rt_session_say(&line);
}

/* Not a forked child, whose memory tells, nor one of vfork(), whose pid does. In a sandbox the pid
 * cannot be asked for. */
static bool is_recording(void)
{
    return rt_gate_read() == &rt_gate_open && rt_process_is_ours() &&
           os_process_id() == rt_process.pid;
}

void rt_lifecycle_end(enum rec_end reason, int status)
{
    static const char *const words[] = {"", "exit", "_exit", "quick_exit", "exec"};
    uint32_t before = 0;
    if (!is_recording() || !__atomic_compare_exchange_n(&life.ended, &before, rt_process.pid, false,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        return;
    }
    if (rt_tls.thread && !rt_thread_is_ended()) {
        rt_heap_flush(rt_tls.thread);
    }
    rt_sampler_process_ends();
    rt_pause_end();
    rt_gate_set(&rt_gate_off);
    rt_clock_mark();
    struct rec_header *header = rt_recording.header;
    header->end_reason = reason;
    header->exit_status = (uint32_t)status;
    __atomic_store_n(&header->end_ns, os_clock_monotonic_ns(), __ATOMIC_RELEASE);
    rt_debug_log_end(&rt_session, words[reason]);
    if (os_is_frozen()) { /* the recording stays as it is, for first sight */
        return;
    }
    int result = rt_store_close(&rt_session);
    say_full();
    rt_signals_end(&rt_session);
    if (!is_head_of_family()) {
        return;
    }
    if (result == -EACCES || result == -EPERM) {
        if (rt_session.config.resolve) {
            say_unnamed(result);
        }
    } else {
        rt_resolver_run(&rt_session);
    }
}

const char *rt_lifecycle_family_entry(void)
{
    return life.family_entry.bytes ? life.family_entry.at : NULL;
}

/* True if libc reads the clock without a system call for sure: with other sources than these the
 * kernel's shared page may give up and make one. */
static bool clock_is_a_register(void)
{
    static const char *const sources[] = {"tsc\n", "arch_sys_counter\n"};
    char name[64] = "";
    int fd = os_file_open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                          O_RDONLY, 0);
    if (fd < 0) {
        return false;
    }
    os_file_read(fd, name, sizeof name - 1);
    os_file_close(fd);
    return __builtin_strcmp(name, sources[0]) == 0 || __builtin_strcmp(name, sources[1]) == 0;
}

void rt_lifecycle_sandboxed(bool strict)
{
    if (os_is_frozen()) {
        return;
    }
    if (rt_gate_read() == &rt_gate_open && rt_process_is_ours()) {
        rt_recording_prepare_frozen(os_thread_id());
        rt_sampling_leave(REC_SAMPLE_END_SANDBOX);
    }
    os_freeze(!strict && clock_is_a_register());
}

void rt_lifecycle_sandbox_refused(void)
{
    os_thaw();
    if (rt_gate_read() == &rt_gate_open && rt_process_is_ours()) {
        rt_sampling_come_back();
    }
}

void rt_lifecycle_memory_limited(int kind, uint64_t bytes)
{
    if (!is_recording() || bytes == UINT64_MAX) {
        return;
    }
    rt_live_blocks_freeze();
    if (kind == RLIMIT_AS) {
        rt_recording_shrink(rt_store_share(bytes), os_thread_id());
    }
}

bool rt_lifecycle_memory_scarce(void)
{
    if (!is_recording()) {
        return false;
    }
    rt_live_blocks_freeze();
    rt_recording_shrink(rt_recording_reach(), os_thread_id());
    return true;
}

bool rt_lifecycle_exec_begins(void)
{
    if (!is_recording()) {
        rt_sampling_forked_execs();
        return false;
    }
    rt_sampling_leave(REC_SAMPLE_END_NONE);
    if (rt_tls.thread && !rt_thread_is_ended()) {
        rt_heap_flush(rt_tls.thread);
    }
    rt_clock_mark();
    struct rec_header *header = rt_recording.header;
    header->end_reason = REC_END_EXEC;
    __atomic_store_n(&header->end_ns, os_clock_monotonic_ns(), __ATOMIC_RELEASE);
    return true;
}

void rt_lifecycle_exec_failed(void)
{
    __atomic_store_n(&rt_recording.header->end_ns, 0, __ATOMIC_RELEASE);
    rt_recording.header->end_reason = REC_END_NONE;
    rt_sampling_come_back();
}
