/*
 * debug_log.c -- see the header.
 */
#include "runtime/setup/debug_log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/hot/module_map.h"
#include "runtime/hot/oddities.h"
#include "runtime/hot/recording.h"
#include "runtime/setup/local_time.h"

static void folder_path(struct rt_session *session, bool with_user)
{
    const char *place = rt_environment_get(&session->environment, "TMPDIR");
    rt_text_clear(&session->log_path);
    rt_text_add(&session->log_path, place && place[0] == '/' ? place : "/tmp");
    rt_text_add(&session->log_path, "/thag_profiler");
    if (with_user) {
        rt_text_add(&session->log_path, "-");
        rt_text_add_number(&session->log_path, os_process_user());
    }
}

/* Make the folder. False if it is there but is not a directory of ours. */
static bool folder_make(struct rt_session *session, bool with_user)
{
    uint32_t mode, owner;
    folder_path(session, with_user);
    int result = os_directory_make(session->log_path.at, 0700);
    if (result < 0 && result != -EEXIST) {
        return false;
    }
    return os_file_lstat(session->log_path.at, &mode, &owner) == 0 && S_ISDIR(mode) &&
           owner == os_process_user();
}

static void append(const struct rt_session *session, const struct rt_text *line, int flags)
{
    int fd = os_file_open(session->log_path.at, O_WRONLY | O_APPEND | O_NOFOLLOW | flags, 0600);
    if (fd >= 0) {
        os_file_write(fd, line->at, line->bytes);
        os_file_close(fd);
    }
}

static void stamp_add(const struct rt_session *session, struct rt_text *line)
{
    int64_t now_s = (int64_t)(os_clock_realtime_ns() / 1000000000u);
    rt_local_stamp_add(line, now_s + session->utc_offset_s);
}

void rt_debug_log_line(const struct rt_session *session, const char *text)
{
    static struct rt_text line;
    if (!session->log_path.bytes) {
        return;
    }
    rt_text_clear(&line);
    stamp_add(session, &line);
    rt_text_add(&line, " [");
    rt_text_add_number(&line, os_thread_id());
    rt_text_add(&line, "] ");
    rt_text_add(&line, text);
    rt_text_add(&line, "\n");
    append(session, &line, 0);
}

static void line_of(const struct rt_session *session, const char *name, const char *value)
{
    static struct rt_text text;
    rt_text_clear(&text);
    rt_text_add(&text, name);
    rt_text_add(&text, value);
    rt_debug_log_line(session, text.at);
}

static void line_of_number(const struct rt_session *session, const char *name, uint64_t value)
{
    static struct rt_text text;
    rt_text_clear(&text);
    rt_text_add(&text, name);
    rt_text_add_number(&text, value);
    rt_debug_log_line(session, text.at);
}

static void header_write(const struct rt_session *session)
{
    static const char *const levels[] = {"none", "quiet", "announce"};
    static struct rt_text text;
    rt_text_clear(&text);
    rt_text_add(&text, "program: ");
    rt_text_add(&text, session->program.at);
    rt_text_add(&text, "\nstamp: ");
    rt_local_stamp_add(&text,
                       (int64_t)(session->start_realtime_ns / 1000000000u) + session->utc_offset_s);
    rt_text_add(&text, "\nlevel: ");
    rt_text_add(&text, levels[session->config.debug_level]);
    rt_text_add(&text, "\nstart: ");
    rt_text_add_number(&text, session->start_realtime_ns);
    rt_text_add(&text, " ns since 1970\n");
    append(session, &text, O_CREAT);
}

void rt_debug_log_begin(struct rt_session *session)
{
    rt_text_clear(&session->log_path);
    if (session->config.debug_level == RT_DEBUG_NONE) {
        return;
    }
    if (!folder_make(session, false) && !folder_make(session, true)) {
        rt_text_clear(&session->log_path);
        return;
    }
    rt_text_add(&session->log_path, "/");
    rt_text_add(&session->log_path, session->base.at);
    rt_text_add(&session->log_path, "-debug.log");
    header_write(session);
    const char *setting = rt_environment_get(&session->environment, "THAG_PROFILER");
    line_of(session, "configuration: THAG_PROFILER=", setting ? setting : "(not set: both)");
    if (session->config.threshold_bytes) {
        line_of_number(session,
                       "configuration: SIZE_TRACKING_THRESHOLD=", session->config.threshold_bytes);
    }
    if (session->config.detail && !session->config.memory) {
        rt_debug_log_line(session, "memory_detail is ignored: the type records no memory");
    }
    line_of(session, "recording: ", session->path.at);
    if (session->live_path.bytes) {
        line_of(session, "live file: ", session->live_path.at);
    }
    if (session->config.debug_level == RT_DEBUG_ANNOUNCE) {
        static struct rt_text line;
        rt_text_clear(&line);
        rt_text_add(&line, "thag: debug log: ");
        rt_text_add(&line, session->log_path.at);
        rt_session_say(&line);
    }
}

/* "module: PATH, build-id HEX" */
static void module_write(const struct rt_session *session, const struct rec_module *module)
{
    static const char digits[] = "0123456789abcdef";
    static struct rt_text text;
    rt_text_clear(&text);
    rt_text_add(&text, "module: ");
    rt_text_add_bytes(&text, (const char *)rt_recording.header + module->path.offset,
                      module->path.bytes);
    rt_text_add(&text, module->build_id_bytes ? ", build-id " : ", no build-id");
    for (uint32_t i = 0; i < module->build_id_bytes; i++) {
        rt_text_add_bytes(&text, &digits[module->build_id[i] >> 4], 1);
        rt_text_add_bytes(&text, &digits[module->build_id[i] & 15], 1);
    }
    rt_debug_log_line(session, text.at);
}

static void modules_write(const struct rt_session *session)
{
    enum { MODULES_MOST = 512 };
    uint64_t count = rt_recording.header->module_count;
    line_of_number(session, "modules: ", count);
    for (uint32_t i = 0; i < count && i < MODULES_MOST; i++) {
        const struct rec_module *module = rt_module_map_at(i);
        if (module) {
            module_write(session, module);
        }
    }
}

static const char *oddity_text(uint32_t kind)
{
    switch (kind) {
    case RT_ODDITY_SECOND:
        return "a second mark of one function; not counted";
    case RT_ODDITY_NOT_OPEN:
        return "THAG_END of a section that is not open; ignored";
    case RT_ODDITY_ENDS_INNER:
        return "THAG_END with other sections open inside; they end, too";
    case RT_ODDITY_NO_TIME:
        return "the flag for time has no effect in a run that records none";
    case RT_ODDITY_NO_MEMORY:
        return "the flag for memory has no effect in a run that records none";
    default:
        return "a task was entered while it runs, or left or ended while it does not; ignored";
    }
}

/* "mark: section NAME in FUNCTION, line N: ..." */
static void oddities_write(const struct rt_session *session)
{
    static struct rt_text text;
    uint32_t missing = 0;
    const struct rt_oddity_note *note;
    for (uint32_t i = 0; (note = rt_oddity_get(i, &missing)) != NULL; i++) {
        rt_text_clear(&text);
        rt_text_add(&text, note->kind == RT_ODDITY_TASK ? "task: " : "mark: ");
        if (note->name[0]) {
            rt_text_add(&text, note->kind == RT_ODDITY_TASK ? "" : "section ");
            rt_text_add(&text, note->name);
        }
        if (note->function[0]) {
            rt_text_add(&text, note->name[0] ? " in " : "");
            rt_text_add(&text, note->function);
            rt_text_add(&text, ", line ");
            rt_text_add_number(&text, note->line);
        }
        rt_text_add(&text, ": ");
        rt_text_add(&text, oddity_text(note->kind));
        rt_debug_log_line(session, text.at);
    }
    if (missing) {
        line_of_number(session, "marks: more of that kind: ", missing);
    }
}

void rt_debug_log_end(const struct rt_session *session, const char *reason)
{
    if (!session->log_path.bytes) {
        return;
    }
    const struct rec_header *header = rt_recording.header;
    oddities_write(session);
    line_of(session, "end: ", reason);
    line_of_number(session, "recording bytes: ", header->used_pages << REC_PAGE_SHIFT);
    line_of_number(session, "stacks: ", header->stack_count);
    line_of_number(session, "threads: ", header->thread_count);
    modules_write(session);
    line_of_number(session, "lost: events: ", header->events_lost);
    line_of_number(session, "lost: unknown stacks: ", header->stacks_unknown);
    line_of_number(session, "lost: nested calls: ", header->nested_calls);
    line_of_number(session, "lost: guard takeovers: ", header->guard_takeovers);
    line_of_number(session, "before start: allocations: ", header->before_start_allocations);
}
