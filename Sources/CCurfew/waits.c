// How long the system calls that another program waits in would last by themselves.
//
// Without a time to wait they are none of these: poll(2) for ever, futex(2) without a timeout.
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <sys/uio.h>
#include <time.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

// Where the time is, among the arguments, and as what.
struct form {
    long number;
    const char *name;
    signed char argument;
    signed char unit;
};

// Source: poll(2), select(2), epoll_wait(2), nanosleep(2), clock_nanosleep(2), sigwaitinfo(2), semop(2),
// mq_receive(3), mq_send(3), io_getevents(2). aarch64 has neither poll, select nor epoll_wait.
static const struct form forms[] = {
#ifdef SYS_poll
    {SYS_poll, "poll", 2, CURFEW_WAIT_MILLISECONDS},
#endif
#ifdef SYS_select
    {SYS_select, "select", 4, CURFEW_WAIT_TIMEVAL},
#endif
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "epoll_wait", 3, CURFEW_WAIT_MILLISECONDS},
#endif
    {SYS_epoll_pwait, "epoll_wait", 3, CURFEW_WAIT_MILLISECONDS},
    {SYS_epoll_pwait2, "epoll_wait", 3, CURFEW_WAIT_TIMESPEC},
    {SYS_ppoll, "poll", 2, CURFEW_WAIT_TIMESPEC},
    {SYS_pselect6, "select", 4, CURFEW_WAIT_TIMESPEC},
    {SYS_nanosleep, "nanosleep", 0, CURFEW_WAIT_TIMESPEC},
    {SYS_clock_nanosleep, "nanosleep", 2, CURFEW_WAIT_TIMESPEC},
    {SYS_futex, "futex", 3, CURFEW_WAIT_TIMESPEC},
    {SYS_futex_waitv, "futex", 3, CURFEW_WAIT_TIMESPEC},
    {SYS_rt_sigtimedwait, "sigtimedwait", 2, CURFEW_WAIT_TIMESPEC},
    {SYS_semtimedop, "semtimedop", 3, CURFEW_WAIT_TIMESPEC},
    {SYS_mq_timedreceive, "mq_receive", 4, CURFEW_WAIT_TIMESPEC},
    {SYS_mq_timedsend, "mq_send", 4, CURFEW_WAIT_TIMESPEC},
    {SYS_io_getevents, "io_getevents", 4, CURFEW_WAIT_TIMESPEC},
};

// Of a futex: what is done to it. Source: kernel, include/uapi/linux/futex.h.
enum { WAIT = 0, LOCK_PI = 6, WAIT_BITSET = 9, WAIT_REQUEUE_PI = 11, LOCK_PI2 = 13, COMMANDS = 0x7f, BY_REALTIME = 256 };

// False where it doesn't wait; sets the clock of one that waits until a moment. Source: futex(2); kernel,
// kernel/futex/syscalls.c.
static bool futex_waits(uint64_t operation, struct curfew_wait *wait)
{
    int command = (int)(operation & COMMANDS);
    switch (command) {
    case WAIT:
        return true;
    case LOCK_PI:
        wait->clock = CLOCK_REALTIME;
        return true;
    case WAIT_BITSET:
    case WAIT_REQUEUE_PI:
    case LOCK_PI2:
        wait->clock = operation & BY_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
        return true;
    default:
        return false;
    }
}

enum { TIMER_IS_ABSOLUTE = 1 };

static bool waits(long number, const uint64_t arguments[6], struct curfew_wait *wait)
{
    switch (number) {
    case SYS_clock_nanosleep:
        // A clock of CPU time stands still for other reasons.
        if (arguments[0] != CLOCK_REALTIME && arguments[0] != CLOCK_MONOTONIC && arguments[0] != CLOCK_BOOTTIME
            && arguments[0] != CLOCK_TAI)
            return false;
        if (arguments[1] & TIMER_IS_ABSOLUTE)
            wait->clock = (int)arguments[0];
        return true;
    case SYS_futex:
        return futex_waits(arguments[1], wait);
    case SYS_futex_waitv:
        wait->clock = (int)arguments[4];
        return true;
    case SYS_mq_timedreceive:
    case SYS_mq_timedsend:
        wait->clock = CLOCK_REALTIME;
        return true;
    default:
        return true;
    }
}

int curfew_timed_wait(long number, const uint64_t arguments[6], struct curfew_wait *wait)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *form = &forms[i];
        if (form->number != number)
            continue;
        uint64_t value = arguments[(int)form->argument];
        struct curfew_wait found = {.name = form->name, .unit = form->unit, .clock = -1, .value = value};
        if (!waits(number, arguments, &found))
            return -ENOENT;
        // Below 0 it is for ever, and 0 is no wait; without an address it is for ever.
        if (form->unit == CURFEW_WAIT_MILLISECONDS ? (int)value <= 0 : value == 0)
            return -ENOENT;
        *wait = found;
        return 0;
    }
    return -ENOENT;
}

enum curfew_taking curfew_taking_call(long number)
{
    switch (number) {
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
        return CURFEW_TAKES_DATA;
    case SYS_accept:
    case SYS_accept4:
        return CURFEW_TAKES_CONNECTIONS;
    default:
        return CURFEW_TAKES_NOTHING;
    }
}

bool curfew_is_restarted_call(long number)
{
    return number == SYS_restart_syscall;
}

ssize_t curfew_read_memory(pid_t pid, uint64_t address, void *buffer, size_t size)
{
    struct iovec ours = {.iov_base = buffer, .iov_len = size};
    struct iovec theirs = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
    return RAW(SYS_process_vm_readv, pid, &ours, 1, &theirs, 1, 0);
}
