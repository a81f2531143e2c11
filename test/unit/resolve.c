/*
 * The commands resolve and info as users and the recorder start them, on composed recordings.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test/support/recording_builder.h"

#define RESERVATION (64u << 20)

static char folder[64];
static struct builder *builder;

static void setup(void)
{
    snprintf(folder, sizeof(folder), "/tmp/thag-resolve-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    builder = builder_sample();
}

static void teardown(void)
{
    char command[128];
    builder_free(builder);
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(resolve, .init = setup, .fini = teardown, .timeout = 600);

static const char *in_folder(const char *name)
{
    static char path[8][160];
    static int next;
    char *chosen = path[next++ % 8];
    snprintf(chosen, sizeof(path[0]), "%s/%s", folder, name);
    return chosen;
}

/* Run the tool in the folder. Result: its exit status. Its output lands in the file "out". */
static int tool(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int tool(const char *format, ...)
{
    char words[1024], command[1400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    snprintf(command, sizeof(command), "cd '%s' && '%s' %s >out 2>&1", folder, THAG_PROFILE, words);
    int status = system(command);
    cr_assert(WIFEXITED(status), "%s", command);
    return WEXITSTATUS(status);
}

static char *content(const char *name)
{
    char *text = calloc(1, 1 << 16);
    int fd = open(in_folder(name), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        free(text);
        return NULL;
    }
    cr_assert_geq(read(fd, text, (1 << 16) - 1), 0);
    close(fd);
    return text;
}

static void holds(const char *name, const char *wanted)
{
    char *text = content(name);
    cr_assert_not_null(text, "%s", name);
    cr_assert_str_eq(text, wanted);
    free(text);
}

static void says(const char *words)
{
    char *text = content("out");
    cr_assert_not_null(strstr(text, words), "%s", text);
    free(text);
}

static bool exists(const char *name)
{
    return access(in_folder(name), F_OK) == 0;
}

/* In this test's folder: those of the tests that run at the same time are none of its business. */
static void no_temporary_file_is_left(void)
{
    DIR *names = opendir(folder);
    cr_assert_not_null(names);
    for (struct dirent *entry; (entry = readdir(names)) != NULL;)
        cr_assert_null(strstr(entry->d_name, ".folded."), "%s", entry->d_name);
    closedir(names);
}

static off_t size_of(const char *name)
{
    struct stat status;
    cr_assert_eq(stat(in_folder(name), &status), 0);
    return status.st_size;
}

static const char sample_memory[] = "[cut];[jit] 4096\n"
                                    "sample+0x1000;sample+0x2000;libpart.so+0x1000 1100\n"
                                    "sample+0x1000;sample+0x3000 21\n";

Test(resolve, folded_file_appears_beside_the_recording_for_its_owner_only)
{
    struct stat status;
    builder_save(builder, in_folder("a-20231114-231320.thag"));
    cr_assert_eq(tool("resolve a-20231114-231320.thag"), 0);
    holds("a-20231114-231320-memory.folded", sample_memory);
    cr_assert_eq(stat(in_folder("a-20231114-231320-memory.folded"), &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
    no_temporary_file_is_left();
}

Test(resolve, packed_recording_is_read_and_left_as_it_is)
{
    char command[256];
    builder_save(builder, in_folder("a.thag"));
    snprintf(command, sizeof(command), "cd '%s' && gzip a.thag && cp a.thag.gz kept", folder);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(tool("resolve a.thag.gz"), 0);
    holds("a-memory.folded", sample_memory);
    snprintf(command, sizeof(command), "cd '%s' && cmp a.thag.gz kept && test ! -e a.thag", folder);
    cr_assert_eq(system(command), 0);
}

Test(resolve, only_files_of_its_own_base_are_replaced)
{
    builder_save(builder, in_folder("a.thag"));
    FILE *file = fopen(in_folder("a-memory.folded"), "w");
    fputs("old 1\n", file);
    fclose(file);
    file = fopen(in_folder("b-memory.folded"), "w");
    fputs("other 1\n", file);
    fclose(file);
    cr_assert_eq(tool("resolve a.thag"), 0);
    holds("a-memory.folded", sample_memory);
    holds("b-memory.folded", "other 1\n");
}

Test(resolve, other_directory_gets_the_recorded_base_name)
{
    builder_save(builder, in_folder("live"));
    cr_assert_eq(mkdir(in_folder("to"), 0700), 0);
    cr_assert_eq(tool("resolve -o to live"), 0);
    holds("to/sample-20231114-231320-memory.folded", sample_memory);
    cr_assert_not(exists("live-memory.folded"));
}

Test(resolve, other_directory_is_made_with_its_parents)
{
    builder_save(builder, in_folder("live"));
    cr_assert_eq(tool("resolve -o to/a/b/ live"), 0);
    holds("to/a/b/sample-20231114-231320-memory.folded", sample_memory);
    cr_assert_eq(tool("resolve -o live/b live"), 3);
    says("live/b/");
}

Test(resolve, recording_without_allocations_gets_no_file)
{
    builder_free(builder);
    builder = builder_new();
    builder_save(builder, in_folder("a.thag"));
    cr_assert_eq(tool("resolve a.thag"), 0);
    cr_assert_not(exists("a-memory.folded"));
}

Test(resolve, damaged_recording_is_named_with_place_and_reason)
{
    builder_node_at(builder, 2)->parent = 2;
    builder_save(builder, in_folder("a.thag"));
    cr_assert_eq(tool("resolve a.thag"), 3);
    says("a.thag: offset ");
    says("parent");
    cr_assert_not(exists("a-memory.folded"));
    cr_assert_eq(tool("info a.thag"), 3);
    cr_assert_eq(tool("resolve nowhere.thag"), 3);
    says("nowhere.thag: No such file");
    cr_assert_eq(tool("resolve"), 2);
    cr_assert_eq(tool("resolve --follow a.thag b.thag"), 2);
    cr_assert_eq(tool("resolve --every 0 a.thag"), 2);
}

Test(resolve, detail_files_have_a_line_for_each_event_in_the_order_of_time)
{
    struct stat status;
    builder_event(builder, 0, 10, 1, 100, 1);
    builder_event(builder, 0, 30, 3, 4096, 1);
    builder_event(builder, 0, 50, 2, 7, REC_EVENT_FREE | 1);
    builder_event(builder, 1, 20, 2, 7, 1);
    builder_event(builder, 1, 40, 2, 14, 2); /* two that were merged */
    builder_event(builder, 1, 60, 1, 100, REC_EVENT_FREE | 1);
    builder_save(builder, in_folder("a.thag"));
    cr_assert_eq(tool("resolve a.thag"), 0);
    holds("a-memory.folded", sample_memory);
    holds("a-memory_detail.folded", "sample+0x1000;sample+0x2000;libpart.so+0x1000 100\n"
                                    "sample+0x1000;sample+0x3000 7\n"
                                    "[cut];[jit] 4096\n"
                                    "sample+0x1000;sample+0x3000 14\n");
    holds("a-memory_detail_dealloc.folded", "sample+0x1000;sample+0x3000 7\n"
                                            "sample+0x1000;sample+0x2000;libpart.so+0x1000 100\n");
    cr_assert_eq(stat(in_folder("a-memory_detail.folded"), &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
}

Test(resolve, thousands_of_events_of_several_slots_are_merged_by_time)
{
    builder_thread(builder, "third");
    for (uint32_t i = 0; i < 3000; i++)
        builder_event(builder, i * 7 % 3, i, 2, i + 1, 1);
    builder_save(builder, in_folder("a.thag"));
    cr_assert_eq(tool("resolve a.thag"), 0);
    cr_assert_eq(tool("--version"), 0);
    FILE *file = fopen(in_folder("a-memory_detail.folded"), "r");
    char line[200];
    unsigned long count = 0;
    while (fgets(line, sizeof(line), file) != NULL)
        cr_assert_eq(strtoul(strrchr(line, ' '), NULL, 10), ++count, "%s", line);
    fclose(file);
    cr_assert_eq(count, 3000);
}

Test(resolve, event_of_a_stack_that_is_not_there_is_refused)
{
    builder_event(builder, 0, 10, 900, 100, 1);
    builder_save(builder, in_folder("a.thag"));
    cr_assert_eq(tool("resolve a.thag"), 3);
    says("an event of stack 900");
    cr_assert_not(exists("a-memory_detail.folded"));
}

/* Make the header say that it is of a process that runs here, and was not ended. */
static void header_of_live(pid_t pid)
{
    struct utsname here;
    struct timespec now;
    struct rec_header *header = builder_header(builder);
    cr_assert_eq(uname(&here), 0);
    header->host = builder_text(builder, here.nodename, strlen(here.nodename));
    header->pid = (uint32_t)pid;
    header->family_pid = (uint32_t)pid;
    header->end_ns = 0;
    header->end_reason = REC_END_NONE;
    clock_gettime(CLOCK_MONOTONIC, &now);
    header->start_monotonic_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    clock_gettime(CLOCK_REALTIME, &now);
    header->start_realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *file_map(const char *name)
{
    int fd = open(in_folder(name), O_RDWR | O_CLOEXEC);
    cr_assert_geq(fd, 0);
    void *memory = mmap(NULL, RESERVATION, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    cr_assert_neq(memory, MAP_FAILED);
    return memory;
}

static void *extent_of(char *memory, uint32_t kind, uint32_t owner)
{
    struct rec_extent *extent = (struct rec_extent *)(void *)(memory + REC_PAGE_BYTES);
    while (extent->kind != 0 && (extent->kind != kind || extent->owner != owner))
        extent++;
    cr_assert_neq(extent->kind, 0);
    return memory + extent->first_page * REC_PAGE_BYTES;
}

/*
 * A recorder: holds the file mapped and lets the second stack grow, block by block, and adds a
 * third one at half of the way. Told to go on by SIGUSR1. Says through MAPPED that the file is, for
 * a file that nobody has mapped for writing does not grow any more.
 */
static void record(const char *name, int mapped)
{
    sigset_t go;
    int signal_number;
    char *memory = file_map(name);
    cr_assert_eq(write(mapped, "", 1), 1);
    struct rec_header *header = (struct rec_header *)(void *)memory;
    struct rec_counter *counter = extent_of(memory, REC_KIND_COUNTERS, 1);
    struct rec_node *node = extent_of(memory, REC_KIND_NODES, 0);
    struct rec_stack *stack = extent_of(memory, REC_KIND_STACKS, 0);
    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    sigwait(&go, &signal_number);
    node[7] = (struct rec_node){.parent = 4, .key = 0x404000};
    stack[4].node = 7;
    __atomic_store_n(&header->node_count, 8, __ATOMIC_RELEASE);
    __atomic_store_n(&header->stack_count, 5, __ATOMIC_RELEASE);
    counter[4].allocations = 1;
    counter[4].bytes = 5;
    for (;;) {
        counter[2].allocations++;
        counter[2].bytes += 10;
        usleep(200);
    }
}

/* In a child: a test that fails must not leave it, for its open pipes keep the runner waiting. */
static void end_with_the_test(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static pid_t recorder_start(const char *name)
{
    sigset_t go;
    int mapped[2];
    char byte;
    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    sigprocmask(SIG_BLOCK, &go, NULL);
    cr_assert_eq(pipe(mapped), 0);
    pid_t pid = fork();
    if (pid == 0) {
        end_with_the_test();
        while (access(in_folder(name), F_OK) != 0)
            usleep(1000);
        record(name, mapped[1]);
        _exit(0);
    }
    close(mapped[1]);
    header_of_live(pid);
    builder_save(builder, in_folder("building"));
    cr_assert_eq(truncate(in_folder("building"), RESERVATION), 0);
    cr_assert_eq(rename(in_folder("building"), in_folder(name)), 0);
    cr_assert_eq(read(mapped[0], &byte, 1), 1);
    close(mapped[0]);
    return pid;
}

/* A zombie has ended. kill() alone returns before its receiver is dead and its file unmapped. */
static void kill_and_leave_unreaped(pid_t pid)
{
    siginfo_t ended;
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
}

static pid_t tool_start(const char *first, const char *second, const char *third,
                        const char *fourth)
{
    pid_t pid = fork();
    if (pid == 0) {
        end_with_the_test();
        if (chdir(folder) != 0)
            _exit(99);
        execl(THAG_PROFILE, "thag_profile", first, second, third, fourth, "live.thag", NULL);
        _exit(99);
    }
    return pid;
}

/* Every line is whole at any time; RET_GROWING is the value of the stack that grows. */
static bool file_look(const char *name, unsigned long *ret_growing)
{
    static const char stack[] = "sample+0x1000;sample+0x3000 ";
    char *text = content(name);
    if (text == NULL)
        return false;
    size_t bytes = strlen(text);
    cr_assert_gt(bytes, 0);
    cr_assert_eq(text[bytes - 1], '\n');
    cr_assert_eq(strncmp(text, sample_memory, 17), 0, "%s", text);
    const char *line = strstr(text, stack);
    cr_assert_not_null(line);
    *ret_growing = strtoul(line + sizeof(stack) - 1, NULL, 10);
    free(text);
    return true;
}

static void wait_until_over(const char *name, unsigned long limit)
{
    unsigned long growing = 0;
    for (int i = 0; i < 20000 && growing <= limit; i++) {
        file_look(name, &growing);
        usleep(1000);
    }
    cr_assert_gt(growing, limit);
}

Test(resolve, follow_rewrites_whole_files_until_the_recorder_is_killed)
{
    int status = 0;
    unsigned long last = 0;
    pid_t recorder = recorder_start("live.thag");
    pid_t follower = tool_start("resolve", "--follow", "--every", "0.2");
    wait_until_over("live-memory.folded", 20);
    kill(recorder, SIGUSR1);
    wait_until_over("live-memory.folded", 21);
    file_look("live-memory.folded", &last);
    wait_until_over("live-memory.folded", last);
    cr_assert_eq(size_of("live.thag"), RESERVATION, "a live recording is not cut");
    cr_assert_eq(waitpid(follower, &status, WNOHANG), 0);
    kill_and_leave_unreaped(recorder);
    cr_assert_eq(waitpid(follower, &status, 0), follower);
    cr_assert_eq(status, 0);
    /* The last round came after the end. */
    char *text = content("live-memory.folded");
    char *whole = NULL;
    cr_assert_eq(tool("resolve -o . live.thag"), 0);
    whole = content("sample-20231114-231320-memory.folded");
    cr_assert_str_eq(text, whole);
    cr_assert_not_null(strstr(text, "sample+0x1000;sample+0x3000;sample+0x4000 5\n"), "%s", text);
    free(text);
    free(whole);
    cr_assert_lt(size_of("live.thag"), 1 << 20, "trimmed");
    waitpid(recorder, &status, 0);
}

Test(resolve, running_recording_is_named_but_not_trimmed)
{
    int status = 0;
    pid_t recorder = recorder_start("live.thag");
    cr_assert_eq(tool("resolve live.thag"), 0);
    cr_assert_eq(size_of("live.thag"), RESERVATION);
    cr_assert_eq(tool("info live.thag"), 0);
    says("still running");
    kill_and_leave_unreaped(recorder);
    cr_assert_eq(tool("info live.thag"), 0);
    says("killed, or ended by a signal");
    cr_assert_eq(tool("stats live.thag"), 0);
    cr_assert_lt(size_of("live.thag"), 1 << 20, "whoever reads it first trims it");
    cr_assert_eq(tool("resolve live.thag"), 0);
    holds("live-memory.folded", sample_memory);
    waitpid(recorder, &status, 0);
}

Test(resolve, mapped_recording_is_never_cut_whatever_its_header_says)
{
    /* Another container's process: its number means nothing here. */
    header_of_live(1);
    builder_header(builder)->start_realtime_ns = 1;
    builder_save(builder, in_folder("live.thag"));
    cr_assert_eq(truncate(in_folder("live.thag"), RESERVATION), 0);
    void *memory = file_map("live.thag");
    cr_assert_eq(tool("resolve live.thag"), 0);
    cr_assert_eq(size_of("live.thag"), RESERVATION);
    munmap(memory, RESERVATION);
    cr_assert_eq(tool("resolve live.thag"), 0);
    cr_assert_lt(size_of("live.thag"), 1 << 20);
}

static void relative_save(const char *name, uint32_t family, int64_t later_ns)
{
    struct rec_header *header = builder_header(builder);
    struct rec_header before = *header;
    header->family_pid = family;
    header->pid = 77;
    header->start_monotonic_ns += (uint64_t)later_ns;
    header->start_realtime_ns += (uint64_t)later_ns;
    header->end_ns = header->start_monotonic_ns + 1;
    builder_save(builder, in_folder(name));
    *header = before;
}

Test(resolve, family_names_what_the_children_left_and_nothing_else)
{
    builder_save(builder, in_folder("parent.thag"));
    relative_save("child.thag", 4242, 1000);
    relative_save("stranger.thag", 4000, 1000);
    relative_save("elder.thag", 4242, -1000);
    relative_save("named.thag", 4242, 1000);
    FILE *file = fopen(in_folder("named-memory.folded"), "w");
    fputs("mine 1\n", file);
    fclose(file);
    file = fopen(in_folder("damaged.thag"), "w");
    fputs("no recording", file);
    fclose(file);
    cr_assert_eq(tool("resolve --family parent.thag"), 0);
    holds("parent-memory.folded", sample_memory);
    holds("child-memory.folded", sample_memory);
    holds("named-memory.folded", "mine 1\n");
    cr_assert_not(exists("stranger-memory.folded"));
    cr_assert_not(exists("elder-memory.folded"));
    cr_assert_not(exists("damaged-memory.folded"));
}

Test(resolve, info_states_totals_with_the_bound_of_the_peak)
{
    builder_header(builder)->unknown_frees = 3;
    builder_save(builder, in_folder("a.thag"));
    cr_assert_eq(tool("info a.thag"), 0);
    says("program      /opt/sample\n");
    says("arguments    sample 'two words' 'it'\\''s'\n");
    says("start        2023-11-14 23:13:20 +0100\n");
    says("duration     2.50 s\n");
    says("end          returned from main, or exit()\n");
    says("allocations  19, 5.09 KiB\n");
    says("live at end  1 block, 100 B\n");
    says("peak         900 B, at most 128 B more\n");
    says("       3  freed blocks were not allocated under the recorder\n");
    says("/opt/sample: no such file here\n");
    cr_assert_eq(tool("info --format json a.thag"), 0);
    says("\"peak_bytes\":900,\"peak_bound_bytes\":128");
    says("\"unknown_frees\":3");
    cr_assert_eq(tool("info --format csv a.thag"), 2);
}

Test(resolve, info_states_the_exit_status_where_the_recorder_was_told)
{
    struct rec_header *header = builder_header(builder);
    header->end_reason = REC_END_EXIT;
    header->exit_status = 5;
    builder_save(builder, in_folder("a.thag"));
    cr_assert_eq(tool("info a.thag"), 0);
    says("end          _exit(), status 5\n");
    header->end_reason = REC_END_QUICK;
    header->exit_status = 0;
    builder_save(builder, in_folder("a.thag"));
    cr_assert_eq(tool("info a.thag"), 0);
    says("end          quick_exit()\n");
}

Test(resolve, compressed_and_piped_recordings_are_read_like_plain_ones)
{
    char command[1000];
    builder_save(builder, in_folder("a.thag"));
    snprintf(command, sizeof(command),
             "cd '%s' && gzip -k a.thag && zstd -q a.thag && "
             "'%s' convert --to folded --value bytes a.thag.gz >1 && "
             "'%s' convert --to folded --value bytes a.thag.zst >2 && "
             "'%s' convert --to folded --value bytes - <a.thag >3 && "
             "cat a.thag | '%s' convert --to folded --value bytes - >4",
             folder, THAG_PROFILE, THAG_PROFILE, THAG_PROFILE, THAG_PROFILE);
    cr_assert_eq(system(command), 0);
    holds("1", sample_memory);
    holds("2", sample_memory);
    holds("3", sample_memory);
    holds("4", sample_memory);
    cr_assert_eq(tool("info a.thag.gz"), 0);
}

Test(resolve, first_sight_needs_no_folded_files)
{
    builder_save(builder, in_folder("a.thag"));
    cr_assert_eq(tool("stats --by function --format csv a.thag"), 0);
    says("libpart.so+0x1000");
    cr_assert_not(exists("a-memory.folded"));
}
