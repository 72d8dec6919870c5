// Processes, signals, time.
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

// ---- waiting --------------------------------------------------------------------------------

static int64_t microseconds(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

static bool is_exit(int code)
{
    return code == CLD_EXITED || code == CLD_KILLED || code == CLD_DUMPED;
}

// The kernel's waitid has a fifth argument that glibc's lacks: what the process and those it waited for have used.
// With WNOHANG and nothing to report it succeeds with a pid of 0. Source: waitid(2).
int curfew_waitid(int id_type, int id, int options, struct curfew_wait_info *info)
{
    siginfo_t child = {0};
    struct rusage usage = {0};
    long result = RAW(SYS_waitid, id_type, id, &child, options, &usage);
    if (result < 0)
        return (int)result;
    *info = (struct curfew_wait_info){0};
    if (child.si_pid == 0)
        return 0;
    info->pid = child.si_pid;
    info->code = child.si_code;
    info->status = child.si_status;
    if (is_exit(child.si_code)) {
        info->cpu_microseconds = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
        info->max_rss_kib = usage.ru_maxrss;
    }
    return 0;
}

// ---- other processes --------------------------------------------------------------------------

// pidfds are always close-on-exec. Source: pidfd_open(2).
int curfew_pidfd_open(pid_t pid)
{
    return (int)RAW(SYS_pidfd_open, pid, 0);
}

int curfew_pidfd_send_signal(int pidfd, int signal)
{
    return (int)RAW(SYS_pidfd_send_signal, pidfd, signal, 0, 0);
}

// Source: kernel, include/uapi/linux/pidfd.h, PIDFD_INFO_SIZE_VER0.
struct pidfd_info_0 {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t pid, thread_group, parent;
    uint32_t ids[8];
    int32_t exit_code;
};
_Static_assert(sizeof(struct pidfd_info_0) == 64, "as the kernel's");
#define PIDFD_GET_INFO_0 _IOWR(0xff, 11, struct pidfd_info_0)
#define PIDFD_INFO_PID_0 1
#define PIDFD_INFO_CGROUPID_0 4

// Told of any process, also of those whose /proc is hidden. One that is being reaped is -ESRCH.
int curfew_pidfd_parent(int pidfd)
{
    struct pidfd_info_0 info = {.mask = PIDFD_INFO_PID_0};
    long result = RAW(SYS_ioctl, pidfd, PIDFD_GET_INFO_0, &info);
    if (result < 0)
        return (int)result;
    return info.mask & PIDFD_INFO_PID_0 ? (int)info.parent : -ESRCH;
}

int curfew_own_cgroup(uint64_t *number)
{
    int pidfd = (int)RAW(SYS_pidfd_open, RAW(SYS_getpid), 0);
    if (pidfd < 0)
        return pidfd;
    struct pidfd_info_0 info = {.mask = PIDFD_INFO_CGROUPID_0};
    long result = RAW(SYS_ioctl, pidfd, PIDFD_GET_INFO_0, &info);
    RAW(SYS_close, pidfd);
    if (result < 0)
        return (int)result;
    *number = info.cgroup;
    return info.mask & PIDFD_INFO_CGROUPID_0 ? 0 : -ENOTTY;
}

// A cgroup's number is its inode's. Source: kernel, include/linux/cgroup.h, cgroup_id; fs/kernfs/inode.c.
int curfew_is_cgroup(const char *path, uint64_t number)
{
    struct statfs system = {0};
    struct stat directory = {0};
    long result = RAW(SYS_statfs, path, &system);
    if (result < 0)
        return (int)result;
    if (system.f_type != CGROUP2_SUPER_MAGIC)
        return -EXDEV;
    result = RAW(SYS_newfstatat, AT_FDCWD, path, &directory, 0);
    return result < 0 ? (int)result : directory.st_ino == number;
}

int curfew_kill(pid_t pid, int signal)
{
    return (int)RAW(SYS_kill, pid, signal);
}

// ---- this process -----------------------------------------------------------------------------

int curfew_set_subreaper(void)
{
    return (int)RAW(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1);
}

int curfew_set_parent_death_signal(int signal)
{
    return (int)RAW(SYS_prctl, PR_SET_PDEATHSIG, signal);
}

// The kernel cuts a longer name. Source: PR_SET_NAME(2const).
int curfew_set_name(const char *name)
{
    return (int)RAW(SYS_prctl, PR_SET_NAME, name);
}

int curfew_set_dumpable(bool dumpable)
{
    return (int)RAW(SYS_prctl, PR_SET_DUMPABLE, dumpable);
}

// A limit of 1 byte, not 0: a core_pattern that pipes to a program ignores a 0, but not a 1, which is also too small for
// a file. Where even 1 is above the hard limit it has to be 0. Children inherit it.
// Source: core(5), "Piping core dumps to a program"; kernel, fs/coredump.c.
int curfew_disable_core_dumps(void)
{
    struct rlimit limit = {0};
    long result = RAW(SYS_prlimit64, 0, RLIMIT_CORE, 0, &limit);
    if (result < 0)
        return (int)result;
    limit.rlim_cur = limit.rlim_max >= 1 ? 1 : 0;
    return (int)RAW(SYS_prlimit64, 0, RLIMIT_CORE, &limit, 0);
}

void curfew_exit(int status)
{
    for (;;)
        RAW(SYS_exit_group, status);
}

// ---- signals ----------------------------------------------------------------------------------

int curfew_set_signal_mask(uint64_t mask, uint64_t *old_mask)
{
    uint64_t old = 0;
    long result = RAW(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, RAW_SIGNAL_SET_SIZE);
    if (result >= 0 && old_mask)
        *old_mask = old;
    return (int)result;
}

int curfew_signal_is_ignored(int signal)
{
    struct raw_sigaction action = {0};
    long result = RAW(SYS_rt_sigaction, signal, 0, &action, RAW_SIGNAL_SET_SIZE);
    return result < 0 ? (int)result : action.handler == SIG_IGN;
}

int curfew_signal_default(int signal)
{
    const struct raw_sigaction action = {.handler = SIG_DFL};
    struct raw_sigaction old = {0};
    long result = RAW(SYS_rt_sigaction, signal, &action, &old, RAW_SIGNAL_SET_SIZE);
    return result < 0 ? (int)result : old.handler == SIG_IGN;
}

// siginfo is a union: the sender is there only with these codes. Source: sigaction(2).
static struct curfew_signal_info signal_info(int signal, int code, pid_t pid)
{
    bool has_sender = code == SI_USER || code == SI_QUEUE || code == SI_TKILL || (signal == SIGCHLD && code > 0);
    return (struct curfew_signal_info){
        .signal = signal,
        .code = code,
        .pid = has_sender ? pid : 0,
    };
}

int curfew_wait_signal(uint64_t mask, struct curfew_signal_info *info)
{
    siginfo_t from = {0};
    long result = RAW(SYS_rt_sigtimedwait, &mask, &from, 0, RAW_SIGNAL_SET_SIZE);
    if (result < 0)
        return (int)result;
    *info = signal_info(from.si_signo, from.si_code, from.si_pid);
    return 0;
}

int curfew_signalfd(uint64_t mask)
{
    return (int)RAW(SYS_signalfd4, -1, &mask, RAW_SIGNAL_SET_SIZE, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Reads come in whole structures. Source: signalfd(2).
int curfew_signalfd_read(int fd, struct curfew_signal_info *info)
{
    struct signalfd_siginfo from;
    long result = RAW(SYS_read, fd, &from, sizeof from);
    if (result == -EAGAIN)
        return 0;
    if (result < 0)
        return (int)result;
    if (result != sizeof from)
        return -EIO;
    *info = signal_info((int)from.ssi_signo, from.ssi_code, (pid_t)from.ssi_pid);
    return 1;
}

// ---- time -------------------------------------------------------------------------------------

// Through glibc, for the vDSO: no system call, and with these clocks no failure. Source: clock_gettime(2), vdso(7).
static int64_t nanoseconds(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t curfew_monotonic_nanoseconds(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

int64_t curfew_realtime_nanoseconds(void)
{
    return nanoseconds(CLOCK_REALTIME);
}

int curfew_timerfd(void)
{
    return (int)RAW(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

// An all-zero time disarms; an instant already past fires at once. Source: timerfd_settime(2).
int curfew_timerfd_set(int fd, int64_t monotonic_nanoseconds)
{
    struct itimerspec timer = {0};
    if (monotonic_nanoseconds > 0) {
        timer.it_value.tv_sec = monotonic_nanoseconds / 1000000000;
        timer.it_value.tv_nsec = monotonic_nanoseconds % 1000000000;
    }
    return (int)RAW(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &timer, 0);
}

int curfew_wall_timerfd(void)
{
    return (int)RAW(SYS_timerfd_create, CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

// Source: timerfd_create(2), TFD_TIMER_CANCEL_ON_SET.
int curfew_wall_timerfd_set(int fd, int64_t realtime_microseconds)
{
    struct itimerspec timer = {0};
    timer.it_value.tv_sec = realtime_microseconds / 1000000;
    timer.it_value.tv_nsec = realtime_microseconds % 1000000 * 1000;
    // All zero would disarm it.
    if (timer.it_value.tv_sec <= 0 && timer.it_value.tv_nsec <= 0)
        timer.it_value = (struct timespec){.tv_nsec = 1};
    int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
    return (int)RAW(SYS_timerfd_settime, fd, flags, &timer, 0);
}

// A signal of a timer continues what is stopped as any SIGCONT does, at its sending; and the timer runs on only once the
// signal was taken. Source: kernel, kernel/signal.c, send_sigqueue and prepare_signal; timer_create(2).
int curfew_set_waker(int64_t monotonic_nanoseconds)
{
    static bool is_made;
    static int id;
    if (!is_made) {
        if (monotonic_nanoseconds <= 0)
            return 0;
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
        long result = RAW(SYS_timer_create, CLOCK_MONOTONIC, &event, &id);
        if (result < 0)
            return (int)result;
        is_made = true;
    }
    struct itimerspec timer = {0};
    if (monotonic_nanoseconds > 0) {
        timer.it_value.tv_sec = monotonic_nanoseconds / 1000000000;
        timer.it_value.tv_nsec = monotonic_nanoseconds % 1000000000;
        timer.it_interval.tv_nsec = 100000000;
    }
    return (int)RAW(SYS_timer_settime, id, TIMER_ABSTIME, &timer, 0);
}

int curfew_set_timer_slack(long nanoseconds_of_slack)
{
    return (int)RAW(SYS_prctl, PR_SET_TIMERSLACK, nanoseconds_of_slack);
}

// ---- memory -----------------------------------------------------------------------------------

// Anonymous memory is zeroed. Errors are the last page of addresses, as for every system call. Source: mmap(2).
void *curfew_map_shared_page(void)
{
    long result = RAW(SYS_mmap, 0, CURFEW_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return result < 0 && result >= -4095 ? NULL : (void *)result;
}
