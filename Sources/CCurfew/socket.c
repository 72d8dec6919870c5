// Unix sockets.
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

// Source: kernel, include/uapi/asm-generic/socket.h; Linux 6.5.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

static const struct curfew_sender nobody = {0, (uid_t)-1, (gid_t)-1};

static struct curfew_sender sender_of(const struct ucred *credentials)
{
    return (struct curfew_sender){credentials->pid, credentials->uid, credentials->gid};
}

// ---- pairs ------------------------------------------------------------------------------------

// NONBLOCK is a property of the end, and the other end goes to an app that may expect a blocking one.
static long prepare_own_end(int fd)
{
    const int on = 1;
    long result = RAW(SYS_fcntl, fd, F_SETFL, O_RDWR | O_NONBLOCK);
    return result < 0 ? result : RAW(SYS_setsockopt, fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
}

int curfew_socketpair(int fds[2])
{
    int pair[2];
    long result = RAW(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
    if (result < 0)
        return (int)result;
    result = prepare_own_end(pair[0]);
    if (result < 0) {
        RAW(SYS_close, pair[0]);
        RAW(SYS_close, pair[1]);
        return (int)result;
    }
    fds[0] = pair[0];
    fds[1] = pair[1];
    return 0;
}

// ---- named sockets ----------------------------------------------------------------------------

// An empty path would mean an automatic abstract name, which anybody may connect to. Source: unix(7), "Autobind feature".
static int make_address(const char *path, struct sockaddr_un *address)
{
    size_t length = strlen(path);
    if (length == 0)
        return -EINVAL;
    if (length >= sizeof address->sun_path)
        return -ENAMETOOLONG;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, length);
    return 0;
}

// The file takes its mode from the socket (and the umask) as it is bound, so it is never open to others, not even for an
// instant, and the umask, which belongs to all threads, needn't change. Proved in Tests/Shim.
// Source: kernel, net/unix/af_unix.c, unix_bind_bsd().
//
// What is accepted from it tells each message's sender: a connection can be handed on. Set before it listens, so that not
// even the first message comes without. Source: kernel, net/unix/af_unix.c, unix_sock_inherit_flags(), maybe_add_creds().
static long bind_and_listen(int fd, const struct sockaddr_un *address, int backlog)
{
    const int on = 1;
    long result = RAW(SYS_setsockopt, fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    if (result < 0)
        return result;
    result = RAW(SYS_fchmod, fd, 0600);
    if (result < 0)
        return result;
    result = RAW(SYS_bind, fd, address, sizeof *address);
    if (result < 0)
        return result;
    result = RAW(SYS_listen, fd, backlog);
    if (result < 0)
        RAW(SYS_unlinkat, AT_FDCWD, address->sun_path, 0);
    return result;
}

int curfew_unix_listen(const char *path, int backlog)
{
    struct sockaddr_un address;
    int invalid = make_address(path, &address);
    if (invalid)
        return invalid;
    int fd = (int)RAW(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    long result = bind_and_listen(fd, &address, backlog);
    if (result < 0)
        RAW(SYS_close, fd);
    return result < 0 ? (int)result : fd;
}

// The send timeout limits how long connect waits where the other's queue is full.
// Source: kernel, net/unix/af_unix.c, unix_stream_connect().
int curfew_unix_connect(const char *path, int seconds)
{
    const struct timeval limit = {.tv_sec = seconds};
    struct sockaddr_un address;
    int invalid = make_address(path, &address);
    if (invalid)
        return invalid;
    int fd = (int)RAW(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    long result = RAW(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (result >= 0)
        result = RAW(SYS_connect, fd, &address, sizeof address);
    if (result < 0)
        RAW(SYS_close, fd);
    return result < 0 ? (int)result : fd;
}

static long try_connecting(int type, const struct sockaddr_un *address)
{
    int fd = (int)RAW(SYS_socket, AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    long result = RAW(SYS_connect, fd, address, sizeof *address);
    RAW(SYS_close, fd);
    return result;
}

// A datagram socket finds the other one and is refused for its type, whether it listens or not, is stopped, or has a full
// queue; it isn't woken. Only "connection refused" is asked again in earnest, for a kernel that says that of a wrong type.
// Source: kernel, net/unix/af_unix.c, unix_find_bsd().
int curfew_unix_is_bound(const char *path)
{
    struct sockaddr_un address;
    int invalid = make_address(path, &address);
    if (invalid)
        return invalid;
    long result = try_connecting(SOCK_DGRAM, &address);
    if (result == -ECONNREFUSED)
        result = try_connecting(SOCK_STREAM, &address);
    if (result == -ECONNREFUSED)
        return 0;
    return result >= 0 || result == -EPROTOTYPE || result == -EAGAIN ? 1 : (int)result;
}

int curfew_unix_accept(int fd)
{
    return (int)RAW(SYS_accept4, fd, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// ---- who is there -----------------------------------------------------------------------------

// Who connected or made the pair, which needn't be who writes now: see curfew_receive. Source: unix(7), SO_PEERCRED.
int curfew_peer(int fd, struct curfew_sender *peer)
{
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    long result = RAW(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size);
    if (result < 0)
        return (int)result;
    *peer = sender_of(&credentials);
    return 0;
}

int curfew_peer_pidfd(int fd)
{
    int pidfd = -1;
    socklen_t size = sizeof pidfd;
    long result = RAW(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size);
    return result < 0 ? (int)result : pidfd;
}

// ---- messages ---------------------------------------------------------------------------------

static void close_descriptors(struct cmsghdr *message)
{
    size_t count = (message->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
        int fd;
        memcpy(&fd, CMSG_DATA(message) + i * sizeof fd, sizeof fd);
        RAW(SYS_close, fd);
    }
}

// Finds the sender, and closes what nobody asked for: a peer may attach descriptors to any message, and what
// of them fits the control buffer is opened here. What doesn't fit the kernel drops. Source: unix(7), cmsg(3).
static struct curfew_sender read_control(struct msghdr *header)
{
    struct curfew_sender sender = nobody;
    for (struct cmsghdr *at = CMSG_FIRSTHDR(header); at; at = CMSG_NXTHDR(header, at)) {
        if (at->cmsg_level != SOL_SOCKET)
            continue;
        if (at->cmsg_type == SCM_RIGHTS)
            close_descriptors(at);
        if (at->cmsg_type == SCM_CREDENTIALS && at->cmsg_len >= CMSG_LEN(sizeof(struct ucred))) {
            struct ucred credentials;
            memcpy(&credentials, CMSG_DATA(at), sizeof credentials);
            sender = sender_of(&credentials);
        }
    }
    return sender;
}

// One call never mixes bytes of different senders. Source: unix(7), SCM_CREDENTIALS; kernel, unix_stream_read_generic().
// *flags (MSG_TRUNC) and *sender are written only on success.
static long receive(int fd, void *buffer, size_t size, struct curfew_sender *sender, int *flags)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct ucred))];
    struct iovec vector = {buffer, size};
    struct msghdr header = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    long result = RAW(SYS_recvmsg, fd, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (result < 0)
        return result;
    *sender = read_control(&header);
    *flags = header.msg_flags;
    return result;
}

int curfew_receive(int fd, void *buffer, size_t size, struct curfew_sender *sender)
{
    int flags;
    return (int)receive(fd, buffer, size, sender, &flags);
}

int curfew_send(int fd, const void *buffer, size_t size)
{
    return (int)RAW(SYS_sendto, fd, buffer, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// ---- sd_notify --------------------------------------------------------------------------------

// The kernel chooses the name, a zero byte and five digits, and writes it into `address`. Four calls with the making:
// they stand in the way of every launch. Source: unix(7), "Autobind feature".
static long bind_to_any_name(int fd, struct sockaddr_un *address, socklen_t *length)
{
    const int on = 1;
    const sa_family_t nameless = AF_UNIX;
    // First of all, so that no datagram can come without its sender.
    long result = RAW(SYS_setsockopt, fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    if (result < 0)
        return result;
    result = RAW(SYS_bind, fd, &nameless, sizeof nameless);
    if (result < 0)
        return result;
    return RAW(SYS_getsockname, fd, address, length);
}

// As NOTIFY_SOCKET has it: with @ for the zero byte that an abstract name begins with. Source: sd_notify(3), "Notes".
static long write_name(const struct sockaddr_un *address, socklen_t length, char *name, size_t size)
{
    const size_t start = offsetof(struct sockaddr_un, sun_path);
    if (length <= start)
        return -EADDRNOTAVAIL;
    size_t used = length - start;
    if (used >= size)
        return -ENAMETOOLONG;
    memcpy(name, address->sun_path, used);
    name[0] = '@';
    name[used] = 0;
    return 0;
}

// An abstract name has no mode: whoever shares the network namespace may send. Each sender is to be judged.
int curfew_notify_socket(char *name, size_t size)
{
    struct sockaddr_un address = {0};
    socklen_t length = sizeof address;
    int fd = (int)RAW(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    long result = bind_to_any_name(fd, &address, &length);
    if (result >= 0)
        result = write_name(&address, length, name, size);
    if (result < 0)
        RAW(SYS_close, fd);
    return result < 0 ? (int)result : fd;
}

// Descriptors sent along are never opened here: there is room for the credentials alone, which the kernel puts first,
// and what finds no room it lets go before the call returns (MSG_CTRUNC says so, and means nothing else here). So even
// 253 of them, or none free here, keep no datagram away. Source: unix(7), SCM_RIGHTS; kernel, scm_detach_fds().
//
// To the sender of BARRIER=1 this is the sign that all it sent before is dealt with. True, since datagrams come in
// order, as long as the caller deals with each before it receives the next. Source: sd_notify(3), BARRIER=1.
int curfew_notify_receive(int fd, void *buffer, size_t size, struct curfew_sender *sender)
{
    int flags;
    long result = receive(fd, buffer, size, sender, &flags);
    return result >= 0 && flags & MSG_TRUNC ? -EMSGSIZE : (int)result;
}

int curfew_notify_send(const char *name, const char *text)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    if (length < 2 || length >= sizeof address.sun_path || (name[0] != '/' && name[0] != '@'))
        return -EINVAL;
    memcpy(address.sun_path, name, length);
    if (name[0] == '@')
        address.sun_path[0] = 0;
    int fd = (int)RAW(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    int result = (int)RAW(SYS_sendto, fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT, &address, size);
    curfew_close(fd);
    return result < 0 ? result : 0;
}
