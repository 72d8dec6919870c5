// Tests of Curfew's C layer against the real kernel: what each call does, and that each failure leaves nothing behind.
//
// No framework. CHECK... prints what failed and goes on; counts live in a shared page, so that forked helpers count too.
// Whatever changes the process for good (limits, uid, seccomp filters) happens in a helper. Waits have a deadline
// and wait for an event, never for time to pass. Only own processes and an own cgroup are touched.
#include "ccurfew.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef __WALL
#define __WALL 0x40000000
#endif

enum { DEADLINE_MS = 20000, CHANNEL = 9, UNTOUCHED = -77, NOBODY_UID = 65534, BY_PID = 1, BY_PIDFD = 3 };

// ---- checking -------------------------------------------------------------------------------

struct counts {
    int passed, failed, skipped;
};
static struct counts *counts;
static char subject[256] = "";        // what the checks that follow are about
static char scratch[PATH_MAX];        // a directory of our own
static char self[PATH_MAX];           // this program
static pid_t owner;                   // who removes the scratch directory

static void about(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(subject, sizeof subject, format, arguments);
    va_end(arguments);
}

static bool check(bool good, const char *file, int line, const char *what, const char *format, ...)
{
    if (good) {
        __atomic_fetch_add(&counts->passed, 1, __ATOMIC_RELAXED);
        return true;
    }
    char seen[6000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(seen, sizeof seen, format, arguments);
    va_end(arguments);
    __atomic_fetch_add(&counts->failed, 1, __ATOMIC_RELAXED);
    dprintf(1, "%s:%d: [%s] %s: %s\n", file, line, subject, what, seen);
    return false;
}

static bool check_equal(const char *file, int line, const char *what, long long seen, long long expected)
{
    return check(seen == expected, file, line, what, "saw %lld (0x%llx), expected %lld (0x%llx)", seen, seen, expected, expected);
}

static bool check_text(const char *file, int line, const char *what, const char *seen, const char *expected)
{
    return check(!strcmp(seen, expected), file, line, what, "saw \"%s\", expected \"%s\"", seen, expected);
}

#define CHECK(condition) check((condition), __FILE__, __LINE__, #condition, "false")
#define CHECK_EQ(seen, expected) check_equal(__FILE__, __LINE__, #seen, (long long)(seen), (long long)(expected))
#define CHECK_TEXT(seen, expected) check_text(__FILE__, __LINE__, #seen, (seen), (expected))

static void skip(const char *why)
{
    __atomic_fetch_add(&counts->skipped, 1, __ATOMIC_RELAXED);
    dprintf(1, "skipped: [%s] %s\n", subject, why);
}

static _Noreturn void give_up(const char *what)
{
    dprintf(1, "%s failed: %s\n", what, strerror(errno));
    __atomic_fetch_add(&counts->failed, 1, __ATOMIC_RELAXED);
    _exit(2);
}

static long must(long result, const char *what)
{
    if (result < 0)
        give_up(what);
    return result;
}

// ---- waiting, with a deadline ---------------------------------------------------------------

static bool readable(int fd)
{
    struct pollfd item = {fd, POLLIN, 0};
    int result;
    do
        result = poll(&item, 1, DEADLINE_MS);
    while (result < 0 && errno == EINTR);
    return result == 1;
}

// Reads to the end of a pipe.
static void read_to_end(int fd, char *buffer, size_t size)
{
    size_t used = 0;
    while (used < size - 1) {
        if (!readable(fd)) {
            CHECK(!"the other end was closed before the deadline");
            break;
        }
        ssize_t result = read(fd, buffer + used, size - 1 - used);
        if (result <= 0)
            break;
        used += (size_t)result;
    }
    buffer[used] = 0;
}

// Waits for the end of a child that only we know; kills it at the deadline.
static struct curfew_wait_info end_of(int pidfd)
{
    struct curfew_wait_info info = {0};
    if (!readable(pidfd)) {
        CHECK(!"the child ended before the deadline");
        curfew_pidfd_send_signal(pidfd, SIGKILL);
    }
    CHECK_EQ(curfew_waitid(BY_PIDFD, pidfd, WEXITED, &info), 0);   // no __WALL: every one is an ordinary child
    return info;
}

// Where a helper that does much tells that it goes on, so that no deadline has to hold for all of it.
static int progress[2] = {-1, -1};

// Runs `work` in a forked helper and waits for it.
static void in_helper(void (*work)(const void *), const void *argument)
{
    pid_t pid = fork();
    must(pid, "fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(argument);
        _exit(0);
    }
    int pidfd = curfew_pidfd_open(pid);
    must(pidfd, "pidfd_open");
    if (progress[0] >= 0) {
        close(progress[1]);
        char step;
        while (readable(progress[0]) && read(progress[0], &step, 1) > 0) { }
        close(progress[0]);
        progress[0] = progress[1] = -1;
    }
    struct curfew_wait_info info = end_of(pidfd);
    close(pidfd);
    CHECK_EQ(info.code, CLD_EXITED);
    CHECK_EQ(info.status, 0);
}

// ---- what must be as it was -----------------------------------------------------------------

struct state {
    uint64_t mask;
    char descriptors[4096];
    int children;              // wait4's errno
};

static uint64_t status_field(const char *status, const char *name, int base)
{
    char key[64];
    snprintf(key, sizeof key, "\n%s:", name);
    const char *at = strstr(status, key);
    return at ? strtoull(at + strlen(key), NULL, base) : ~UINT64_C(0);
}

static void read_text(const char *path, char *buffer, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    must(fd, path);
    ssize_t used = 0, result;
    while ((result = read(fd, buffer + used, size - 1 - (size_t)used)) > 0)
        used += result;
    buffer[used] = 0;
    close(fd);
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

// Numbers of the open descriptors, ascending, without the one used for listing.
static int list_descriptors(int *numbers, int most)
{
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        give_up("opendir /proc/self/fd");
    int count = 0;
    for (struct dirent *entry; count < most && (entry = readdir(directory));)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(directory))
            numbers[count++] = atoi(entry->d_name);
    closedir(directory);
    qsort(numbers, (size_t)count, sizeof *numbers, by_number);
    return count;
}

// "number flags file" of each: neither a descriptor nor its CLOEXEC may change.
static void describe_descriptors(char *text, size_t size)
{
    int numbers[256];
    int count = list_descriptors(numbers, 256);
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < count && used < size; i++) {
        char path[64], target[256] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%d", numbers[i]);
        if (readlink(path, target, sizeof target - 1) < 0)
            continue;
        snprintf(text + used, size - used, "%d %s\n", numbers[i], target);
        used += strlen(text + used);
    }
}

static struct state take_state(void)
{
    struct state state = {0};
    char status[8192];
    read_text("/proc/self/status", status, sizeof status);
    state.mask = status_field(status, "SigBlk", 16);
    describe_descriptors(state.descriptors, sizeof state.descriptors);
    state.children = wait4(-1, NULL, WNOHANG | __WALL, NULL) < 0 ? errno : 0;
    return state;
}

static void check_same_state(const struct state *before)
{
    struct state after = take_state();
    CHECK_EQ(after.mask, before->mask);
    CHECK_TEXT(after.descriptors, before->descriptors);
    CHECK_EQ(before->children, ECHILD);
    CHECK_EQ(after.children, ECHILD);
}

// ---- requests -------------------------------------------------------------------------------

static uint64_t bit(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

static char *no_arguments[] = {"program", NULL};
static char *no_environment[] = {NULL};

static struct curfew_spawn_request plain_request(const char *file)
{
    return (struct curfew_spawn_request){
        .file = file, .argv = no_arguments, .envp = no_environment, .search_path = "/bin:/usr/bin",
        .cgroup_fd = -1, .terminal_fd = -1, .channel_fd = -1, .channel_number = CHANNEL};
}

// Spawns what must fail, and checks everything a failure promises.
static void check_failure(const struct curfew_spawn_request *request, int stage, int error)
{
    struct curfew_spawn_result result = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
    int seen_stage = UNTOUCHED;
    struct state before = take_state();
    errno = UNTOUCHED;
    int seen = curfew_spawn(request, &result, &seen_stage);
    CHECK_EQ(errno, UNTOUCHED);
    CHECK_EQ(seen, -error);
    CHECK_EQ(seen_stage, stage);
    CHECK_EQ(result.pid, UNTOUCHED);
    CHECK_EQ(result.pidfd, UNTOUCHED);
    CHECK_EQ(result.reaper, UNTOUCHED);
    check_same_state(&before);
}

// Spawns what must succeed and waits for its end.
static struct curfew_wait_info run_to_end(const struct curfew_spawn_request *request)
{
    struct curfew_wait_info info = {0};
    struct curfew_spawn_result result = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
    int stage = UNTOUCHED;
    struct state before = take_state();
    errno = UNTOUCHED;
    int seen = curfew_spawn(request, &result, &stage);
    CHECK_EQ(errno, UNTOUCHED);
    CHECK_EQ(stage, UNTOUCHED);
    if (!CHECK_EQ(seen, 0))
        return info;
    CHECK_EQ(fcntl(result.pidfd, F_GETFD), FD_CLOEXEC);
    info = end_of(result.pidfd);
    CHECK_EQ(info.pid, result.pid);
    close(result.pidfd);
    check_same_state(&before);
    return info;
}

static void check_exit(const struct curfew_spawn_request *request, int code)
{
    struct curfew_wait_info info = run_to_end(request);
    CHECK_EQ(info.code, CLD_EXITED);
    CHECK_EQ(info.status, code);
}

// Runs a request whose program writes into its channel; returns what it wrote.
static void run_for_output(struct curfew_spawn_request request, char *output, size_t size)
{
    int pipe_ends[2];
    output[0] = 0;
    must(pipe2(pipe_ends, O_CLOEXEC), "pipe2");
    request.channel_fd = pipe_ends[1];
    struct curfew_spawn_result result;
    int stage = 0;
    int seen = curfew_spawn(&request, &result, &stage);
    close(pipe_ends[1]);
    if (!CHECK_EQ(seen, 0))
        dprintf(1, "  at stage %d\n", stage);
    if (seen == 0) {
        read_to_end(pipe_ends[0], output, size);
        struct curfew_wait_info info = end_of(result.pidfd);
        CHECK_EQ(info.code, CLD_EXITED);
        CHECK_EQ(info.status, 0);
        close(result.pidfd);
    }
    close(pipe_ends[0]);
}

static const char *scratch_path(const char *name)
{
    static char paths[8][PATH_MAX + 256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

static void make_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd, path);
    must(write(fd, text, strlen(text)), "write");
    must(fchmod(fd, mode), "fchmod");
    close(fd);
}

// ---- the program that is spawned ------------------------------------------------------------

// Writes into the channel what this process was born with.
static int report(int argc, char **argv, char **envp)
{
    int numbers[256];
    int count = list_descriptors(numbers, 256);
    char status[8192], cgroup[4096];
    read_text("/proc/self/status", status, sizeof status);
    read_text("/proc/self/cgroup", cgroup, sizeof cgroup);
    dprintf(CHANNEL, "\n%s\ngroup:%d\npid:%d\nparent:%d\nargv:", status, getpgrp(), getpid(), getppid());
    for (int i = 0; i < argc; i++)
        dprintf(CHANNEL, "<%s>", argv[i]);
    dprintf(CHANNEL, "\nenv:");
    for (; *envp; envp++)
        dprintf(CHANNEL, "<%s>", *envp);
    dprintf(CHANNEL, "\nfds:");
    for (int i = 0; i < count; i++)
        dprintf(CHANNEL, " %d", numbers[i]);
    dprintf(CHANNEL, "\ncgroups:\n%s\nend\n", cgroup);
    return 0;
}

// Says that it runs, then stays until the channel's other end is closed.
static int hold(void)
{
    char byte;
    return write(CHANNEL, "r", 1) != 1 || read(CHANNEL, &byte, 1) != 0;
}

static char *report_arguments[] = {"report", "--report", "one two", "", "three", NULL};

static void line_of(const char *report_text, const char *name, char *line, size_t size)
{
    char key[64];
    snprintf(key, sizeof key, "\n%s:", name);
    const char *at = strstr(report_text, key);
    snprintf(line, size, "%.*s", at ? (int)strcspn(at + strlen(key), "\n") : 0, at ? at + strlen(key) : "");
}

// ---- seccomp: making a system call fail -----------------------------------------------------

struct rule {
    int call;
    int argument;              // index of the argument that must match, or -1
    uint64_t value;            // only its lower half is compared
    uint32_t action;
};

static uint32_t fails_with(int error)
{
    return SECCOMP_RET_ERRNO | (uint32_t)error;
}

static void install_rules(const struct rule *rules, size_t count)
{
    struct sock_filter code[64];
    unsigned short used = 0;
    for (size_t i = 0; i < count; i++) {
        bool any = rules[i].argument < 0;
        unsigned argument = offsetof(struct seccomp_data, args) + 8 * (any ? 0 : (unsigned)rules[i].argument);
        code[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
        code[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)rules[i].call, 0, any ? 1 : 3);
        if (!any) {
            code[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument);
            code[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rules[i].value, 0, 1);
        }
        code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, rules[i].action);
    }
    code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {used, code};
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0), "seccomp");
}

static void refuse_clone3(int error)
{
    const struct rule rule = {SYS_clone3, -1, 0, fails_with(error)};
    install_rules(&rule, 1);
}

struct fault {
    const char *name;
    struct rule rules[2];
    struct curfew_spawn_request request;
    int stage, error;
};

static void inject(const void *argument)
{
    const struct fault *fault = argument;
    install_rules(fault->rules, fault->rules[1].action ? 2 : 1);
    check_failure(&fault->request, fault->stage, fault->error);
}

// Has every step succeed unless a fault is injected: the "cgroup" to join is a file in memory.
static struct curfew_spawn_request full_request(int *join_fd)
{
    int pipe_ends[2];
    *join_fd = (int)must(memfd_create("join", MFD_CLOEXEC), "memfd_create");
    must(pipe2(pipe_ends, O_CLOEXEC), "pipe2");
    struct curfew_spawn_request request = plain_request("true");
    request.join_fds = join_fd;
    request.join_count = 1;
    request.own_process_group = true;
    request.channel_fd = pipe_ends[1];
    request.no_new_privs = true;
    request.drop_capabilities = true;
    request.parent_death_signal = SIGKILL;
    return request;
}

static void test_faults(void)
{
    static int join_fd;
    const struct curfew_spawn_request full = full_request(&join_fd);
    struct curfew_spawn_request same_number = full, terminal = full, absent = full, with_cgroup = full, ignoring = full,
        in_part = full;
    same_number.channel_number = same_number.channel_fd;
    terminal.terminal_fd = (int)must(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
    absent.file = "/nonexistent/program";
    in_part.table_size = 200;
    ignoring.ignored_signals = bit(SIGURG);
    with_cgroup.cgroup_fd = terminal.terminal_fd;
    struct curfew_spawn_request placed = full;
    const struct curfew_spawn_place place = {
        .streams = {terminal.terminal_fd, -1, -1}, .directory = "/", .new_session = true};
    placed.own_process_group = false;
    placed.place = &place;
    about("full request without a fault");
    check_exit(&full, 0);
    about("placed without a fault");
    check_exit(&placed, 0);

    const struct fault faults[] = {
        {"block signals", {{SYS_rt_sigprocmask, -1, 0, fails_with(EFAULT)}}, full, CURFEW_STAGE_CLONE, EFAULT},
        {"clone3 EAGAIN", {{SYS_clone3, -1, 0, fails_with(EAGAIN)}}, full, CURFEW_STAGE_CLONE, EAGAIN},
        {"both clones EPERM", {{SYS_clone3, -1, 0, fails_with(EPERM)}, {SYS_clone, -1, 0, fails_with(EPERM)}},
            full, CURFEW_STAGE_CLONE, EPERM},
        {"clone3 ENOMEM", {{SYS_clone3, -1, 0, fails_with(ENOMEM)}}, full, CURFEW_STAGE_CLONE, ENOMEM},
        {"a table in part", {{SYS_close_range, -1, 0, fails_with(EPERM)}}, in_part, CURFEW_STAGE_CLONE, EPERM},
        {"old clone", {{SYS_clone3, -1, 0, fails_with(ENOSYS)}, {SYS_clone, -1, 0, fails_with(EAGAIN)}},
            full, CURFEW_STAGE_CLONE, EAGAIN},
        {"old clone, handlers", {{SYS_clone3, -1, 0, fails_with(ENOSYS)}, {SYS_rt_sigaction, -1, 0, fails_with(EFAULT)}},
            full, CURFEW_STAGE_CLONE, EFAULT},
        {"old clone, cgroup", {{SYS_clone3, -1, 0, fails_with(ENOSYS)}}, with_cgroup, CURFEW_STAGE_CLONE, ENOTDIR},
        {"join", {{SYS_write, 0, (uint64_t)join_fd, fails_with(EIO)}}, full, CURFEW_STAGE_JOIN, EIO},
        {"setpgid", {{SYS_setpgid, -1, 0, fails_with(EPERM)}}, full, CURFEW_STAGE_GROUP, EPERM},
        {"ioctl", {{SYS_ioctl, -1, 0, fails_with(EIO)}}, terminal, CURFEW_STAGE_TERMINAL, EIO},
        {"dup3", {{SYS_dup3, -1, 0, fails_with(EBUSY)}}, full, CURFEW_STAGE_CHANNEL, EBUSY},
        {"fcntl", {{SYS_fcntl, 0, (uint64_t)full.channel_fd, fails_with(EBADF)}}, same_number, CURFEW_STAGE_CHANNEL, EBADF},
        {"bounding set EINVAL", {{SYS_prctl, 0, PR_CAPBSET_DROP, fails_with(EINVAL)}}, full, CURFEW_STAGE_PRIVILEGES, EINVAL},
        {"bounding set, its check", {{SYS_prctl, 0, PR_CAPBSET_DROP, fails_with(EPERM)}, {SYS_capget, -1, 0, fails_with(EFAULT)}},
            full, CURFEW_STAGE_PRIVILEGES, EPERM},
        {"ambient set", {{SYS_prctl, 0, PR_CAP_AMBIENT, fails_with(EINVAL)}}, full, CURFEW_STAGE_PRIVILEGES, EINVAL},
        {"capset", {{SYS_capset, -1, 0, fails_with(EPERM)}}, full, CURFEW_STAGE_PRIVILEGES, EPERM},
        {"no_new_privs", {{SYS_prctl, 0, PR_SET_NO_NEW_PRIVS, fails_with(EINVAL)}}, full, CURFEW_STAGE_PRIVILEGES, EINVAL},
        {"parent-death signal", {{SYS_prctl, 0, PR_SET_PDEATHSIG, fails_with(EINVAL)}}, full, CURFEW_STAGE_PRIVILEGES, EINVAL},
        {"ignored signal", {{SYS_rt_sigaction, 0, SIGURG, fails_with(EINVAL)}}, ignoring, CURFEW_STAGE_EXEC, EINVAL},
        {"child's mask", {{SYS_rt_sigprocmask, 1, 0, fails_with(EFAULT)}}, full, CURFEW_STAGE_EXEC, EFAULT},
        {"execve ENOMEM", {{SYS_execve, -1, 0, fails_with(ENOMEM)}}, full, CURFEW_STAGE_EXEC, ENOMEM},
        {"execve E2BIG", {{SYS_execve, -1, 0, fails_with(E2BIG)}}, full, CURFEW_STAGE_EXEC, E2BIG},
        {"execve EACCES", {{SYS_execve, -1, 0, fails_with(EACCES)}}, full, CURFEW_STAGE_EXEC, EACCES},
        {"execve ESTALE", {{SYS_execve, -1, 0, fails_with(ESTALE)}}, full, CURFEW_STAGE_EXEC, ENOENT},
        {"execve ENOEXEC twice", {{SYS_execve, -1, 0, fails_with(ENOEXEC)}}, full, CURFEW_STAGE_EXEC, ENOEXEC},
        {"setsid", {{SYS_setsid, -1, 0, fails_with(EPERM)}}, placed, CURFEW_STAGE_PLACE, EPERM},
        {"stream", {{SYS_dup3, 1, 0, fails_with(EMFILE)}}, placed, CURFEW_STAGE_PLACE, EMFILE},
        {"its terminal", {{SYS_ioctl, 1, TIOCSCTTY, fails_with(EPERM)}}, placed, CURFEW_STAGE_PLACE, EPERM},
        {"chdir", {{SYS_chdir, -1, 0, fails_with(EACCES)}}, placed, CURFEW_STAGE_PLACE, EACCES},
        {"waitid", {{SYS_waitid, -1, 0, fails_with(EINVAL)}}, absent, CURFEW_STAGE_EXEC, ENOENT},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        // The call that sets the child's mask is told by its second argument, the address of the mask in the request.
        struct fault fault = faults[i];
        static struct fault kept;
        kept = fault;
        if (kept.rules[0].call == SYS_rt_sigprocmask && kept.rules[0].argument == 1)
            kept.rules[0].value = (uint64_t)(uintptr_t)&kept.request.signal_mask;
        about("fault: %s", kept.name);
        in_helper(inject, &kept);
    }
    close(join_fd);
    close(full.channel_fd);
    close(terminal.terminal_fd);
}

// ---- in another place -----------------------------------------------------------------------

// What a shell in that place says of itself.
static void run_placed(const struct curfew_spawn_place *place, int from, const char *script, char *output, size_t size)
{
    char *arguments[] = {"sh", "-c", (char *)script, NULL};
    struct curfew_spawn_request request = plain_request("sh");
    request.argv = arguments;
    request.place = place;
    check_exit(&request, 0);
    ssize_t count = must(read(from, output, size - 1), "read");
    output[count] = 0;
}

static void test_place(void)
{
    int pipe_ends[2];
    char output[256], expected[64];
    must(pipe2(pipe_ends, O_CLOEXEC), "pipe2");
    about("streams and directory");
    int null = (int)must(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
    struct curfew_spawn_place place = {.streams = {null, pipe_ends[1], pipe_ends[1]}, .directory = "/usr"};
    run_placed(&place, pipe_ends[0], "cd -P . && pwd >&2 && cat", output, sizeof output);
    CHECK(strcmp(output, "/usr\n") == 0);

    about("the group stays the caller's without a session");
    snprintf(expected, sizeof expected, "%d\n", getpgrp());
    run_placed(&place, pipe_ends[0], "exec ps -o pgid= -p $$ | tr -d ' '", output, sizeof output);
    CHECK(strcmp(output, expected) == 0);

    about("a session and its terminal");
    int terminal = (int)must(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt");
    must(grantpt(terminal), "grantpt");
    must(unlockpt(terminal), "unlockpt");
    int inner = (int)must(open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC), "open the terminal");
    place = (struct curfew_spawn_place){.streams = {inner, pipe_ends[1], -1}, .new_session = true};
    run_placed(&place, pipe_ends[0], "test -t 0 && : < /dev/tty && echo its own", output, sizeof output);
    CHECK(strcmp(output, "its own\n") == 0);

    about("a umask, and limits");
    const struct curfew_spawn_limit limits[] = {{RLIMIT_NOFILE, 200, 300}, {RLIMIT_CORE, 0, 0}};
    place = (struct curfew_spawn_place){
        .streams = {null, pipe_ends[1], -1}, .sets_umask = true, .umask = 0027, .limits = limits, .limit_count = 2};
    run_placed(&place, pipe_ends[0], "umask; ulimit -Sn; ulimit -Hn; ulimit -Hc", output, sizeof output);
    CHECK(strcmp(output, "0027\n200\n300\n0\n") == 0);

    about("no such directory");
    place = (struct curfew_spawn_place){.streams = {-1, -1, -1}, .directory = "/nonexistent"};
    struct curfew_spawn_request request = plain_request("true");
    request.place = &place;
    check_failure(&request, CURFEW_STAGE_PLACE, ENOENT);

    about("a stream that isn't open");
    place = (struct curfew_spawn_place){.streams = {9999, -1, -1}};
    check_failure(&request, CURFEW_STAGE_PLACE, EBADF);

    about("a limit whose softer half is above its harder one");
    const struct curfew_spawn_limit wrong = {RLIMIT_NOFILE, 300, 200};
    place = (struct curfew_spawn_place){.streams = {-1, -1, -1}, .limits = &wrong, .limit_count = 1};
    check_failure(&request, CURFEW_STAGE_PLACE, EINVAL);

    close(null);
    close(inner);
    close(terminal);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

// ---- failures by themselves -----------------------------------------------------------------

static void test_bad_descriptors(void)
{
    const int bad = 9999;
    int null = (int)must(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
    int directory = (int)must(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "/");

    about("cgroup_fd isn't open");
    struct curfew_spawn_request request = plain_request("true");
    request.cgroup_fd = bad;
    check_failure(&request, CURFEW_STAGE_CLONE, EBADF);

    about("cgroup_fd isn't a cgroup");
    request.cgroup_fd = directory;
    check_failure(&request, CURFEW_STAGE_CLONE, EBADF);

    about("join_fd isn't open");
    request = plain_request("true");
    request.join_fds = &bad;
    request.join_count = 1;
    check_failure(&request, CURFEW_STAGE_JOIN, EBADF);

    about("the second join_fd isn't open");
    const int joins[] = {null, bad};
    request.join_fds = joins;
    request.join_count = 2;
    check_failure(&request, CURFEW_STAGE_JOIN, EBADF);

    about("terminal_fd isn't a terminal");
    request = plain_request("true");
    request.own_process_group = true;
    request.terminal_fd = null;
    check_failure(&request, CURFEW_STAGE_TERMINAL, ENOTTY);

    about("channel_fd isn't open");
    request = plain_request("true");
    request.channel_fd = bad;
    check_failure(&request, CURFEW_STAGE_CHANNEL, EBADF);

    about("channel_fd isn't open and keeps its number");
    request.channel_number = bad;
    check_failure(&request, CURFEW_STAGE_CHANNEL, EBADF);
    close(null);
    close(directory);
}

static void test_group_of_session_leader(const void *unused)
{
    // A session leader can't change its group, but its child can, and the child is who asks.
    (void)unused;
    setsid();
    struct curfew_spawn_request request = plain_request("true");
    request.own_process_group = true;
    check_exit(&request, 0);
}

static void become_nobody(void)
{
    if (geteuid() == 0) {
        must(setgid(NOBODY_UID), "setgid");
        must(setuid(NOBODY_UID), "setuid");
    }
    must(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "dumpable");   // else /proc/self belongs to root
}

static void out_of_processes(const void *unused)
{
    (void)unused;
    become_nobody();
    const struct rlimit none = {1, 1};
    must(setrlimit(RLIMIT_NPROC, &none), "RLIMIT_NPROC");
    struct curfew_spawn_request request = plain_request("true");
    check_failure(&request, CURFEW_STAGE_CLONE, EAGAIN);
}

static void out_of_descriptors(const void *unused)
{
    (void)unused;
    struct rlimit usual, tight;
    must(getrlimit(RLIMIT_NOFILE, &usual), "RLIMIT_NOFILE");
    struct state before = take_state();
    int lowest_free = dup(1);
    close(lowest_free);
    tight = usual;
    tight.rlim_cur = (rlim_t)lowest_free;
    must(setrlimit(RLIMIT_NOFILE, &tight), "RLIMIT_NOFILE");
    struct curfew_spawn_request request = plain_request("true");
    struct curfew_spawn_result result = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
    int stage = 0;
    int seen = curfew_spawn(&request, &result, &stage);
    must(setrlimit(RLIMIT_NOFILE, &usual), "RLIMIT_NOFILE");
    CHECK_EQ(seen, -EMFILE);
    CHECK_EQ(stage, CURFEW_STAGE_CLONE);
    CHECK_EQ(result.pid, UNTOUCHED);
    CHECK_EQ(result.pidfd, UNTOUCHED);
    check_same_state(&before);
}

static void stage_may_be_null(void)
{
    about("stage may be NULL");
    struct curfew_spawn_request request = plain_request("/nonexistent");
    struct curfew_spawn_result result;
    CHECK_EQ(curfew_spawn(&request, &result, NULL), -ENOENT);
}

// ---- execvp's search ------------------------------------------------------------------------

static void check_search_failure(const char *file, const char *path, int error)
{
    about("search for \"%.60s\" in \"%.60s\"", file, path ? path : "(null)");
    struct curfew_spawn_request request = plain_request(file);
    request.search_path = path;
    check_failure(&request, CURFEW_STAGE_EXEC, error);
}

static void check_search_success(const char *file, const char *path, int code)
{
    about("search for \"%.60s\" in \"%.60s\"", file, path ? path : "(null)");
    struct curfew_spawn_request request = plain_request(file);
    request.search_path = path;
    check_exit(&request, code);
}

static void make_search_directories(void)
{
    must(mkdir(scratch_path("plain"), 0755), "mkdir");
    must(mkdir(scratch_path("good"), 0755), "mkdir");
    must(mkdir(scratch_path("folder"), 0755), "mkdir");
    must(mkdir(scratch_path("folder/tool"), 0755), "mkdir");
    make_file(scratch_path("plain/tool"), "#!/bin/sh\nexit 3\n", 0644);
    make_file(scratch_path("plain/only"), "#!/bin/sh\nexit 3\n", 0644);
    make_file(scratch_path("good/tool"), "#!/bin/sh\nexit 7\n", 0755);
    make_file(scratch_path("good/text"), "[ \"$1\" = a ] && [ \"$2\" = 'b c' ] && [ $# = 2 ] && echo \"$0\" >&9\n", 0755);
    make_file(scratch_path("good/count"), "[ $# = 20000 ] && exit 5\nexit 6\n", 0755);
    make_file(scratch_path("good/orphan"), "#!/nonexistent/interpreter\n", 0755);
    make_file(scratch_path("good/noint"), "#!/\n", 0755);
}

static const char *path_of(const char *format, ...)
{
    // Replaces each @ by the scratch directory.
    static char path[8 * PATH_MAX];
    char pattern[2 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(pattern, sizeof pattern, format, arguments);
    va_end(arguments);
    size_t used = 0;
    for (const char *from = pattern; *from; from++)
        used += (size_t)snprintf(path + used, sizeof path - used, *from == '@' ? "%s" : "%.1s", *from == '@' ? scratch : from);
    path[used] = 0;
    return path;
}

static void search_here(const void *unused)
{
    (void)unused;
    must(chdir(scratch_path("good")), "chdir");
    check_search_success("tool", ":/nonexistent", 7);
    check_search_success("tool", "/nonexistent:", 7);
    check_search_success("tool", "/nonexistent::/bin", 7);
    check_search_success("tool", "", 7);
    check_search_success("./tool", "/nonexistent", 7);
}

static void test_search(void)
{
    char long_name[300], longest[PATH_MAX + 100];
    memset(long_name, 'n', sizeof long_name);
    long_name[sizeof long_name - 1] = 0;
    memset(longest, 'd', sizeof longest);
    longest[0] = '/';
    longest[sizeof longest - 1] = 0;
    make_search_directories();

    check_search_failure("", "/bin", ENOENT);
    check_search_failure("curfew-no-such-program", "/bin:/usr/bin", ENOENT);
    check_search_failure("curfew-no-such-program", NULL, ENOENT);
    check_search_failure("/nonexistent/program", "/bin", ENOENT);
    check_search_failure("nonexistent/program", "/bin", ENOENT);
    check_search_failure("/dev/null/program", "/bin", ENOTDIR);
    check_search_failure("true", "/nonexistent", ENOENT);
    check_search_failure("true", "/dev/null", ENOENT);
    check_search_failure("tool", path_of("@/plain"), EACCES);
    check_search_failure("tool", path_of("@/folder"), EACCES);
    check_search_failure("tool", path_of("@/plain:/nonexistent"), EACCES);
    check_search_failure("tool", path_of("/nonexistent:@/folder:@/plain"), EACCES);
    check_search_failure(scratch_path("plain/tool"), NULL, EACCES);
    check_search_failure("/", NULL, EACCES);
    check_search_failure(scratch, NULL, EACCES);
    check_search_failure(scratch_path("good/orphan"), NULL, ENOENT);
    check_search_failure(scratch_path("good/noint"), NULL, EACCES);
    check_search_failure(long_name, "/bin", ENAMETOOLONG);
    check_search_failure(longest + 1, "/bin", ENAMETOOLONG);
    check_search_failure(longest, "/bin", ENAMETOOLONG);
    check_search_failure("tool", longest, ENAMETOOLONG);
    check_search_failure("only", path_of("@/plain:%s", longest), EACCES);

    check_search_success("true", NULL, 0);
    check_search_success("false", "/bin:/usr/bin", 1);
    check_search_success("tool", path_of("/nonexistent:/dev/null:@/folder:@/plain:@/good"), 7);
    check_search_success("tool", path_of("%s:@/good", longest), 7);
    about("search in the current directory");
    in_helper(search_here, NULL);
}

// The longest path that fits and the first that doesn't: one byte decides.
static void test_search_limits(void)
{
    char directory[PATH_MAX + 8];
    for (int length = PATH_MAX - 7; length <= PATH_MAX - 3; length++) {
        memset(directory, '/', (size_t)length);
        memcpy(directory, "/bin", 4);
        directory[length] = 0;
        // directory + "/" + "true" + NUL
        if (length + 6 <= PATH_MAX)
            check_search_success("true", directory, 0);
        else
            check_search_failure("true", directory, ENAMETOOLONG);
    }
}

static void test_scripts(void)
{
    char output[PATH_MAX], expected[PATH_MAX + 300];
    static char *arguments[] = {"named otherwise", "a", "b c", NULL};
    snprintf(expected, sizeof expected, "%s\n", scratch_path("good/text"));

    about("text file by path");
    struct curfew_spawn_request request = plain_request(scratch_path("good/text"));
    request.argv = arguments;
    run_for_output(request, output, sizeof output);
    CHECK_TEXT(output, expected);

    about("text file by search");
    request.file = "text";
    request.search_path = path_of("/nonexistent:@/good");
    run_for_output(request, output, sizeof output);
    CHECK_TEXT(output, expected);

    about("text file with 20000 arguments");
    static char *many[20002];
    many[0] = "count";
    for (int i = 1; i <= 20000; i++)
        many[i] = "x";
    request = plain_request(scratch_path("good/count"));
    request.argv = many;
    check_exit(&request, 5);

    about("text file without even a name in argv");
    static char *none[] = {NULL};
    request.argv = none;
    check_exit(&request, 6);
}

// ---- what the child is born with ------------------------------------------------------------

static void expected_descriptors(char *text, size_t size)
{
    int numbers[256];
    int count = list_descriptors(numbers, 256);
    size_t used = 0;
    bool channel_listed = false;
    text[0] = 0;
    for (int i = 0; i <= count; i++) {
        if (!channel_listed && (i == count || numbers[i] >= CHANNEL)) {
            used += (size_t)snprintf(text + used, size - used, " %d", CHANNEL);
            channel_listed = true;
        }
        if (i < count && numbers[i] != CHANNEL && !(fcntl(numbers[i], F_GETFD) & FD_CLOEXEC))
            used += (size_t)snprintf(text + used, size - used, " %d", numbers[i]);
    }
}

static void handler(int signal)
{
    (void)signal;
}

static struct curfew_spawn_request report_request(void)
{
    static char *environment[] = {"COLOUR=blue", "EMPTY=", NULL};
    struct curfew_spawn_request request = plain_request(self);
    request.argv = report_arguments;
    request.envp = environment;
    return request;
}

static void born(const void *old_clone)
{
    const uint64_t callers_mask = bit(SIGUSR1) | bit(SIGTERM) | bit(SIGTTOU) | bit(33) | bit(64);
    char text[16384], line[8192], expected[1024];
    signal(SIGWINCH, SIG_IGN);
    signal(SIGURG, SIG_IGN);
    signal(SIGUSR2, handler);
    signal(SIGRTMAX, handler);
    curfew_set_signal_mask(callers_mask, NULL);
    must(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
    if (old_clone)
        refuse_clone3(*(const int *)old_clone);

    struct curfew_spawn_request request = report_request();
    request.signal_mask = bit(SIGHUP) | bit(32) | bit(34) | bit(63);
    expected_descriptors(expected, sizeof expected);
    run_for_output(request, text, sizeof text);
    CHECK_EQ(status_field(text, "SigBlk", 16), request.signal_mask);
    uint64_t ignored = status_field(text, "SigIgn", 16), caught = status_field(text, "SigCgt", 16);
    CHECK_EQ(ignored & (bit(SIGWINCH) | bit(SIGURG) | bit(SIGUSR2)), bit(SIGWINCH) | bit(SIGURG));
    CHECK_EQ(caught & (bit(SIGUSR2) | bit(64)), 0);
    CHECK_EQ(status_field(text, "group", 10), getpgrp());
    CHECK_EQ(status_field(text, "parent", 10), getpid());
    line_of(text, "argv", line, sizeof line);
    CHECK_TEXT(line, "<report><--report><one two><><three>");
    line_of(text, "env", line, sizeof line);
    CHECK_TEXT(line, "<COLOUR=blue><EMPTY=>");
    line_of(text, "fds", line, sizeof line);
    CHECK_TEXT(line, expected);
    CHECK_EQ(status_field(text, "NoNewPrivs", 10), old_clone ? 1 : 0);
    uint64_t mask = 0;
    curfew_set_signal_mask(0, &mask);
    CHECK_EQ(mask, callers_mask);

    request.ignored_signals = bit(SIGCHLD) | bit(64);
    request.default_signals = bit(SIGURG);
    request.own_process_group = true;
    request.no_new_privs = true;
    request.drop_capabilities = true;
    request.signal_mask = ~UINT64_C(0);
    run_for_output(request, text, sizeof text);
    ignored = status_field(text, "SigIgn", 16);
    CHECK_EQ(ignored & (bit(SIGCHLD) | bit(64) | bit(SIGWINCH) | bit(SIGUSR2)), bit(SIGCHLD) | bit(64) | bit(SIGWINCH));
    CHECK_EQ(ignored & bit(SIGURG), 0);
    CHECK_EQ(curfew_signal_is_ignored(SIGCHLD), 0);
    CHECK_EQ(curfew_signal_is_ignored(SIGURG), 1);
    CHECK_EQ(status_field(text, "group", 10), status_field(text, "pid", 10));
    CHECK_EQ(status_field(text, "NoNewPrivs", 10), 1);
    CHECK_EQ(status_field(text, "SigBlk", 16), ~(bit(SIGKILL) | bit(SIGSTOP)));
    const char *const sets[] = {"CapInh", "CapPrm", "CapEff", "CapAmb"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (!CHECK_EQ(status_field(text, sets[i], 16), 0))
            dprintf(1, "  in %s\n", sets[i]);
}

// EPERM in spite of CAP_SETPCAP is an error, whatever else is asked for.
static void bounding_refused(const void *unused)
{
    (void)unused;
    const struct rule rule = {SYS_prctl, 0, PR_CAPBSET_DROP, fails_with(EPERM)};
    struct curfew_spawn_request request = plain_request("true");
    request.drop_capabilities = true;
    request.no_new_privs = true;
    install_rules(&rule, 1);
    check_failure(&request, CURFEW_STAGE_PRIVILEGES, EPERM);
}

// With CAP_SETPCAP the bounding set goes too, and without no_new_privs uid 0 doesn't get anything back.
static void test_drop_bounding(void)
{
    about("bounding set");
    char status[8192], text[16384];
    read_text("/proc/self/status", status, sizeof status);
    if (!(status_field(status, "CapEff", 16) >> 8 & 1))
        return skip("needs CAP_SETPCAP");
    struct curfew_spawn_request request = report_request();
    request.drop_capabilities = true;
    run_for_output(request, text, sizeof text);
    CHECK_EQ(status_field(text, "CapBnd", 16), 0);
    CHECK_EQ(status_field(text, "CapPrm", 16), 0);
    CHECK_EQ(status_field(text, "CapEff", 16), 0);
    CHECK_EQ(status_field(text, "NoNewPrivs", 10), 0);
    char after[8192];
    read_text("/proc/self/status", after, sizeof after);
    CHECK_EQ(status_field(after, "CapEff", 16), status_field(status, "CapEff", 16));
    CHECK_EQ(status_field(after, "CapBnd", 16), status_field(status, "CapBnd", 16));
    about("bounding set, EPERM");
    in_helper(bounding_refused, NULL);
}

static void drop_as_nobody(const void *unused)
{
    (void)unused;
    become_nobody();
    char text[8192], *arguments[] = {"cat", "/proc/self/status", NULL};
    struct curfew_spawn_request request = plain_request("cat");
    request.argv = arguments;
    request.channel_number = 1;
    request.drop_capabilities = true;
    run_for_output(request, text, sizeof text);
    CHECK_EQ(status_field(text, "CapEff", 16), 0);
    CHECK_EQ(status_field(text, "CapPrm", 16), 0);
}

static void drop_as_root_without_setpcap(const void *unused)
{
    (void)unused;
    char text[16384];
    const int kept[] = {CURFEW_STAGE_CLONE, 5};   // any but CAP_SETPCAP (8): CAP_DAC_OVERRIDE and CAP_KILL
    CHECK_EQ(curfew_capabilities_keep(kept, 2), 0);
    struct curfew_spawn_request request = report_request();
    request.drop_capabilities = true;
    check_failure(&request, CURFEW_STAGE_PRIVILEGES, EPERM);
    request.no_new_privs = true;
    run_for_output(request, text, sizeof text);
    CHECK_EQ(status_field(text, "CapPrm", 16), 0);
    CHECK_EQ(status_field(text, "CapEff", 16), 0);
}

static void keeps_channel_number(void)
{
    about("channel keeps its number, which is CLOEXEC here");
    int pipe_ends[2];
    char text[64], script[64], *arguments[] = {"sh", "-c", script, NULL};
    must(pipe2(pipe_ends, O_CLOEXEC), "pipe2");
    snprintf(script, sizeof script, "echo hello >&%d", pipe_ends[1]);
    struct curfew_spawn_request request = plain_request("sh");
    request.argv = arguments;
    request.channel_fd = request.channel_number = pipe_ends[1];
    check_exit(&request, 0);
    CHECK_EQ(fcntl(pipe_ends[1], F_GETFD), FD_CLOEXEC);
    close(pipe_ends[1]);
    read_to_end(pipe_ends[0], text, sizeof text);
    CHECK_TEXT(text, "hello\n");
    close(pipe_ends[0]);
}

// ---- a signal between clone and execve --------------------------------------------------------

static volatile sig_atomic_t handled, handled_elsewhere;
static pid_t handling_pid;

static void count_signal(int signal)
{
    (void)signal;
    handled = handled + 1;
    if (syscall(SYS_getpid) != handling_pid)
        handled_elsewhere = 1;
}

// The child's write to its "cgroup" is a write to a socket whose owner, our whole group, is signalled for it. So the
// child has a signal pending when it lets them in; our handler must not run in it, where it would run in our memory.
static void signal_before_execution(const void *old_clone)
{
    int pair[2];
    must(setpgid(0, 0), "setpgid");
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), "socketpair");
    must(fcntl(pair[0], F_SETOWN, -getpgrp()), "F_SETOWN");
    must(fcntl(pair[0], F_SETSIG, SIGUSR2), "F_SETSIG");
    must(fcntl(pair[0], F_SETFL, O_ASYNC), "O_ASYNC");
    handling_pid = getpid();
    signal(SIGUSR2, count_signal);
    if (old_clone)
        refuse_clone3(*(const int *)old_clone);
    struct curfew_spawn_request request = plain_request("true");
    request.join_fds = &pair[1];
    request.join_count = 1;
    struct curfew_wait_info info = run_to_end(&request);
    CHECK_EQ(info.code, CLD_KILLED);
    CHECK_EQ(info.status, SIGUSR2);
    CHECK_EQ(handled, 1);
    CHECK_EQ(handled_elsewhere, 0);
}

// ---- who was started is known before it runs ---------------------------------------------------

static int wait_for_note(const volatile pid_t *pid)
{
    for (int i = 0; i < 20000 && *pid == 0; i++)
        usleep(1000);  // a moment, then it is looked at again
    return *pid;
}

// The child waits for room in its "cgroup", a pipe: until there is some the caller can do nothing.
static void noted_before_execution(const void *old_clone)
{
    int held[2], told[2];
    static char filling[65536];
    const size_t size = sizeof(struct curfew_spawn_note);
    struct curfew_spawn_note *note = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(pipe2(held, O_CLOEXEC), "pipe2");
    must(pipe2(told, O_CLOEXEC), "pipe2");
    must(fcntl(held[1], F_SETPIPE_SZ, sizeof filling), "F_SETPIPE_SZ");
    must((int)write(held[1], filling, sizeof filling), "fill the pipe");
    pid_t caller = (pid_t)must(fork(), "fork");
    if (caller == 0) {
        if (old_clone)
            refuse_clone3(*(const int *)old_clone);
        struct curfew_spawn_request request = plain_request("true");
        struct curfew_spawn_result result;
        request.join_fds = &held[1];
        request.join_count = 1;
        request.own_process_group = true;
        request.note = note;
        if (curfew_spawn(&request, &result, NULL) == 0)
            must((int)write(told[1], &result.pid, sizeof result.pid), "tell");
        _exit(0);
    }
    pid_t noted = wait_for_note(&note->pid), started = 0;
    CHECK(noted > 0);
    // The kernel notes the first, the child the second.
    CHECK_EQ(wait_for_note(&note->group), noted);
    must((int)read(held[0], filling, sizeof filling), "make room");
    must((int)read(told[0], &started, sizeof started), "read");
    CHECK_EQ(started, noted);
    must(waitpid(caller, NULL, 0), "waitpid");
}

// Nor is a group noted that the child didn't get, or anything of one that couldn't be started.
static void note_of_what_was_not_started(void)
{
    struct curfew_spawn_note note = {0};
    struct curfew_spawn_request request = plain_request("true");
    request.note = &note;
    struct curfew_wait_info info = run_to_end(&request);
    CHECK_EQ(note.pid, info.pid);
    CHECK_EQ(note.group, 0);
    request.file = "/nonexistent/program";
    request.own_process_group = true;
    CHECK_EQ(curfew_spawn(&request, &(struct curfew_spawn_result){0}, NULL), -ENOENT);
    CHECK_EQ(note.pid, 0);
    CHECK_EQ(note.group, 0);
}

// ---- from many threads --------------------------------------------------------------------------

static void *spawn_repeatedly(void *argument)
{
    int code = (int)(intptr_t)argument;
    char script[32], *arguments[] = {"sh", "-c", script, NULL};
    snprintf(script, sizeof script, "exit %d", code);
    for (int i = 0; i < 25; i++) {
        struct curfew_spawn_request request = plain_request(i % 3 ? "sh" : "curfew-no-such-program");
        struct curfew_spawn_result result;
        request.argv = arguments;
        int seen = curfew_spawn(&request, &result, NULL);
        CHECK_EQ(seen, i % 3 ? 0 : -ENOENT);
        if (seen)
            continue;
        struct curfew_wait_info info = end_of(result.pidfd);
        close(result.pidfd);
        CHECK_EQ(info.pid, result.pid);
        CHECK_EQ(info.status, code);
        must((int)write(progress[1], "", 1), "write");
    }
    return NULL;
}

static void many_threads(const void *unused)
{
    (void)unused;
    pthread_t threads[6];
    struct state before = take_state();
    for (int i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, spawn_repeatedly, (void *)(intptr_t)(10 + i));
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    check_same_state(&before);
}

// ---- cgroup -------------------------------------------------------------------------------------

// The directory of our own cgroup v2, or false. Source: proc_pid_mountinfo(5), cgroups(7).
static bool own_cgroup(char *directory, size_t size, char *path, size_t path_size)
{
    char mounts[65536], cgroups[8192];
    read_text("/proc/self/mountinfo", mounts, sizeof mounts);
    read_text("/proc/self/cgroup", cgroups, sizeof cgroups);
    const char *at = !strncmp(cgroups, "0::", 3) ? cgroups : strstr(cgroups, "\n0::");
    if (!at)
        return false;
    at = strstr(at, "0::") + 3;
    snprintf(path, path_size, "%.*s", (int)strcspn(at, "\n"), at);
    for (char *line = strtok(mounts, "\n"); line; line = strtok(NULL, "\n")) {
        char root[1024], mount[1024];
        if (strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %1023s %1023s", root, mount) == 2 && !strcmp(root, "/")) {
            snprintf(directory, size, "%s%s", mount, strcmp(path, "/") ? path : "");
            return true;
        }
    }
    return false;
}

static void born_in_cgroup(const void *old_clone)
{
    char parent[3072], path[1024], directory[4096], text[16384], expected[2048];
    if (!own_cgroup(parent, sizeof parent, path, sizeof path))
        return skip("no cgroup v2 mount, or none that shows our cgroup");
    const char *name = old_clone ? "old" : "new";
    snprintf(directory, sizeof directory, "%s/curfew-shim-test-%d-%s", parent, getpid(), name);
    if (mkdir(directory, 0755))
        return skip("no cgroup v2 that we may write to");
    snprintf(expected, sizeof expected, "0::%s/curfew-shim-test-%d-%s\n", strcmp(path, "/") ? path : "", getpid(), name);
    int fd = (int)must(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory);
    if (old_clone)
        refuse_clone3(*(const int *)old_clone);
    struct curfew_spawn_request request = report_request();
    request.cgroup_fd = fd;
    run_for_output(request, text, sizeof text);
    CHECK(strstr(text, expected) != NULL);
    must(rmdir(directory), "rmdir of our cgroup");
    about("cgroup_fd is a removed cgroup");
    check_failure(&request, CURFEW_STAGE_CLONE, ENOENT);
    close(fd);
}

// ---- terminal -----------------------------------------------------------------------------------

// What is copied of the caller's table, and that the caller's stays as it is.
static void copies_table_in_part(const void *old_clone)
{
    char text[16384], line[8192];
    const int low = (int)must(fcntl(0, F_DUPFD, 100), "F_DUPFD"), high = (int)must(fcntl(0, F_DUPFD, 200), "F_DUPFD");
    CHECK(curfew_can_copy_descriptors_in_part());
    if (old_clone)
        refuse_clone3(*(const int *)old_clone);
    struct state before = take_state();
    struct curfew_spawn_request request = report_request();
    request.table_size = high;
    run_for_output(request, text, sizeof text);
    line_of(text, "fds", line, sizeof line);
    CHECK(strstr(line, " 100") != NULL);
    // The old clone can't share: all is copied, as ever.
    CHECK_EQ(strstr(line, " 200") != NULL, old_clone != NULL);
    check_same_state(&before);
    close(low);
    close(high);
}

// Some sandboxes know no close_range.
static void cannot_copy_in_part(const void *unused)
{
    (void)unused;
    const struct rule rule = {SYS_close_range, -1, 0, fails_with(ENOSYS)};
    install_rules(&rule, 1);
    CHECK(!curfew_can_copy_descriptors_in_part());
}

static int open_pseudo_terminal(int *slave)
{
    int master = (int)must(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt");
    must(grantpt(master), "grantpt");
    must(unlockpt(master), "unlockpt");
    *slave = (int)must(open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC), "the pseudo terminal");
    return master;
}

static void takes_terminal(const void *unused)
{
    (void)unused;
    int slave, pair[2];
    setsid();
    CHECK_EQ(curfew_terminal_open(), -ENXIO);
    int master = open_pseudo_terminal(&slave);
    must(ioctl(slave, TIOCSCTTY, 0), "TIOCSCTTY");
    int terminal = (int)must(curfew_terminal_open(), "curfew_terminal_open");
    CHECK_EQ(fcntl(terminal, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(curfew_is_terminal(slave), 1);
    CHECK_EQ(curfew_terminal_foreground_group(terminal), getpid());

    char byte, *arguments[] = {"hold", "--hold", NULL};
    must(dup3(terminal, CHANNEL, O_CLOEXEC), "dup3");    // before the pair, which could be given this number
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), "socketpair");
    struct curfew_spawn_request request = plain_request(self);
    request.argv = arguments;
    request.own_process_group = true;
    request.terminal_fd = CHANNEL;    // the channel takes this number, but only afterwards
    request.channel_fd = pair[1];
    struct curfew_spawn_result result;
    if (!CHECK_EQ(curfew_spawn(&request, &result, NULL), 0))
        return;
    close(pair[1]);
    CHECK(readable(pair[0]) && read(pair[0], &byte, 1) == 1);
    CHECK_EQ(curfew_terminal_foreground_group(terminal), result.pid);
    curfew_set_signal_mask(bit(SIGTTOU), NULL);
    CHECK_EQ(curfew_terminal_set_foreground_group(terminal, getpid()), 0);
    CHECK_EQ(curfew_terminal_foreground_group(terminal), getpid());
    close(pair[0]);
    CHECK_EQ(end_of(result.pidfd).status, 0);
    close(result.pidfd);
    close(terminal);
    signal(SIGHUP, SIG_IGN);   // what a session leader gets when its terminal goes
    close(slave);
    close(master);
}

static void creates_no_terminal(const void *argument)
{
    const struct rule *rule = argument;
    int inner = UNTOUCHED;
    install_rules(rule, 1);
    // The lowest free number, before and after: nothing can be opened to look.
    int before = fcntl(0, F_DUPFD_CLOEXEC, 0), after;
    close(before);
    CHECK_EQ(curfew_terminal_create(&inner), -(int)(rule->action & SECCOMP_RET_DATA));
    CHECK_EQ(inner, UNTOUCHED);
    after = fcntl(0, F_DUPFD_CLOEXEC, 0);
    CHECK_EQ(after, before);
    close(after);
}

static void test_new_terminal(void)
{
    char text[8] = "";
    int inner = UNTOUCHED;
    about("a new terminal");
    int outer = (int)must(curfew_terminal_create(&inner), "curfew_terminal_create");
    CHECK_EQ(fcntl(outer, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(fcntl(inner, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(curfew_is_terminal(inner), 1);
    must((int)write(outer, "ab\n", 3), "write");
    CHECK_EQ(read(inner, text, sizeof text), 3);
    CHECK(strcmp(text, "ab\n") == 0);
    close(inner);
    close(outer);
    const struct rule rules[] = {
        {SYS_openat, -1, 0, fails_with(ENFILE)},
        {SYS_ioctl, 1, TIOCSPTLCK, fails_with(EIO)},
        {SYS_ioctl, 1, TIOCGPTPEER, fails_with(EINVAL)},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        about("a new terminal, call %zu fails", i + 1);
        in_helper(creates_no_terminal, &rules[i]);
    }
}

static void test_not_a_terminal(void)
{
    about("not a terminal");
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    CHECK_EQ(curfew_is_terminal(null), 0);
    CHECK_EQ(curfew_is_terminal(9999), 0);
    CHECK_EQ(curfew_terminal_foreground_group(null), -ENOTTY);
    CHECK_EQ(curfew_terminal_set_foreground_group(null, getpid()), -ENOTTY);
    close(null);
}

// ---- fork, wait, signals ------------------------------------------------------------------------

// Waits for SIGCHLD, which must be blocked, until the child has stopped.
static bool await_stop(pid_t pid)
{
    sigset_t set;
    const struct timespec deadline = {DEADLINE_MS / 1000, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (;;) {
        struct curfew_wait_info info;
        CHECK_EQ(curfew_waitid(BY_PID, pid, WSTOPPED | WNOHANG, &info), 0);
        if (info.pid)
            return CHECK_EQ(info.code, CLD_STOPPED) && CHECK_EQ(info.status, SIGSTOP) && CHECK_EQ(info.cpu_microseconds, 0);
        if (sigtimedwait(&set, NULL, &deadline) < 0)
            return CHECK(!"the child stopped before the deadline");
    }
}

// Its child ends while it is stopped; as the child's exit signal is SIGCONT, that wakes it.
static _Noreturn void stopped_parent(int fd)
{
    char byte;
    int pid = curfew_fork(SIGCONT);
    if (pid == 0) {
        curfew_set_parent_death_signal(SIGKILL);
        curfew_exit(read(fd, &byte, 1) == 1 ? 7 : 8);
    }
    CHECK(pid > 0);
    kill(getpid(), SIGSTOP);
    struct curfew_wait_info info = {0};
    CHECK_EQ(curfew_waitid(BY_PID, pid, WEXITED, &info), -ECHILD);   // not an ordinary child
    CHECK_EQ(curfew_waitid(BY_PID, pid, WEXITED | __WALL, &info), 0);
    CHECK_EQ(info.pid, pid);
    CHECK_EQ(info.code, CLD_EXITED);
    CHECK_EQ(info.status, 7);
    _exit(0);
}

static void test_fork(void)
{
    about("curfew_fork");
    uint64_t old;
    int pipe_ends[2];
    must(pipe2(pipe_ends, O_CLOEXEC), "pipe2");
    curfew_set_signal_mask(bit(SIGCHLD), &old);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pipe_ends[1]);
        stopped_parent(pipe_ends[0]);
    }
    int pidfd = (int)must(curfew_pidfd_open(pid), "pidfd_open");
    if (await_stop(pid))
        must(write(pipe_ends[1], "x", 1), "write");
    else
        kill(pid, SIGKILL);
    CHECK_EQ(end_of(pidfd).status, 0);
    curfew_set_signal_mask(old, NULL);
    close(pidfd);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

static void test_parent_of_pidfd(void)
{
    about("the parent of a pidfd");
    int own = (int)must(curfew_pidfd_open(getpid()), "pidfd_open");
    int parent = curfew_pidfd_parent(own);
    close(own);
    if (parent == -ENOTTY || parent == -EINVAL)
        return skip("PIDFD_GET_INFO needs Linux 6.13");
    CHECK_EQ(parent, getppid());
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    int pidfd = (int)must(curfew_pidfd_open(must(pid, "fork")), "pidfd_open");
    CHECK(readable(pidfd));
    CHECK_EQ(curfew_pidfd_parent(pidfd), getpid());
    CHECK_EQ(end_of(pidfd).status, 0);
    CHECK_EQ(curfew_pidfd_parent(pidfd), -ESRCH);
    close(pidfd);
    CHECK_EQ(curfew_pidfd_parent(-1), -EBADF);
    uint64_t number = 0;
    CHECK_EQ(curfew_own_cgroup(&number), 0);
    CHECK(number > 0);
    CHECK_EQ(curfew_is_cgroup("/proc", number), -EXDEV);
    CHECK_EQ(curfew_is_cgroup("/nowhere", number), -ENOENT);
}

static void test_waitid(void)
{
    about("curfew_waitid");
    char byte, *arguments[] = {"hold", "--hold", NULL};
    int pair[2];
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), "socketpair");
    struct curfew_spawn_request request = plain_request(self);
    request.argv = arguments;
    request.channel_fd = pair[1];
    struct curfew_spawn_result result;
    if (!CHECK_EQ(curfew_spawn(&request, &result, NULL), 0))
        return;
    close(pair[1]);
    CHECK(readable(pair[0]) && read(pair[0], &byte, 1) == 1);
    struct curfew_wait_info info = {UNTOUCHED, 1, 1, 1, 1};
    CHECK_EQ(curfew_waitid(BY_PIDFD, result.pidfd, WEXITED | WNOHANG, &info), 0);
    CHECK_EQ(info.pid, 0);
    CHECK_EQ(curfew_pidfd_send_signal(result.pidfd, SIGTERM), 0);
    CHECK(readable(result.pidfd));
    CHECK_EQ(curfew_waitid(BY_PIDFD, result.pidfd, WEXITED | WNOWAIT, &info), 0);
    CHECK_EQ(info.pid, result.pid);
    info = end_of(result.pidfd);
    CHECK_EQ(info.code, CLD_KILLED);
    CHECK_EQ(info.status, SIGTERM);
    CHECK(info.cpu_microseconds > 0 && info.cpu_microseconds < 60 * 1000000LL);
    CHECK(info.max_rss_kib > 0);
    info.pid = UNTOUCHED;
    CHECK_EQ(curfew_waitid(BY_PIDFD, result.pidfd, WEXITED, &info), -ECHILD);
    CHECK_EQ(info.pid, UNTOUCHED);
    CHECK_EQ(curfew_pidfd_send_signal(result.pidfd, 0), -ESRCH);
    close(result.pidfd);
    close(pair[0]);
}

static void signals(const void *unused)
{
    (void)unused;
    uint64_t old = 0;
    struct curfew_signal_info info = {0};
    CHECK_EQ(curfew_set_signal_mask(~UINT64_C(0), &old), 0);
    CHECK_EQ(curfew_set_signal_mask(~UINT64_C(0), &old), 0);
    CHECK_EQ(old, ~(bit(SIGKILL) | bit(SIGSTOP)));

    CHECK_EQ(sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = -12345}), 0);
    CHECK_EQ(curfew_wait_signal(bit(SIGRTMIN + 3), &info), 0);
    CHECK_EQ(info.signal, SIGRTMIN + 3);
    CHECK_EQ(info.code, SI_QUEUE);
    CHECK_EQ(info.pid, getpid());

    int fd = (int)must(curfew_signalfd(bit(SIGUSR1) | bit(33) | bit(SIGCHLD)), "signalfd");
    CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(curfew_signalfd_read(fd, &info), 0);
    CHECK_EQ(curfew_kill(getpid(), SIGUSR1), 0);
    CHECK_EQ(curfew_signalfd_read(fd, &info), 1);
    CHECK_EQ(info.signal, SIGUSR1);
    CHECK_EQ(info.code, SI_USER);
    CHECK_EQ(info.pid, getpid());
    CHECK_EQ(curfew_kill(getpid(), 33), 0);   // hidden by glibc
    CHECK_EQ(curfew_signalfd_read(fd, &info), 1);
    CHECK_EQ(info.signal, 33);

    pid_t pid = fork();
    if (pid == 0)
        _exit(3);
    CHECK(readable(fd));
    CHECK_EQ(curfew_signalfd_read(fd, &info), 1);
    CHECK_EQ(info.signal, SIGCHLD);
    CHECK_EQ(info.code, CLD_EXITED);
    CHECK_EQ(info.pid, pid);
    struct curfew_wait_info end;
    CHECK_EQ(curfew_waitid(BY_PID, pid, WEXITED, &end), 0);
    CHECK_EQ(curfew_signalfd_read(9999, &info), -EBADF);

    // And a siginfo without sender, whose other fields lie where it would.
    pid = fork();
    if (pid == 0)
        _exit(3);
    CHECK_EQ(curfew_wait_signal(bit(SIGCHLD), &info), 0);
    CHECK_EQ(info.pid, pid);
    CHECK_EQ(curfew_waitid(BY_PID, pid, WEXITED, &end), 0);
    int pair[2];
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), "socketpair");
    must(fcntl(pair[0], F_SETOWN, getpid()), "F_SETOWN");
    must(fcntl(pair[0], F_SETSIG, SIGRTMIN), "F_SETSIG");
    must(fcntl(pair[0], F_SETFL, O_ASYNC), "O_ASYNC");
    must(write(pair[1], "x", 1), "write");
    CHECK_EQ(curfew_wait_signal(bit(SIGRTMIN), &info), 0);
    CHECK_EQ(info.signal, SIGRTMIN);
    CHECK_EQ(info.code, 1);    // POLL_IN
    CHECK_EQ(info.pid, 0);
    CHECK_EQ(curfew_kill(pid, 0), -ESRCH);

    signal(SIGUSR2, SIG_IGN);
    CHECK_EQ(curfew_signal_is_ignored(SIGUSR2), 1);
    CHECK_EQ(curfew_signal_default(SIGUSR2), 1);
    CHECK_EQ(curfew_signal_default(SIGUSR2), 0);
    CHECK_EQ(curfew_signal_is_ignored(SIGUSR2), 0);
    // A caller may have left any signal ignored, so this one is set first.
    signal(SIGRTMIN, SIG_DFL);
    CHECK_EQ(curfew_signal_is_ignored(SIGRTMIN), 0);
    CHECK_EQ(curfew_signal_is_ignored(65), -EINVAL);
    CHECK_EQ(curfew_signal_default(SIGKILL), -EINVAL);
}

static void own_process(const void *unused)
{
    (void)unused;
    char name[32] = "";
    int value = 0;
    CHECK_EQ(curfew_set_name("a name of more than 15 bytes"), 0);
    prctl(PR_GET_NAME, name);
    CHECK_TEXT(name, "a name of more ");
    CHECK_EQ(curfew_set_subreaper(), 0);
    prctl(PR_GET_CHILD_SUBREAPER, &value);
    CHECK_EQ(value, 1);
    CHECK_EQ(curfew_set_parent_death_signal(SIGUSR1), 0);
    prctl(PR_GET_PDEATHSIG, &value);
    CHECK_EQ(value, SIGUSR1);
    CHECK_EQ(curfew_set_parent_death_signal(SIGKILL), 0);
    CHECK_EQ(curfew_set_timer_slack(1234), 0);
    CHECK_EQ(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), 1234);
    CHECK_EQ(curfew_set_dumpable(false), 0);
    CHECK_EQ(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
    CHECK_EQ(curfew_set_dumpable(true), 0);
    CHECK_EQ(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 1);
}

static void test_core_dumps(void)
{
    about("core dumps");
    pid_t pid = fork();
    if (pid == 0) {
        must(chdir(scratch), "chdir");
        const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
        setrlimit(RLIMIT_CORE, &unlimited);
        CHECK_EQ(curfew_disable_core_dumps(), 0);
        curfew_signal_default(SIGQUIT);
        kill(getpid(), SIGQUIT);
        _exit(0);
    }
    int pidfd = (int)must(curfew_pidfd_open(pid), "pidfd_open");
    struct curfew_wait_info info = end_of(pidfd);
    CHECK_EQ(info.code, CLD_KILLED);
    CHECK_EQ(info.status, SIGQUIT);
    close(pidfd);
}

static void test_time(void)
{
    about("time");
    struct curfew_ready ready[4];
    int64_t now = curfew_monotonic_nanoseconds();
    CHECK(now > 0 && curfew_realtime_nanoseconds() > INT64_C(1500000000) * 1000000000);
    int timer = (int)must(curfew_timerfd(), "timerfd"), epoll = (int)must(curfew_epoll_create(), "epoll");
    CHECK_EQ(fcntl(timer, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(fcntl(epoll, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(curfew_epoll_add(epoll, timer, EPOLLIN, UINT64_C(0xfedcba9876543210)), 0);
    CHECK_EQ(curfew_epoll_add(epoll, timer, EPOLLIN, 1), -EEXIST);
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, 0), 0);
    CHECK_EQ(curfew_timerfd_set(timer, now + 20000000), 0);
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, DEADLINE_MS), 1);
    CHECK(curfew_monotonic_nanoseconds() >= now + 20000000);
    CHECK_EQ(ready[0].token, UINT64_C(0xfedcba9876543210));
    CHECK_EQ(ready[0].events, EPOLLIN);
    CHECK_EQ(curfew_timerfd_set(timer, 0), 0);
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, 0), 0);
    CHECK_EQ(curfew_timerfd_set(timer, 1), 0);    // long past: at once
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, DEADLINE_MS), 1);
    CHECK_EQ(curfew_epoll_modify(epoll, timer, 0, 2), 0);
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, 0), 0);
    CHECK_EQ(curfew_timerfd_set(timer, INT64_MIN), 0);
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 0, 0), -EINVAL);
    CHECK_EQ(curfew_epoll_remove(epoll, timer), 0);
    CHECK_EQ(curfew_epoll_remove(epoll, timer), -ENOENT);
    close(timer);
    int wall = (int)must(curfew_wall_timerfd(), "wall timerfd");
    CHECK_EQ(fcntl(wall, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(curfew_epoll_add(epoll, wall, EPOLLIN, 1), 0);
    int64_t wall_now = curfew_realtime_nanoseconds() / 1000;
    CHECK_EQ(curfew_wall_timerfd_set(wall, wall_now + INT64_C(3600000000)), 0);
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, 0), 0);
    CHECK_EQ(curfew_wall_timerfd_set(wall, wall_now + 20000), 0);
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, DEADLINE_MS), 1);
    CHECK(curfew_realtime_nanoseconds() / 1000 >= wall_now + 20000);
    CHECK_EQ(curfew_wall_timerfd_set(wall, INT64_MAX), 0);    // never
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, 0), 0);
    CHECK_EQ(curfew_wall_timerfd_set(wall, 0), 0);    // long past, as 1970 is: at once
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, DEADLINE_MS), 1);
    CHECK_EQ(curfew_wall_timerfd_set(wall, -1), 0);
    CHECK_EQ(curfew_epoll_wait(epoll, ready, 4, DEADLINE_MS), 1);
    close(wall);
    close(epoll);
}

static void interrupted_wait(const void *unused)
{
    (void)unused;
    struct curfew_ready ready;
    const struct itimerval soon = {{0, 10000}, {0, 10000}};    // again and again: the first may come before the wait
    int epoll = (int)must(curfew_epoll_create(), "epoll");
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &soon, NULL);
    CHECK_EQ(curfew_epoll_wait(epoll, &ready, 1, DEADLINE_MS), 0);
}

static void test_shared_page(void)
{
    about("shared page");
    unsigned char *page = curfew_map_shared_page();
    if (!CHECK(page != NULL))
        return;
    CHECK_EQ(page[0] | page[CURFEW_SHARED_SIZE - 1], 0);
    pid_t pid = fork();
    if (pid == 0) {
        page[4095] = 42;
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    CHECK_EQ(page[4095], 42);
    munmap(page, CURFEW_SHARED_SIZE);
}

static void test_news(void)
{
    about("news");
    void *page = curfew_map_shared_page();
    if (!CHECK(page != NULL))
        return;
    struct curfew_news news = {0};
    CHECK_EQ(curfew_news_take(page, &news), 0);
    // Twice around, so that places are used anew.
    for (int i = 0; i < 3 * CURFEW_NEWS; i++) {
        CHECK(curfew_news_put(page, (struct curfew_news){.signal = i, .code = -i, .pid = 7, .number = 9}));
        CHECK_EQ(curfew_news_room(page), CURFEW_NEWS - 1);
        CHECK_EQ(curfew_news_take(page, &news), 1);
        CHECK(news.signal == i && news.code == -i && news.pid == 7 && news.number == 9);
    }
    // Full, nothing is overwritten; and whoever waits for room is told of while there is little.
    for (int i = 0; i < CURFEW_NEWS; i++)
        CHECK(curfew_news_put(page, (struct curfew_news){.signal = i}));
    CHECK_EQ(curfew_news_room(page), 0);
    CHECK(!curfew_news_put(page, (struct curfew_news){.signal = 99}));
    for (int i = 0; i < CURFEW_NEWS; i++) {
        CHECK_EQ(curfew_news_take(page, &news), i <= CURFEW_NEWS_RESERVE ? 2 : 1);
        CHECK_EQ(news.signal, i);
    }
    CHECK_EQ(curfew_news_take(page, &news), 0);
    uint32_t number;
    int signal;
    curfew_set_wish(page, 0xffffff, SIGTTOU);
    curfew_wish(page, &number, &signal);
    CHECK_EQ(number, 0xffffff);
    CHECK_EQ(signal, SIGTTOU);
    curfew_set_question(page, 0xffffffff);
    CHECK_EQ(curfew_question(page), 0xffffffff);
    munmap(page, CURFEW_SHARED_SIZE);
}

static void news_between_processes(const void *page)
{
    for (int i = 0; i < 100000; i++)
        while (!curfew_news_put((void *)page, (struct curfew_news){.signal = i, .code = -i, .pid = i, .number = (uint32_t)i}))
            sched_yield();
}

static void test_news_between_processes(void)
{
    about("news between processes");
    void *page = curfew_map_shared_page();
    pid_t pid = fork();
    must(pid, "fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        news_between_processes(page);
        _exit(0);
    }
    struct curfew_news news = {0};
    int wrong = 0;
    for (int i = 0; i < 100000; i++) {
        while (curfew_news_take(page, &news) == 0)
            sched_yield();
        wrong += news.signal != i || news.code != -i || news.pid != i || news.number != (uint32_t)i;
    }
    CHECK_EQ(wrong, 0);
    waitpid(pid, NULL, 0);
    munmap(page, CURFEW_SHARED_SIZE);
}

enum { ROOM_ROUNDS = 200000 };

// Both at once, each on its own thread: one puts what leaves the proxy no room but its reserve, one takes.
struct meeting {
    void *page;
    unsigned turn;             // the round that may begin
    unsigned done;             // how many have finished theirs, in all
    unsigned has_waited;       // the round in which the proxy last saw no room
};

// Soon where both threads run, and in any case where they take turns.
static void wait_until(const unsigned *word, unsigned value)
{
    for (unsigned spins = 0; __atomic_load_n(word, __ATOMIC_ACQUIRE) != value; spins++)
        if (spins > 2000)
            sched_yield();
}

static void *proxy_puts(void *of)
{
    struct meeting *meeting = of;
    for (unsigned round = 1; round <= ROOM_ROUNDS; round++) {
        wait_until(&meeting->turn, round);
        curfew_news_put(meeting->page, (struct curfew_news){.signal = 1});
        if (curfew_news_room(meeting->page) <= CURFEW_NEWS_RESERVE)
            meeting->has_waited = round;
        __atomic_add_fetch(&meeting->done, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void test_nobody_waits_for_room_unheard(void)
{
    about("room made while the proxy looks for it");
    struct meeting meeting = {.page = curfew_map_shared_page()};
    pthread_t proxy;
    struct curfew_news news;
    unsigned unheard = 0, waited = 0;
    for (int i = 0; i < CURFEW_NEWS - CURFEW_NEWS_RESERVE - 1; i++)
        curfew_news_put(meeting.page, (struct curfew_news){.signal = 1});
    must(-pthread_create(&proxy, NULL, proxy_puts, &meeting), "pthread_create");
    for (unsigned round = 1; round <= ROOM_ROUNDS; round++) {
        __atomic_store_n(&meeting.turn, round, __ATOMIC_RELEASE);
        // Sometimes the proxy comes first, mostly they come together.
        if (round % 64 == 0)
            wait_until(&meeting.done, round);
        for (volatile unsigned i = 0; i < round % 512; i++)
            ;
        int taken = curfew_news_take(meeting.page, &news);
        wait_until(&meeting.done, round);
        waited += meeting.has_waited == round;
        unheard += meeting.has_waited == round && taken != 2;
    }
    pthread_join(proxy, NULL);
    CHECK(waited > 0);
    CHECK_EQ(unheard, 0);
    munmap(meeting.page, CURFEW_SHARED_SIZE);
}

// Stopped, it is continued by its own timer, which goes on.
static void stopped_and_woken(const void *unused)
{
    (void)unused;
    struct curfew_signal_info info = {0};
    must(curfew_set_signal_mask(~UINT64_C(0), NULL), "mask");
    CHECK_EQ(curfew_set_waker(0), 0);
    // A stop takes a pending SIGCONT away, and the timer with it: it must come before the first.
    CHECK_EQ(curfew_set_waker(curfew_monotonic_nanoseconds() + 1000000000), 0);
    kill(getpid(), SIGSTOP);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(curfew_wait_signal(bit(SIGCONT), &info), 0);
        CHECK_EQ(info.code, SI_TIMER);
    }
    CHECK_EQ(curfew_set_waker(0), 0);
}

static void own_children(const void *unused)
{
    (void)unused;
    CHECK(!curfew_note_children());
    CHECK(!curfew_has_kept_children());
    pid_t first = fork();
    if (first == 0)
        _exit(0);
    CHECK(curfew_note_children());
    CHECK(!curfew_is_kept_child(first));
    curfew_keep_children();
    CHECK(curfew_has_kept_children());
    pid_t second = fork();
    if (second == 0)
        _exit(0);
    CHECK(curfew_is_kept_child(first));
    CHECK(!curfew_is_kept_child(second));
    CHECK(!curfew_is_kept_child(first / 10));
    // Noted and not kept, it changes nothing.
    CHECK(curfew_note_children());
    CHECK(!curfew_is_kept_child(second));
    curfew_keep_children();
    CHECK(curfew_is_kept_child(first) && curfew_is_kept_child(second));
    while (wait(NULL) > 0)
        ;
}

// ---- files --------------------------------------------------------------------------------------

static void test_files(void)
{
    about("files");
    char buffer[64];
    struct curfew_file_status status, same;
    int directory = (int)must(open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC), scratch);
    CHECK_EQ(curfew_mkdir_at(directory, "files", 0700), 0);
    CHECK_EQ(curfew_mkdir_at(directory, "files", 0700), -EEXIST);
    CHECK_EQ(curfew_write_file_at(directory, "files/a", "text"), -ENOENT);
    int fd = curfew_open_at(directory, "files/a", O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0);
    CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(curfew_open_at(directory, "files/a", O_RDWR | O_CREAT | O_EXCL, 0600), -EEXIST);
    CHECK_EQ(curfew_write_file_at(directory, "files/a", "0123456789"), 0);
    CHECK_EQ(curfew_read_file_at(directory, "files/a", buffer, sizeof buffer), 10);
    CHECK_EQ(curfew_read_file_at(directory, "files/a", buffer, 4), 4);
    CHECK_EQ(curfew_read_file_at(directory, "files/b", buffer, 4), -ENOENT);
    CHECK_EQ(curfew_read_file_at(directory, "files", buffer, 4), -EISDIR);
    CHECK_EQ(curfew_pread(fd, buffer, 3, 7), 3);
    CHECK(!memcmp(buffer, "789", 3));
    CHECK_EQ(curfew_write(fd, "ab", 2), 2);
    CHECK_EQ(curfew_read(fd, buffer, 2), 2);
    CHECK(!memcmp(buffer, "23", 2));
    CHECK_EQ(curfew_fstat(fd, &status), 0);
    CHECK_EQ(curfew_stat_at(directory, "files/a", true, &same), 0);
    CHECK_EQ(status.inode, same.inode);
    CHECK_EQ(status.device, same.device);
    CHECK_EQ(status.mode, S_IFREG | 0600);
    CHECK_EQ(status.uid, geteuid());
    CHECK_EQ(status.link_count, 1);
    CHECK_EQ(status.size, 10);
    // The second before the epoch, and one past 2262, where nanoseconds no longer fit 64 bits.
    const struct timespec times[] = {{-1, 999999999}, {10000000000, 1}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        must(futimens(fd, (struct timespec[]){times[i], times[i]}), "futimens");
        CHECK_EQ(curfew_fstat(fd, &same), 0);
        CHECK_EQ(same.modified_seconds, times[i].tv_sec);
        CHECK_EQ(same.modified_nanoseconds, times[i].tv_nsec);
    }
    must(symlinkat("a", directory, "files/link"), "symlink");
    CHECK_EQ(curfew_read_link_at(directory, "files/link", buffer, sizeof buffer), 1);
    CHECK_EQ(buffer[0], 'a');
    CHECK_EQ(curfew_read_link_at(directory, "files/link", buffer, 0), -EINVAL);
    CHECK_EQ(curfew_read_link_at(directory, "files/a", buffer, sizeof buffer), -EINVAL);
    CHECK_EQ(curfew_read_link_at(directory, "files/none", buffer, sizeof buffer), -ENOENT);
    CHECK_EQ(curfew_stat_at(directory, "files/link", false, &same), 0);
    CHECK_EQ(same.mode & S_IFMT, S_IFLNK);
    CHECK_EQ(curfew_stat_at(directory, "files/link", true, &same), 0);
    CHECK_EQ(same.inode, status.inode);
    same.inode = 1;
    CHECK_EQ(curfew_stat_at(directory, "files/none", true, &same), -ENOENT);
    CHECK_EQ(same.inode, 1);

    int other = curfew_open_at(directory, "files/a", O_RDONLY, 0);
    CHECK_EQ(curfew_flock(fd, false), 0);
    CHECK_EQ(curfew_flock(other, false), -EWOULDBLOCK);
    CHECK_EQ(curfew_close(fd), 0);
    CHECK_EQ(curfew_close(fd), -EBADF);
    CHECK_EQ(curfew_flock(other, true), 0);
    CHECK_EQ(curfew_is_descriptor_open(other), 1);
    CHECK_EQ(curfew_close(other), 0);
    CHECK_EQ(curfew_is_descriptor_open(other), 0);

    int inotify = curfew_inotify(), event = curfew_eventfd();
    CHECK(fcntl(inotify, F_GETFL) & O_NONBLOCK && fcntl(event, F_GETFL) & O_NONBLOCK);
    CHECK_EQ(fcntl(inotify, F_GETFD) & fcntl(event, F_GETFD), FD_CLOEXEC);
    int watch = curfew_inotify_watch(inotify, scratch_path("files"), 0x40 | 0x80);   // IN_MOVED_FROM, IN_MOVED_TO
    CHECK(watch >= 0);
    CHECK_EQ(curfew_read(inotify, buffer, sizeof buffer), -EAGAIN);
    CHECK_EQ(curfew_rename_at(directory, "files/a", "files/b"), 0);
    CHECK(curfew_read(inotify, buffer, sizeof buffer) > 0);
    CHECK_EQ(curfew_inotify_watch(inotify, "/nonexistent", 2), -ENOENT);
    CHECK_EQ(curfew_inotify_unwatch(inotify, watch), 0);
    CHECK_EQ(curfew_inotify_unwatch(inotify, watch), -EINVAL);
    CHECK_EQ(curfew_inotify_unwatch(event, watch), -EINVAL);
    close(inotify);
    close(event);
    CHECK_EQ(curfew_rmdir_at(directory, "files"), -ENOTEMPTY);
    CHECK_EQ(curfew_unlink_at(directory, "files/link"), 0);
    CHECK_EQ(curfew_unlink_at(directory, "files/b"), 0);
    CHECK_EQ(curfew_unlink_at(directory, "files/b"), -ENOENT);
    CHECK_EQ(curfew_rmdir_at(directory, "files"), 0);
    close(directory);
}

static void pipe_fails(const void *argument)
{
    int fds[2] = {UNTOUCHED, UNTOUCHED};
    struct state before = take_state();
    install_rules(argument, 1);
    CHECK_EQ(curfew_pipe(fds), -EMFILE);
    CHECK(fds[0] == UNTOUCHED && fds[1] == UNTOUCHED);
    check_same_state(&before);
}

static void test_pipe(void)
{
    about("pipe");
    int fds[2];
    char buffer[16];
    CHECK_EQ(curfew_pipe(fds), 0);
    CHECK_EQ(fcntl(fds[0], F_GETFD) & fcntl(fds[1], F_GETFD), FD_CLOEXEC);
    CHECK_EQ(fcntl(fds[0], F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    CHECK_EQ(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
    CHECK_EQ(curfew_read(fds[0], buffer, sizeof buffer), -EAGAIN);
    CHECK_EQ(curfew_write(fds[1], "abc", 3), 3);
    CHECK_EQ(curfew_read(fds[0], buffer, sizeof buffer), 3);
    close(fds[1]);
    CHECK_EQ(curfew_read(fds[0], buffer, sizeof buffer), 0);
    close(fds[0]);
    const struct rule rules[] = {
        {SYS_pipe2, -1, 0, fails_with(EMFILE)}, {SYS_fcntl, 1, F_SETFL, fails_with(EMFILE)}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        about("pipe fault %zu", i);
        in_helper(pipe_fails, &rules[i]);
    }
    about("truncate");
    int file = curfew_memory_file(false);
    CHECK_EQ(curfew_write(file, "abc", 3), 3);
    CHECK_EQ(curfew_truncate(file, 1), 0);
    CHECK_EQ(lseek(file, 0, SEEK_END), 1);
    CHECK_EQ(curfew_truncate(file, -1), -EINVAL);
    close(file);
}

// Lists with a buffer of `size` and counts how often each of the names was seen.
static void list_with(int fd, size_t size, int names, int *calls)
{
    char buffer[8192], seen[512] = {0};
    int64_t offset = 0;
    int total = 0;
    for (*calls = 0; offset != -1 && *calls < 2000; ++*calls) {
        int used = curfew_list_directory(fd, buffer, size, &offset);
        if (!CHECK(used >= 0))
            return;
        for (char *name = buffer; name < buffer + used; name += strlen(name) + 1) {
            int number = -1;
            if (!CHECK(sscanf(name, "name-%d", &number) == 1 && number >= 0 && number < names))
                return;
            seen[number]++;
            total++;
        }
    }
    CHECK_EQ(total, names);
    for (int i = 0; i < names; i++)
        if (seen[i] != 1)
            CHECK_EQ(seen[i], 1);
    CHECK_EQ(curfew_list_directory(fd, buffer, size, &offset), 0);
    CHECK_EQ(offset, -1);
}

static void test_directory(void)
{
    about("directory");
    enum { NAMES = 300 };
    int calls;
    must(mkdir(scratch_path("list"), 0755), "mkdir");
    int fd = (int)must(open(scratch_path("list"), O_RDONLY | O_DIRECTORY | O_CLOEXEC), "list");
    list_with(fd, 64, 0, &calls);
    CHECK_EQ(calls, 1);
    for (int i = 0; i < NAMES; i++) {
        char name[64];
        snprintf(name, sizeof name, "list/name-%d-%.*s", i, i % 40, "........................................");
        make_file(scratch_path(name), "", 0600);
    }
    list_with(fd, 8192, NAMES, &calls);
    list_with(fd, 64, NAMES, &calls);
    list_with(fd, 1000, NAMES, &calls);
    char small[4];
    int64_t offset = 0;
    CHECK_EQ(curfew_list_directory(fd, small, sizeof small, &offset), -EINVAL);
    CHECK_EQ(offset, 0);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK_EQ(curfew_list_directory(null, small, sizeof small, &offset), -ENOTDIR);
    close(null);
    close(fd);
}

// ---- sockets ------------------------------------------------------------------------------------

enum { MOST_DESCRIPTORS = 253 };       // Source: kernel, SCM_MAX_FD

// Sends `count` duplicates of a descriptor along with the bytes.
static void send_along(int fd, const void *bytes, size_t size, int sent, size_t count)
{
    char control[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))] = {0};
    struct iovec vector = {(void *)(uintptr_t)bytes, size};
    struct msghdr header = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control,
        .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *message = CMSG_FIRSTHDR(&header);
    message->cmsg_level = SOL_SOCKET;
    message->cmsg_type = SCM_RIGHTS;
    message->cmsg_len = CMSG_LEN(count * sizeof(int));
    for (size_t i = 0; i < count; i++)
        memcpy(CMSG_DATA(message) + i * sizeof sent, &sent, sizeof sent);
    must(sendmsg(fd, &header, 0), "sendmsg");
}

static void send_with_descriptors(int fd)
{
    send_along(fd, "d", 1, 0, 3);
}

static void test_socketpair(void)
{
    about("socketpair");
    char buffer[64];
    int fds[2], plain[2];
    struct curfew_sender sender = {1, 1, 1};
    CHECK_EQ(curfew_socketpair(fds), 0);
    CHECK_EQ(fcntl(fds[0], F_GETFD) & fcntl(fds[1], F_GETFD), FD_CLOEXEC);
    CHECK_EQ(fcntl(fds[0], F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    CHECK_EQ(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
    CHECK_EQ(curfew_receive(fds[0], buffer, sizeof buffer, &sender), -EAGAIN);
    CHECK_EQ(sender.pid, 1);

    // An inherited end: SO_PEERCRED names who made the pair, each message who wrote it.
    pid_t pid = fork();
    if (pid == 0)
        _exit(write(fds[1], "from the child", 14) == 14 ? 0 : 1);
    CHECK(readable(fds[0]));
    waitpid(pid, NULL, 0);
    CHECK_EQ(curfew_send(fds[1], "from us", 7), 7);
    CHECK_EQ(curfew_receive(fds[0], buffer, sizeof buffer, &sender), 14);   // not mixed with ours
    CHECK_EQ(sender.pid, pid);
    CHECK_EQ(sender.uid, getuid());
    CHECK_EQ(sender.gid, getgid());
    CHECK_EQ(curfew_receive(fds[0], buffer, sizeof buffer, &sender), 7);
    CHECK_EQ(sender.pid, getpid());
    CHECK_EQ(curfew_peer(fds[0], &sender), 0);
    CHECK_EQ(sender.pid, getpid());

    about("descriptors sneaked in, with credentials");
    struct state before = take_state();
    send_with_descriptors(fds[1]);
    CHECK_EQ(curfew_receive(fds[0], buffer, sizeof buffer, &sender), 1);
    CHECK_EQ(sender.pid, getpid());
    check_same_state(&before);

    about("descriptors sneaked in, without credentials");
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, plain), "socketpair");
    before = take_state();
    send_with_descriptors(plain[1]);
    CHECK_EQ(curfew_receive(plain[0], buffer, sizeof buffer, &sender), 1);
    CHECK_EQ(sender.pid, 0);
    check_same_state(&before);
    close(plain[0]);
    close(plain[1]);

    about("closed socket");
    close(fds[1]);
    CHECK_EQ(curfew_receive(fds[0], buffer, sizeof buffer, &sender), 0);
    CHECK_EQ(curfew_send(fds[0], "x", 1), -EPIPE);    // and no SIGPIPE
    close(fds[0]);
}

static void test_send_full(void)
{
    about("full socket");
    char block[4096] = {0};
    int fds[2], result, sends = 0;
    CHECK_EQ(curfew_socketpair(fds), 0);
    while ((result = curfew_send(fds[1], block, sizeof block)) > 0 && sends < 100000)
        sends++;
    CHECK_EQ(result, -EAGAIN);
    close(fds[0]);
    close(fds[1]);
}

// A connection that is inherited is written to by somebody else than who made it.
static void test_sender_of_each_message(int client, int server)
{
    char buffer[16];
    struct curfew_sender sender = {0};
    pid_t pid = fork();
    if (pid == 0)
        _exit(curfew_send(client, "me", 2) != 2);
    must(pid, "fork");
    CHECK(readable(server));
    CHECK_EQ(curfew_receive(server, buffer, sizeof buffer, &sender), 2);
    CHECK_EQ(sender.pid, pid);
    struct curfew_wait_info info = {0};
    CHECK_EQ(curfew_waitid(P_PID, pid, WEXITED, &info), 0);
    CHECK_EQ(info.status, 0);
}

static void test_named_socket(void)
{
    about("named socket");
    char buffer[16];
    struct curfew_sender peer;
    const char *path = scratch_path("socket");
    mode_t old = umask(0);
    int listener = curfew_unix_listen(path, 4);
    umask(old);
    struct stat status;
    if (!CHECK(listener >= 0))
        return;
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_mode, S_IFSOCK | 0600);
    CHECK_EQ(fcntl(listener, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(curfew_unix_accept(listener), -EAGAIN);
    CHECK_EQ(curfew_unix_listen(path, 4), -EADDRINUSE);
    CHECK_EQ(stat(path, &status), 0);    // the refused one has not unlinked it

    int client = curfew_unix_connect(path, 5);
    CHECK(client >= 0);
    CHECK_EQ(fcntl(client, F_GETFL) & O_NONBLOCK, 0);
    CHECK_EQ(fcntl(client, F_GETFD), FD_CLOEXEC);
    int server = curfew_unix_accept(listener);
    CHECK(server >= 0);
    CHECK_EQ(fcntl(server, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    CHECK_EQ(fcntl(server, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(curfew_peer(server, &peer), 0);
    CHECK_EQ(peer.pid, getpid());
    CHECK_EQ(peer.uid, getuid());
    int pidfd = curfew_peer_pidfd(server);
    if (pidfd == -ENOPROTOOPT || pidfd == -EINVAL) {
        skip("SO_PEERPIDFD needs Linux 6.5");
    } else {
        CHECK(pidfd >= 0);
        CHECK_EQ(fcntl(pidfd, F_GETFD), FD_CLOEXEC);
        CHECK_EQ(curfew_pidfd_send_signal(pidfd, 0), 0);
        close(pidfd);
    }
    CHECK_EQ(curfew_send(client, "hi", 2), 2);
    CHECK(readable(server));
    peer.pid = 0;
    CHECK_EQ(curfew_receive(server, buffer, sizeof buffer, &peer), 2);
    CHECK_EQ(peer.pid, getpid());
    CHECK_EQ(peer.uid, getuid());
    test_sender_of_each_message(client, server);
    close(client);
    close(server);
    close(listener);
    CHECK_EQ(curfew_unix_connect(path, 5), -ECONNREFUSED);
    unlink(path);
    CHECK_EQ(curfew_unix_connect(path, 5), -ENOENT);
}

static void test_is_bound(void)
{
    about("is a socket bound");
    struct state before = take_state();
    const char *path = scratch_path("bound-or-not");
    CHECK_EQ(curfew_unix_is_bound(path), -ENOENT);
    int listener = curfew_unix_listen(path, 0);
    CHECK_EQ(curfew_unix_is_bound(path), 1);
    CHECK_EQ(curfew_unix_accept(listener), -EAGAIN);   // nobody has connected
    int waiting = curfew_unix_connect(path, 5);
    CHECK(waiting >= 0);
    CHECK_EQ(curfew_unix_is_bound(path), 1);           // nor waits where the queue is full
    close(waiting);
    close(listener);
    CHECK_EQ(curfew_unix_is_bound(path), 0);
    unlink(path);
    CHECK_EQ(curfew_unix_is_bound(""), -EINVAL);
    check_same_state(&before);
}

static void no_atomic_rename(const void *unused)
{
    (void)unused;
    const struct rule rule = {SYS_renameat2, -1, 0, fails_with(EINVAL)};
    const char *from = scratch_path("from"), *to = scratch_path("to");
    install_rules(&rule, 1);
    CHECK_EQ(curfew_rename_new_at(AT_FDCWD, from, to), 0);
    CHECK_EQ(access(from, F_OK), -1);
    CHECK_EQ(access(to, F_OK), 0);
}

static void test_rename_new(void)
{
    about("rename to a name that is new");
    const char *from = scratch_path("from"), *to = scratch_path("to");
    close((int)must(open(from, O_CREAT | O_WRONLY, 0600), "open"));
    CHECK_EQ(curfew_rename_new_at(AT_FDCWD, from, to), 0);
    CHECK_EQ(access(from, F_OK), -1);
    close((int)must(open(from, O_CREAT | O_WRONLY, 0600), "open"));
    CHECK_EQ(curfew_rename_new_at(AT_FDCWD, from, to), -EEXIST);
    CHECK_EQ(access(from, F_OK), 0);
    unlink(to);
    in_helper(no_atomic_rename, NULL);
    unlink(to);
}

static void test_socket_paths(void)
{
    about("socket paths");
    struct state before = take_state();
    char path[200];
    const size_t longest = sizeof((struct sockaddr_un *)0)->sun_path - 1;
    memset(path, 'p', sizeof path);
    path[longest + 1] = 0;
    CHECK_EQ(curfew_unix_listen(path, 1), -ENAMETOOLONG);
    CHECK_EQ(curfew_unix_connect(path, 5), -ENAMETOOLONG);
    path[longest] = 0;
    CHECK_EQ(curfew_unix_connect(path, 5), -ENOENT);
    CHECK_EQ(curfew_unix_listen("", 1), -EINVAL);
    CHECK_EQ(curfew_unix_connect("", 5), -EINVAL);
    CHECK_EQ(curfew_unix_listen(scratch_path("none/socket"), 1), -ENOENT);
    check_same_state(&before);
}

struct socket_fault {
    int call, error;
};

static void listen_fails(const void *argument)
{
    const struct socket_fault *fault = argument;
    const char *path = scratch_path("faulty");
    const struct rule rule = {fault->call, -1, 0, fails_with(fault->error)};
    struct state before = take_state();
    install_rules(&rule, 1);
    CHECK_EQ(curfew_unix_listen(path, 1), -fault->error);
    CHECK_EQ(access(path, F_OK), -1);
    check_same_state(&before);
}

static void pair_fails(const void *unused)
{
    (void)unused;
    const struct rule rule = {SYS_setsockopt, -1, 0, fails_with(ENOBUFS)};
    int fds[2] = {UNTOUCHED, UNTOUCHED};
    struct state before = take_state();
    install_rules(&rule, 1);
    CHECK_EQ(curfew_socketpair(fds), -ENOBUFS);
    CHECK_EQ(fds[0], UNTOUCHED);
    check_same_state(&before);
}

// ---- what the proxy of a server holds -------------------------------------------------------------

static struct curfew_kept_output kept_by(int slot, int run)
{
    struct curfew_kept_output output = {.slot = slot, .run = run, .pid = 40 + run, .seconds = 7};
    snprintf(output.app, sizeof output.app, "app%d", slot);
    return output;
}

// Hands the reading end of a pipe over, and closes it here. Returns the writing end.
static int handed_over(int slot, int run)
{
    int ends[2];
    struct curfew_kept_output output = kept_by(slot, run);
    must(pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe2");
    CHECK_EQ(curfew_hand_over(&output, ends[0]), 0);
    close(ends[0]);
    return ends[1];
}

static bool has_reader(int writing) { return write(writing, "x", 1) == 1; }

static void outputs_are_kept(const void *unused)
{
    (void)unused;
    signal(SIGPIPE, SIG_IGN);
    struct curfew_kept_output output = kept_by(3, 1), found;
    CHECK_EQ(curfew_hand_over(&output, 0), -EBADF);
    curfew_take_outputs();
    CHECK_EQ(curfew_kept_slots(), 0);
    CHECK_EQ(curfew_keep_outputs(), 0);

    int first = handed_over(3, 1), other = handed_over(0, 2), beyond = handed_over(CURFEW_KEPT_OUTPUTS, 3);
    CHECK(has_reader(first));                            // in the socket
    CHECK_EQ(curfew_kept_slots(), 0);
    curfew_take_outputs();
    CHECK_EQ(curfew_kept_slots(), 4);
    CHECK_EQ(curfew_kept_output(1, &found), -1);
    CHECK_EQ(curfew_kept_output(-1, &found), -1);
    CHECK_EQ(curfew_kept_output(4, &found), -1);
    int fd = curfew_kept_output(3, &found);
    CHECK(fd >= 0);
    CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(memcmp(&found, &output, sizeof found), 0);
    CHECK(has_reader(first));
    CHECK(has_reader(other));
    CHECK(!has_reader(beyond));

    about("output of the next app of a slot");
    int next = handed_over(3, 4);
    curfew_take_outputs();
    CHECK(!has_reader(first));
    CHECK(has_reader(next));
    CHECK(curfew_kept_output(3, &found) >= 0);
    CHECK_EQ(found.run, 4);

    about("output of one that has ended");
    struct curfew_kept_output third = kept_by(3, 4), namesake = kept_by(3, 4);
    strcpy(namesake.app, "another");
    CHECK_EQ(curfew_hand_over(&output, -1), 0);
    CHECK_EQ(curfew_hand_over(&namesake, -1), 0);
    curfew_take_outputs();
    CHECK(has_reader(next));                             // that of an earlier run, or of another app
    CHECK_EQ(curfew_hand_over(&third, -1), 0);
    curfew_take_outputs();
    CHECK(!has_reader(next));
    CHECK_EQ(curfew_kept_output(3, &found), -1);
    CHECK(has_reader(other));

    about("output that nobody takes");
    int result = 0, sent = 0;
    while (sent < 10000 && (result = curfew_hand_over(&output, -1)) == 0)
        sent++;
    CHECK_EQ(result, -EAGAIN);
    curfew_take_outputs();
    CHECK_EQ(curfew_hand_over(&output, -1), 0);

    about("output without a number left for it");
    curfew_take_outputs();
    struct rlimit none = {0, 0};
    int late = handed_over(5, 5);
    must(setrlimit(RLIMIT_NOFILE, &none), "setrlimit");
    curfew_take_outputs();
    CHECK_EQ(curfew_kept_output(5, &found), -1);
    CHECK(!has_reader(late));
}

static void output_halves_part(const void *unused)
{
    (void)unused;
    CHECK_EQ(curfew_keep_outputs(), 0);
    struct curfew_kept_output output = kept_by(1, 1);
    pid_t pid = fork();
    if (pid == 0) {
        curfew_part_outputs(false);
        _exit(curfew_hand_over(&output, 0) == 0 ? 0 : 1);
    }
    curfew_part_outputs(true);
    CHECK_EQ(curfew_hand_over(&output, 0), -EBADF);
    int status = -1;
    waitpid(pid, &status, 0);
    CHECK_EQ(status, 0);
    // Its end is no end of what it has sent.
    curfew_take_outputs();
    CHECK_EQ(curfew_kept_slots(), 2);
    curfew_take_outputs();
}

static void output_pair_stands_for_no_stream(const void *unused)
{
    (void)unused;
    struct curfew_kept_output output = kept_by(1, 1);
    close(0);
    CHECK_EQ(curfew_keep_outputs(), 0);
    CHECK_EQ(fcntl(0, F_GETFD), -1);
    CHECK_EQ(curfew_hand_over(&output, -1), 0);
}

static void output_pair_fails(const void *fault)
{
    struct curfew_kept_output output = kept_by(1, 1);
    struct state before = take_state();
    const struct rule rule = {*(const int *)fault, -1, 0, fails_with(EMFILE)};
    install_rules(&rule, 1);
    CHECK_EQ(curfew_keep_outputs(), -EMFILE);
    CHECK_EQ(curfew_hand_over(&output, -1), -EBADF);
    check_same_state(&before);
}

static void test_kept_outputs(void)
{
    about("output for the keeper");
    in_helper(outputs_are_kept, NULL);
    about("output handed from half to half");
    in_helper(output_halves_part, NULL);
    about("output with standard input closed");
    in_helper(output_pair_stands_for_no_stream, NULL);
    about("output without a pair");
    const int socketpair_fails = SYS_socketpair;
    in_helper(output_pair_fails, &socketpair_fails);
}

// The process dies in listen(), so the file is left as bind() made it: its mode then is its mode from the start.
static void test_mode_at_bind(void)
{
    about("mode of the socket file as it is bound");
    const char *path = scratch_path("bound");
    struct stat status;
    pid_t pid = fork();
    if (pid == 0) {
        const struct rule rule = {SYS_listen, -1, 0, SECCOMP_RET_KILL_PROCESS};
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        umask(0);
        install_rules(&rule, 1);
        _exit(curfew_unix_listen(path, 1) < 0);
    }
    int pidfd = (int)must(curfew_pidfd_open(pid), "pidfd_open");
    CHECK_EQ(end_of(pidfd).status, SIGSYS);
    close(pidfd);
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_mode, S_IFSOCK | 0600);
}

// ---- sd_notify ----------------------------------------------------------------------------------

// A datagram socket connected to a name as NOTIFY_SOCKET has it, as sd_notify(3) would read it.
static int connect_to_name(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    memcpy(address.sun_path, name, length);
    address.sun_path[0] = 0;
    int fd = (int)must(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
    must(connect(fd, (const void *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)), "connect");
    return fd;
}

struct notify_pair {
    int receiver, sender;
};

static struct notify_pair notify_pair(void)
{
    char name[16];
    int receiver = (int)must(curfew_notify_socket(name, sizeof name), "curfew_notify_socket");
    return (struct notify_pair){receiver, connect_to_name(name)};
}

static void close_pair(struct notify_pair pair)
{
    close(pair.receiver);
    close(pair.sender);
}

static void test_notify_socket(void)
{
    about("notify socket");
    char name[16], other[7], small[6] = "small";
    struct state before = take_state();
    errno = UNTOUCHED;
    int fd = curfew_notify_socket(name, sizeof name);
    if (!CHECK(fd >= 0))
        return;
    CHECK_EQ(errno, UNTOUCHED);
    CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    CHECK_EQ(strlen(name), 6);
    CHECK_EQ(name[0], '@');
    CHECK_EQ(strspn(name + 1, "0123456789abcdef"), 5);
    int second = curfew_notify_socket(other, sizeof other);
    CHECK(second >= 0);
    CHECK(strcmp(name, other));
    close(second);
    close(fd);
    CHECK_EQ(curfew_notify_socket(small, sizeof small), -ENAMETOOLONG);
    CHECK_EQ(curfew_notify_socket(small, 0), -ENAMETOOLONG);
    CHECK_TEXT(small, "small");
    check_same_state(&before);
}

static void test_notify_receive(void)
{
    about("datagrams");
    struct notify_pair pair = notify_pair();
    char buffer[8];
    struct curfew_sender sender = {1, 1, 1};
    CHECK_EQ(curfew_notify_receive(pair.receiver, buffer, sizeof buffer, &sender), -EAGAIN);
    CHECK_EQ(sender.pid, 1);

    pid_t pid = fork();
    if (pid == 0)
        _exit(send(pair.sender, "READY=1", 7, 0) == 7 ? 0 : 1);
    must(pid, "fork");
    CHECK(readable(pair.receiver));
    waitpid(pid, NULL, 0);
    must(send(pair.sender, "", 0, 0), "send");
    must(send(pair.sender, "12345678", 8, 0), "send");
    CHECK_EQ(curfew_notify_receive(pair.receiver, buffer, sizeof buffer, &sender), 7);
    CHECK(!memcmp(buffer, "READY=1", 7));
    CHECK_EQ(sender.pid, pid);          // who is gone by now
    CHECK_EQ(sender.uid, getuid());
    CHECK_EQ(sender.gid, getgid());
    CHECK_EQ(curfew_notify_receive(pair.receiver, buffer, sizeof buffer, &sender), 0);
    CHECK_EQ(sender.pid, getpid());
    CHECK_EQ(curfew_notify_receive(pair.receiver, buffer, sizeof buffer, &sender), 8);
    CHECK(!memcmp(buffer, "12345678", 8));

    about("a datagram that is too long");
    must(send(pair.sender, "123456789", 9, 0), "send");
    must(send(pair.sender, "next", 4, 0), "send");
    sender = (struct curfew_sender){1, 1, 1};
    CHECK_EQ(curfew_notify_receive(pair.receiver, buffer, sizeof buffer, &sender), -EMSGSIZE);
    CHECK_EQ(sender.pid, getpid());
    CHECK_EQ(curfew_notify_receive(pair.receiver, buffer, sizeof buffer, &sender), 4);

    about("nothing to receive from");
    sender.pid = 1;
    int null = (int)must(open("/dev/null", O_RDONLY | O_CLOEXEC), "/dev/null");
    CHECK_EQ(curfew_notify_receive(null, buffer, sizeof buffer, &sender), -ENOTSOCK);
    CHECK_EQ(curfew_notify_receive(9999, buffer, sizeof buffer, &sender), -EBADF);
    CHECK_EQ(sender.pid, 1);
    close(null);
    close_pair(pair);
}

// Whether the other end of the pipe that this one reads from is closed everywhere.
static bool is_hung_up(int fd)
{
    struct pollfd item = {fd, 0, 0};
    return poll(&item, 1, 0) == 1 && item.revents & POLLHUP;
}

// As sd_notify_barrier(3) does it: the sender waits until the end of a pipe that it sent is closed.
static void test_barrier(size_t count, size_t room)
{
    about("%zu descriptors along, room for %zu bytes", count, room);
    struct notify_pair pair = notify_pair();
    char buffer[16];
    struct curfew_sender sender = {1, 1, 1};
    int ends[2];
    must(pipe2(ends, O_CLOEXEC), "pipe2");
    must(send(pair.sender, "before", 6, 0), "send");
    send_along(pair.sender, "BARRIER=1", 9, ends[1], count);
    close(ends[1]);
    struct state before = take_state();
    CHECK_EQ(curfew_notify_receive(pair.receiver, buffer, sizeof buffer, &sender), 6);
    CHECK(!is_hung_up(ends[0]));        // not before its own turn
    sender.pid = 1;
    CHECK_EQ(curfew_notify_receive(pair.receiver, buffer, room, &sender), room < 9 ? -EMSGSIZE : 9);
    CHECK_EQ(sender.pid, getpid());
    CHECK(is_hung_up(ends[0]));
    check_same_state(&before);
    close(ends[0]);
    close_pair(pair);
}

static void barrier_without_room(const void *unused)
{
    (void)unused;
    struct notify_pair pair = notify_pair();
    char buffer[16];
    struct curfew_sender sender = {1, 1, 1};
    struct rlimit usual, none;
    int ends[2];
    must(pipe2(ends, O_CLOEXEC), "pipe2");
    send_along(pair.sender, "BARRIER=1", 9, ends[1], 3);
    close(ends[1]);
    must(getrlimit(RLIMIT_NOFILE, &usual), "RLIMIT_NOFILE");
    none = (struct rlimit){0, usual.rlim_max};
    must(setrlimit(RLIMIT_NOFILE, &none), "RLIMIT_NOFILE");
    int seen = curfew_notify_receive(pair.receiver, buffer, sizeof buffer, &sender);
    int made = curfew_notify_socket(buffer, sizeof buffer);
    must(setrlimit(RLIMIT_NOFILE, &usual), "RLIMIT_NOFILE");
    CHECK_EQ(seen, 9);
    CHECK_EQ(sender.pid, getpid());
    CHECK(!memcmp(buffer, "BARRIER=1", 9));
    CHECK_EQ(made, -EMFILE);
    CHECK(is_hung_up(ends[0]));
}

static void notify_fails(const void *argument)
{
    const struct socket_fault *fault = argument;
    const struct rule rule = {fault->call, -1, 0, fails_with(fault->error)};
    char name[16] = "untouched";
    struct state before = take_state();
    install_rules(&rule, 1);
    // A call that the filter swallows returns 0: a bind that hasn't bound leaves a socket without a name.
    CHECK_EQ(curfew_notify_socket(name, sizeof name), fault->error ? -fault->error : -EADDRNOTAVAIL);
    CHECK_TEXT(name, "untouched");
    check_same_state(&before);
}

static void notify_receive_fails(const void *unused)
{
    (void)unused;
    const struct rule rule = {SYS_recvmsg, -1, 0, fails_with(ENOMEM)};
    struct notify_pair pair = notify_pair();
    struct curfew_sender sender = {1, 1, 1};
    char buffer[16] = "untouched";
    must(send(pair.sender, "READY=1", 7, 0), "send");
    install_rules(&rule, 1);
    CHECK_EQ(curfew_notify_receive(pair.receiver, buffer, sizeof buffer, &sender), -ENOMEM);
    CHECK_EQ(sender.pid, 1);
    CHECK_TEXT(buffer, "untouched");
}

static void test_notify(void)
{
    test_notify_socket();
    test_notify_receive();
    test_barrier(1, 16);
    test_barrier(MOST_DESCRIPTORS, 16);
    test_barrier(MOST_DESCRIPTORS, 8);
    about("descriptors along, and none free here");
    in_helper(barrier_without_room, NULL);
    const struct socket_fault faults[] = {
        {SYS_socket, EMFILE}, {SYS_setsockopt, ENOBUFS}, {SYS_bind, ENOSPC}, {SYS_bind, 0}, {SYS_getsockname, ENOBUFS}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        about("notify fault %zu", i);
        in_helper(notify_fails, &faults[i]);
    }
    about("notify receive fault");
    in_helper(notify_receive_fails, NULL);
}

// ---- capabilities -------------------------------------------------------------------------------

static void keep_capabilities(const void *unused)
{
    (void)unused;
    char status[8192], text[64];
    const int kept[] = {5, 19, 63}, invalid[] = {64};
    read_text("/proc/self/status", status, sizeof status);
    uint64_t had = status_field(status, "CapPrm", 16);
    errno = UNTOUCHED;
    if (had) {
        CHECK_EQ(curfew_capabilities_keep(invalid, 1), -EINVAL);
        CHECK_EQ(curfew_capabilities_keep((const int[]){-1}, 1), -EINVAL);
    }
    CHECK_EQ(curfew_capabilities_keep(kept, 3), 0);
    CHECK_EQ(errno, UNTOUCHED);
    read_text("/proc/self/status", status, sizeof status);
    uint64_t expected = had & (UINT64_C(1) << 5 | UINT64_C(1) << 19);
    CHECK_EQ(status_field(status, "CapPrm", 16), expected);
    CHECK_EQ(status_field(status, "CapEff", 16), expected);
    CHECK_EQ(status_field(status, "CapInh", 16), 0);
    if (expected == (UINT64_C(1) << 5 | UINT64_C(1) << 19)) {
        CHECK_EQ(curfew_capabilities_text(text, sizeof text), 26);
        CHECK_TEXT(text, "cap_kill,cap_sys_ptrace=ep");
    }
    CHECK_EQ(curfew_capabilities_keep(NULL, 0), 0);
    CHECK_EQ(curfew_capabilities_keep(kept, 3), 0);   // nothing left, nothing to do
    read_text("/proc/self/status", status, sizeof status);
    CHECK_EQ(status_field(status, "CapPrm", 16), 0);
    int length = curfew_capabilities_text(text, sizeof text);
    CHECK_EQ(length, strlen(text));
    CHECK(curfew_capabilities_text(text, 1) == 0 && text[0] == 0);
    CHECK_EQ(curfew_capabilities_text(text, 0), -EINVAL);
}

static void test_capability_names(void)
{
    about("capability names");
    errno = UNTOUCHED;
    CHECK_EQ(curfew_capability_number("cap_kill"), 5);
    CHECK_EQ(curfew_capability_number("cap_sys_ptrace"), 19);
    CHECK_EQ(curfew_capability_number("cap_of_tea"), -EINVAL);
    CHECK_EQ(curfew_capability_number(""), -EINVAL);
    CHECK_EQ(errno, UNTOUCHED);
}

// ---- resources ----------------------------------------------------------------------------------

enum { IO_CLASS_BEST = 2, IO_CLASS_IDLE = 3, IO_CLASS_SHIFT = 13, NO_PID = 2000000000 };

// What a thread is given, it has, and no other.
static void priorities(const void *unused)
{
    (void)unused;
    int before = UNTOUCHED, seen = UNTOUCHED;
    pid_t thread = (pid_t)syscall(SYS_gettid);
    errno = UNTOUCHED;
    CHECK_EQ(curfew_get_nice(0, &before), 0);
    CHECK(before >= -20 && before <= 19);
    if (before == 19) {
        skip("this process is the last in the queue already");
        return;
    }
    CHECK_EQ(curfew_set_nice(thread, before + 1), 0);
    CHECK_EQ(curfew_get_nice(thread, &seen), 0);
    CHECK_EQ(seen, before + 1);
    CHECK_EQ(curfew_get_nice(getppid(), &seen), 0);
    CHECK_EQ(seen, before);
    CHECK_EQ(curfew_set_io_priority(thread, IO_CLASS_IDLE << IO_CLASS_SHIFT), 0);
    CHECK_EQ(curfew_get_io_priority(thread) >> IO_CLASS_SHIFT, IO_CLASS_IDLE);
    CHECK_EQ(curfew_set_io_priority(0, IO_CLASS_BEST << IO_CLASS_SHIFT | 4), 0);
    CHECK_EQ(curfew_get_io_priority(0), IO_CLASS_BEST << IO_CLASS_SHIFT | 4);
    CHECK_EQ(errno, UNTOUCHED);
}

static void priorities_fail(const void *unused)
{
    (void)unused;
    int nice = UNTOUCHED;
    errno = UNTOUCHED;
    CHECK_EQ(curfew_get_nice(NO_PID, &nice), -ESRCH);
    CHECK_EQ(nice, UNTOUCHED);
    CHECK_EQ(curfew_set_nice(NO_PID, 19), -ESRCH);
    CHECK_EQ(curfew_get_io_priority(NO_PID), -ESRCH);
    CHECK_EQ(curfew_set_io_priority(NO_PID, 0), -ESRCH);
    CHECK_EQ(curfew_set_io_priority(0, 7 << IO_CLASS_SHIFT), -EINVAL);
    const struct rule rules[] = {
        {SYS_getpriority, -1, 0, fails_with(EPERM)}, {SYS_setpriority, -1, 0, fails_with(EACCES)},
        {SYS_ioprio_get, -1, 0, fails_with(EPERM)}, {SYS_ioprio_set, -1, 0, fails_with(ENOSYS)},
        {SYS_prlimit64, -1, 0, fails_with(EFAULT)}};
    install_rules(rules, sizeof rules / sizeof *rules);
    CHECK_EQ(curfew_get_nice(0, &nice), -EPERM);
    CHECK_EQ(curfew_nice_ceiling(&nice), -EFAULT);
    CHECK_EQ(nice, UNTOUCHED);
    CHECK_EQ(curfew_set_nice(0, 19), -EACCES);
    CHECK_EQ(curfew_get_io_priority(0), -EPERM);
    CHECK_EQ(curfew_set_io_priority(0, 0), -ENOSYS);
    CHECK_EQ(errno, UNTOUCHED);
}

// An ordinary user goes down, and up again only as far as RLIMIT_NICE says.
static void nice_is_one_way(const void *unused)
{
    (void)unused;
    const struct rlimit up_to_five = {15, 15}, none = {0, 0};
    int ceiling = UNTOUCHED;
    must(setpriority(PRIO_PROCESS, 0, 3), "setpriority");
    bool has_limit = setrlimit(RLIMIT_NICE, &up_to_five) == 0;
    become_nobody();
    CHECK_EQ(curfew_set_nice(0, 10), 0);
    if (has_limit) {
        CHECK_EQ(curfew_nice_ceiling(&ceiling), 0);
        CHECK_EQ(ceiling, 5);
        CHECK_EQ(curfew_set_nice(0, 4), -EACCES);
        CHECK_EQ(curfew_set_nice(0, 5), 0);
    } else {
        skip("the limit can't be raised here, so only that there is none is tested");
    }
    must(setrlimit(RLIMIT_NICE, &none), "setrlimit");
    CHECK_EQ(curfew_nice_ceiling(&ceiling), 0);
    CHECK_EQ(ceiling, 20);
    CHECK_EQ(curfew_set_nice(0, 4), -EACCES);
}

// The highest limit is no more than every value there is.
static void nice_without_limit(const void *unused)
{
    (void)unused;
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    int ceiling = UNTOUCHED;
    if (setrlimit(RLIMIT_NICE, &unlimited) < 0) {
        skip("the limit can't be raised here");
        return;
    }
    CHECK_EQ(curfew_nice_ceiling(&ceiling), 0);
    CHECK_EQ(ceiling, -20);
}

// Without swap it moves nothing; that it is taken, and refused, is the same.
static void test_page_out(void)
{
    about("page out");
    size_t size = 1 << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int pidfd = curfew_pidfd_open(getpid());
    if (memory == MAP_FAILED || pidfd < 0)
        give_up("mmap, pidfd_open");
    memset(memory, 7, size);
    const struct curfew_range halves[] = {
        {(uintptr_t)memory, size / 2}, {(uintptr_t)memory + size / 2, size / 2}};
    errno = UNTOUCHED;
    int result = curfew_page_out(pidfd, halves, 2);
    if (result == -EPERM || result == -ENOSYS)
        skip("not allowed to page out, or not known");
    else
        CHECK_EQ(result, size);
    CHECK(memory[0] == 7 && memory[size - 1] == 7);
    CHECK_EQ(curfew_page_out(-1, halves, 2), -EBADF);
    CHECK_EQ(curfew_page_out(pidfd, halves, 1025), -EINVAL);
    // What comes before the range that isn't there is counted.
    munmap(memory + size / 2, size / 2);
    if (result >= 0)
        CHECK_EQ(curfew_page_out(pidfd, halves, 2), size / 2);
    if (result >= 0)
        CHECK_EQ(curfew_page_out(pidfd, halves + 1, 1), -ENOMEM);
    CHECK_EQ(errno, UNTOUCHED);
    munmap(memory, size / 2);
    close(pidfd);
}

static void page_out_fails(const void *unused)
{
    (void)unused;
    const struct curfew_range range = {0, 4096};
    const struct rule rules[] = {{440, -1, 0, fails_with(ENOSYS)}, {SYS_statfs, -1, 0, fails_with(EIO)},
                                 {SYS_sched_getaffinity, -1, 0, fails_with(EINVAL)}};
    struct curfew_disk_space space = {1, 2};
    install_rules(rules, 3);
    errno = UNTOUCHED;
    CHECK_EQ(curfew_page_out(0, &range, 1), -ENOSYS);
    CHECK_EQ(curfew_disk_space("/", &space), -EIO);
    CHECK(space.available == 1 && space.total == 2);
    CHECK_EQ(curfew_processor_count(), 1);
    CHECK_EQ(errno, UNTOUCHED);
}

// As df(1) has it.
static void test_disk_space(void)
{
    about("disk space");
    struct curfew_disk_space space = {1, 2};
    struct statvfs expected;
    errno = UNTOUCHED;
    CHECK_EQ(curfew_disk_space("/nonexistent/at/all", &space), -ENOENT);
    CHECK(space.available == 1 && space.total == 2);
    CHECK_EQ(curfew_disk_space(scratch, &space), 0);
    CHECK_EQ(errno, UNTOUCHED);
    must(statvfs(scratch, &expected), "statvfs");
    CHECK_EQ(space.total, expected.f_blocks * expected.f_frsize);
    CHECK(space.available <= space.total && space.total > 0);
}

static void test_attributes(void)
{
    about("extended attributes");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/attributes", scratch);
    close(must(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600), "open"));
    errno = UNTOUCHED;
    CHECK(!curfew_has_attribute(path, "user.delegate"));
    CHECK(!curfew_has_attribute("/nonexistent/at/all", "user.delegate"));
    CHECK_EQ(errno, UNTOUCHED);
    if (setxattr(path, "user.delegate", "1", 1, 0) != 0) {
        skip("this file system has no attributes");
    } else {
        CHECK(curfew_has_attribute(path, "user.delegate"));
        CHECK(!curfew_has_attribute(path, "user.delegat"));
        must(setxattr(path, "user.delegate", "", 0, 0), "setxattr");
        CHECK(!curfew_has_attribute(path, "user.delegate"));
    }
    unlink(path);
}

static void test_resources(void)
{
    test_attributes();
    about("priorities");
    in_helper(priorities, NULL);
    about("priorities that fail");
    in_helper(priorities_fail, NULL);
    about("nice is one-way");
    if (geteuid() == 0)
        in_helper(nice_is_one_way, NULL);
    else
        skip("needs uid 0");
    about("nice without a limit");
    in_helper(nice_without_limit, NULL);
    test_page_out();
    about("page out and disk space that fail");
    in_helper(page_out_fails, NULL);
    test_disk_space();
    about("processors");
    cpu_set_t set;
    must(sched_getaffinity(0, sizeof set, &set), "sched_getaffinity");
    CHECK_EQ(curfew_processor_count(), CPU_COUNT(&set));
}

// ---- input of another program ---------------------------------------------------------------------

static void test_duplicate(void)
{
    about("a duplicate of another's descriptor");
    int ends[2], own = (int)must(curfew_pidfd_open(getpid()), "pidfd_open");
    must(pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe2");
    struct curfew_file_status ours, theirs;
    errno = UNTOUCHED;
    int copy = curfew_pidfd_getfd(own, ends[0]);
    if (copy == -EPERM || copy == -ENOSYS) {
        skip("not allowed to duplicate descriptors, or not known");
    } else if (CHECK(copy >= 0)) {
        CHECK_EQ(fcntl(copy, F_GETFD), FD_CLOEXEC);
        CHECK_EQ(fcntl(copy, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
        CHECK_EQ(curfew_fstat(copy, &theirs), 0);
        CHECK_EQ(curfew_fstat(ends[0], &ours), 0);
        CHECK_EQ(theirs.inode, ours.inode);
        close(copy);
        CHECK_EQ(curfew_pidfd_getfd(own, copy), -EBADF);
        CHECK_EQ(curfew_pidfd_getfd(-1, ends[0]), -EBADF);
        pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        int pidfd = (int)must(curfew_pidfd_open(must(pid, "fork")), "pidfd_open");
        CHECK_EQ(end_of(pidfd).status, 0);
        CHECK_EQ(curfew_pidfd_getfd(pidfd, ends[0]), -ESRCH);
        close(pidfd);
        CHECK_EQ(errno, UNTOUCHED);
    }
    close(own);
    close(ends[0]);
    close(ends[1]);
}

static void test_ready_now(void)
{
    about("what is ready, and how much is unread");
    int ends[2];
    must(pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe2");
    errno = UNTOUCHED;
    CHECK_EQ(curfew_ready_now(ends[0], POLLIN | POLLOUT | POLLRDHUP), 0);
    CHECK_EQ(curfew_ready_now(ends[1], POLLIN | POLLOUT), POLLOUT);
    CHECK_EQ(curfew_unread(ends[0]), 0);
    must(write(ends[1], "abc", 3), "write");
    CHECK_EQ(curfew_ready_now(ends[0], POLLIN | POLLOUT), POLLIN);
    CHECK_EQ(curfew_ready_now(ends[0], 0), 0);
    CHECK_EQ(curfew_unread(ends[0]), 3);
    close(ends[1]);
    CHECK_EQ(curfew_ready_now(ends[0], POLLIN), POLLIN | POLLHUP);
    close(ends[0]);
    CHECK_EQ(curfew_ready_now(ends[0], POLLIN), -EBADF);
    CHECK_EQ(curfew_unread(ends[0]), -EBADF);
    int null = (int)must(open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
    errno = UNTOUCHED;
    CHECK_EQ(curfew_unread(null), -ENOTTY);
    CHECK_EQ(errno, UNTOUCHED);
    close(null);
}

static void test_look_at_unix(void)
{
    about("what Unix sockets are");
    const char *path = scratch_path("looked-at");
    struct curfew_socket seen;
    int listening = (int)must(curfew_unix_listen(path, 5), "unix_listen");
    errno = UNTOUCHED;
    CHECK_EQ(curfew_look_at_socket(listening, &seen), 0);
    CHECK_EQ(seen.domain, AF_UNIX);
    CHECK_EQ(seen.type, SOCK_STREAM);
    CHECK(seen.listens);
    CHECK_TEXT((const char *)seen.local + 2, path);
    CHECK_EQ(seen.local_length, 2 + strlen(path) + 1);
    CHECK_EQ(seen.peer_length, 0);
    CHECK_EQ(curfew_unread(listening), -EINVAL);
    CHECK_EQ(curfew_tcp_backlog(listening), -EOPNOTSUPP);
    int client = (int)must(curfew_unix_connect(path, 5), "unix_connect");
    CHECK_EQ(curfew_look_at_socket(client, &seen), 0);
    CHECK(!seen.listens);
    CHECK_EQ(seen.local_length, 2);
    CHECK_TEXT((const char *)seen.peer + 2, path);
    close(client);
    close(listening);
    int other = (int)must(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0), "netlink");
    CHECK_EQ(curfew_look_at_socket(other, &seen), 0);
    CHECK_EQ(seen.domain, AF_NETLINK);
    CHECK_EQ(seen.local_length | seen.peer_length, 0);
    close(other);
    CHECK_EQ(curfew_look_at_socket(other, &seen), -EBADF);
    CHECK_EQ(seen.domain, AF_NETLINK);
    CHECK_EQ(curfew_look_at_socket(1, &seen), -ENOTSOCK);
    CHECK_EQ(errno, UNTOUCHED);
}

static int listen_on_loopback(struct sockaddr_in *address)
{
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = (int)must(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    must(bind(fd, (struct sockaddr *)address, length), "bind");
    must(listen(fd, 5), "listen");
    must(getsockname(fd, (struct sockaddr *)address, &length), "getsockname");
    return fd;
}

static void test_look_at_tcp(void)
{
    about("what TCP sockets are");
    struct sockaddr_in address;
    struct curfew_socket seen;
    int listening = listen_on_loopback(&address);
    int client = (int)must(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    errno = UNTOUCHED;
    CHECK_EQ(curfew_tcp_backlog(listening), 0);
    CHECK_EQ(curfew_tcp_backlog(client), -EINVAL);
    must(connect(client, (struct sockaddr *)&address, sizeof address), "connect");
    CHECK(readable(listening));
    CHECK_EQ(curfew_tcp_backlog(listening), 1);
    CHECK_EQ(curfew_look_at_socket(listening, &seen), 0);
    CHECK(seen.listens && seen.domain == AF_INET && seen.type == SOCK_STREAM);
    CHECK_EQ(seen.local_length, sizeof address);
    CHECK(!memcmp(seen.local, &address, 8));
    CHECK_EQ(seen.peer_length, 0);
    CHECK_EQ(curfew_look_at_socket(client, &seen), 0);
    CHECK(!seen.listens && !memcmp(seen.peer, &address, 8));
    int accepted = (int)must(accept4(listening, NULL, NULL, SOCK_CLOEXEC), "accept");
    CHECK_EQ(curfew_tcp_backlog(listening), 0);
    CHECK_EQ(curfew_tcp_received(accepted), 0);
    must(send(client, "abc", 3, 0), "send");
    CHECK(readable(accepted));
    CHECK_EQ(curfew_tcp_received(accepted), 3);
    CHECK_EQ(curfew_unread(accepted), 3);
    char buffer[4];
    must(recv(accepted, buffer, sizeof buffer, 0), "recv");
    CHECK_EQ(curfew_tcp_received(accepted), 3);
    CHECK_EQ(curfew_unread(accepted), 0);
    close(client);
    CHECK(readable(accepted));
    CHECK_EQ(curfew_tcp_received(accepted), 4);
    CHECK_EQ(curfew_unread(accepted), 0);
    CHECK_EQ(curfew_ready_now(accepted, POLLIN | POLLRDHUP), POLLIN | POLLRDHUP);
    CHECK_EQ(errno, UNTOUCHED);
    close(accepted);
    close(listening);
    CHECK_EQ(curfew_tcp_received(listening), -EBADF);
}

static void test_terminal_device(void)
{
    about("which terminal it is");
    int inner, outer = curfew_terminal_create(&inner);
    if (outer < 0)
        return skip("there is no pseudo-terminal");
    struct curfew_file_status status = {0};
    uint64_t inner_device = 1, outer_device = 2;
    errno = UNTOUCHED;
    CHECK_EQ(curfew_terminal_device(inner, &inner_device), 0);
    CHECK_EQ(curfew_terminal_device(outer, &outer_device), 0);
    CHECK_EQ(curfew_fstat(inner, &status), 0);
    CHECK_EQ(inner_device, status.node);
    CHECK_EQ(outer_device, status.node);
    CHECK(status.node != 0 && status.node != status.device);
    close(inner);
    close(outer);
    CHECK_EQ(curfew_terminal_device(inner, &inner_device), -EBADF);
    CHECK_EQ(inner_device, outer_device);
    CHECK_EQ(curfew_stat_locally_at(AT_FDCWD, "/dev/null", &status), 0);
    CHECK_EQ(status.node, 1 << 8 | 3);
    CHECK_EQ(curfew_stat_at(AT_FDCWD, "/dev/null", true, &status), 0);
    CHECK_EQ(status.node, 1 << 8 | 3);
    CHECK_EQ(errno, UNTOUCHED);
}

static void input_fails(const void *unused)
{
    (void)unused;
    struct sockaddr_in address;
    struct curfew_socket seen = {.domain = UNTOUCHED};
    uint64_t device = 7;
    int listening = listen_on_loopback(&address);
    const struct rule rules[] = {
        {SYS_pidfd_getfd, -1, 0, fails_with(EPERM)}, {SYS_ppoll, -1, 0, fails_with(EINTR)},
        {SYS_ioctl, 1, TIOCGDEV, fails_with(EIO)}, {SYS_ioctl, 1, FIONREAD, fails_with(EOPNOTSUPP)},
        {SYS_getsockopt, -1, 0, fails_with(ENOBUFS)}};
    install_rules(rules, sizeof rules / sizeof *rules);
    errno = UNTOUCHED;
    CHECK_EQ(curfew_pidfd_getfd(0, 0), -EPERM);
    CHECK_EQ(curfew_ready_now(0, POLLIN), -EINTR);
    CHECK_EQ(curfew_terminal_device(0, &device), -EIO);
    CHECK_EQ(device, 7);
    CHECK_EQ(curfew_unread(0), -EOPNOTSUPP);
    CHECK_EQ(curfew_look_at_socket(listening, &seen), -ENOBUFS);
    CHECK_EQ(curfew_tcp_backlog(listening), -ENOBUFS);
    CHECK_EQ(curfew_tcp_received(listening), -ENOBUFS);
    CHECK_EQ(seen.domain, UNTOUCHED);
    CHECK_EQ(errno, UNTOUCHED);
}

// A call that the filter swallows has told nothing.
static void input_is_partly_told(const void *argument)
{
    const struct socket_fault *fault = argument;
    struct sockaddr_in address;
    struct curfew_socket seen = {.domain = UNTOUCHED};
    int listening = listen_on_loopback(&address), client = (int)must(socket(AF_INET, SOCK_STREAM, 0), "socket");
    must(connect(client, (struct sockaddr *)&address, sizeof address), "connect");
    const struct rule rule = {fault->call, -1, 0, fails_with(fault->error)};
    install_rules(&rule, 1);
    int result = curfew_look_at_socket(client, &seen);
    if (fault->call == SYS_getpeername) {
        CHECK_EQ(result, 0);
        CHECK_EQ(seen.local_length, sizeof address);
        CHECK_EQ(seen.peer_length, 0);
    } else {
        CHECK_EQ(result, -fault->error);
        CHECK_EQ(seen.domain, UNTOUCHED);
    }
    close(listening);
}

static void test_input(void)
{
    struct state before = take_state();
    test_duplicate();
    test_ready_now();
    test_look_at_unix();
    test_look_at_tcp();
    test_terminal_device();
    about("looking at input fails");
    in_helper(input_fails, NULL);
    const struct socket_fault faults[] = {{SYS_getsockname, ENOBUFS}, {SYS_getpeername, ENOTCONN}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        about("looking at a socket, fault %zu", i);
        in_helper(input_is_partly_told, &faults[i]);
    }
    about("looking at input leaves nothing");
    check_same_state(&before);
}

// ---- waits of another program ---------------------------------------------------------------------

struct known_wait {
    long number;
    uint64_t arguments[6];
    const char *name;           // NULL: none
    enum curfew_wait_unit unit;
    int clock;
    uint64_t value;
};

static void test_timed_wait(void)
{
    enum { REALTIME = 256, BITSET = 9, PRIVATE = 128, WAKE = 1, LOCK = 6 };
    const struct known_wait known[] = {
        {SYS_ppoll, {1, 2, 3, 4, 5, 6}, "poll", CURFEW_WAIT_TIMESPEC, -1, 3},
        {SYS_pselect6, {1, 2, 3, 4, 5, 6}, "select", CURFEW_WAIT_TIMESPEC, -1, 5},
        {SYS_epoll_pwait, {1, 2, 3, 4, 5, 6}, "epoll_wait", CURFEW_WAIT_MILLISECONDS, -1, 4},
        {SYS_epoll_pwait, {1, 2, 3, 0xffffffff, 5, 6}, NULL, 0, 0, 0},
        {SYS_epoll_pwait, {1, 2, 3, UINT64_MAX, 5, 6}, NULL, 0, 0, 0},
        {SYS_epoll_pwait, {1, 2, 3, 0, 5, 6}, NULL, 0, 0, 0},
#ifdef SYS_poll
        {SYS_poll, {1, 2, 3, 4, 5, 6}, "poll", CURFEW_WAIT_MILLISECONDS, -1, 3},
        {SYS_epoll_wait, {1, 2, 3, 4, 5, 6}, "epoll_wait", CURFEW_WAIT_MILLISECONDS, -1, 4},
        {SYS_select, {1, 2, 3, 4, 5, 6}, "select", CURFEW_WAIT_TIMEVAL, -1, 5},
#endif
        {SYS_nanosleep, {1, 2}, "nanosleep", CURFEW_WAIT_TIMESPEC, -1, 1},
        {SYS_clock_nanosleep, {CLOCK_MONOTONIC, 0, 3}, "nanosleep", CURFEW_WAIT_TIMESPEC, -1, 3},
        {SYS_clock_nanosleep, {CLOCK_BOOTTIME, TIMER_ABSTIME, 3}, "nanosleep", CURFEW_WAIT_TIMESPEC, CLOCK_BOOTTIME, 3},
        {SYS_clock_nanosleep, {CLOCK_PROCESS_CPUTIME_ID, 0, 3}, NULL, 0, 0, 0},
        {SYS_futex, {1, PRIVATE, 3, 4}, "futex", CURFEW_WAIT_TIMESPEC, -1, 4},
        {SYS_futex, {1, BITSET | PRIVATE, 3, 4}, "futex", CURFEW_WAIT_TIMESPEC, CLOCK_MONOTONIC, 4},
        {SYS_futex, {1, BITSET | REALTIME, 3, 4}, "futex", CURFEW_WAIT_TIMESPEC, CLOCK_REALTIME, 4},
        {SYS_futex, {1, LOCK, 3, 4}, "futex", CURFEW_WAIT_TIMESPEC, CLOCK_REALTIME, 4},
        {SYS_futex, {1, WAKE, 3, 4}, NULL, 0, 0, 0},
        {SYS_futex, {1, BITSET, 3, 0}, NULL, 0, 0, 0},
        {SYS_rt_sigtimedwait, {1, 2, 3, 8}, "sigtimedwait", CURFEW_WAIT_TIMESPEC, -1, 3},
        {SYS_rt_sigtimedwait, {1, 2, 0, 8}, NULL, 0, 0, 0},
        {SYS_mq_timedreceive, {1, 2, 3, 4, 5}, "mq_receive", CURFEW_WAIT_TIMESPEC, CLOCK_REALTIME, 5},
        {SYS_read, {1, 2, 3, 4, 5, 6}, NULL, 0, 0, 0},
        {SYS_restart_syscall, {1, 2, 3, 4, 5, 6}, NULL, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        about("a wait of another's, %zu", i);
        struct curfew_wait wait = {.clock = UNTOUCHED};
        int result = curfew_timed_wait(known[i].number, known[i].arguments, &wait);
        if (!known[i].name) {
            CHECK_EQ(result, -ENOENT);
            CHECK_EQ(wait.clock, UNTOUCHED);
        } else if (CHECK_EQ(result, 0)) {
            CHECK_TEXT(wait.name, known[i].name);
            CHECK_EQ(wait.unit, known[i].unit);
            CHECK_EQ(wait.clock, known[i].clock);
            CHECK_EQ(wait.value, known[i].value);
        }
    }
    CHECK(curfew_is_restarted_call(SYS_restart_syscall));
    CHECK(!curfew_is_restarted_call(SYS_nanosleep));
}

struct known_taking {
    long number;
    enum curfew_taking takes;
};

static void test_taking_call(void)
{
    static const struct known_taking known[] = {
        {SYS_recvfrom, CURFEW_TAKES_DATA},
        {SYS_recvmsg, CURFEW_TAKES_DATA},
        {SYS_recvmmsg, CURFEW_TAKES_DATA},
        {SYS_accept, CURFEW_TAKES_CONNECTIONS},
        {SYS_accept4, CURFEW_TAKES_CONNECTIONS},
        // Their bytes are counted.
        {SYS_read, CURFEW_TAKES_NOTHING},
        {SYS_readv, CURFEW_TAKES_NOTHING},
        // Those wait, and leave what has come where it is.
        {SYS_ppoll, CURFEW_TAKES_NOTHING},
        {SYS_epoll_pwait, CURFEW_TAKES_NOTHING},
        {SYS_futex, CURFEW_TAKES_NOTHING},
        // Those give.
        {SYS_sendto, CURFEW_TAKES_NOTHING},
        {SYS_sendmsg, CURFEW_TAKES_NOTHING},
        {SYS_restart_syscall, CURFEW_TAKES_NOTHING},
        // No number of a system call.
        {-1, CURFEW_TAKES_NOTHING},
        {LONG_MAX, CURFEW_TAKES_NOTHING},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        about("what a call of another's takes, %zu", i);
        CHECK_EQ(curfew_taking_call(known[i].number), known[i].takes);
    }
}

static void test_read_memory(void)
{
    about("another's memory");
    const uint64_t ours = 0x1234567890abcdef;
    uint64_t theirs = 0;
    errno = UNTOUCHED;
    ssize_t count = curfew_read_memory(getpid(), (uintptr_t)&ours, &theirs, sizeof theirs);
    if (count == -EPERM || count == -ENOSYS)
        return skip("not allowed to read memory, or not known");
    CHECK_EQ(count, sizeof theirs);
    CHECK_EQ(theirs, ours);
    CHECK_EQ(curfew_read_memory(getpid(), 0, &theirs, sizeof theirs), -EFAULT);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    int pidfd = (int)must(curfew_pidfd_open(must(pid, "fork")), "pidfd_open");
    CHECK_EQ(end_of(pidfd).status, 0);
    close(pidfd);
    CHECK_EQ(curfew_read_memory(pid, (uintptr_t)&ours, &theirs, sizeof theirs), -ESRCH);
    CHECK_EQ(errno, UNTOUCHED);
}

// ---- running ------------------------------------------------------------------------------------

// ---- reapers ------------------------------------------------------------------------------------

// A program below a reaper, or a reaper alone, and our end of what it tells.
struct reaped {
    struct curfew_spawn_result result;
    int channel;
};

static struct reaped below_reaper(char **arguments)
{
    struct reaped reaped;
    int ends[2];
    int image = (int)must(curfew_reaper_image(), "curfew_reaper_image");
    must(curfew_socketpair(ends), "curfew_socketpair");
    const struct curfew_spawn_reaper reaper = {.image = image, .channel = ends[1]};
    struct curfew_spawn_request request = plain_request(arguments ? arguments[0] : NULL);
    request.argv = arguments;
    request.reaper = &reaper;
    must(curfew_spawn(&request, &reaped.result, NULL), "curfew_spawn");
    close(image);
    close(ends[1]);
    reaped.channel = ends[0];
    return reaped;
}

static struct reaped script_below_reaper(char *script)
{
    char *arguments[] = {"sh", "-c", script, NULL};
    return below_reaper(arguments);
}

static struct curfew_reaper_news news_of(const struct reaped *reaped)
{
    struct curfew_reaper_news news = {.pid = UNTOUCHED};
    if (!readable(reaped->channel))
        CHECK(!"the reaper told something before the deadline");
    CHECK_EQ(curfew_reaper_read(reaped->channel, &news), 0);
    return news;
}

static void check_news(const struct reaped *reaped, pid_t pid, int code, int status)
{
    struct curfew_reaper_news news = news_of(reaped);
    CHECK_EQ(news.pid, pid);
    CHECK_EQ(news.code, code);
    CHECK_EQ(news.status, status);
}

static void let_go(const struct reaped *reaped, pid_t pid)
{
    CHECK_EQ(curfew_reaper_let_go(reaped->channel, pid), sizeof pid);
}

// Once it isn't wanted any more it ends by itself.
static void check_end_of_reaper(struct reaped *reaped)
{
    close(reaped->channel);
    struct curfew_wait_info end = end_of(reaped->result.pidfd);
    CHECK_EQ(end.pid, reaped->result.reaper);
    CHECK_EQ(end.code, CLD_EXITED);
    CHECK_EQ(end.status, 0);
    close(reaped->result.pidfd);
}

static pid_t parent_of(pid_t pid)
{
    int pidfd = (int)must(curfew_pidfd_open(pid), "pidfd_open");
    char path[64], status[8192];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    read_text(path, status, sizeof status);
    close(pidfd);
    return (pid_t)status_field(status, "PPid", 10);
}

// Its end is told with its status; it stays until it is let go, and what is no more is told last.
static void told_and_let_go(const void *old_clone)
{
    if (old_clone)
        refuse_clone3(*(const int *)old_clone);
    struct state before = take_state();
    struct reaped reaped = script_below_reaper("exit 7");
    CHECK(reaped.result.reaper > 0 && reaped.result.reaper != reaped.result.pid);
    CHECK_EQ(fcntl(reaped.result.pidfd, F_GETFD), FD_CLOEXEC);
    check_news(&reaped, reaped.result.pid, CLD_EXITED, 7);
    CHECK_EQ(kill(reaped.result.pid, 0), 0);
    CHECK_EQ(parent_of(reaped.result.pid), reaped.result.reaper);
    struct curfew_reaper_news news;
    let_go(&reaped, reaped.result.pid + 1);   // another's number means nothing
    CHECK_EQ(curfew_reaper_read(reaped.channel, &news), -EAGAIN);
    CHECK_EQ(kill(reaped.result.pid, 0), 0);
    let_go(&reaped, reaped.result.pid);
    check_news(&reaped, 0, 0, 0);
    CHECK_EQ(kill(reaped.result.pid, 0), -1);
    check_end_of_reaper(&reaped);
    check_same_state(&before);
}

static void told_of_signals(const void *unused)
{
    (void)unused;
    struct reaped killed = script_below_reaper("kill -9 $$");
    check_news(&killed, killed.result.pid, CLD_KILLED, SIGKILL);
    check_end_of_reaper(&killed);
    // Whether a core is written is the machine's business.
    struct reaped dumped = script_below_reaper("ulimit -c unlimited 2>/dev/null; cd /; kill -SEGV $$");
    struct curfew_reaper_news news = news_of(&dumped);
    CHECK(news.code == CLD_KILLED || news.code == CLD_DUMPED);
    CHECK_EQ(news.status, SIGSEGV);
    check_end_of_reaper(&dumped);
    struct reaped busy = script_below_reaper("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done");
    CHECK(news_of(&busy).cpu_microseconds > 0);
    check_end_of_reaper(&busy);
}

// Orphans come to their own reaper, also what has a session of its own; each end is told, one after the other.
static void adopts_orphans(const void *unused)
{
    (void)unused;
    struct reaped one = script_below_reaper("sh -c 'setsid sleep 1000 & echo $! >one'; exit 1");
    struct reaped other = script_below_reaper("sh -c 'setsid sleep 1000 & echo $! >other'; exit 2");
    check_news(&one, one.result.pid, CLD_EXITED, 1);
    check_news(&other, other.result.pid, CLD_EXITED, 2);
    let_go(&one, one.result.pid);
    let_go(&other, other.result.pid);
    check_news(&one, -1, 0, 0);
    check_news(&other, -1, 0, 0);
    char text[32];
    read_text("one", text, sizeof text);
    pid_t orphan = atoi(text);
    CHECK_EQ(parent_of(orphan), one.result.reaper);
    CHECK_EQ(kill(orphan, SIGKILL), 0);
    check_news(&one, orphan, CLD_KILLED, SIGKILL);
    let_go(&one, orphan);
    check_news(&one, 0, 0, 0);
    check_end_of_reaper(&one);
    read_text("other", text, sizeof text);
    orphan = atoi(text);
    CHECK_EQ(parent_of(orphan), other.result.reaper);
    int pidfd = (int)must(curfew_pidfd_open(orphan), "pidfd_open");
    check_end_of_reaper(&other);
    CHECK(readable(pidfd));
    close(pidfd);
}

static void tells_one_by_one(const void *unused)
{
    (void)unused;
    struct reaped reaped = script_below_reaper("for i in 1 2 3 4 5 6 7 8; do (sleep 0; exit 4) & done; exit 3");
    struct curfew_reaper_news news;
    int seen = 0;
    while ((news = news_of(&reaped)).pid != 0) {
        if (news.pid < 0)
            continue;
        CHECK_EQ(news.code, CLD_EXITED);
        CHECK_EQ(news.status, news.pid == reaped.result.pid ? 3 : news.status == 4 ? 4 : 0);
        let_go(&reaped, news.pid);
        seen++;
    }
    CHECK_EQ(news.pid, 0);
    CHECK(seen >= 1);
    check_end_of_reaper(&reaped);
}

// Nobody holds them any more: what is stopped, what has left, and what ignores all that can be ignored.
static void ends_all_without_a_supervisor(const void *garbage)
{
    struct reaped reaped = script_below_reaper(
        "trap '' TERM HUP INT; setsid sh -c 'sleep 1000 & sleep 1000' & sh -c 'kill -STOP $$' & echo $$ >ready; wait");
    int pidfd = (int)must(curfew_pidfd_open(reaped.result.pid), "pidfd_open");
    if (garbage)
        CHECK_EQ(curfew_send(reaped.channel, "x", 1), 1);
    else
        close(reaped.channel);
    CHECK(readable(pidfd));
    struct curfew_wait_info end = end_of(reaped.result.pidfd);
    CHECK_EQ(end.code, CLD_EXITED);
    CHECK_EQ(end.status, 0);
    close(pidfd);
    // Who is below us came to us, had it outlived its reaper.
    CHECK_EQ(take_state().children, ECHILD);
}

// Its memory, its name and what it has open are its own; nothing of ours is in it.
static void reaper_is_small(const void *unused)
{
    (void)unused;
    enum { LIMIT_KIB = 64 };
    char *big = mmap(NULL, 32 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (big == MAP_FAILED)
        give_up("mmap");
    memset(big, 1, 32 << 20);
    struct reaped reaped = script_below_reaper("exec sleep 1000");
    memset(big, 2, 32 << 20);
    // Moved on to what it is: it says its name first.
    char path[64], text[8192], expected[64];
    snprintf(path, sizeof path, "/proc/%d/comm", reaped.result.reaper);
    for (int i = 0; i < DEADLINE_MS; i++) {
        read_text(path, text, sizeof text);
        if (!strcmp(text, "curfew-reaper\n"))
            break;
        poll(NULL, 0, 1);
    }
    CHECK_TEXT(text, "curfew-reaper\n");
    kill(reaped.result.pid, SIGKILL);
    news_of(&reaped);
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", reaped.result.reaper);
    read_text(path, text, sizeof text);
    uint64_t kib = status_field(text, "Private_Clean", 10) + status_field(text, "Private_Dirty", 10);
    CHECK(kib > 0 && kib <= LIMIT_KIB);
    snprintf(path, sizeof path, "/proc/%d/status", reaped.result.reaper);
    read_text(path, text, sizeof text);
    CHECK_EQ(status_field(text, "SigBlk", 16), ~(bit(SIGKILL) | bit(SIGSTOP)));
    snprintf(path, sizeof path, "/proc/%d/environ", reaped.result.reaper);
    read_text(path, text, sizeof text);
    CHECK_TEXT(text, "");
    int open_ones = 0;
    for (int number = 0; number < 256; number++) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", reaped.result.reaper, number);
        ssize_t length = readlink(path, expected, sizeof expected - 1);
        if (length < 0)
            continue;
        expected[length] = 0;
        CHECK(number == 0 ? !strncmp(expected, "socket:", 7) : !strcmp(expected, "anon_inode:[signalfd]"));
        open_ones++;
    }
    CHECK_EQ(open_ones, 2);
    check_end_of_reaper(&reaped);
    munmap(big, 32 << 20);
}

// What an app may send it means nothing, but SIGKILL and SIGSTOP.
static void reaper_heeds_no_signal(const void *unused)
{
    (void)unused;
    struct reaped reaped = script_below_reaper("exec sleep 1000");
    for (int signal = 1; signal <= 64; signal++)
        if (signal != SIGKILL && signal != SIGSTOP && signal != 32 && signal != 33)
            CHECK_EQ(kill(reaped.result.reaper, signal), 0);
    CHECK_EQ(kill(reaped.result.pid, SIGTERM), 0);
    check_news(&reaped, reaped.result.pid, CLD_KILLED, SIGTERM);
    let_go(&reaped, reaped.result.pid);
    check_news(&reaped, 0, 0, 0);
    check_end_of_reaper(&reaped);
}

// What ends while it is stopped is told once it goes on.
static void reaper_stopped(const void *unused)
{
    (void)unused;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct reaped reaped = script_below_reaper("exec sleep 1000");
    CHECK_EQ(kill(reaped.result.reaper, SIGSTOP), 0);
    await_stop(reaped.result.reaper);
    CHECK_EQ(kill(reaped.result.pid, SIGKILL), 0);
    CHECK_EQ(kill(reaped.result.reaper, SIGCONT), 0);
    check_news(&reaped, reaped.result.pid, CLD_KILLED, SIGKILL);
    check_end_of_reaper(&reaped);
}

// Killed, it leaves its children to whoever is above it.
static void reaper_killed(const void *unused)
{
    (void)unused;
    must(curfew_set_subreaper(), "subreaper");
    struct reaped reaped = script_below_reaper("exec sleep 1000");
    CHECK_EQ(kill(reaped.result.reaper, SIGKILL), 0);
    CHECK_EQ(end_of(reaped.result.pidfd).code, CLD_KILLED);
    struct curfew_reaper_news news;
    CHECK(readable(reaped.channel));
    CHECK_EQ(curfew_reaper_read(reaped.channel, &news), -EPIPE);
    CHECK_EQ(curfew_reaper_let_go(reaped.channel, reaped.result.pid), -EPIPE);
    CHECK_EQ(parent_of(reaped.result.pid), getpid());
    kill(reaped.result.pid, SIGKILL);
    struct curfew_wait_info info;
    CHECK_EQ(curfew_waitid(BY_PID, reaped.result.pid, WEXITED, &info), 0);
    close(reaped.channel);
    close(reaped.result.pidfd);
}

// It runs once its reaper is one, so that nothing it does to that keeps us: a stopped child that shares our memory would.
static void reaper_attacked_at_once(const void *unused)
{
    (void)unused;
    for (int i = 0; i < 30; i++) {
        struct reaped stopped = script_below_reaper("kill -STOP $PPID");
        kill(stopped.result.reaper, SIGCONT);
        struct reaped killed = script_below_reaper("kill -KILL $PPID");
        CHECK_EQ(end_of(killed.result.pidfd).status, SIGKILL);
        close(killed.result.pidfd);
        close(killed.channel);
        // Stopped by now or later.
        kill(stopped.result.reaper, SIGKILL);
        end_of(stopped.result.pidfd);
        close(stopped.result.pidfd);
        close(stopped.channel);
    }
}

// Whoever fails leaves no program that has run.
static void never_ran(const void *unused)
{
    (void)unused;
    const struct rule rule = {SYS_execveat, -1, 0, fails_with(EACCES)};
    install_rules(&rule, 1);
    char *arguments[] = {"sh", "-c", ": >ran", NULL};
    int ends[2];
    must(curfew_socketpair(ends), "curfew_socketpair");
    const struct curfew_spawn_reaper reaper = {(int)must(curfew_reaper_image(), "image"), ends[1]};
    struct curfew_spawn_request request = plain_request("sh");
    request.argv = arguments;
    request.reaper = &reaper;
    for (int i = 0; i < 20; i++)
        check_failure(&request, CURFEW_STAGE_REAPER, EACCES);
    CHECK_EQ(access("ran", F_OK), -1);
}

static void test_reaper_alone(void)
{
    about("a reaper alone");
    struct state before = take_state();
    struct reaped reaped = below_reaper(NULL);
    CHECK_EQ(reaped.result.pid, 0);
    check_news(&reaped, 0, 0, 0);
    check_end_of_reaper(&reaped);
    check_same_state(&before);
}

static void test_reaper_image(void)
{
    about("a reaper's image");
    int image = curfew_reaper_image();
    CHECK_EQ(fcntl(image, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(write(image, "x", 1), -1);
    CHECK_EQ(ftruncate(image, 0), -1);
    close(image);
}

static void image_fails(const void *rule)
{
    install_rules(rule, 1);
    struct state before = take_state();
    CHECK_EQ(curfew_reaper_image(), -(int)(((const struct rule *)rule)->action & SECCOMP_RET_DATA));
    check_same_state(&before);
}

// Linux before 6.3 doesn't know of MFD_EXEC.
static void image_of_older_kernel(const void *unused)
{
    (void)unused;
    const struct rule rule = {SYS_memfd_create, 1, 0x13, fails_with(EINVAL)};
    install_rules(&rule, 1);
    int image = curfew_reaper_image();
    CHECK(image >= 0);
    close(image);
}

// Only as many processes as the reaper takes, and not the program; as many as are there already aren't known.
static void out_of_processes_below_reaper(const void *unused)
{
    (void)unused;
    static const struct curfew_spawn_reaper reaper = {200, 201};
    int ends[2];
    must(curfew_socketpair(ends), "curfew_socketpair");
    must(dup3((int)must(curfew_reaper_image(), "image"), 200, O_CLOEXEC), "dup3");
    must(dup3(ends[1], 201, O_CLOEXEC), "dup3");
    become_nobody();
    struct curfew_spawn_request request = plain_request("true");
    request.reaper = &reaper;
    for (rlim_t most = 1; most < 4096; most++) {
        const struct rlimit limit = {most, 4096};
        must(setrlimit(RLIMIT_NPROC, &limit), "RLIMIT_NPROC");
        struct curfew_spawn_result result;
        struct state before = take_state();
        int stage = 0, seen = curfew_spawn(&request, &result, &stage);
        if (seen == 0) {
            struct curfew_reaper_news news;
            CHECK(readable(ends[0]));
            CHECK_EQ(curfew_reaper_read(ends[0], &news), 0);
            kill(result.reaper, SIGKILL);
            end_of(result.pidfd);
            return;
        }
        CHECK_EQ(seen, -EAGAIN);
        CHECK_EQ(stage, CURFEW_STAGE_CLONE);
        check_same_state(&before);
    }
    CHECK(!"it was started at last");
}

static void test_reaper_faults(void)
{
    int ends[2];
    must(curfew_socketpair(ends), "curfew_socketpair");
    static struct curfew_spawn_reaper reaper, closed, no_image;
    reaper = (struct curfew_spawn_reaper){(int)must(curfew_reaper_image(), "image"), ends[1]};
    closed = (struct curfew_spawn_reaper){reaper.image, 999};
    no_image = (struct curfew_spawn_reaper){999, ends[1]};
    struct curfew_spawn_request request = plain_request("true"), absent, shut, blank;
    request.reaper = &reaper;
    absent = shut = blank = request;
    absent.file = "/nonexistent/program";
    shut.reaper = &closed;
    blank.reaper = &no_image;
    const struct fault faults[] = {
        {"reaper, clone3", {{SYS_clone3, -1, 0, fails_with(EAGAIN)}}, request, CURFEW_STAGE_CLONE, EAGAIN},
        {"reaper, subreaper", {{SYS_prctl, 0, PR_SET_CHILD_SUBREAPER, fails_with(EINVAL)}}, request, CURFEW_STAGE_REAPER, EINVAL},
        {"reaper, its program", {{SYS_execve, -1, 0, fails_with(EACCES)}}, request, CURFEW_STAGE_EXEC, EACCES},
        {"reaper, no program", {{SYS_getsid, -1, 0, fails_with(EPERM)}}, absent, CURFEW_STAGE_EXEC, ENOENT},
        {"reaper, its channel", {{SYS_dup3, 1, 0, fails_with(EMFILE)}}, request, CURFEW_STAGE_REAPER, EMFILE},
        {"reaper, its execution", {{SYS_execveat, -1, 0, fails_with(EACCES)}}, request, CURFEW_STAGE_REAPER, EACCES},
        {"reaper, a channel that is closed", {{SYS_getsid, -1, 0, fails_with(EPERM)}}, shut, CURFEW_STAGE_REAPER, EBADF},
        {"reaper, no image", {{SYS_getsid, -1, 0, fails_with(EPERM)}}, blank, CURFEW_STAGE_REAPER, EBADF},
        {"reaper, old clone, handlers", {{SYS_clone3, -1, 0, fails_with(ENOSYS)}, {SYS_rt_sigaction, -1, 0, fails_with(EFAULT)}},
            request, CURFEW_STAGE_CLONE, EFAULT},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        static struct fault kept;
        kept = faults[i];
        about("fault: %s", kept.name);
        in_helper(inject, &kept);
    }
    close(reaper.image);
    close(ends[0]);
    close(ends[1]);
    const struct rule images[] = {
        {SYS_memfd_create, -1, 0, fails_with(EACCES)}, {SYS_pwrite64, -1, 0, fails_with(ENOSPC)},
        {SYS_fcntl, 1, F_ADD_SEALS, fails_with(EPERM)}};
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        about("image fault %zu", i);
        in_helper(image_fails, &images[i]);
    }
}

static void test_reapers(void)
{
    static const int unknown = ENOSYS;
    test_reaper_image();
    about("a reaper's image, older kernel");
    in_helper(image_of_older_kernel, NULL);
    test_reaper_alone();
    must(chdir(scratch), "chdir");
    about("told and let go");
    in_helper(told_and_let_go, NULL);
    about("told and let go, old clone");
    in_helper(told_and_let_go, &unknown);
    about("told of signals");
    in_helper(told_of_signals, NULL);
    about("orphans");
    in_helper(adopts_orphans, NULL);
    about("one by one");
    in_helper(tells_one_by_one, NULL);
    about("no supervisor");
    in_helper(ends_all_without_a_supervisor, NULL);
    about("nonsense from the supervisor");
    in_helper(ends_all_without_a_supervisor, "x");
    about("a reaper is small");
    in_helper(reaper_is_small, NULL);
    about("a reaper and signals");
    in_helper(reaper_heeds_no_signal, NULL);
    about("a stopped reaper");
    in_helper(reaper_stopped, NULL);
    about("a killed reaper");
    in_helper(reaper_killed, NULL);
    about("RLIMIT_NPROC, below a reaper");
    if (geteuid() == 0)
        in_helper(out_of_processes_below_reaper, NULL);
    else
        skip("needs uid 0");
    about("a reaper that is attacked at once");
    in_helper(reaper_attacked_at_once, NULL);
    about("a program whose reaper failed");
    in_helper(never_ran, NULL);
    test_reaper_faults();
    must(chdir("/"), "chdir");
}

static void test_spawn(void)
{
    static const int unknown = ENOSYS, forbidden = EPERM, invalid = EINVAL, too_big = E2BIG;
    test_bad_descriptors();
    stage_may_be_null();
    about("a session leader's child gets its own group");
    in_helper(test_group_of_session_leader, NULL);
    about("RLIMIT_NPROC");
    in_helper(out_of_processes, NULL);
    about("RLIMIT_NOFILE");
    in_helper(out_of_descriptors, NULL);
    test_search();
    test_search_limits();
    test_scripts();
    about("born");
    in_helper(born, NULL);
    about("born by the old clone");
    in_helper(born, &unknown);
    about("born by the old clone, clone3 forbidden");
    in_helper(born, &forbidden);
    about("born by the old clone, clone3 invalid");
    in_helper(born, &invalid);
    about("born by the old clone, clone3 too big");
    in_helper(born, &too_big);
    about("a table copied in part");
    in_helper(copies_table_in_part, NULL);
    about("a table copied in part, old clone");
    in_helper(copies_table_in_part, &unknown);
    about("no close_range");
    in_helper(cannot_copy_in_part, NULL);
    test_drop_bounding();
    about("capabilities dropped by an ordinary user");
    in_helper(drop_as_nobody, NULL);
    about("capabilities dropped by uid 0 without CAP_SETPCAP");
    if (geteuid() == 0)
        in_helper(drop_as_root_without_setpcap, NULL);
    else
        skip("needs uid 0");
    keeps_channel_number();
    about("signal before execution");
    in_helper(signal_before_execution, NULL);
    about("signal before execution, old clone");
    in_helper(signal_before_execution, &unknown);
    about("noted before execution");
    in_helper(noted_before_execution, NULL);
    about("noted before execution, old clone");
    in_helper(noted_before_execution, &unknown);
    about("note of what was not started");
    note_of_what_was_not_started();
    about("threads");
    must(pipe2(progress, O_CLOEXEC), "pipe2");
    in_helper(many_threads, NULL);
    about("born in a cgroup");
    in_helper(born_in_cgroup, NULL);
    about("born in a cgroup, old clone");
    in_helper(born_in_cgroup, &unknown);
    test_faults();
    test_place();
}

static void test_sockets(void)
{
    test_socketpair();
    test_send_full();
    test_named_socket();
    test_is_bound();
    test_rename_new();
    test_socket_paths();
    test_mode_at_bind();
    const struct socket_fault faults[] = {
        {SYS_socket, EMFILE}, {SYS_setsockopt, ENOMEM}, {SYS_fchmod, EPERM}, {SYS_bind, EACCES}, {SYS_listen, EADDRINUSE}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        about("socket fault %zu", i);
        in_helper(listen_fails, &faults[i]);
    }
    about("socketpair fault");
    in_helper(pair_fails, NULL);
    test_kept_outputs();
}

static void test_processes(void)
{
    test_fork();
    test_waitid();
    test_parent_of_pidfd();
    about("signals");
    in_helper(signals, NULL);
    about("own process");
    in_helper(own_process, NULL);
    test_core_dumps();
    test_time();
    about("interrupted epoll_wait");
    in_helper(interrupted_wait, NULL);
    test_shared_page();
    test_news();
    test_news_between_processes();
    test_nobody_waits_for_room_unheard();
    about("waker");
    in_helper(stopped_and_woken, NULL);
    about("own children");
    in_helper(own_children, NULL);
}

static void remove_scratch(void)
{
    char *arguments[] = {"rm", "-rf", scratch, NULL};
    if (getpid() != owner)
        return;
    struct curfew_spawn_request request = plain_request("rm");
    struct curfew_spawn_result result;
    request.argv = arguments;
    if (curfew_spawn(&request, &result, NULL) == 0)
        end_of(result.pidfd);
}

// Prints the median and the 90th percentile of what curfew_spawn takes for `true`, in microseconds.
static int by_time(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static int bench(const char *file)
{
    enum { RUNS = 1000 };
    static int64_t spawned[RUNS], reaped[RUNS];
    struct curfew_spawn_request request = plain_request(file);
    request.own_process_group = true;
    for (int i = 0; i < RUNS; i++) {
        struct curfew_spawn_result result;
        struct curfew_wait_info info;
        int64_t start = curfew_monotonic_nanoseconds();
        must(curfew_spawn(&request, &result, NULL), "curfew_spawn");
        spawned[i] = curfew_monotonic_nanoseconds() - start;
        curfew_waitid(BY_PIDFD, result.pidfd, WEXITED, &info);
        reaped[i] = curfew_monotonic_nanoseconds() - start;
        close(result.pidfd);
    }
    qsort(spawned, RUNS, sizeof *spawned, by_time);
    qsort(reaped, RUNS, sizeof *reaped, by_time);
    printf("spawn %s: median %.1f us, p90 %.1f, min %.1f; until reaped: median %.1f\n", file, spawned[RUNS / 2] / 1e3,
        spawned[RUNS * 9 / 10] / 1e3, spawned[0] / 1e3, reaped[RUNS / 2] / 1e3);
    return 0;
}

int main(int argc, char **argv, char **envp)
{
    if (argc > 1 && !strcmp(argv[1], "--report"))
        return report(argc, argv, envp);
    if (argc > 1 && !strcmp(argv[1], "--hold"))
        return hold();
    counts = curfew_map_shared_page();
    if (!counts)
        return 2;
    if (argc > 1 && !strcmp(argv[1], "--bench"))
        return bench(argc > 2 ? argv[2] : "true");
    must(readlink("/proc/self/exe", self, sizeof self - 1), "/proc/self/exe");
    const char *temporary = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/curfew-shim-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(scratch))
        give_up("mkdtemp");
    owner = getpid();
    signal(SIGCHLD, SIG_DFL);      // whoever started us may have ignored it, and then nothing could be waited for
    syscall(SYS_close_range, 3, ~0U, 0);    // what we were started with has numbers that the tests count on
    test_spawn();
    test_reapers();
    test_processes();
    about("");
    test_files();
    test_pipe();
    test_directory();
    test_new_terminal();
    test_not_a_terminal();
    about("terminal");
    in_helper(takes_terminal, NULL);
    test_sockets();
    test_notify();
    about("capabilities");
    in_helper(keep_capabilities, NULL);
    test_capability_names();
    test_resources();
    test_input();
    test_timed_wait();
    test_taking_call();
    test_read_memory();
    about("the tests themselves leave nothing");
    CHECK_EQ(take_state().children, ECHILD);
    remove_scratch();
    printf("%d passed, %d failed, %d skipped\n", counts->passed, counts->failed, counts->skipped);
    return counts->failed != 0;
}
