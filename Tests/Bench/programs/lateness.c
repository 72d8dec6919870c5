// lateness DUE_S ARENA ROUNDS CMD… :: CMD… :: …   How far from its deadline a victim dies, interleaved.
// Each CMD ends in `VICTIM ARENA MODE`. For each kill it prints, in µs,
//     index death_minus_(exec + due) death_minus_(first line of main + due) waited
// the first of them `unknown` where the kernel doesn't tell when a program is executed.
//
// The child's start is its exec: a supervisor can know that moment, and the kernel tells us of it by the proc
// connector, with its own time stamp on the same clock. (A user may listen to it since Linux 6.6, before only root.)
// The first line of main comes some hundred microseconds later. A vfork returns shortly before the kernel's stamp; a
// victim that lost its CPU in between was executed earlier by that, so it says for how long it `waited` for one.
// Death is when the victim's pidfd polls readable here: 0.1 to 0.2 ms after the signal, alike for all wrappers.
#define _GNU_SOURCE
#include "bench.h"
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#define SECOND 1000000000LL
#define START_LIMIT (5 * SECOND)
#define OVERTIME (8 * SECOND)
#define QUEUE_BYTES (4 << 20)

static struct arena *arena;

static void fail(int index, const char *what) {
    fprintf(stderr, "lateness: command %d: %s\n", index, what);
    clean_up(arena);
    exit(121);
}

// A socket that is told of every exec on the machine; -1 where the kernel doesn't tell us.
static int listen_to_execs(void) {
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
    struct {
        struct nlmsghdr header;
        struct cn_msg message;
        enum proc_cn_mcast_op operation;
    } __attribute__((packed)) request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = NLMSG_DONE},
        .message = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof(enum proc_cn_mcast_op)},
        .operation = PROC_CN_MCAST_LISTEN};
    int size = QUEUE_BYTES, fd = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (!bind(fd, (struct sockaddr *)&address, sizeof address) && send(fd, &request, sizeof request, 0) > 0) return fd;
    close(fd);
    return -1;
}

// Empties the queue; when `pid` last executed a program, 0 when it isn't in there.
static long long last_exec(int fd, pid_t pid) {
    long long when = 0;
    char buffer[4096] __attribute__((aligned(8)));
    while (fd >= 0) {
        ssize_t n = recv(fd, buffer, sizeof buffer, 0);
        if (n < 0 && errno == ENOBUFS) continue;  // the queue was full: what is left of it follows
        if (n <= 0) break;
        struct proc_event *event = (struct proc_event *)((struct cn_msg *)NLMSG_DATA(buffer))->data;
        if (event->what == PROC_EVENT_EXEC && event->event_data.exec.process_pid == pid)
            when = (long long)event->timestamp_ns;
    }
    return when;
}

static void measure(int index, char **command, long long due, int execs) {
    clear_arena(arena);
    last_exec(execs, 0);
    pid_t wrapper = spawn(command);
    int wrapper_fd = open_pidfd(wrapper);
    pid_t victim = await_victim(arena, now_ns() + START_LIMIT);
    if (!victim) fail(index, "the victim did not start");
    int victim_fd = open_pidfd(victim);
    if (victim_fd < 0) fail(index, "the victim died before it could be watched");
    long long exec = last_exec(execs, victim);
    if (!ended_by(victim_fd, arena->started_ns + due + OVERTIME)) fail(index, "the victim was not killed");
    long long death = now_ns();
    if (!ended_by(wrapper_fd, death + OVERTIME)) fail(index, "the wrapper did not return");
    char from_exec[32] = "unknown";
    if (exec) snprintf(from_exec, sizeof from_exec, "%.1f", (death - exec - due) / 1e3);
    double from_main = (death - arena->started_ns - due) / 1e3;
    printf("%d %s %.1f %.1f\n", index, from_exec, from_main, arena->waited_ns / 1e3);
    close(victim_fd);
    close(wrapper_fd);
    if (!clean_up(arena)) exit(121);
}

int main(int argc, char **argv) {
    char **commands[MAX_COMMANDS];
    if (argc < 5) return 64;
    long long due = (long long)(atof(argv[1]) * SECOND);
    arena = map_arena(argv[2]);
    int rounds = atoi(argv[3]), count = split_commands(argc, argv, 4, commands), execs = listen_to_execs();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) measure((i + round) % count, commands[(i + round) % count], due, execs);
        fflush(stdout);
    }
    return 0;
}
