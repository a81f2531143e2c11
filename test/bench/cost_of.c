/*
 * cost_of.c -- runs a command and says what it cost with all processes that came out of it.
 *
 *     cost_of RESULT-FILE COMMAND ARGUMENTS...
 *
 * Writes "WALL_NS CPU_NS MAX_RSS_KIB" to RESULT-FILE and ends with the command's exit status.
 *
 * Why not time(1): a helper that outlives the command, such as a detached companion, is not counted
 * there. Here every orphan becomes our child and is waited for, of whatever kind it is (__WALL).
 * Wall time is that of the command itself: what its user waits for.
 *
 * COST_OF_PRELOAD in the environment becomes the command's LD_PRELOAD. In ours it would have this
 * program profiled too, and some preloads take themselves out of what they start.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t wall_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t cpu_of_children_ns(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    uint64_t seconds = (uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec;
    uint64_t micros = (uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec;
    return seconds * 1000000000u + micros * 1000u;
}

/* Wait until no descendant is left. RET_END is when CHILD itself ended. */
static int wait_for_all(pid_t child, uint64_t *ret_end_ns)
{
    int child_status = 0;
    for (;;) {
        int status;
        pid_t ended = waitpid(-1, &status, __WALL);
        if (ended == child) {
            *ret_end_ns = wall_now_ns();
            child_status = status;
        } else if (ended < 0 && errno == ECHILD) {
            return child_status;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: cost_of RESULT-FILE COMMAND ARGUMENTS...\n", stderr);
        return 2;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    uint64_t start_ns = wall_now_ns(), end_ns = start_ns;
    pid_t child = fork();
    if (child == 0) {
        const char *preload = getenv("COST_OF_PRELOAD");
        if (preload) {
            setenv("LD_PRELOAD", preload, 1);
            unsetenv("COST_OF_PRELOAD");
        }
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0) {
        perror("fork");
        return 1;
    }
    int status = wait_for_all(child, &end_ns);
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    FILE *result = fopen(argv[1], "w");
    if (!result) {
        perror(argv[1]);
        return 1;
    }
    fprintf(result, "%" PRIu64 " %" PRIu64 " %ld\n", end_ns - start_ns, cpu_of_children_ns(),
            usage.ru_maxrss);
    fclose(result);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
