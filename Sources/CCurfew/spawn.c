// Starting the app: clone3 with the parent's memory, a short walk in the child, execve.
//
// How it works. CLONE_VM|CLONE_VFORK: the child borrows this process's memory, page tables included, and the calling
// thread sleeps until the child has executed a program or exited. So nothing is copied, whatever this process's size.
// The child runs on the unused stack below the caller's frame, as vfork(2)'s child does: those pages are warm, where
// a buffer of its own would cost page faults (about 3 us each where this was measured). The caller's frame lies above and is
// not touched; the child never returns into it.
//
// Rules in the child: raw system calls only (errno, malloc's and stdio's locks are the parent's), and no sanitizer
// may instrument it, as it leaves its frames without returning. A failure is handed back through the shared memory.
// Source: clone(2), vfork(2).
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

// Source: clone(2); CLONE_CLEAR_SIGHAND is Linux 5.5, CLONE_INTO_CGROUP 5.7.
#ifndef CLONE_CLEAR_SIGHAND
#define CLONE_CLEAR_SIGHAND 0x100000000ULL
#endif
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif
// Source: waitid(2); Linux 5.4. An enumerator in newer glibc, absent in older ones.
#define WAIT_BY_PIDFD 3

#define CHILD_SIDE \
    __attribute__((no_sanitize("address"), no_sanitize("undefined"), no_sanitize("thread")))

// struct clone_args as of Linux 5.7; spelled out since older headers lack `cgroup`.
struct clone_arguments {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

// Source: close_range(2); Linux 5.9.
#define CLOSE_RANGE_UNSHARE_FLAG 2u

// What both sides see.
struct launch {
    const struct curfew_spawn_request *request;
    bool by_old_clone;   // clone3 was refused: the child does itself what clone3's flags would have
    bool is_reaper;      // the child is the program's reaper, and starts that
    struct launch *program;   // a reaper's, or NULL
    struct launch *reaper;    // a program's, or NULL
    pid_t pid;           // of the one, or the other
    char *stack;         // a program's that has a reaper: its end, and its size
    size_t stack_size;
    int is_there;        // 1 until the child has executed a program, or has ended; set where somebody waits for it
    int stage;           // the child's failure; error 0 means none
    int error;
};

// ---- the child ------------------------------------------------------------------------------

CHILD_SIDE static _Noreturn void exit_child(int status)
{
    for (;;)
        RAW(SYS_exit_group, status);
}

// Ends the child when `result` is an error.
CHILD_SIDE static void check(struct launch *launch, int stage, long result)
{
    if (result >= 0)
        return;
    launch->stage = stage;
    launch->error = (int)-result;
    exit_child(127);
}

// CLONE_CLEAR_SIGHAND by hand: without it a signal let in by the last mask change would run the parent's handler
// in the memory the parent owns. What is ignored stays ignored, as with execve.
CHILD_SIDE static void clear_handlers(struct launch *launch)
{
    for (int signal = 1; signal <= 64; signal++) {
        struct raw_sigaction action = {0};
        check(launch, CURFEW_STAGE_CLONE, RAW(SYS_rt_sigaction, signal, 0, &action, RAW_SIGNAL_SET_SIZE));
        if (action.handler == SIG_DFL || action.handler == SIG_IGN)
            continue;
        action = (struct raw_sigaction){.handler = SIG_DFL};
        check(launch, CURFEW_STAGE_CLONE, RAW(SYS_rt_sigaction, signal, &action, 0, RAW_SIGNAL_SET_SIZE));
    }
}

CHILD_SIDE static void dispose(struct launch *launch, uint64_t signals, void (*handler)(int))
{
    const struct raw_sigaction action = {.handler = handler};
    for (int signal = 1; signals; signal++, signals >>= 1)
        if (signals & 1)
            check(launch, CURFEW_STAGE_EXEC, RAW(SYS_rt_sigaction, signal, &action, 0, RAW_SIGNAL_SET_SIZE));
}

// CLONE_INTO_CGROUP by hand.
CHILD_SIDE static void enter_cgroup(struct launch *launch)
{
    if (launch->request->cgroup_fd < 0)
        return;
    long fd = RAW(SYS_openat, launch->request->cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    check(launch, CURFEW_STAGE_CLONE, fd);
    check(launch, CURFEW_STAGE_CLONE, RAW(SYS_write, fd, "0", 1));
    RAW(SYS_close, fd);
}

// Writing "0" moves the writer. Source: kernel, Documentation/admin-guide/cgroup-v1/cgroups.rst, 2.2.
CHILD_SIDE static void join_hierarchies(struct launch *launch)
{
    for (size_t i = 0; i < launch->request->join_count; i++)
        check(launch, CURFEW_STAGE_JOIN, RAW(SYS_write, launch->request->join_fds[i], "0", 1));
}

// The terminal becomes the session's own unless it is another's already, which is for its opener to know. Source: ioctl_tty(2).
CHILD_SIDE static __attribute__((noinline)) void take_place(struct launch *launch, const struct curfew_spawn_place *place)
{
    if (place->new_session)
        check(launch, CURFEW_STAGE_PLACE, RAW(SYS_setsid));
    for (int number = 0; number < 3; number++)
        if (place->streams[number] >= 0)
            check(launch, CURFEW_STAGE_PLACE, RAW(SYS_dup3, place->streams[number], number, 0));
    if (place->new_session && place->streams[0] >= 0) {
        long result = RAW(SYS_ioctl, 0, TIOCSCTTY, 0);
        check(launch, CURFEW_STAGE_PLACE, result == -ENOTTY ? 0 : result);
    }
    if (place->directory)
        check(launch, CURFEW_STAGE_PLACE, RAW(SYS_chdir, place->directory));
    if (place->sets_umask)
        RAW(SYS_umask, place->umask);
    for (size_t i = 0; i < place->limit_count; i++) {
        const struct { uint64_t soft, hard; } limit = {place->limits[i].soft, place->limits[i].hard};
        check(launch, CURFEW_STAGE_PLACE, RAW(SYS_prlimit64, 0, place->limits[i].resource, &limit, 0));
    }
}

// Every signal is still blocked, SIGTTOU too, so a background group may take the terminal without being stopped.
// Source: tcsetpgrp(3).
CHILD_SIDE static void take_group_and_terminal(struct launch *launch)
{
    const struct curfew_spawn_request *request = launch->request;
    // Who leads a session leads its group, and may not ask for it. Source: setpgid(2), EPERM.
    bool leads_session = request->place && request->place->new_session;
    if (!leads_session && (request->own_process_group || request->process_group > 0))
        check(launch, CURFEW_STAGE_GROUP, RAW(SYS_setpgid, 0, request->own_process_group ? 0 : request->process_group));
    if (request->terminal_fd >= 0) {
        pid_t group = (pid_t)RAW(SYS_getpid);
        check(launch, CURFEW_STAGE_TERMINAL, RAW(SYS_ioctl, request->terminal_fd, TIOCSPGRP, &group));
    }
}

// dup3 refuses equal numbers, and then the descriptor only has to lose its CLOEXEC. Source: dup(2).
// The child's table is its own (no CLONE_FILES), so the parent's descriptors don't change.
CHILD_SIDE static void place_channel(struct launch *launch)
{
    const struct curfew_spawn_request *request = launch->request;
    if (request->channel_fd < 0)
        return;
    long result = request->channel_fd == request->channel_number
        ? RAW(SYS_fcntl, request->channel_fd, F_SETFD, 0)
        : RAW(SYS_dup3, request->channel_fd, request->channel_number, 0);
    check(launch, CURFEW_STAGE_CHANNEL, result);
}

// May this capability stay in the bounding set after PR_CAPBSET_DROP said EPERM, which means CAP_SETPCAP is missing?
// Yes when it isn't in the set anyway, and when the set can't give it back: execve hands out capabilities from
// the bounding set to uid 0 and to setuid and file-capability programs. The former is decided here; the latter is any
// ordinary user's lot (an unprivileged supervisor can't forbid sudo this way), which no_new_privs forbids.
// So only uid 0 without CAP_SETPCAP and without no_new_privs is refused: its drop would be undone by execve.
// With CAP_SETPCAP an EPERM comes from elsewhere (seccomp, an LSM) and is an error.
// Source: capabilities(7), "Transformation of capabilities during execve()"; PR_CAPBSET_DROP(2const).
CHILD_SIDE static bool may_stay_bounded(const struct launch *launch, int capability)
{
    if (RAW(SYS_prctl, PR_CAPBSET_READ, capability) == 0)
        return true;
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    if (RAW(SYS_capget, &header, sets) < 0)
        return false;
    if (sets[CAP_TO_INDEX(CAP_SETPCAP)].effective & CAP_TO_MASK(CAP_SETPCAP))
        return false;
    return launch->request->no_new_privs || (RAW(SYS_getuid) != 0 && RAW(SYS_geteuid) != 0);
}

// The kernel has at most 64 capabilities and says EINVAL beyond its last one.
CHILD_SIDE static void empty_bounding_set(struct launch *launch)
{
    for (int capability = 0; capability < 64; capability++) {
        long result = RAW(SYS_prctl, PR_CAPBSET_DROP, capability);
        if (result == -EINVAL && capability > 0)
            return;
        if (result == -EPERM && may_stay_bounded(launch, capability))
            continue;
        check(launch, CURFEW_STAGE_PRIVILEGES, result);
    }
}

// The bounding set first: it needs CAP_SETPCAP, which goes with the others.
CHILD_SIDE static void drop_privileges(struct launch *launch)
{
    if (launch->request->drop_capabilities) {
        struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
        const struct __user_cap_data_struct empty[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
        empty_bounding_set(launch);
        check(launch, CURFEW_STAGE_PRIVILEGES, RAW(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL));
        check(launch, CURFEW_STAGE_PRIVILEGES, RAW(SYS_capset, &header, empty));
    }
    if (launch->request->no_new_privs)
        check(launch, CURFEW_STAGE_PRIVILEGES, RAW(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1));
    // Last: a change of credentials takes it back. Source: PR_SET_PDEATHSIG(2const).
    if (launch->request->parent_death_signal != 0)
        check(launch, CURFEW_STAGE_PRIVILEGES,
            RAW(SYS_prctl, PR_SET_PDEATHSIG, launch->request->parent_death_signal));
}

// A file without #! and of no known format is a script for sh, with its arguments moved up. Source: execvp(3).
// The array can't overflow the stack: execve counted the same pointers before it said ENOEXEC, and allows argv and envp a
// quarter of the stack's limit. Source: execve(2), "Limits on size of arguments and environment".
CHILD_SIDE static __attribute__((noinline)) long execute_as_script(
    const struct curfew_spawn_request *request, const char *path)
{
    size_t count = 0;
    while (request->argv[count])
        count++;
    const char *arguments[count + 3];
    arguments[0] = "/bin/sh";
    arguments[1] = path;
    size_t used = 2;
    for (size_t i = 1; i < count; i++)
        arguments[used++] = request->argv[i];
    arguments[used] = NULL;
    return RAW(SYS_execve, arguments[0], arguments, request->envp);
}

CHILD_SIDE static long execute_path(const struct curfew_spawn_request *request, const char *path)
{
    long result = RAW(SYS_execve, path, request->argv, request->envp);
    return result == -ENOEXEC ? execute_as_script(request, path) : result;
}

// Writes "directory/file" and returns true, or false when it is longer than any path may be.
// An empty directory means the current one, and gives "file". Source: execvp(3).
CHILD_SIDE static bool join_path(char path[PATH_MAX], const char *directory, const char *end, const char *file)
{
    size_t length = 0;
    for (const char *from = directory; from < end; from++) {
        if (length == PATH_MAX)
            return false;
        path[length++] = *from;
    }
    if (length > 0 && length < PATH_MAX)
        path[length++] = '/';
    for (const char *from = file; length < PATH_MAX; from++) {
        path[length++] = *from;
        if (!*from)
            return true;
    }
    return false;
}

// Does the search go on after this answer? Source: glibc, posix/execvpe.c.
CHILD_SIDE static bool is_elsewhere(long result)
{
    switch (-result) {
    case ENOENT: case ENOTDIR: case ESTALE: case ENODEV: case ETIMEDOUT: case EACCES: return true;
    default: return false;
    }
}

// execvp's search. What it reports differs from execvp's in one thing: when no directory had the file the answer is
// ENOENT, not the last directory's own trouble (ENOTDIR, ...), for the caller tells "not found" by it.
CHILD_SIDE static __attribute__((noinline)) long execute_searching(const struct curfew_spawn_request *request)
{
    char path[PATH_MAX];
    long answer = -ENOENT;
    const char *from = request->search_path ? request->search_path : "/bin:/usr/bin";
    for (;;) {
        const char *end = from;
        while (*end && *end != ':')
            end++;
        if (join_path(path, from, end, request->file)) {
            long result = execute_path(request, path);
            if (!is_elsewhere(result))
                return result;
            if (result == -EACCES)
                answer = -EACCES;
        } else if (answer == -ENOENT) {
            answer = -ENAMETOOLONG;
        }
        if (!*end)
            return answer;
        from = end + 1;
    }
}

CHILD_SIDE static long execute(const struct curfew_spawn_request *request)
{
    if (!*request->file)
        return -ENOENT;
    for (const char *at = request->file; *at; at++)
        if (*at == '/')
            return execute_path(request, request->file);
    return execute_searching(request);
}

// First of all: whoever cleans up after a caller that is killed meanwhile must tell this child from those it will have.
// clone3 has written the pid; the old clone can't where it gives a pidfd too. Source: clone(2), CLONE_PARENT_SETTID.
CHILD_SIDE static void note_child(const struct launch *launch)
{
    struct curfew_spawn_note *note = launch->request->note;
    if (!note)
        return;
    if (launch->by_old_clone || launch->reaper)
        note->pid = (pid_t)RAW(SYS_getpid);
    if (launch->request->own_process_group)
        note->group = note->pid;
}

// Copies what the child is given, and nothing else: a whole table costs, for each descriptor of a supervisor of many apps, twice
// what it is worth, once when it is copied and once when execve closes it. The caller's isn't touched, nor what it has locked.
// Source: kernel, fs/file.c, __close_range: of a table that is shared only what stays is copied.
CHILD_SIDE static void leave_table(struct launch *launch)
{
    if (launch->request->table_size > 0 && !launch->by_old_clone)
        check(launch, CURFEW_STAGE_CLONE, RAW(SYS_close_range, launch->request->table_size, ~0u, CLOSE_RANGE_UNSHARE_FLAG));
}

CHILD_SIDE static void await_reaper(struct launch *launch);

CHILD_SIDE static _Noreturn void run_program(struct launch *launch)
{
    note_child(launch);
    if (launch->by_old_clone) {
        clear_handlers(launch);
        enter_cgroup(launch);
    }
    join_hierarchies(launch);
    if (launch->request->place)
        take_place(launch, launch->request->place);
    take_group_and_terminal(launch);
    place_channel(launch);
    drop_privileges(launch);
    dispose(launch, launch->request->default_signals, SIG_DFL);
    dispose(launch, launch->request->ignored_signals, SIG_IGN);
    if (launch->reaper)
        await_reaper(launch);
    // From here on a pending signal may end the child: no handler is left, so nothing but execve runs after it.
    check(launch, CURFEW_STAGE_EXEC,
        RAW(SYS_rt_sigprocmask, SIG_SETMASK, &launch->request->signal_mask, 0, RAW_SIGNAL_SET_SIZE));
    check(launch, CURFEW_STAGE_EXEC, execute(launch->request));
    exit_child(127);   // not reached: execve returns errors only
}

CHILD_SIDE static long clone_apart(struct launch *program);

// It keeps nothing but its channel, as its number 0; all above 2 is closed by the execution. Every signal stays blocked.
CHILD_SIDE static void execute_reaper(struct launch *launch)
{
    const struct curfew_spawn_reaper *reaper = launch->request->reaper;
    const char *arguments[3], *environment[1];
    arguments[0] = "curfew-reaper";
    arguments[1] = "/proc/thread-self/children";
    arguments[2] = environment[0] = NULL;
    check(launch, CURFEW_STAGE_REAPER, RAW(SYS_dup3, reaper->channel, 0, 0));
    RAW(SYS_close, 1);
    RAW(SYS_close, 2);
    RAW(SYS_chdir, "/");
    check(launch, CURFEW_STAGE_REAPER, RAW(SYS_execveat, reaper->image, "", arguments, environment, AT_EMPTY_PATH));
}

// The program is this child's, born in the same memory, on a stack of its own. It waits until its reaper is one: it could
// stop it else, and with it the caller, who sleeps until then.
CHILD_SIDE static _Noreturn void run_reaper(struct launch *launch)
{
    if (launch->by_old_clone)
        clear_handlers(launch);
    launch->pid = (pid_t)RAW(SYS_getpid);
    RAW(SYS_set_tid_address, &launch->is_there);
    // It stays one when it executes a program, and keeps its children. Source: PR_SET_CHILD_SUBREAPER(2const).
    check(launch, CURFEW_STAGE_REAPER, RAW(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1));
    if (launch->program)
        check(launch, CURFEW_STAGE_CLONE, clone_apart(launch->program));
    execute_reaper(launch);
    exit_child(127);   // not reached
}

// The kernel clears the word, and wakes whoever waits for it, when the child whose it is executes a program or ends.
// Source: set_tid_address(2); kernel, kernel/fork.c, mm_release.
CHILD_SIDE static void await_reaper(struct launch *launch)
{
    struct launch *reaper = launch->reaper;
    launch->pid = (pid_t)RAW(SYS_getpid);
    while (__atomic_load_n(&reaper->is_there, __ATOMIC_ACQUIRE))
        RAW(SYS_futex, &reaper->is_there, FUTEX_WAIT, 1, 0);
    if (reaper->error)
        exit_child(127);
    // Killed meanwhile: nobody would hold the program.
    check(launch, CURFEW_STAGE_REAPER, RAW(SYS_getppid) == reaper->pid ? 0 : -ESRCH);
}

CHILD_SIDE static _Noreturn void run_child(struct launch *launch)
{
    leave_table(launch);
    if (launch->is_reaper)
        run_reaper(launch);
    run_program(launch);
}

// ---- the parent -----------------------------------------------------------------------------

// Makes the system call; in the child calls run_child(launch) on the free part of the same stack, or of the one that the call
// gives it. Returns in the parent only; with CLONE_VFORK after the child has executed a program or exited.
#if defined(__x86_64__)
static inline __attribute__((always_inline)) long clone_and_run(
    long number, long a, long b, long c, long d, long e, struct launch *launch)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    // 128 bytes below the stack pointer are the caller's red zone. Source: System V ABI for AMD64, 3.2.2.
    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "subq $256, %%rsp\n\t"
                     "andq $-16, %%rsp\n\t"
                     "movq %[launch], %%rdi\n\t"
                     "callq *%[run]\n\t"
                     "hlt\n"
                     "1:"
                     : "+&a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), [launch] "r"(launch), [run] "r"(run_child)
                     : "rcx", "r11", "memory", "cc");
    return number;
}
#elif defined(__aarch64__)
static inline __attribute__((always_inline)) long clone_and_run(
    long number, long a, long b, long c, long d, long e, struct launch *launch)
{
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    // No red zone, and the stack pointer is always 16-aligned. Source: AAPCS64, 6.4.5.
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    __asm__ volatile("svc #0\n\t"
                     "cbnz x0, 1f\n\t"
                     "mov x0, %[launch]\n\t"
                     "blr %[run]\n\t"
                     "brk #0\n"
                     "1:"
                     : "+&r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [launch] "r"(launch), [run] "r"(run_child)
                     : "memory", "cc");
    return x0;
}
#endif

// Docker's default seccomp profile answers clone3 with ENOSYS, so that programs turn to clone, whose flags it can read; older
// ones (before Docker 20.10.10) and other sandboxes with EPERM or EINVAL, as any call they don't know. A kernel that doesn't
// know one of the flags says EINVAL, or E2BIG for the cgroup. Source: moby, profiles/seccomp/default.json; clone3(2).
CHILD_SIDE static bool is_refused(long result)
{
    return result == -ENOSYS || result == -EPERM || result == -EINVAL || result == -E2BIG;
}

// clone takes 32 bits of flags: the child makes up for the other two.
static __attribute__((noinline)) long clone_old(struct launch *launch, int *pidfd)
{
    launch->by_old_clone = true;
    return clone_and_run(SYS_clone, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, 0, (long)pidfd, 0, 0, launch);
}

static __attribute__((noinline)) long clone_new(struct launch *launch, int *pidfd)
{
    const struct curfew_spawn_request *request = launch->request;
    struct clone_arguments arguments = {
        .flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
        .pidfd = (uint64_t)(uintptr_t)pidfd,
        .exit_signal = SIGCHLD,
    };
    if (request->note && !launch->is_reaper) {
        arguments.flags |= CLONE_PARENT_SETTID;
        arguments.parent_tid = (uint64_t)(uintptr_t)&request->note->pid;
    }
    if (request->table_size > 0)
        arguments.flags |= CLONE_FILES;
    if (request->cgroup_fd >= 0) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = (uint64_t)request->cgroup_fd;
    }
    return clone_and_run(SYS_clone3, (long)&arguments, sizeof arguments, 0, 0, 0, launch);
}

// By the reaper, which goes on: the program's child runs beside it, on a stack of its own.
CHILD_SIDE static long clone_apart(struct launch *program)
{
    const uint64_t flags = CLONE_VM | CLONE_CHILD_CLEARTID;
    struct clone_arguments arguments = {
        .flags = flags | CLONE_CLEAR_SIGHAND,
        .child_tid = (uint64_t)(uintptr_t)&program->is_there,
        .exit_signal = SIGCHLD,
        .stack = (uint64_t)(uintptr_t)program->stack,
        .stack_size = program->stack_size,
    };
    program->is_there = 1;
    long pid = clone_and_run(SYS_clone3, (long)&arguments, sizeof arguments, 0, 0, 0, program);
    if (is_refused(pid)) {
        program->by_old_clone = true;
        long top = (long)(program->stack + program->stack_size), word = (long)&program->is_there;
        // The last two are child_tid and tls on x86_64, tls and child_tid on aarch64; without CLONE_SETTLS that one is ignored.
        pid = clone_and_run(SYS_clone, (long)(flags | SIGCHLD), top, 0, word, word, program);
    }
    if (pid < 0)
        program->is_there = 0;
    return pid;
}

// Reaps the child that failed. By pidfd: whatever else this process waits for is left alone.
// wait4 is for where waitid is refused; the pid can't have been reused, as nobody has reaped it.
static void reap(pid_t pid, int pidfd)
{
    long result;
    do
        result = RAW(SYS_waitid, WAIT_BY_PIDFD, pidfd, 0, WEXITED | __WALL);
    while (result == -EINTR);
    if (result < 0 && result != -ECHILD)
        RAW(SYS_wait4, pid, 0, __WALL);
}

// Clones with every signal blocked. Returns the child's pid, or the clone's error.
static long clone_blocked(struct launch *launch, int *pidfd)
{
    const uint64_t all = ~UINT64_C(0);
    uint64_t callers_mask = 0;
    long result = RAW(SYS_rt_sigprocmask, SIG_SETMASK, &all, &callers_mask, RAW_SIGNAL_SET_SIZE);
    if (result < 0)
        return result;
    result = clone_new(launch, pidfd);
    if (is_refused(result))
        result = clone_old(launch, pidfd);
    if (result > 0 && launch->error) {
        reap((pid_t)result, *pidfd);
        RAW(SYS_close, *pidfd);
    }
    RAW(SYS_rt_sigprocmask, SIG_SETMASK, &callers_mask, 0, RAW_SIGNAL_SET_SIZE);
    return result;
}

// Room for what a program's child does, and for its arguments once more, should it be a script: see execute_as_script.
static long make_stack(struct launch *program)
{
    size_t words = 0;
    while (program->request->argv[words])
        words++;
    program->stack_size = (65536 + words * sizeof(char *) + 4095) & ~(size_t)4095;
    long stack = RAW(SYS_mmap, 0, program->stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    program->stack = stack < 0 && stack >= -4095 ? NULL : (char *)stack;
    return program->stack ? 0 : stack;
}

// Until it has executed, or ended. Somebody who guessed its number may have stopped it.
static void await_program(struct launch *program)
{
    const struct timespec patience = {.tv_nsec = 50000000};
    while (__atomic_load_n(&program->is_there, __ATOMIC_ACQUIRE))
        if (RAW(SYS_futex, &program->is_there, FUTEX_WAIT, 1, &patience) == -ETIMEDOUT && program->pid > 0)
            RAW(SYS_kill, program->pid, SIGCONT);
}

// Of the two that failed: the reaper goes, and leaves us the program's child, if we are a subreaper.
static void undo_reaper(const struct launch *launch, const struct launch *program, pid_t reaper, int pidfd)
{
    if (reaper > 0 && !launch->error) {
        RAW(SYS_kill, reaper, SIGKILL);
        reap(reaper, pidfd);
        RAW(SYS_close, pidfd);
    }
    if (program->pid > 0)
        RAW(SYS_wait4, program->pid, 0, __WALL);
}

static __attribute__((noinline)) int spawn_below_reaper(
    const struct curfew_spawn_request *request, struct curfew_spawn_result *result, int *stage)
{
    struct launch launch = {.request = request, .stage = CURFEW_STAGE_CLONE, .is_reaper = true, .is_there = 1};
    struct launch program = {.request = request, .stage = CURFEW_STAGE_CLONE, .reaper = &launch};
    int pidfd = -1;
    long pid = request->file ? make_stack(&program) : 0;
    if (pid == 0) {
        launch.program = request->file ? &program : NULL;
        pid = clone_blocked(&launch, &pidfd);
        await_program(&program);
        if (program.stack)
            RAW(SYS_munmap, program.stack, program.stack_size);
    }
    int error = pid < 0 ? (int)-pid : launch.error ? launch.error : program.error;
    if (!error) {
        *result = (struct curfew_spawn_result){.pid = program.pid, .pidfd = pidfd, .reaper = (pid_t)pid};
        return 0;
    }
    undo_reaper(&launch, &program, (pid_t)pid, pidfd);
    if (request->note)
        *request->note = (struct curfew_spawn_note){0};
    if (stage)
        *stage = pid < 0 || launch.error ? launch.stage : program.stage;
    return -error;
}

// Until the child has executed, this thread sleeps and only SIGKILL wakes it. So a cgroup that is frozen
// when the child is born in it keeps the caller waiting until it thaws.
// Waits like any posix_spawn: a child that failed leaves a SIGCHLD behind, though nothing to wait for.
int curfew_spawn(const struct curfew_spawn_request *request, struct curfew_spawn_result *result, int *stage)
{
    if (request->reaper)
        return spawn_below_reaper(request, result, stage);
    struct launch launch = {.request = request, .stage = CURFEW_STAGE_CLONE};
    int pidfd = -1;
    long pid = clone_blocked(&launch, &pidfd);
    if (pid > 0 && !launch.error) {
        result->pid = (pid_t)pid;
        result->pidfd = pidfd;
        result->reaper = 0;
        return 0;
    }
    if (request->note)
        *request->note = (struct curfew_spawn_note){0};
    if (stage)
        *stage = launch.stage;
    return pid < 0 ? (int)pid : -launch.error;
}

// Asked of a range that holds nothing.
bool curfew_can_copy_descriptors_in_part(void)
{
    return RAW(SYS_close_range, INT_MAX, INT_MAX, 0) >= 0;
}

// A raw clone: fork(2) has no exit signal. The stack argument 0 means a copy of the caller's; the further arguments
// differ in order between x86_64 (child_tid, tls) and aarch64 (tls, child_tid), and are all 0 here.
//
// glibc doesn't know of this child: no atfork handler runs, and the thread id it caches stays the parent's. So raise(),
// pthread_kill() and whatever else may rely on that id must not be used in it; kill(getpid(), ...) is fine.
// Source: clone(2), "C library/kernel differences"; glibc, sysdeps/nptl/fork.h.
int curfew_fork(int exit_signal)
{
    return (int)RAW(SYS_clone, exit_signal, 0, 0, 0, 0);
}
