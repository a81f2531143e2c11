/*
 * surroundings.c SITUATION [ARGUMENT] -- allocates, takes something away from itself, and goes on
 * allocating: 1000 blocks before and 1000 after, all freed but the last.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 1000 };

static const char *argument;

/* Another stack for each of DEPTH. */
static __attribute__((noinline)) void *at_depth(int depth, size_t bytes)
{
    void *block = depth > 0 ? at_depth(depth - 1, bytes) : malloc(bytes);
    __asm__ volatile("" : "+r"(block));
    return block;
}

static void work(void)
{
    static void *kept[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        kept[i] = at_depth(i % 20, 100);
    }
    for (int i = 0; i < BLOCKS - 1; i++) {
        free(kept[i]);
    }
}

static void need(int result, const char *what)
{
    if (result < 0) {
        printf("%s: %s\n", what, strerror(errno));
        exit(77);
    }
}

static void set_limit(int resource, rlim_t value)
{
    struct rlimit limit = {value, value};
    need(setrlimit((__rlimit_resource_t)resource, &limit), "setrlimit");
}

static void no_descriptors(void)
{
    set_limit(RLIMIT_NOFILE, 3);
}

static void small_files(void)
{
    set_limit(RLIMIT_FSIZE, 4096);
}

static void changed_root(void)
{
    need(chroot(argument), "chroot");
    need(chdir("/"), "chdir");
}

static void dropped_user(void)
{
    need(setgroups(0, NULL), "setgroups");
    need(setresgid(65534, 65534, 65534), "setresgid");
    need(setresuid(65534, 65534, 65534), "setresuid");
}

static void unshared(void)
{
    need(unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS),
         "unshare");
    pid_t pid = fork(); /* the first process of the new namespace: its pid is 1 */
    if (pid == 0) {
        work();
        exit(4);
    }
    int status;
    waitpid(pid, &status, 0);
    printf("child: %d\n", WEXITSTATUS(status));
}

static void gone_directory(void)
{
    need(mkdir("gone", 0700), "mkdir");
    need(chdir("gone"), "chdir");
    need(rmdir("../gone"), "rmdir");
}

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(read),
    ALLOW(write),
    ALLOW(exit),
    ALLOW(exit_group),
    ALLOW(mmap),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};
static struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};

static void sandboxed_by_prctl(void)
{
    need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl");
    need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "prctl");
}

static void sandboxed_by_syscall(void)
{
    need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl");
    need((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program), "seccomp");
}

/* What is left of a limit that the program sets itself: most of it must be its own. */
static void limit_and_fill(__rlimit_resource_t kind)
{
    struct rlimit limit = {400 << 20, 400 << 20};
    need(setrlimit(kind, &limit), "setrlimit");
    int count = 0;
    void *block[300];
    while (count < 200 && (block[count] = malloc(1 << 20)) != NULL) {
        count++;
    }
    printf("%d MiB\n", count);
    pid_t pid = fork(); /* the child has the same limit, and its own recording */
    if (pid == 0) {
        void *other = malloc(50 << 20);
        _exit(other ? 9 : 8);
    }
    int status;
    waitpid(pid, &status, 0);
    printf("child: %d\n", WEXITSTATUS(status));
    while (count) {
        free(block[--count]);
    }
}

static void limits_its_address_space(void)
{
    limit_and_fill(RLIMIT_AS);
}

static void limits_its_data(void)
{
    limit_and_fill(RLIMIT_DATA);
}

/* How programs ask whether there is seccomp: the kernel refuses both. */
static void sandbox_probed(void)
{
    printf("prctl: %d %d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL), errno);
    printf("seccomp: %ld %d\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL), errno);
    printf("available: %ld\n",
           syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &(unsigned){SECCOMP_RET_ALLOW}));
}

static void sandboxed_strictly(void)
{
    need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), "prctl");
}

/* Another stack for each PATH: its bits choose among two calls at each of DEPTH levels. */
static __attribute__((noinline)) void *at_path(int depth, int path, size_t bytes)
{
    void *block;
    if (depth == 0) {
        block = malloc(bytes);
    } else if (path & 1) {
        block = at_path(depth - 1, path >> 1, bytes);
    } else {
        block = at_path(depth - 1, path >> 1, bytes);
        __asm__ volatile("" : "+r"(block));
    }
    __asm__ volatile("" : "+r"(block));
    return block;
}

/* More than the recorder has room for in the pages that it uses already; and a search by the
 * loader, which takes memory to say that it failed. */
static void sandboxed_new_stacks(void)
{
    sandboxed_by_syscall();
    for (int i = 0; i < 250; i++) {
        for (size_t bytes = 10; bytes <= 10000; bytes *= 10) {
            free(at_path(8, i, bytes));
        }
    }
    if (dlsym(RTLD_DEFAULT, "no such function")) {
        _exit(77);
    }
}

static void many_stacks(void)
{
    for (int i = 0; i < 20000; i++) {
        free(at_path(15, i, (size_t)i));
    }
}

static void many_stacks_in_a_child(void)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        many_stacks();
        _exit(4);
    }
    waitpid(pid, &status, 0);
}

/* Standard error is now a file of the program's own, and there is something to be said. */
static void reopened_error(void)
{
    close(2);
    need(open("user-error", O_WRONLY | O_CREAT | O_EXCL, 0600) - 2, "open");
    many_stacks();
}

/* A sandbox that lets processes be made, but neither asks who they are nor opens nor maps. */
static void sandboxed_forks(void)
{
    static struct sock_filter deny[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog denying = {sizeof deny / sizeof deny[0], deny};
    pid_t self = getpid();
    int status[2];
    need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl");
    need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &denying), "prctl");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0) { /* refused: the first one holds */
        exit(77);
    }
    for (int i = 0; i < 2; i++) { /* one without and one with heap calls */
        pid_t pid = fork();
        if (pid == 0) {
            if (i == 1) {
                work();
            }
            _exit(4);
        }
        waitpid(pid, &status[i], 0);
    }
    printf("children: %d %d\n", WEXITSTATUS(status[0]), WEXITSTATUS(status[1]));
    fflush(stdout);
    work();
    kill(self, SIGKILL);
}

static void nothing(void)
{
}

static const struct situation {
    const char *name;
    void (*happen)(void);
} situations[] = {
    {"nothing", nothing},
    {"no-descriptors", no_descriptors},
    {"small-files", small_files},
    {"changed-root", changed_root},
    {"dropped-user", dropped_user},
    {"unshared", unshared},
    {"gone-directory", gone_directory},
    {"sandboxed-by-prctl", sandboxed_by_prctl},
    {"sandboxed-by-syscall", sandboxed_by_syscall},
    {"sandbox-probed", sandbox_probed},
    {"sandboxed-strictly", sandboxed_strictly},
    {"sandboxed-new-stacks", sandboxed_new_stacks},
    {"limits-its-address-space", limits_its_address_space},
    {"limits-its-data", limits_its_data},
    {"reopened-error", reopened_error},
    {"sandboxed-forks", sandboxed_forks},
    {"many-stacks", many_stacks},
    {"many-stacks-in-a-child", many_stacks_in_a_child},
};

int main(int count, char **arguments)
{
    static const char done[] = "done\n";
    argument = count > 2 ? arguments[2] : ".";
    work();
    for (size_t i = 0; i < sizeof situations / sizeof situations[0]; i++) {
        if (count > 1 && strcmp(situations[i].name, arguments[1]) == 0) {
            situations[i].happen();
        }
    }
    work();
    fflush(stdout);
    write(1, done, sizeof done - 1);
    if (count > 1 && strcmp(arguments[1], "sandboxed-strictly") == 0) {
        syscall(SYS_exit, 3); /* strict mode allows no other end */
    }
    _exit(3);
}
