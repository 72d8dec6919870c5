// Curfew's C layer: the system calls Swift can't make, and the child's side of a launch.
//
// Every function returns a value >= 0, or -errno. None prints, none allocates, none changes errno.
// Out-parameters are written only on success, except where a comment says otherwise.
#ifndef CCURFEW_H
#define CCURFEW_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- spawn.c: starting the app -------------------------------------------------------------

// The step of a launch that failed.
enum curfew_spawn_stage {
    CURFEW_STAGE_CLONE = 1,    // clone3: EAGAIN out of processes, ENOMEM, EBUSY/ENOENT the cgroup
    CURFEW_STAGE_JOIN,         // writing itself into a cgroup v1 hierarchy
    CURFEW_STAGE_GROUP,        // setpgid
    CURFEW_STAGE_TERMINAL,     // tcsetpgrp
    CURFEW_STAGE_CHANNEL,      // dup3 of the control pipe
    CURFEW_STAGE_PRIVILEGES,   // no_new_privs, capabilities
    CURFEW_STAGE_EXEC,         // execve: ENOENT not found, EACCES and others found but not executable
    CURFEW_STAGE_PLACE,        // its session, terminal, streams, directory or limits
    CURFEW_STAGE_REAPER,       // its reaper, which couldn't become one
};

// Written by the child before it executes the program: whoever shares this memory knows of it, however little time the
// caller gets afterwards.
struct curfew_spawn_note {
    pid_t pid;                 // 0: none has been started
    pid_t group;               // 0: it got none of its own
};

// One of the child's resource limits, where it isn't this process's. Source: prlimit(2), RLIM_INFINITY is the greatest number.
struct curfew_spawn_limit {
    int resource;
    uint64_t soft, hard;
};

// Where the child is, for who wants it elsewhere than this process.
struct curfew_spawn_place {
    int streams[3];            // what become its 0, 1 and 2, numbers above those; -1: this process's
    const char *directory;     // to start in; NULL: this process's
    bool new_session;          // it leads one, and a process group with it; streams[0] is its terminal where it is one
    bool sets_umask;           // to `umask`; else this process's
    unsigned umask;
    const struct curfew_spawn_limit *limits;   // those that aren't this process's
    size_t limit_count;
};

// A process of its own that the program is a child of, and its orphans come to: see reaper.c.
struct curfew_spawn_reaper {
    int image;                 // curfew_reaper_image's
    int channel;               // its end of a pair of stream sockets, above 2
};

struct curfew_spawn_request {
    const char *file;          // as typed; searched for in `search_path` when it has no slash
    char *const *argv;
    char *const *envp;
    const char *search_path;   // PATH; NULL means the system's default
    int cgroup_fd;             // cgroup v2 directory to be born in, or -1
    const int *join_fds;       // cgroup v1 `cgroup.procs` files, open for writing
    size_t join_count;
    bool own_process_group;
    pid_t process_group;       // to join where it gets none of its own; 0: this process's
    int terminal_fd;           // terminal to take as the foreground group, or -1 (needs own_process_group)
    int channel_fd;            // descriptor to hand down, or -1
    int channel_number;        // the number it gets in the child
    uint64_t signal_mask;      // the child's mask: bit n-1 is signal n
    uint64_t default_signals;  // what the child doesn't ignore although this process does; the same bits
    uint64_t ignored_signals;  // what it ignores although this process doesn't
    int parent_death_signal;   // what the child gets when this thread ends, or 0
    bool no_new_privs;
    bool drop_capabilities;    // bounding, ambient, inheritable, permitted, effective: all empty
    struct curfew_spawn_note *note;   // or NULL
    const struct curfew_spawn_place *place;   // or NULL
    const struct curfew_spawn_reaper *reaper;   // or NULL; not with a cgroup_fd. With no `file` it is started alone
    int table_size;            // above 0: all that the child needs has a number below, and no other is copied; where
                               // curfew_can_copy_descriptors_in_part says so
};

struct curfew_spawn_result {
    pid_t pid;                 // 0: no program was asked for
    int pidfd;                 // CLOEXEC; of our child: the reaper where there is one, else the program
    pid_t reaper;              // 0: none, and the program is our child
};

// Whether `table_size` is heeded: close_range(2) is there and allowed.
bool curfew_can_copy_descriptors_in_part(void);

// Starts the program and returns once it has been executed.
// On failure no child, no descriptor, no note and no changed signal mask is left; *stage (may be NULL) is set then.
int curfew_spawn(const struct curfew_spawn_request *request, struct curfew_spawn_result *result, int *stage);

// Forks this single-threaded process with `exit_signal` as what its parent gets at its end.
// Returns 0 in the child, its pid in the parent. Wait for it with __WALL.
int curfew_fork(int exit_signal);

// ---- reaper.c: the parent of a program that is held by its tree alone ------------------------

// Its program, as a file in memory, CLOEXEC. -ENOSYS, -EACCES: such files aren't allowed here, or aren't executed.
int curfew_reaper_image(void);

// What it tells of one child that has ended; that one is there until it is let go.
struct curfew_reaper_news {
    pid_t pid;                 // 0: no child is left; -1: one was let go, and no other has ended so far
    int code;                  // CLD_EXITED, CLD_KILLED, CLD_DUMPED
    int status;                // exit code or signal
    int padding;
    int64_t cpu_microseconds;  // of the process and what it waited for
};
int curfew_reaper_read(int channel, struct curfew_reaper_news *news);   // 0 read; -EAGAIN nothing; -EPIPE it is gone
int curfew_reaper_let_go(int channel, pid_t pid);       // its number may be another's from now on

// ---- process.c: processes, signals, time ---------------------------------------------------

struct curfew_wait_info {
    pid_t pid;                 // 0: nothing to report
    int code;                  // CLD_EXITED, CLD_KILLED, CLD_DUMPED, CLD_STOPPED, CLD_CONTINUED
    int status;                // exit code or signal
    int64_t cpu_microseconds;  // of the process and what it waited for; only with an exit
    int64_t max_rss_kib;
};

struct curfew_signal_info {
    int signal;
    int code;                  // SI_USER, SI_KERNEL, SI_QUEUE, CLD_*
    pid_t pid;
};

int curfew_waitid(int id_type, int id, int options, struct curfew_wait_info *info);  // raw waitid
int curfew_pidfd_open(pid_t pid);
int curfew_pidfd_send_signal(int pidfd, int signal);
int curfew_pidfd_parent(int pidfd);                    // its parent's pid, 0: none here; -ENOTTY, -EINVAL before Linux 6.13
int curfew_own_cgroup(uint64_t *number);                // of this process's in the v2 hierarchy; -ENOTTY, -EINVAL before Linux 6.13
int curfew_is_cgroup(const char *path, uint64_t number);   // 1 or 0; -EXDEV: no directory of the v2 hierarchy
int curfew_kill(pid_t pid, int signal);
int curfew_set_subreaper(void);
int curfew_set_parent_death_signal(int signal);
int curfew_set_name(const char *name);                 // comm, at most 15 bytes
int curfew_set_dumpable(bool dumpable);
int curfew_set_signal_mask(uint64_t mask, uint64_t *old_mask);   // old_mask may be NULL
int curfew_signal_is_ignored(int signal);              // 1 or 0
int curfew_signal_default(int signal);                 // 1 when it was ignored, 0 otherwise
int curfew_wait_signal(uint64_t mask, struct curfew_signal_info *info);   // blocks; -EINTR possible
int curfew_signalfd(uint64_t mask);                    // CLOEXEC | NONBLOCK
int curfew_signalfd_read(int fd, struct curfew_signal_info *info);        // 1 read, 0 nothing there
int curfew_disable_core_dumps(void);
int64_t curfew_monotonic_nanoseconds(void);
int64_t curfew_realtime_nanoseconds(void);
int curfew_timerfd(void);                              // CLOCK_MONOTONIC, CLOEXEC | NONBLOCK
int curfew_timerfd_set(int fd, int64_t monotonic_nanoseconds);  // absolute; 0 or less disarms
int curfew_wall_timerfd(void);                         // CLOCK_REALTIME, CLOEXEC | NONBLOCK
// Absolute, since 1970. Reading it gives -ECANCELED once the clock has been set; it has to be set again then.
int curfew_wall_timerfd_set(int fd, int64_t realtime_microseconds);
int curfew_set_timer_slack(long nanoseconds);
// A timer that continues this process even if it is stopped: SIGCONT at that time, and each tenth of a second from then
// on. One a process; made at the first call. -EAGAIN: the user's queue of signals is full.
int curfew_set_waker(int64_t monotonic_nanoseconds);   // absolute; 0 or less disarms
enum { CURFEW_SHARED_SIZE = 8192 };
void *curfew_map_shared_page(void);                    // so many zeroed bytes shared with later forks; NULL on failure
void curfew_exit(int status) __attribute__((noreturn));  // _exit

// ---- epoll.c ------------------------------------------------------------------------------

struct curfew_ready {
    uint64_t token;
    uint32_t events;           // EPOLLIN 1, EPOLLPRI 2, EPOLLOUT 4, EPOLLERR 8, EPOLLHUP 16
};
int curfew_epoll_create(void);
int curfew_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int curfew_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int curfew_epoll_remove(int epoll, int fd);
int curfew_epoll_wait(int epoll, struct curfew_ready *ready, int count, int timeout_milliseconds);  // EINTR: 0

// ---- file.c: small files and directories ---------------------------------------------------

int curfew_open_at(int directory, const char *path, int flags, int mode);     // adds O_CLOEXEC
int curfew_close(int fd);
int curfew_read(int fd, void *buffer, size_t size);
int curfew_pread(int fd, void *buffer, size_t size, int64_t offset);
int curfew_write(int fd, const void *buffer, size_t size);
int curfew_read_file_at(int directory, const char *path, void *buffer, size_t size);   // bytes read, at most size
int curfew_read_file_once_at(int directory, const char *path, void *buffer, size_t size);   // one of /proc/PID that comes whole
int curfew_write_file_at(int directory, const char *path, const char *text);           // O_WRONLY, one write
int curfew_mkdir_at(int directory, const char *path, int mode);
bool curfew_has_attribute(const char *path, const char *name);   // an extended one, not empty
int curfew_rmdir_at(int directory, const char *path);
int curfew_unlink_at(int directory, const char *path);
int curfew_rename_at(int directory, const char *from, const char *to);
int curfew_rename_new_at(int directory, const char *from, const char *to);   // -EEXIST: `to` is there, and stays
int curfew_remove_tree(const char *path);              // with all below it on its file system; links go, unfollowed
int curfew_flock(int fd, bool wait);                   // LOCK_EX; -EWOULDBLOCK when taken and !wait
int curfew_is_descriptor_open(int fd);                 // 1 or 0
int curfew_duplicate(int fd, int number);              // as that number, CLOEXEC; what it was before is closed
void curfew_keep_descriptors_from_programs(int first);  // that one and all above it are closed by execve; Linux 5.11
int curfew_symlink(const char *target, const char *path);   // -EEXIST: something is there, and stays
int curfew_pipe(int fds[2]);                           // CLOEXEC; [0], which reads, also NONBLOCK
int curfew_eventfd(void);                              // CLOEXEC | NONBLOCK
int curfew_truncate(int fd, int64_t size);
int curfew_inotify(void);                              // CLOEXEC | NONBLOCK
int curfew_inotify_watch(int fd, const char *path, uint32_t mask);
int curfew_inotify_unwatch(int fd, int watch);         // -EINVAL: gone already
int curfew_read_link_at(int directory, const char *path, char *buffer, size_t size);   // bytes, no NUL; cut at size

struct curfew_file_status {
    uint32_t mode;
    uint32_t uid;
    uint64_t inode;
    uint64_t device;
    uint64_t node;             // the device that it stands for; 0: none
    uint64_t link_count;
    int64_t size;
    int64_t blocks;            // of 512 bytes, those that are there
    int64_t modified_seconds;
    uint32_t modified_nanoseconds;
};
int curfew_stat_at(int directory, const char *path, bool follow, struct curfew_file_status *status);
int curfew_fstat(int fd, struct curfew_file_status *status);
int curfew_stat_locally_at(int directory, const char *path, struct curfew_file_status *status);   // follows; asks no server
int curfew_memory_file(bool huge);                     // a memfd; CLOEXEC

// Lists a directory: packs its names, NUL-terminated, one after another, without . and .. .
// Returns the bytes used; *offset (0 at first) is where to go on, and is -1 after the last.
int curfew_list_directory(int fd, char *buffer, size_t size, int64_t *offset);

// ---- resources.c: priorities, pages, disks -------------------------------------------------

int curfew_get_nice(pid_t thread, int *nice);          // -20 (first) to 19 (last); 0 is the calling thread
int curfew_set_nice(pid_t thread, int nice);           // -EACCES: raising it again takes CAP_SYS_NICE or RLIMIT_NICE
int curfew_nice_ceiling(int *nice);                    // what RLIMIT_NICE lets this process raise to; 20: nothing
int curfew_get_io_priority(pid_t thread);              // class << 13 | level; class 0 none, 1 real-time, 2 best, 3 idle
int curfew_set_io_priority(pid_t thread, int priority);
int curfew_processor_count(void);                      // those this process may run on; 1 when that can't be told

struct curfew_range {
    uint64_t start;
    uint64_t length;           // bytes
};
// Asks for the ranges of that process to go to swap; the bytes of those before the first that can't. At most 1,024, and
// 0x7ffff000 bytes. -EPERM: needs CAP_SYS_NICE, and the rights of ptrace. -EINVAL: locked. -ENOSYS before Linux 5.10.
int curfew_page_out(int pidfd, const struct curfew_range *ranges, size_t count);

struct curfew_memory_use {
    uint64_t shared;           // bytes of shared memory, and of files of tmpfs
    uint64_t swapped;          // bytes
};
int curfew_memory_in_use(struct curfew_memory_use *use);  // the machine's

struct curfew_disk_space {
    uint64_t available;        // bytes, to ordinary users
    uint64_t total;
};
int curfew_disk_space(const char *path, struct curfew_disk_space *space);

// ---- socket.c: Unix sockets ----------------------------------------------------------------

struct curfew_sender {
    pid_t pid;                 // 0 when unknown
    uid_t uid;
    gid_t gid;
};
int curfew_socketpair(int fds[2]);                     // stream, CLOEXEC; [0] also NONBLOCK and SO_PASSCRED
int curfew_unix_listen(const char *path, int backlog); // bind 0600 + listen; CLOEXEC | NONBLOCK, SO_PASSCRED; -EADDRINUSE
// CLOEXEC, blocking; -ECONNREFUSED: nobody listens, -EAGAIN: its queue has been full for so many seconds.
int curfew_unix_connect(const char *path, int seconds);
int curfew_unix_is_bound(const char *path);            // 1, or 0: whoever bound it is gone; never waits, wakes nobody
int curfew_unix_accept(int fd);                        // CLOEXEC | NONBLOCK, and SO_PASSCRED as the listening one
int curfew_peer(int fd, struct curfew_sender *peer);   // SO_PEERCRED
int curfew_peer_pidfd(int fd);                         // SO_PEERPIDFD, Linux 6.5; -ENOPROTOOPT or -EINVAL before
int curfew_receive(int fd, void *buffer, size_t size, struct curfew_sender *sender);  // 0: closed; pid 0 without credentials
int curfew_send(int fd, const void *buffer, size_t size);     // MSG_NOSIGNAL | MSG_DONTWAIT

// A socket for sd_notify, bound to an abstract name of the kernel's choice; CLOEXEC | NONBLOCK, SO_PASSCRED.
// Writes the name, as NOTIFY_SOCKET has it, with its NUL; 7 bytes. -ENAMETOOLONG: `size` is less.
int curfew_notify_socket(char *name, size_t size);
// The bytes of one datagram, and its sender; 0 is an empty datagram, -EAGAIN none. Descriptors sent along are closed.
// -EMSGSIZE: it was longer than `size` and is gone; *sender is written then too.
int curfew_notify_receive(int fd, void *buffer, size_t size, struct curfew_sender *sender);

// One datagram to whom NOTIFY_SOCKET names, be it a path or an abstract name behind an @. Source: sd_notify(3).
int curfew_notify_send(const char *name, const char *text);

// ---- terminal.c ---------------------------------------------------------------------------

int curfew_terminal_create(int *inner);                // a new one: our side, CLOEXEC; *inner is the program's
int curfew_terminal_open(void);                        // /dev/tty; -ENXIO when there is none
int curfew_terminal_foreground_group(int fd);
int curfew_terminal_set_foreground_group(int fd, pid_t group);   // SIGTTOU must be blocked
int curfew_is_terminal(int fd);                        // 1 or 0

// ---- input.c: what may come to another program, without taking any of it ---------------------

// A duplicate of its descriptor, CLOEXEC; Linux 5.6. -EBADF: closed by now, -ESRCH: gone. -EPERM: needs the rights of
// ptrace to attach. The file is shared, and with it position and flags.
int curfew_pidfd_getfd(int pidfd, int fd);
int curfew_ready_now(int fd, int events);              // those of poll(2) that hold, with POLLERR and POLLHUP; never waits
int curfew_unread(int fd);                             // bytes, of datagrams the first's; -EINVAL: it listens

struct curfew_socket {
    int domain;
    int type;
    bool listens;
    uint32_t local_length;     // of the addresses, as of sockaddr; 0: none, or neither Internet nor Unix
    uint32_t peer_length;
    uint8_t local[128];
    uint8_t peer[128];
};
int curfew_look_at_socket(int fd, struct curfew_socket *socket);
int curfew_tcp_backlog(int fd);                        // connections to be accepted; -EINVAL: it doesn't listen
int64_t curfew_tcp_received(int fd);                   // bytes since it was connected, read or not, and 1 for its end

int curfew_terminal_device(int fd, uint64_t *device);  // what /dev/tty stands for; of a master, the other side

// ---- waits.c: how long another program would wait by itself ----------------------------------

enum curfew_wait_unit {
    CURFEW_WAIT_MILLISECONDS,  // the value itself, an int
    CURFEW_WAIT_TIMESPEC,      // the value is the address of two 64-bit numbers: seconds and nanoseconds
    CURFEW_WAIT_TIMEVAL,       // seconds and microseconds
};
struct curfew_wait {
    const char *name;          // of the call, for people: `epoll_wait`
    enum curfew_wait_unit unit;
    int clock;                 // it lasts until that clock shows this; -1: it lasts so long
    uint64_t value;
};
// Of a system call with these arguments; -ENOENT: one that doesn't wait, or not for a time of its own.
int curfew_timed_wait(long number, const uint64_t arguments[6], struct curfew_wait *wait);
// What a system call takes by the descriptor that is its first argument, without a count of bytes in /proc/PID/io.
enum curfew_taking { CURFEW_TAKES_NOTHING, CURFEW_TAKES_DATA, CURFEW_TAKES_CONNECTIONS };
enum curfew_taking curfew_taking_call(long number);
bool curfew_is_restarted_call(long number);            // goes on with what a signal has interrupted, whatever that was
// Bytes of another's memory; needs the rights of ptrace to attach. -EFAULT: nothing is there.
ssize_t curfew_read_memory(pid_t pid, uint64_t address, void *buffer, size_t size);

// ---- capabilities.c (libcap) ----------------------------------------------------------------

// Keeps only these of the capabilities this process has (permitted and effective); 0 when it had none.
int curfew_capabilities_keep(const int *capabilities, size_t count);
// The effective set as text ("cap_kill,cap_sys_ptrace=ep"); returns the length, truncated to size-1.
int curfew_capabilities_text(char *buffer, size_t size);
int curfew_capability_number(const char *name);        // "cap_kill" -> 5; -EINVAL

// ---- proxy.c: what the proxy of `curfew run` hands to Swift ----------------------------------

enum curfew_role {
    CURFEW_ROLE_NONE,          // no `curfew run`
    CURFEW_ROLE_SUPERVISOR,
    CURFEW_ROLE_KEEPER,        // the proxy, whose supervisor was killed
};

enum {
    // Between proxy and supervisor, both ways: look at the second page. Ignored by default, so that a stray one does
    // nothing, and above SIGCONT: the kernel hands over lower numbers first. Source: kernel/signal.c, next_signal.
    CURFEW_DOORBELL = SIGURG,
    // To the supervisor, when its parent is gone.
    CURFEW_PROXY_GONE_SIGNAL = 36,
};

struct curfew_proxy {
    enum curfew_role role;
    pid_t pid;                 // the proxy's
    pid_t killed_supervisor;   // the keeper's alone, who has to reap it
    uint64_t callers_mask;     // the signal mask the caller gave it
    bool callers_ignored_child;   // whether the caller had it ignore SIGCHLD, as neither half does
    void *page;                // shared by both; its first int is the signal the proxy has to die of, or 0
};
struct curfew_proxy *curfew_proxy(void);                 // the process's own; written before main only

// ---- split.c: how the proxy comes to be, and what it does ------------------------------------

// Splits this process in two: its caller waits for the proxy, and its child, the supervisor, returns. The proxy returns only as
// the keeper, once its supervisor was killed. To be called before anything has started a thread. *problem says what an error
// was about; nothing has been started then.
int curfew_split_off_proxy(const char **problem);

// The second of the shared pages: what each half tells the other. Signals alone could be forged, and would be lost with
// the user's queue full; here one only rings. Nothing waits, nothing is overwritten before it was taken.
struct curfew_news {
    int signal;                // that the proxy got; 0: an answer; SIGSTOP: the supervisor was stopped, and continued
    int code;                  // SI_USER, SI_KERNEL, …
    pid_t pid;                 // the sender, 0 when unknown
    uint32_t number;           // of the wish that the proxy had met by then; of the question that is answered
};
// How many there can be, and how much room the proxy leaves to answers and SIGCONT; other signals wait in the kernel,
// which keeps at least one of each.
enum { CURFEW_NEWS = 64, CURFEW_NEWS_RESERVE = 8 };
unsigned curfew_news_room(const void *page);             // for so many more
bool curfew_news_put(void *page, struct curfew_news news);         // the proxy's alone; false: no room, nothing done
// The supervisor's alone. 1: taken; 2: taken, and there is so little room that the proxy may have waited; 0: none.
int curfew_news_take(void *page, struct curfew_news *news);
// A wish to stop by this signal, or by none any more: the supervisor's alone.
void curfew_set_wish(void *page, uint32_t number, int signal);     // the lower 24 bits of the number
void curfew_wish(const void *page, uint32_t *number, int *signal);
// A question is answered once all that was sent to the proxy before is among the news: the supervisor's alone.
void curfew_set_question(void *page, uint32_t number);
uint32_t curfew_question(const void *page);

// The children this process has, all of them: for the proxy, those it had before it was one, or has adopted from them.
// Only when it had some is its list read. Source: proc_tid_children(5); waitid(2), ECHILD.
// The list is taken anew at each signal. What such a child's family has left since the last one, when the supervisor is
// killed, can't be told from the app's.
bool curfew_note_children(void);                         // as they are now, but who runs hooks; false: there are none
void curfew_forget_kept_child(pid_t pid);                // it was reaped
void curfew_keep_children(void);                         // what was noted last is what is meant from now on
bool curfew_has_kept_children(void);
bool curfew_is_kept_child(pid_t pid);

// ---- kept.c: what the proxy of a server holds for the day that it has to keep --------------------

enum { CURFEW_KEPT_OUTPUTS = 16384 };                    // apps of a higher slot have theirs held by the supervisor alone
struct curfew_kept_output {
    int32_t slot;              // the app's
    int32_t run;
    pid_t pid;                 // its first process's
    int64_t seconds;           // when that was started, since 1970
    char app[72];              // its name
};
int curfew_keep_outputs(void);                           // before the split; else nothing is handed over
void curfew_part_outputs(bool is_proxy);                 // each half after the split
// The supervisor's. fd: what the app's output is read from; -1: nothing of that run is left to read. It stays the caller's,
// too. The proxy is to be rung. -EAGAIN: it has read too little; -EBADF: nothing is kept.
int curfew_hand_over(const struct curfew_kept_output *output, int fd);
// The proxy's: takes what was handed over. One descriptor an app.
void curfew_take_outputs(void);
// The keeper's: how many slots there are, and what is held for one; -1: nothing.
int curfew_kept_slots(void);
int curfew_kept_output(int slot, struct curfew_kept_output *output);

// ---- timeout.c: what the proxy has to know of `curfew timeout` before Swift reads its command line ------------

// The index of its first option: 1 where argv[0] is a link called timeout, 2 for `curfew timeout`, 0 for anything else.
int curfew_timeout_options(int argc, char *const *argv);
// Whether it has --foreground, in any form that getopt_long(3) takes. Of a wrong line the answer doesn't matter.
bool curfew_timeout_is_foreground(int argc, char *const *argv, int first);

#endif
