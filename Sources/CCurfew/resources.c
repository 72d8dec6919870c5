// What an app takes of the machine: its place in the queues for CPU and disk, its pages, the room on a disk.
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>

// Newer than some headers. Source: kernel, scripts/syscall.tbl (Linux 5.10), include/uapi/asm-generic/mman-common.h.
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
enum { ADVICE_PAGE_OUT = 21 };

// The kernel's "one thread" for ioprio_set(2), which has no header in the C library.
enum { ONE_THREAD = 1 };

// ---- priorities -------------------------------------------------------------------------------

// The kernel answers 20 - nice, so that no answer looks like an error. Source: getpriority(2), "C library/kernel
// differences"; there too: on Linux it is one thread's, not its process's.
int curfew_get_nice(pid_t thread, int *nice)
{
    long result = RAW(SYS_getpriority, PRIO_PROCESS, thread);
    if (result < 0)
        return (int)result;
    *nice = 20 - (int)result;
    return 0;
}

int curfew_set_nice(pid_t thread, int nice)
{
    return (int)RAW(SYS_setpriority, PRIO_PROCESS, thread, nice);
}

// Source: getrlimit(2), RLIMIT_NICE: the ceiling is 20 - rlim_cur. No limit is more than every value there is.
int curfew_nice_ceiling(int *nice)
{
    struct rlimit limit = {0};
    long result = RAW(SYS_prlimit64, 0, RLIMIT_NICE, 0, &limit);
    if (result < 0)
        return (int)result;
    *nice = 20 - (limit.rlim_cur < 40 ? (int)limit.rlim_cur : 40);
    return 0;
}

int curfew_get_io_priority(pid_t thread)
{
    return (int)RAW(SYS_ioprio_get, ONE_THREAD, thread);
}

int curfew_set_io_priority(pid_t thread, int priority)
{
    return (int)RAW(SYS_ioprio_set, ONE_THREAD, thread, priority);
}

// By one system call; sysconf(3) would read files. Source: sched_setaffinity(2), "C library/kernel differences": the
// kernel returns how many bytes it wrote.
int curfew_processor_count(void)
{
    uint64_t mask[128] = {0};   // 8,192 processors; with more the call fails
    long bytes = RAW(SYS_sched_getaffinity, 0, sizeof mask, mask);
    int count = 0;
    for (long i = 0; i < bytes / (long)sizeof mask[0]; i++)
        count += __builtin_popcountll(mask[i]);
    return count > 0 ? count : 1;
}

// ---- memory -----------------------------------------------------------------------------------

// The ranges are the kernel's struct iovec; it takes 1,024 of them and no more than 0x7ffff000 bytes a call.
// Source: process_madvise(2); kernel, lib/iov_iter.c and include/linux/fs.h, MAX_RW_COUNT.
_Static_assert(sizeof(struct curfew_range) == 2 * sizeof(void *), "as struct iovec");

int curfew_page_out(int pidfd, const struct curfew_range *ranges, size_t count)
{
    return (int)RAW(SYS_process_madvise, pidfd, ranges, count, ADVICE_PAGE_OUT, 0);
}

// Source: sysinfo(2).
int curfew_memory_in_use(struct curfew_memory_use *use)
{
    struct sysinfo from = {0};
    long result = RAW(SYS_sysinfo, &from);
    if (result < 0)
        return (int)result;
    *use = (struct curfew_memory_use){
        .shared = (uint64_t)from.sharedram * from.mem_unit,
        .swapped = (uint64_t)(from.totalswap - from.freeswap) * from.mem_unit};
    return 0;
}

// ---- disks ------------------------------------------------------------------------------------

// On the 64-bit architectures this target knows, glibc's struct statfs is the kernel's.
// Old file systems leave the fragment size 0 and count in blocks. Source: kernel, fs/statfs.c.
int curfew_disk_space(const char *path, struct curfew_disk_space *space)
{
    struct statfs from = {0};
    long result = RAW(SYS_statfs, path, &from);
    if (result < 0)
        return (int)result;
    uint64_t unit = (uint64_t)(from.f_frsize ? from.f_frsize : from.f_bsize);
    *space = (struct curfew_disk_space){.available = from.f_bavail * unit, .total = from.f_blocks * unit};
    return 0;
}
