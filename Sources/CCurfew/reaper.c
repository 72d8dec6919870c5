// The reaper: the process that an app's first one is a child of, where several apps are below one supervisor and no cgroup
// tells them apart. It is a subreaper, so every orphan of its app comes to it, and to nobody else.
//
// It is a program of its own, some hundred bytes without a library, so that next to nothing of the supervisor's memory stays
// in it: a fork would keep a copy of each page that the supervisor writes to afterwards. It is made at run time, as there is
// no file to look for then: what stands in the section below is written into a file in memory, behind the header of an
// executable. See docs/adr/0016-reapers.md.
//
// It decides nothing. Of a child that has ended it tells the supervisor, and leaves it unreaped until that lets it go, for then
// its number may be another's; so the supervisor knows as much of each pid as if it were the parent itself. Each letting go is
// answered by the next end, or by there being none so far, so that all ends of one moment are known before anything follows.
// When the supervisor is gone it kills all that it has.
//
// Rules in the section: it is copied elsewhere, alone. No call and no address of anything outside, no constant that a compiler
// keeps elsewhere (a text, the initial value of a structure, the table of a `switch`), no instrumentation. Tests/Shim/run.sh
// makes sure of that: an object file has no relocation for it. What needs a text gets it as an argument.
#include "ccurfew.h"
#include "raw.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

// Source: memfd_create(2), fcntl(2); MFD_EXEC is Linux 6.3, older ones say EINVAL and need none.
#ifndef MFD_EXEC
#define MFD_EXEC 0x10U
#endif

#define OWN_PROGRAM \
    __attribute__((section("curfew_reaper"), used, noinline, no_sanitize("address"), no_sanitize("undefined"), \
        no_sanitize("thread"), no_stack_protector))

// Both are open when it starts, or made first of all.
enum { CHANNEL = 0, SIGNALS = 1 };

// ---- the program ----------------------------------------------------------------------------

// Field by field, and through `volatile`: of a whole one the compiler would keep the initial value elsewhere.
OWN_PROGRAM static long wait_for_end(volatile siginfo_t *end, int type, int pid, int options, volatile struct rusage *usage)
{
    end->si_pid = 0;
    return RAW(SYS_waitid, type, pid, end, WEXITED | options, usage);
}

// Tells of a child that has ended; its pid, 0 when none has, below 0 once there is none at all. `is_asked`: also where there is
// nothing to tell.
OWN_PROGRAM static long tell_end(bool is_asked)
{
    volatile siginfo_t end;
    volatile struct rusage usage;
    volatile struct curfew_reaper_news news;
    long result = wait_for_end(&end, P_ALL, 0, WNOHANG | WNOWAIT, &usage);
    bool has_ended = result == 0 && end.si_pid != 0, has_none = result < 0;
    if (!has_ended && !has_none && !is_asked)
        return 0;
    news.pid = has_none ? 0 : -1;
    news.code = 0;
    news.status = 0;
    news.padding = 0;
    news.cpu_microseconds = 0;
    if (has_ended) {
        news.pid = end.si_pid;
        news.code = end.si_code;
        news.status = end.si_status;
        news.cpu_microseconds = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
            + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    }
    // One is under way at a time, so there is always room. Nobody to tell: that shows when the channel is looked at.
    RAW(SYS_sendto, CHANNEL, &news, sizeof news, MSG_NOSIGNAL | MSG_DONTWAIT);
    return has_ended ? news.pid : has_none ? -1 : 0;
}

// SIGKILL to each child; its own children are ours then. `list`: the file that names them.
OWN_PROGRAM static void kill_children(const char *list)
{
    volatile char text[256];
    long fd = RAW(SYS_openat, AT_FDCWD, list, O_RDONLY | O_CLOEXEC), count;
    int pid = 0;
    if (fd < 0)
        return;
    while ((count = RAW(SYS_read, fd, text, sizeof text)) > 0)
        for (long i = 0; i < count; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                pid = pid * 10 + (text[i] - '0');
                continue;
            }
            if (pid > 0)
                RAW(SYS_kill, pid, SIGKILL);
            pid = 0;
        }
    if (pid > 0)
        RAW(SYS_kill, pid, SIGKILL);
    RAW(SYS_close, fd);
}

// Nobody holds them any more: nothing of it stays.
OWN_PROGRAM static void end_all(const char *list)
{
    volatile siginfo_t end;
    do
        kill_children(list);
    while (wait_for_end(&end, P_ALL, 0, 0, 0) != -ECHILD);
}

OWN_PROGRAM static void serve(void)
{
    volatile struct pollfd wakers[2];
    volatile siginfo_t end;
    int told = 0;            // the child that was told of and isn't reaped; below 0 once there is none left to tell of
    bool is_asked = false;   // one was let go, and what comes next is waited for
    for (;;) {
        int wanted;
        char signal[128];
        if (told == 0)
            told = (int)tell_end(is_asked);
        is_asked = false;
        wakers[0].fd = CHANNEL;
        wakers[1].fd = SIGNALS;
        wakers[0].events = wakers[1].events = POLLIN;
        wakers[0].revents = wakers[1].revents = 0;
        RAW(SYS_ppoll, wakers, 2, 0, 0, 0);
        // Each is only a bell: what has ended is found by looking.
        while (RAW(SYS_read, SIGNALS, signal, sizeof signal) > 0) { }
        if (wakers[0].revents == 0)
            continue;
        long count = RAW(SYS_recvfrom, CHANNEL, &wanted, sizeof wanted, MSG_DONTWAIT, 0, 0);
        if (count == -EAGAIN || count == -EINTR)
            continue;
        if (count != sizeof wanted)
            return;
        if (told > 0 && wanted == told) {
            wait_for_end(&end, P_PID, told, WNOHANG, 0);
            told = 0;
            is_asked = true;
        }
    }
}

// What is stopped and continued below it is no news. Source: sigaction(2), SA_NOCLDSTOP.
OWN_PROGRAM static long attend_ends(void)
{
    volatile struct raw_sigaction action;
    volatile uint64_t ends = UINT64_C(1) << (SIGCHLD - 1);
    action.handler = SIG_DFL;
    action.flags = SA_NOCLDSTOP;
    action.restorer = 0;
    action.mask = 0;
    RAW(SYS_rt_sigaction, SIGCHLD, &action, 0, RAW_SIGNAL_SET_SIZE);
    return RAW(SYS_signalfd4, -1, &ends, RAW_SIGNAL_SET_SIZE, O_NONBLOCK | O_CLOEXEC);
}

// `stack`: as the kernel leaves it to a program, the count of arguments and then these: its name, and the list of its children.
OWN_PROGRAM static __attribute__((noreturn)) void run_program(char *const *stack)
{
    const char *name = stack[1], *list = stack[2];
    RAW(SYS_prctl, PR_SET_NAME, name);
    if (attend_ends() == SIGNALS)
        serve();
    end_all(list);
    for (;;)
        RAW(SYS_exit_group, 0);
}

// Source: System V ABI, AMD64, 3.4.1; AArch64, "Process initialization".
__asm__(".pushsection curfew_reaper, \"ax\", %progbits\n\t"
        ".balign 16\n"
        "curfew_reaper_entry:\n\t"
#if defined(__x86_64__)
        "xorl %ebp, %ebp\n\t"
        "movq %rsp, %rdi\n\t"
        "andq $-16, %rsp\n\t"
        "callq run_program\n\t"
        "hlt\n\t"
#elif defined(__aarch64__)
        "mov x29, #0\n\t"
        "mov x0, sp\n\t"
        "bl run_program\n\t"
        "brk #0\n\t"
#endif
        ".popsection");

// ---- its file -------------------------------------------------------------------------------

extern const char curfew_reaper_entry[] __attribute__((visibility("hidden")));
// The linker's: where the section begins and ends.
extern const char __start_curfew_reaper[] __attribute__((visibility("hidden")));
extern const char __stop_curfew_reaper[] __attribute__((visibility("hidden")));

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#endif

// Where it is mapped, and where in its file the code begins: behind the head, and aligned as any code may want to be.
enum { BASE = 0x400000, LARGEST_PAGE = 0x10000, CODE = 256 };

struct executable_head {
    Elf64_Ehdr file;
    Elf64_Phdr segments[2];
};
_Static_assert(sizeof(struct executable_head) <= CODE, "the head ends before the code");

static struct executable_head head_for(uint64_t size)
{
    return (struct executable_head){
        .file = {
            .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
            .e_type = ET_EXEC, .e_machine = MACHINE, .e_version = EV_CURRENT,
            .e_entry = BASE + CODE + (uint64_t)(curfew_reaper_entry - __start_curfew_reaper),
            .e_phoff = offsetof(struct executable_head, segments),
            .e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2},
        .segments = {
            {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0, .p_vaddr = BASE, .p_paddr = BASE,
                .p_filesz = CODE + size, .p_memsz = CODE + size, .p_align = LARGEST_PAGE},
            {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16}}};
}

static long write_whole(int fd, const void *bytes, uint64_t size, uint64_t offset)
{
    long written = RAW(SYS_pwrite64, fd, bytes, size, offset);
    return written >= 0 && (uint64_t)written != size ? -ENOSPC : written;
}

static long write_program(int fd)
{
    uint64_t size = (uint64_t)(__stop_curfew_reaper - __start_curfew_reaper);
    const struct executable_head head = head_for(size);
    long result = write_whole(fd, &head, sizeof head, 0);
    if (result >= 0)
        result = write_whole(fd, __start_curfew_reaper, size, CODE);
    return result < 0 ? result : RAW(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

int curfew_reaper_image(void)
{
    long fd = RAW(SYS_memfd_create, "curfew-reaper", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
    if (fd == -EINVAL)
        fd = RAW(SYS_memfd_create, "curfew-reaper", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return (int)fd;
    long result = write_program((int)fd);
    if (result >= 0)
        return (int)fd;
    RAW(SYS_close, fd);
    return (int)result;
}

// ---- the supervisor's end of the channel ------------------------------------------------------

int curfew_reaper_read(int channel, struct curfew_reaper_news *news)
{
    struct curfew_reaper_news told = {0};
    long count = RAW(SYS_recvfrom, channel, &told, sizeof told, MSG_DONTWAIT, 0, 0);
    if (count < 0)
        return count == -EINTR ? -EAGAIN : (int)count;
    if (count != sizeof told)
        return -EPIPE;
    *news = told;
    return 0;
}

int curfew_reaper_let_go(int channel, pid_t pid)
{
    return curfew_send(channel, &pid, sizeof pid);
}
