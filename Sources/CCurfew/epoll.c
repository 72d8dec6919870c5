// epoll: what the event loop waits on.
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <sys/epoll.h>

// Per call, on the stack. A caller that asks for more gets the others by its next call: readiness stays.
enum { MAXIMUM_PER_WAIT = 64 };

static int control(int epoll, int operation, int fd, uint32_t events, uint64_t token)
{
    struct epoll_event event = {.events = events, .data.u64 = token};
    return (int)RAW(SYS_epoll_ctl, epoll, operation, fd, &event);
}

int curfew_epoll_create(void)
{
    return (int)RAW(SYS_epoll_create1, EPOLL_CLOEXEC);
}

int curfew_epoll_add(int epoll, int fd, uint32_t events, uint64_t token)
{
    return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}

int curfew_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token)
{
    return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}

int curfew_epoll_remove(int epoll, int fd)
{
    return control(epoll, EPOLL_CTL_DEL, fd, 0, 0);
}

// A stop, a freeze and their end interrupt epoll_wait even without a handler, hence EINTR as "nothing ready".
// struct epoll_event is packed on x86_64, so it is copied field by field. aarch64 has epoll_pwait only.
// Source: signal(7), "Interruption of system calls and library functions by stop signals"; epoll_wait(2).
int curfew_epoll_wait(int epoll, struct curfew_ready *ready, int count, int timeout_milliseconds)
{
    struct epoll_event events[MAXIMUM_PER_WAIT];
    int most = count < MAXIMUM_PER_WAIT ? count : MAXIMUM_PER_WAIT;
    int result = (int)RAW(SYS_epoll_pwait, epoll, events, most, timeout_milliseconds, 0, RAW_SIGNAL_SET_SIZE);
    if (result == -EINTR)
        return 0;
    for (int i = 0; i < result; i++)
        ready[i] = (struct curfew_ready){.token = events[i].data.u64, .events = events[i].events};
    return result;
}
