/*
 * wait_transfers.c -- reading, writing, and sockets.
 *
 * These are restarted after a signal, with two exceptions. A socket with a timeout (SO_RCVTIMEO,
 * SO_SNDTIMEO) gives up with EINTR: once the program has set one on any socket, all transfers are
 * waits. And a transfer that has done a part returns it: so do writes of more than a pipe's atomic
 * amount, and reads that insist on all.
 */
#include <limits.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/hook.h"
#include "preload/waits.h"
#include "runtime/os/os.h"

/* libc's checked variants, which no header shows. */
ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t room, int flags,
                       struct sockaddr *address, socklen_t *address_bytes);

PL_REAL_PLACE(setsockopt);
PL_REAL_PLACE(accept);
PL_REAL_PLACE(accept4);
PL_REAL_PLACE(connect);
PL_REAL_PLACE(read);
PL_REAL_PLACE(__read_chk);
PL_REAL_PLACE(readv);
PL_REAL_PLACE(recv);
PL_REAL_PLACE(__recv_chk);
PL_REAL_PLACE(recvfrom);
PL_REAL_PLACE(__recvfrom_chk);
PL_REAL_PLACE(recvmsg);
PL_REAL_PLACE(recvmmsg);
PL_REAL_PLACE(write);
PL_REAL_PLACE(writev);
PL_REAL_PLACE(send);
PL_REAL_PLACE(sendto);
PL_REAL_PLACE(sendmsg);
PL_REAL_PLACE(sendmmsg);

/* The numbers of old and of 64-bit times. */
enum { RECEIVE_TIMEOUT = 20, SEND_TIMEOUT = 21, RECEIVE_TIMEOUT_64 = 66, SEND_TIMEOUT_64 = 67 };

static bool timeouts; /* some socket has one */

PL_EXPORT int setsockopt(int fd, int level, int option, const void *value, socklen_t bytes)
{
    if (level == SOL_SOCKET && (option == RECEIVE_TIMEOUT || option == SEND_TIMEOUT ||
                                option == RECEIVE_TIMEOUT_64 || option == SEND_TIMEOUT_64)) {
        timeouts = true;
    }
    return PL_REAL(setsockopt)(fd, level, option, value, bytes);
}

static bool is_long(size_t bytes)
{
    return timeouts || bytes > PIPE_BUF;
}

static bool are_long(const struct iovec *parts, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; !timeouts && i < count && bytes <= PIPE_BUF; i++) {
        bytes += parts[i].iov_len;
    }
    return is_long(bytes);
}

static bool insists(int flags)
{
    return timeouts || flags & MSG_WAITALL;
}

PL_EXPORT int accept(int fd, __SOCKADDR_ARG address, socklen_t *bytes)
{
    return PL_WAIT_IF(timeouts, accept, fd, address, bytes);
}

PL_EXPORT int accept4(int fd, __SOCKADDR_ARG address, socklen_t *bytes, int flags)
{
    return PL_WAIT_IF(timeouts, accept4, fd, address, bytes, flags);
}

PL_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t bytes)
{
    return PL_WAIT_IF(timeouts, connect, fd, address, bytes);
}

/* These two may be called by what runs before our relocation. */
PL_EXPORT ssize_t read(int fd, void *buffer, size_t bytes)
{
    if (rt_unlikely(!real_read) && !pl_is_relocated()) {
        long result = os_file_read(fd, buffer, bytes);
        return result < 0 ? -1 : result; /* errno cannot be reached yet */
    }
    return PL_WAIT_IF(timeouts, read, fd, buffer, bytes);
}

PL_EXPORT ssize_t write(int fd, const void *buffer, size_t bytes)
{
    if (rt_unlikely(!real_write) && !pl_is_relocated()) {
        long result = os_file_write(fd, buffer, bytes);
        return result < 0 ? -1 : result;
    }
    return PL_WAIT_IF(is_long(bytes), write, fd, buffer, bytes);
}

PL_EXPORT ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room)
{
    return PL_WAIT_IF(timeouts, __read_chk, fd, buffer, bytes, room);
}

PL_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
    return PL_WAIT_IF(timeouts, readv, fd, parts, count);
}

PL_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    return PL_WAIT_IF(are_long(parts, count < 0 ? 0 : (size_t)count), writev, fd, parts, count);
}

PL_EXPORT ssize_t recv(int fd, void *buffer, size_t bytes, int flags)
{
    return PL_WAIT_IF(insists(flags), recv, fd, buffer, bytes, flags);
}

PL_EXPORT ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags)
{
    return PL_WAIT_IF(insists(flags), __recv_chk, fd, buffer, bytes, room, flags);
}

PL_EXPORT ssize_t recvfrom(int fd, void *buffer, size_t bytes, int flags, __SOCKADDR_ARG address,
                           socklen_t *address_bytes)
{
    return PL_WAIT_IF(insists(flags), recvfrom, fd, buffer, bytes, flags, address, address_bytes);
}

PL_EXPORT ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t room, int flags,
                                 struct sockaddr *address, socklen_t *address_bytes)
{
    return PL_WAIT_IF(insists(flags), __recvfrom_chk, fd, buffer, bytes, room, flags, address,
                      address_bytes);
}

PL_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    return PL_WAIT_IF(insists(flags), recvmsg, fd, message, flags);
}

PL_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                       struct timespec *timeout)
{
    return PL_WAIT(recvmmsg, fd, messages, count, flags, timeout);
}

PL_EXPORT ssize_t send(int fd, const void *buffer, size_t bytes, int flags)
{
    return PL_WAIT_IF(is_long(bytes), send, fd, buffer, bytes, flags);
}

PL_EXPORT ssize_t sendto(int fd, const void *buffer, size_t bytes, int flags,
                         __CONST_SOCKADDR_ARG address, socklen_t address_bytes)
{
    return PL_WAIT_IF(is_long(bytes), sendto, fd, buffer, bytes, flags, address, address_bytes);
}

PL_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    return PL_WAIT_IF(are_long(message->msg_iov, message->msg_iovlen), sendmsg, fd, message, flags);
}

PL_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    return PL_WAIT(sendmmsg, fd, messages, count, flags);
}
