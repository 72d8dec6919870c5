// What the proxy of a server holds for the day that it has to keep: the reading ends of the apps' output, one an app.
//
// The supervisor hands each over by a pair of sockets that both have had since the split, and rings; nothing waits. What the
// proxy hasn't taken yet is in the socket, and is there all the same once its supervisor was killed.
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum { PROXY_END = 0, SUPERVISOR_END = 1 };
static int pair[2] = {-1, -1};

// Pages of it that nobody touches cost nothing.
static struct {
    bool is_held;
    int fd;
    struct curfew_kept_output output;
} held[CURFEW_KEPT_OUTPUTS];
static int highest = -1;

// A number that stands for no standard stream: whoever started us may have left those closed.
static int moved_up(int fd)
{
    if (fd > 2)
        return fd;
    int moved = (int)RAW(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
    RAW(SYS_close, fd);
    return moved;
}

int curfew_keep_outputs(void)
{
    int made[2];
    long result = RAW(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, made);
    if (result < 0)
        return (int)result;
    for (int i = 0; i < 2; i++)
        pair[i] = moved_up(made[i]);
    if (pair[PROXY_END] >= 0 && pair[SUPERVISOR_END] >= 0)
        return 0;
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0)
            RAW(SYS_close, pair[i]);
        pair[i] = -1;
    }
    return -EMFILE;
}

void curfew_part_outputs(bool is_proxy)
{
    int others = is_proxy ? SUPERVISOR_END : PROXY_END;
    if (pair[others] >= 0)
        RAW(SYS_close, pair[others]);
    pair[others] = -1;
}

// Source: unix(7), SCM_RIGHTS.
int curfew_hand_over(const struct curfew_kept_output *output, int fd)
{
    if (pair[SUPERVISOR_END] < 0)
        return -EBADF;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec vector = {(void *)output, sizeof *output};
    struct msghdr header = {.msg_iov = &vector, .msg_iovlen = 1};
    if (fd >= 0) {
        header.msg_control = control;
        header.msg_controllen = sizeof control;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    }
    long result = RAW(SYS_sendmsg, pair[SUPERVISOR_END], &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    return result < 0 ? (int)result : 0;
}

// ---- the proxy's ---------------------------------------------------------------------------------

// One message: 1, or 0 where there is none any more. *fd: -1 where none came, or there was no number left for it.
static int receive(struct curfew_kept_output *output, int *fd)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof *fd)];
    struct iovec vector = {output, sizeof *output};
    struct msghdr header = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    *fd = -1;
    if (RAW(SYS_recvmsg, pair[PROXY_END], &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != (long)sizeof *output)
        return 0;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(rights), sizeof *fd);
    return 1;
}

static void let_go(int slot)
{
    if (held[slot].is_held)
        RAW(SYS_close, held[slot].fd);
    held[slot].is_held = false;
}

// The next app of its slot can have come already.
static bool is_held(const struct curfew_kept_output *output)
{
    const struct curfew_kept_output *own = &held[output->slot].output;
    return own->run == output->run && memcmp(own->app, output->app, sizeof own->app) == 0;
}

static void take(const struct curfew_kept_output *output, int fd)
{
    int slot = output->slot;
    if (slot < 0 || slot >= CURFEW_KEPT_OUTPUTS) {
        if (fd >= 0)
            RAW(SYS_close, fd);
        return;
    }
    if (fd < 0 && !is_held(output))
        return;
    let_go(slot);
    if (fd < 0)
        return;
    held[slot].is_held = true;
    held[slot].fd = fd;
    held[slot].output = *output;
    if (slot > highest)
        highest = slot;
}

// Of this process alone, which starts no program.
static void raise_limit(void)
{
    static bool is_raised;
    struct rlimit limit;
    if (is_raised || RAW(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0)
        return;
    is_raised = true;
    limit.rlim_cur = limit.rlim_max;
    RAW(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
}

void curfew_take_outputs(void)
{
    struct curfew_kept_output output;
    int fd;
    if (pair[PROXY_END] < 0)
        return;
    raise_limit();
    while (receive(&output, &fd))
        take(&output, fd);
}

int curfew_kept_slots(void) { return highest + 1; }

int curfew_kept_output(int slot, struct curfew_kept_output *output)
{
    if (slot < 0 || slot > highest || !held[slot].is_held)
        return -1;
    *output = held[slot].output;
    return held[slot].fd;
}
