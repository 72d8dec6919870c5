// What may come to another program: looked at by duplicates of its descriptors, which share the file with it. So
// nothing here reads, waits, or changes a flag; nor is anything peeked at, for that takes a socket's pending error.
// Source: kernel, include/net/sock.h, sock_error().
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <time.h>

int curfew_pidfd_getfd(int pidfd, int fd)
{
    return (int)RAW(SYS_pidfd_getfd, pidfd, fd, 0);
}

// aarch64 has ppoll only.
int curfew_ready_now(int fd, int events)
{
    const struct timespec at_once = {0, 0};
    struct pollfd item = {.fd = fd, .events = (short)events};
    long result = RAW(SYS_ppoll, &item, 1, &at_once, 0, RAW_SIGNAL_SET_SIZE);
    if (result < 0)
        return (int)result;
    return item.revents & POLLNVAL ? -EBADF : (unsigned short)item.revents;
}

// For sockets this is SIOCINQ. Source: ioctl_tty(2), pipe(7), tcp(7), udp(7), unix(7).
int curfew_unread(int fd)
{
    int count = 0;
    long result = RAW(SYS_ioctl, fd, FIONREAD, &count);
    return result < 0 ? (int)result : count;
}

// ---- sockets ----------------------------------------------------------------------------------

static long option(int fd, int name, int *value)
{
    socklen_t size = sizeof *value;
    return RAW(SYS_getsockopt, fd, SOL_SOCKET, name, value, &size);
}

// The kernel tells the whole length, also where it had to cut. Source: getsockname(2).
static long address(int call, int fd, uint8_t bytes[128], uint32_t *length)
{
    socklen_t size = 128;
    long result = RAW(call, fd, bytes, &size);
    if (result >= 0)
        *length = size < 128 ? size : 128;
    return result;
}

int curfew_look_at_socket(int fd, struct curfew_socket *socket)
{
    struct curfew_socket seen = {0};
    int listens = 0;
    long result = option(fd, SO_DOMAIN, &seen.domain);
    if (result >= 0)
        result = option(fd, SO_TYPE, &seen.type);
    if (result >= 0)
        result = option(fd, SO_ACCEPTCONN, &listens);
    bool has_address = seen.domain == AF_INET || seen.domain == AF_INET6 || seen.domain == AF_UNIX;
    if (result >= 0 && has_address)
        result = address(SYS_getsockname, fd, seen.local, &seen.local_length);
    if (result < 0)
        return (int)result;
    seen.listens = listens;
    // Fails where there is no peer, or not yet.
    if (has_address && !listens)
        address(SYS_getpeername, fd, seen.peer, &seen.peer_length);
    *socket = seen;
    return 0;
}

// Source: kernel, include/net/tcp_states.h.
enum { STATE_LISTEN = 10 };

static long tcp_state(int fd, struct tcp_info *state)
{
    socklen_t size = sizeof *state;
    long result = RAW(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, state, &size);
    if (result < 0)
        return result;
    return size < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof state->tcpi_bytes_received ? -ENODATA : 0;
}

// Source: kernel, net/ipv4/tcp.c, tcp_get_info(), where it listens.
int curfew_tcp_backlog(int fd)
{
    struct tcp_info state = {0};
    long result = tcp_state(fd, &state);
    if (result < 0)
        return (int)result;
    return state.tcpi_state == STATE_LISTEN ? (int)state.tcpi_unacked : -EINVAL;
}

int64_t curfew_tcp_received(int fd)
{
    struct tcp_info state = {0};
    long result = tcp_state(fd, &state);
    return result < 0 ? result : (int64_t)state.tcpi_bytes_received;
}

// ---- terminals --------------------------------------------------------------------------------

// Source: kernel, drivers/tty/tty_io.c, TIOCGDEV; include/linux/kdev_t.h, new_encode_dev().
int curfew_terminal_device(int fd, uint64_t *device)
{
    unsigned int number = 0;
    long result = RAW(SYS_ioctl, fd, TIOCGDEV, &number);
    if (result < 0)
        return (int)result;
    *device = makedev(number >> 8 & 0xfff, (number & 0xff) | (number >> 12 & 0xfff00));
    return 0;
}
