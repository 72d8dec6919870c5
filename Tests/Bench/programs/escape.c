// escape ARENA LOCK MARK VICTIM DEADLINE_S CMD…   Runs one wrapper around one victim, waits until the wrapper
// has returned (or DEADLINE_S is over), gives the dying SETTLE_MS, and prints
//     returned_ms status hung lock_held found_in_proc
// then kills and reaps whatever is left. `lock_held` is the truth; `found_in_proc` (processes whose executable is
// VICTIM and whose argv holds MARK) counts them and may miss a comet between two forks.
#define _GNU_SOURCE
#include "bench.h"
#include <dirent.h>
#include <sys/file.h>

#define SECOND 1000000000LL
#define SETTLE_MS 30

static bool lock_held(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) die(path);
    bool held = flock(fd, LOCK_EX | LOCK_NB) != 0;
    close(fd);
    return held;
}

static bool is_victim(const char *pid, const char *victim, const char *mark) {
    char path[300], text[4096];
    snprintf(path, sizeof path, "/proc/%s/exe", pid);
    ssize_t n = readlink(path, text, sizeof text - 1);
    if (n <= 0) return false;
    text[n] = 0;
    if (strcmp(text, victim)) return false;
    snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    n = read(fd, text, sizeof text);
    close(fd);
    return n > 0 && memmem(text, (size_t)n, mark, strlen(mark));
}

static int count_victims(const char *victim, const char *mark) {
    DIR *proc = opendir("/proc");
    int count = 0;
    for (struct dirent *e; proc && (e = readdir(proc));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9') count += is_victim(e->d_name, victim, mark);
    if (proc) closedir(proc);
    return count;
}

// Reaps everything that comes to us meanwhile (comets leave thousands of dead). True when the wrapper has ended.
static bool await_wrapper(pid_t wrapper, long long deadline, int *status) {
    while (now_ns() < deadline) {
        int one;
        pid_t pid;
        while ((pid = waitpid(-1, &one, WNOHANG)) > 0)
            if (pid == wrapper) {
                *status = WIFEXITED(one) ? WEXITSTATUS(one) : 128 + WTERMSIG(one);
                return true;
            }
        sleep_ns(500000);
    }
    return false;
}

static void settle(void) {
    long long until = now_ns() + SETTLE_MS * 1000000LL;
    while (now_ns() < until) {
        while (waitpid(-1, NULL, WNOHANG) > 0) {}
        sleep_ns(500000);
    }
}

int main(int argc, char **argv) {
    if (argc < 7) return 64;
    struct arena *arena = map_arena(argv[1]);
    clear_arena(arena);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    long long start = now_ns();
    int status = -1;
    pid_t wrapper = spawn(argv + 6);
    bool returned = await_wrapper(wrapper, start + (long long)(atof(argv[5]) * SECOND), &status);
    double took = (now_ns() - start) / 1e6;
    settle();
    bool ran = arena->pid != 0, held = lock_held(argv[2]);
    int found = count_victims(argv[4], argv[3]);
    bool clean = clean_up(arena);
    if (!ran) {
        fprintf(stderr, "escape: the victim did not start (wrapper's status %d)\n", status);
        return 121;
    }
    printf("%.1f %d %d %d %d\n", took, status, !returned, held, found);
    return clean && !lock_held(argv[2]) ? 0 : 121;
}
