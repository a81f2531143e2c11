/*
 * waits.c -- one wait by each call that signals disturb. Prints for each what it returned, what it
 * said of the reason, and whether it took as long as it should.
 *
 * Usage: waits [CALL...]
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 60, BIG = 1 << 20 };

static const struct timespec wait_time = {0, WAIT_MS * 1000000};
static char big[BIG];

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct timespec from_now(clockid_t clock)
{
    struct timespec then;
    clock_gettime(clock, &then);
    then.tv_nsec += WAIT_MS * 1000000;
    then.tv_sec += then.tv_nsec / 1000000000;
    then.tv_nsec %= 1000000000;
    return then;
}

static void on_alarm(int number)
{
    (void)number;
}

/* A signal of the program's own, which is to end the wait. */
static void alarm_set(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval timer = {{0, 0}, {0, WAIT_MS * 1000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* --- sleeping --- */

static long by_nanosleep(void)
{
    return nanosleep(&wait_time, NULL);
}

static long by_clock_nanosleep(void)
{
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &wait_time, NULL);
}

static long by_clock_nanosleep_until(void)
{
    struct timespec then = from_now(CLOCK_MONOTONIC);
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

static long by_usleep(void)
{
    return usleep(WAIT_MS * 1000);
}

static long by_sleep(void)
{
    return sleep(1);
}

static long by_thrd_sleep(void)
{
    return thrd_sleep(&wait_time, NULL);
}

/* --- descriptors --- */

static int pipes[2];

static long by_poll(void)
{
    struct pollfd polled = {pipes[0], POLLIN, 0};
    return poll(&polled, 1, WAIT_MS);
}

static long by_ppoll(void)
{
    struct pollfd polled = {pipes[0], POLLIN, 0};
    return ppoll(&polled, 1, &wait_time, NULL);
}

static long by_ppoll_masked(void)
{
    struct pollfd polled = {pipes[0], POLLIN, 0};
    sigset_t none;
    sigemptyset(&none);
    return ppoll(&polled, 1, &wait_time, &none);
}

static fd_set *pipe_set(void)
{
    static fd_set set;
    FD_ZERO(&set);
    FD_SET(pipes[0], &set);
    return &set;
}

static long by_select(void)
{
    struct timeval time = {0, WAIT_MS * 1000};
    return select(pipes[0] + 1, pipe_set(), NULL, NULL, &time);
}

static long by_pselect(void)
{
    sigset_t none;
    sigemptyset(&none);
    return pselect(pipes[0] + 1, pipe_set(), NULL, NULL, &wait_time, &none);
}

static int epoll_of_pipe(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(0);
    epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event);
    return epoll;
}

static long by_epoll_wait(void)
{
    struct epoll_event event;
    int epoll = epoll_of_pipe();
    long result = epoll_wait(epoll, &event, 1, WAIT_MS);
    close(epoll);
    return result;
}

static long by_epoll_pwait(void)
{
    struct epoll_event event;
    sigset_t none;
    sigemptyset(&none);
    int epoll = epoll_of_pipe();
    long result = epoll_pwait(epoll, &event, 1, WAIT_MS, &none);
    close(epoll);
    return result;
}

static long by_epoll_pwait2(void)
{
    struct epoll_event event;
    int epoll = epoll_of_pipe();
    long result = epoll_pwait2(epoll, &event, 1, &wait_time, NULL);
    close(epoll);
    return result;
}

/* The program's own signal still ends the wait. */
static long by_poll_alarmed(void)
{
    struct pollfd polled = {pipes[0], POLLIN, 0};
    alarm_set();
    return poll(&polled, 1, 10000);
}

/* Nothing to wait for, many times: none of them may be disturbed. */
static long by_many_polls(void)
{
    struct pollfd polled = {pipes[0], POLLIN, 0};
    uint64_t until_ms = now_ms() + WAIT_MS + 100;
    long disturbed = 0;
    while (now_ms() < until_ms) {
        disturbed += poll(&polled, 1, 0) != 0;
    }
    return disturbed;
}

/* --- signals --- */

static long by_pause(void)
{
    alarm_set();
    return pause();
}

static long by_sigsuspend(void)
{
    sigset_t none;
    sigemptyset(&none);
    alarm_set();
    return sigsuspend(&none);
}

static long wait_set(sigset_t *ret_set, bool all)
{
    sigemptyset(ret_set);
    if (all) {
        sigfillset(ret_set);
    }
    sigaddset(ret_set, SIGALRM);
    return sigprocmask(SIG_BLOCK, ret_set, NULL);
}

static void wait_set_end(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static long by_sigtimedwait(void)
{
    sigset_t set;
    wait_set(&set, false);
    long result = sigtimedwait(&set, NULL, &wait_time);
    int error = errno;
    wait_set_end();
    errno = error;
    return result;
}

static long by_sigtimedwait_all(void)
{
    sigset_t set;
    wait_set(&set, true);
    long result = sigtimedwait(&set, NULL, &wait_time);
    int error = errno;
    wait_set_end();
    errno = error;
    return result;
}

static long by_sigwaitinfo(void)
{
    sigset_t set;
    wait_set(&set, true);
    alarm_set();
    long result = sigwaitinfo(&set, NULL);
    wait_set_end();
    return result;
}

static long by_sigwait(void)
{
    sigset_t set;
    int number = 0;
    wait_set(&set, true);
    alarm_set();
    long result = sigwait(&set, &number);
    wait_set_end();
    return result * 1000 + number;
}

static long by_signalfd(void)
{
    sigset_t set;
    struct signalfd_siginfo info;
    wait_set(&set, true);
    int fd = signalfd(-1, &set, 0);
    alarm_set();
    long result = read(fd, &info, sizeof info) == sizeof info ? (long)info.ssi_signo : -1;
    wait_set_end();
    close(fd);
    return result;
}

/* --- semaphores and messages --- */

static long by_sem_timedwait(void)
{
    struct timespec then = from_now(CLOCK_REALTIME);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    return sem_timedwait(&semaphore, &then);
}

static long by_sem_clockwait(void)
{
    struct timespec then = from_now(CLOCK_MONOTONIC);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &then);
}

static long by_semtimedop(void)
{
    struct sembuf down = {0, -1, 0};
    int set = semget(IPC_PRIVATE, 1, 0600);
    long result = semtimedop(set, &down, 1, &wait_time);
    int error = errno;
    semctl(set, 0, IPC_RMID);
    errno = error;
    return result;
}

static long by_semop(void)
{
    struct sembuf down = {0, -1, 0};
    int set = semget(IPC_PRIVATE, 1, 0600);
    alarm_set();
    long result = semop(set, &down, 1);
    int error = errno;
    semctl(set, 0, IPC_RMID);
    errno = error;
    return result;
}

static long by_msgrcv(void)
{
    struct {
        long type;
        char text[8];
    } message;
    int queue = msgget(IPC_PRIVATE, 0600);
    alarm_set();
    long result = msgrcv(queue, &message, sizeof message.text, 0, 0);
    int error = errno;
    msgctl(queue, IPC_RMID, NULL);
    errno = error;
    return result;
}

static long by_msgsnd(void)
{
    struct {
        long type;
        char text[8192];
    } message = {.type = 1};
    int queue = msgget(IPC_PRIVATE, 0600);
    while (msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0) {
    }
    alarm_set();
    long result = msgsnd(queue, &message, sizeof message.text, 0);
    int error = errno;
    msgctl(queue, IPC_RMID, NULL);
    errno = error;
    return result;
}

static long by_futex(void)
{
    uint32_t word = 0;
    return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &wait_time, NULL, 0);
}

/* --- sockets and pipes --- */

static struct sockaddr_un address;

static void timeout_set(int fd)
{
    struct timeval time = {0, WAIT_MS * 1000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

static int listener(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "thag-waits-%d", (int)getpid());
    bind(fd, (const struct sockaddr *)&address, sizeof address);
    listen(fd, 0);
    return fd;
}

static long by_accept(void)
{
    int fd = listener();
    timeout_set(fd);
    long result = accept(fd, NULL, NULL);
    int error = errno;
    close(fd);
    errno = error;
    return result;
}

static long by_connect(void)
{
    int fd = listener(), fill = socket(AF_UNIX, SOCK_STREAM, 0);
    int late = socket(AF_UNIX, SOCK_STREAM, 0);
    connect(fill, (const struct sockaddr *)&address, sizeof address);
    timeout_set(late);
    long result = connect(late, (const struct sockaddr *)&address, sizeof address);
    int error = errno;
    close(fd), close(fill), close(late);
    errno = error;
    return result;
}

static int ends[2];

static void pair_open(void)
{
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    timeout_set(ends[0]);
}

static long pair_close(long result)
{
    int error = errno;
    close(ends[0]), close(ends[1]);
    errno = error;
    return result;
}

static long by_recv(void)
{
    char byte;
    pair_open();
    return pair_close(recv(ends[0], &byte, 1, 0));
}

static long by_recvfrom(void)
{
    char byte;
    pair_open();
    return pair_close(recvfrom(ends[0], &byte, 1, 0, NULL, NULL));
}

static long by_recvmsg(void)
{
    char byte;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    pair_open();
    return pair_close(recvmsg(ends[0], &message, 0));
}

static long by_recvmmsg(void)
{
    char byte;
    struct iovec part = {&byte, 1};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    pair_open();
    return pair_close(recvmmsg(ends[0], &message, 1, 0, NULL));
}

static long by_read_of_socket(void)
{
    char byte;
    pair_open();
    return pair_close(read(ends[0], &byte, 1));
}

static void pair_fill(void)
{
    while (send(ends[0], big, 1024, MSG_DONTWAIT) > 0) {
    }
}

static long by_send(void)
{
    pair_open();
    pair_fill();
    return pair_close(send(ends[0], big, 1024, 0));
}

static long by_sendto(void)
{
    pair_open();
    pair_fill();
    return pair_close(sendto(ends[0], big, 1024, 0, NULL, 0));
}

static long by_sendmsg(void)
{
    struct iovec part = {big, 1024};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    pair_open();
    pair_fill();
    return pair_close(sendmsg(ends[0], &message, 0));
}

static long by_write_to_socket(void)
{
    pair_open();
    pair_fill();
    return pair_close(write(ends[0], big, 1024));
}

/* Another thread that takes its time. */
struct slow {
    int from, to;
};

static void *slow_move(void *argument)
{
    const struct slow *slow = argument;
    static char buffer[BIG / 16];
    for (int i = 0; i < 16; i++) {
        struct timespec rest = {0, WAIT_MS * 1000000 / 8};
        nanosleep(&rest, NULL);
        size_t done = 0;
        while (done < sizeof buffer) {
            ssize_t moved = slow->from >= 0 ? read(slow->from, buffer, sizeof buffer - done)
                                            : write(slow->to, buffer, sizeof buffer - done);
            if (moved <= 0) {
                return NULL;
            }
            done += (size_t)moved;
        }
    }
    return NULL;
}

static long by_write_to_pipe(void)
{
    int fds[2];
    pthread_t thread;
    if (pipe(fds) != 0) {
        return -2;
    }
    struct slow slow = {.from = fds[0], .to = -1};
    pthread_create(&thread, NULL, slow_move, &slow);
    long result = write(fds[1], big, sizeof big);
    pthread_join(thread, NULL);
    close(fds[0]), close(fds[1]);
    return result;
}

static long by_writev_to_pipe(void)
{
    int fds[2];
    pthread_t thread;
    struct iovec parts[2] = {{big, BIG / 2}, {big, BIG / 2}};
    if (pipe(fds) != 0) {
        return -2;
    }
    struct slow slow = {.from = fds[0], .to = -1};
    pthread_create(&thread, NULL, slow_move, &slow);
    long result = writev(fds[1], parts, 2);
    pthread_join(thread, NULL);
    close(fds[0]), close(fds[1]);
    return result;
}

static long by_recv_of_all(void)
{
    pthread_t thread;
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    struct slow slow = {.from = -1, .to = ends[1]};
    pthread_create(&thread, NULL, slow_move, &slow);
    long result = recv(ends[0], big, sizeof big, MSG_WAITALL);
    pthread_join(thread, NULL);
    return pair_close(result);
}

static void *write_one(void *argument)
{
    nanosleep(&wait_time, NULL);
    return write(*(int *)argument, "x", 1) == 1 ? NULL : argument;
}

static long by_read_of_pipe(void)
{
    pthread_t thread;
    char byte;
    int fds[2];
    if (pipe(fds) != 0) {
        return -2;
    }
    pthread_create(&thread, NULL, write_one, &fds[1]);
    long result = read(fds[0], &byte, 1);
    pthread_join(thread, NULL);
    close(fds[0]), close(fds[1]);
    return result;
}

static long by_waitpid(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&wait_time, NULL);
        _exit(7);
    }
    return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1;
}

static const struct {
    const char *name;
    long (*wait)(void);
} calls[] = {
    {"nanosleep", by_nanosleep},
    {"clock_nanosleep", by_clock_nanosleep},
    {"clock_nanosleep-until", by_clock_nanosleep_until},
    {"usleep", by_usleep},
    {"sleep", by_sleep},
    {"thrd_sleep", by_thrd_sleep},
    {"poll", by_poll},
    {"ppoll", by_ppoll},
    {"ppoll-masked", by_ppoll_masked},
    {"select", by_select},
    {"pselect", by_pselect},
    {"epoll_wait", by_epoll_wait},
    {"epoll_pwait", by_epoll_pwait},
    {"epoll_pwait2", by_epoll_pwait2},
    {"poll-alarmed", by_poll_alarmed},
    {"many-polls", by_many_polls},
    {"pause", by_pause},
    {"sigsuspend", by_sigsuspend},
    {"sigtimedwait", by_sigtimedwait},
    {"sigtimedwait-all", by_sigtimedwait_all},
    {"sigwaitinfo", by_sigwaitinfo},
    {"sigwait", by_sigwait},
    {"signalfd", by_signalfd},
    {"sem_timedwait", by_sem_timedwait},
    {"sem_clockwait", by_sem_clockwait},
    {"semtimedop", by_semtimedop},
    {"semop", by_semop},
    {"msgrcv", by_msgrcv},
    {"msgsnd", by_msgsnd},
    {"futex", by_futex},
    {"write-to-pipe", by_write_to_pipe},
    {"writev-to-pipe", by_writev_to_pipe},
    {"recv-of-all", by_recv_of_all},
    {"read-of-pipe", by_read_of_pipe},
    {"waitpid", by_waitpid},
    {"accept", by_accept},
    {"connect", by_connect},
    {"recv", by_recv},
    {"recvfrom", by_recvfrom},
    {"recvmsg", by_recvmsg},
    {"recvmmsg", by_recvmmsg},
    {"read-of-socket", by_read_of_socket},
    {"send", by_send},
    {"sendto", by_sendto},
    {"sendmsg", by_sendmsg},
    {"write-to-socket", by_write_to_socket},
};

static bool is_wanted(int count, char **names, const char *name)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count == 1;
}

int main(int count, char **arguments)
{
    if (pipe(pipes) != 0) {
        return 1;
    }
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (!is_wanted(count, arguments, calls[i].name)) {
            continue;
        }
        uint64_t begin_ms = now_ms();
        errno = 0;
        long result = calls[i].wait();
        int error = errno;
        /* Sockets' timeouts are in ticks of 4 ms. */
        bool long_enough = now_ms() - begin_ms + 5 >= WAIT_MS;
        printf("%s: %ld %s%s\n", calls[i].name, result, result < 0 ? strerrorname_np(error) : "",
               long_enough ? "" : " too soon");
        fflush(stdout);
    }
    return 0;
}
