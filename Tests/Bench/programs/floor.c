// floor [-t SECONDS] [-k SECONDS] [-g] CMD…   The least a supervisor has to do, as the physical limit to compare with:
// block signals, vfork and exec, wait for the child or the limit, kill, reap, exit with its status.
// -k: SIGTERM at the limit, the kill so much later.
// -g: the child is born in a cgroup of its own (CLONE_INTO_CGROUP), is killed with cgroup.kill, and the
//     cgroup is removed. Without -g only the child itself is killed.
// The clock starts when vfork has returned, so never before the child's exec.
#define _GNU_SOURCE
#include "bench.h"
#include "group.h"
#include <linux/sched.h>

static char group[512];

static int make_group(void) {
    char name[32];
    snprintf(name, sizeof name, "curfew-bench-%d", getpid());
    make_subgroup(group, sizeof group, name);
    int fd = open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) die(group);
    return fd;
}

static void remove_group(void) {
    for (int i = 0; i < 200 && rmdir(group) && errno == EBUSY; i++) sleep_ns(1000000);
}

static void kill_group(int fd) {
    int file = openat(fd, "cgroup.kill", O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "1", 1) != 1) die("cgroup.kill");
    close(file);
}

static pid_t start(char **command, int group_fd, const sigset_t *mask) {
    // Like vfork, this returns at the exec.
    struct clone_args args = {
        .flags = CLONE_INTO_CGROUP | CLONE_VFORK, .exit_signal = SIGCHLD, .cgroup = (unsigned)group_fd};
    pid_t pid = group_fd >= 0 ? (pid_t)syscall(SYS_clone3, &args, sizeof args) : vfork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(command[0], command);
        _exit(127);
    }
    return pid;
}

// True when the limit came before the child's end.
static bool outlived(double limit, const sigset_t *child_ends) {
    if (limit <= 0) {
        sigwaitinfo(child_ends, NULL);
        return false;
    }
    struct timespec left = {(time_t)limit, (long)((limit - (time_t)limit) * 1e9)};
    return sigtimedwait(child_ends, NULL, &left) < 0;
}

int main(int argc, char **argv) {
    double limit = 0, grace = 0;
    int group_fd = -1, option, status;
    sigset_t all, before, child_ends;
    while ((option = getopt(argc, argv, "+t:k:g")) != -1) {
        if (option == 't') limit = atof(optarg);
        else if (option == 'k') grace = atof(optarg);
        else if (option == 'g') group_fd = make_group();
        else return 64;
    }
    if (optind == argc) return 64;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP}, NULL);
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    pid_t pid = start(argv + optind, group_fd, &before);
    if (pid < 0) die("start");
    bool late = outlived(limit, &child_ends), stubborn = late;
    if (late && grace > 0) {
        kill(pid, SIGTERM);
        stubborn = outlived(grace, &child_ends);
    }
    if (stubborn && group_fd >= 0) kill_group(group_fd);
    else if (stubborn) kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    if (group_fd >= 0) remove_group();
    return late ? 124 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
