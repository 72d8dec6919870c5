// What a C program needs to stop and continue a tree with Curfew's guarantee, asked as Curfew is asked.
//
// guarantee GROUP N SOCKET   serves `home` and `open` on SOCKET for an app of N idle processes, held by the cgroup v2 group
//                            GROUP; `-`: by no group, as a tree that is walked.
//
// The guarantee: the processes are a stranger's children, found anew each time; nothing can fork its way out (all is frozen
// while it is told to stop; a tree is walked from the top down until nothing is found running); what was stopped before
// is told apart and stays stopped; and each is seen as `T` in /proc, every thread of it, before `home` is answered.
#define _GNU_SOURCE
#include "bench.h"
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>

#define LIFETIME_S 240
#define STOP_LIMIT 8000000000LL
#define MOST 4096

struct list {
    pid_t pids[MOST];
    int count;
};

static int procs = -1, freeze = -1, events = -1;  // of the group; -1 without one
static pid_t leader;
static struct list stopped, known;

static void add(struct list *list, pid_t pid) {
    if (list->count == MOST) errno = E2BIG, die("too many processes");
    list->pids[list->count++] = pid;
}

static bool has(const struct list *list, pid_t pid) {
    // The lists are in the same order as a rule, so the search begins where it ended.
    static int at;
    for (int i = 0; i < list->count; i++) {
        at = at + 1 < list->count ? at + 1 : 0;
        if (list->pids[at] == pid) return true;
    }
    return false;
}

static ssize_t read_file(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    // A list longer than a page comes in several reads.
    ssize_t used = 0, n;
    while ((n = read(fd, text + used, size - 1 - (size_t)used)) > 0) {
        used += n;
        if (size < MOST) break;
    }
    close(fd);
    text[used] = 0;
    return used;
}

// The state letter and the number of threads; false when it is gone.
static bool look(const char *path, char *state, long *threads) {
    char text[1024];
    if (read_file(path, text, sizeof text) <= 0) return false;
    char *end = strrchr(text, ')');
    return end && sscanf(end + 2, "%c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", state, threads) == 2;
}

static bool look_at(pid_t pid, char *state, long *threads) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    return look(path, state, threads);
}

static bool is_stopped(pid_t pid) {
    char state;
    long threads;
    return !look_at(pid, &state, &threads) || state == 'Z' || (state == 'T' && threads == 1);
}

static void parse(char *text, struct list *list) {
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) add(list, atoi(word));
}

static void list_group(struct list *list) {
    static char text[MOST * 8];
    ssize_t used = 0, n;
    list->count = 0;
    while ((n = pread(procs, text + used, sizeof text - 1 - (size_t)used, used)) > 0) used += n;
    text[used] = 0;
    parse(text, list);
}

static void list_children(pid_t parent, struct list *list) {
    static char text[MOST * 8];
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
    if (read_file(path, text, sizeof text) > 0) parse(text, list);
}

static void list_tree(struct list *list) {
    list->count = 0;
    list_children(getpid(), list);
    for (int i = 0; i < list->count; i++) list_children(list->pids[i], list);
}

static void list_all(struct list *list) {
    if (procs >= 0) list_group(list);
    else list_tree(list);
}

// Tells it to stop, unless it was stopped before.
static bool stop(pid_t pid, bool is_late) {
    char state;
    long threads;
    if (has(&known, pid) || !look_at(pid, &state, &threads) || state == 'Z') return false;
    add(&known, pid);
    if (state == 'T' && !is_late) return false;
    if (kill(pid, SIGSTOP)) return false;
    add(&stopped, pid);
    return true;
}

static void confirm(int from) {
    long long deadline = now_ns() + STOP_LIMIT;
    for (int i = from; i < stopped.count; i++)
        while (!is_stopped(stopped.pids[i])) {
            if (now_ns() > deadline) errno = ETIMEDOUT, die("SIGSTOP");
            sched_yield();
        }
}

static void set_frozen(const char *order, const char *done) {
    char text[256];
    long long deadline = now_ns() + STOP_LIMIT;
    if (pwrite(freeze, order, 1, 0) != 1) die("cgroup.freeze");
    while (done) {
        ssize_t n = pread(events, text, sizeof text - 1, 0);
        text[n > 0 ? n : 0] = 0;
        if (strstr(text, done)) return;
        if (now_ns() > deadline) errno = ETIMEDOUT, die("frozen");
        sched_yield();
    }
}

// One process alone needs no freezer: nothing has slipped away if it is alone once stopped.
static bool stop_alone(void) {
    struct list now;
    list_group(&now);
    if (now.count != 1 || now.pids[0] != leader) return false;
    stop(leader, false);
    confirm(0);
    list_group(&now);
    return now.count == 1 && now.pids[0] == leader;
}

static void home_group(void) {
    static struct list all;
    if (stop_alone()) return;
    set_frozen("1", "frozen 1");
    list_group(&all);
    for (int i = 0; i < all.count; i++) stop(all.pids[i], false);
    set_frozen("0", NULL);
    confirm(0);
}

// Level by level: a stopped parent's list of children stands still. Then until a walk finds nothing running.
static void home_tree(void) {
    static struct list level, next;
    for (bool is_late = false, found = true; found; is_late = true) {
        found = false;
        level.count = 0;
        for (list_children(getpid(), &level); level.count; level = next) {
            int from = stopped.count;
            for (int i = 0; i < level.count; i++) found |= stop(level.pids[i], is_late);
            confirm(from);
            next.count = 0;
            for (int i = 0; i < level.count; i++) list_children(level.pids[i], &next);
        }
    }
}

static void home(void) {
    stopped.count = known.count = 0;
    if (procs >= 0) home_group();
    else home_tree();
}

// Children first; then what came to be stopped since.
static void open_again(void) {
    static struct list all;
    for (int i = stopped.count; i-- > 0;) kill(stopped.pids[i], SIGCONT);
    list_all(&all);
    for (int i = 0; i < all.count; i++)
        if (!has(&known, all.pids[i]) && is_stopped(all.pids[i])) kill(all.pids[i], SIGCONT);
}

static void start_app(const char *group, int count) {
    leader = fork();
    if (leader < 0) die("fork");
    if (leader > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(LIFETIME_S);
    if (procs >= 0) {
        int fd = open_in(group, "cgroup.procs", O_WRONLY);
        if (write(fd, "0", 1) != 1) die(group);
        close(fd);
    }
    for (int i = 1; i < count; i++) idle_child(LIFETIME_S);
    for (;;) pause();
}

static void await_app(int count) {
    static struct list all;
    long long deadline = now_ns() + STOP_LIMIT;
    for (list_all(&all); all.count < count; list_all(&all)) {
        if (now_ns() > deadline) errno = ETIMEDOUT, die("the app");
        sleep_ns(1000000);
    }
    sleep_ns(100000000);
}

static void serve(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char line[4096], reply[64], verb[16];
    int id, listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ssize_t n;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1)) die(path);
    puts("ready");
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    while (fd >= 0 && (n = read(fd, line, sizeof line - 1)) > 0) {
        line[n] = 0;
        if (sscanf(line, "%15s id=%d", verb, &id) != 2) return;
        bool is_home = !strcmp(verb, "home");
        if (is_home) home();
        else open_again();
        int size = snprintf(reply, sizeof reply, "ok id=%d state=%s\n", id, is_home ? "suspended" : "active");
        if (write(fd, reply, (size_t)size) != size) return;
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 64;
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(LIFETIME_S);
    if (strcmp(argv[1], "-")) {
        procs = open_in(argv[1], "cgroup.procs", O_RDONLY);
        freeze = open_in(argv[1], "cgroup.freeze", O_WRONLY);
        events = open_in(argv[1], "cgroup.events", O_RDONLY);
    }
    int count = atoi(argv[2]);
    start_app(argv[1], count);
    await_app(count);
    serve(argv[3]);
    kill(leader, SIGKILL);
    wait(NULL);
    return 0;
}
