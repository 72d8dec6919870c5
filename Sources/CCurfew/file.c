// Small files and directories.
#include "ccurfew.h"
#include "raw.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

// ---- descriptors ------------------------------------------------------------------------------

int curfew_open_at(int directory, const char *path, int flags, int mode)
{
    return (int)RAW(SYS_openat, directory, path, flags | O_CLOEXEC, mode);
}

// Not to be repeated on EINTR: Linux has closed the descriptor by then. Source: close(2).
int curfew_close(int fd)
{
    return (int)RAW(SYS_close, fd);
}

// So that the count fits the result; Linux transfers no more than this anyway. Source: read(2).
static size_t transferable(size_t size)
{
    const size_t most = 0x7ffff000;
    return size < most ? size : most;
}

int curfew_read(int fd, void *buffer, size_t size)
{
    return (int)RAW(SYS_read, fd, buffer, transferable(size));
}

int curfew_pread(int fd, void *buffer, size_t size, int64_t offset)
{
    return (int)RAW(SYS_pread64, fd, buffer, transferable(size), offset);
}

int curfew_write(int fd, const void *buffer, size_t size)
{
    return (int)RAW(SYS_write, fd, buffer, transferable(size));
}

int curfew_flock(int fd, bool wait)
{
    return (int)RAW(SYS_flock, fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB);
}

// Source: close_range(2), CLOSE_RANGE_CLOEXEC; before it there is nothing but a look at each.
void curfew_keep_descriptors_from_programs(int first)
{
    const unsigned by_execve = 1u << 2;
    if (RAW(SYS_close_range, first, ~0u, by_execve) >= 0)
        return;
    for (int fd = first; fd < 1024; fd++)
        RAW(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
}

int curfew_duplicate(int fd, int number)
{
    return (int)RAW(SYS_dup3, fd, number, O_CLOEXEC);
}

int curfew_symlink(const char *target, const char *path)
{
    return (int)RAW(SYS_symlinkat, target, AT_FDCWD, path);
}

int curfew_is_descriptor_open(int fd)
{
    return RAW(SYS_fcntl, fd, F_GETFD) >= 0;
}

// NONBLOCK is a property of the end, and the other end goes to an app that may expect a blocking one.
int curfew_pipe(int fds[2])
{
    int ends[2];
    long result = RAW(SYS_pipe2, ends, O_CLOEXEC);
    if (result < 0)
        return (int)result;
    result = RAW(SYS_fcntl, ends[0], F_SETFL, O_NONBLOCK);
    if (result < 0) {
        RAW(SYS_close, ends[0]);
        RAW(SYS_close, ends[1]);
        return (int)result;
    }
    fds[0] = ends[0];
    fds[1] = ends[1];
    return 0;
}

int curfew_truncate(int fd, int64_t size)
{
    return (int)RAW(SYS_ftruncate, fd, size);
}

int curfew_eventfd(void)
{
    return (int)RAW(SYS_eventfd2, 0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int curfew_inotify(void)
{
    return (int)RAW(SYS_inotify_init1, IN_CLOEXEC | IN_NONBLOCK);
}

int curfew_inotify_watch(int fd, const char *path, uint32_t mask)
{
    return (int)RAW(SYS_inotify_add_watch, fd, path, mask);
}

int curfew_inotify_unwatch(int fd, int watch)
{
    return (int)RAW(SYS_inotify_rm_watch, fd, watch);
}

// ---- whole files ------------------------------------------------------------------------------

// Reads until the end or until the buffer is full: proc and cgroup files may come in pieces.
static int read_fully(int fd, char *buffer, size_t size)
{
    size_t used = 0;
    while (used < size) {
        long result = RAW(SYS_read, fd, buffer + used, size - used);
        if (result == -EINTR)
            continue;
        if (result < 0)
            return (int)result;
        if (result == 0)
            break;
        used += (size_t)result;
    }
    return (int)used;
}

int curfew_read_file_at(int directory, const char *path, void *buffer, size_t size)
{
    int fd = curfew_open_at(directory, path, O_RDONLY, 0);
    if (fd < 0)
        return fd;
    int result = read_fully(fd, buffer, transferable(size));
    RAW(SYS_close, fd);
    return result;
}

// What the kernel writes in one piece: a file of /proc/PID that is no list. Source: kernel, fs/seq_file.c, single_open.
int curfew_read_file_once_at(int directory, const char *path, void *buffer, size_t size)
{
    int fd = curfew_open_at(directory, path, O_RDONLY, 0);
    if (fd < 0)
        return fd;
    int result = (int)RAW(SYS_read, fd, buffer, transferable(size));
    RAW(SYS_close, fd);
    return result;
}

// One write, since a cgroup file takes each write as a command of its own. Returns 0.
int curfew_write_file_at(int directory, const char *path, const char *text)
{
    int fd = curfew_open_at(directory, path, O_WRONLY, 0);
    if (fd < 0)
        return fd;
    size_t size = strlen(text);
    long result = RAW(SYS_write, fd, text, size);
    RAW(SYS_close, fd);
    if (result < 0)
        return (int)result;
    return (size_t)result == size ? 0 : -EIO;
}

// ---- names ------------------------------------------------------------------------------------

int curfew_mkdir_at(int directory, const char *path, int mode)
{
    return (int)RAW(SYS_mkdirat, directory, path, mode);
}

int curfew_rmdir_at(int directory, const char *path)
{
    return (int)RAW(SYS_unlinkat, directory, path, AT_REMOVEDIR);
}

int curfew_unlink_at(int directory, const char *path)
{
    return (int)RAW(SYS_unlinkat, directory, path, 0);
}

// renameat2, as newer architectures have no renameat. Source: rename(2).
int curfew_rename_at(int directory, const char *from, const char *to)
{
    return (int)RAW(SYS_renameat2, directory, from, directory, to, 0);
}

// Where the file system can't do it in one step, a second name is given first. Source: rename(2), RENAME_NOREPLACE.
int curfew_rename_new_at(int directory, const char *from, const char *to)
{
    const int no_replace = 1;
    long result = RAW(SYS_renameat2, directory, from, directory, to, no_replace);
    if (result != -EINVAL && result != -ENOSYS)
        return (int)result;
    result = RAW(SYS_linkat, directory, from, directory, to, 0);
    return (int)(result < 0 ? result : RAW(SYS_unlinkat, directory, from, 0));
}

int curfew_read_link_at(int directory, const char *path, char *buffer, size_t size)
{
    return (int)RAW(SYS_readlinkat, directory, path, buffer, transferable(size));
}

// On the 64-bit architectures this target knows, glibc's struct stat is the kernel's.
static int file_status(long result, const struct stat *from, struct curfew_file_status *status)
{
    if (result < 0)
        return (int)result;
    *status = (struct curfew_file_status){
        .mode = from->st_mode,
        .uid = from->st_uid,
        .inode = from->st_ino,
        .device = from->st_dev,
        .node = from->st_rdev,
        .link_count = from->st_nlink,
        .size = from->st_size,
        .blocks = from->st_blocks,
        .modified_seconds = from->st_mtim.tv_sec,
        .modified_nanoseconds = (uint32_t)from->st_mtim.tv_nsec,
    };
    return 0;
}

int curfew_stat_at(int directory, const char *path, bool follow, struct curfew_file_status *status)
{
    struct stat from;
    long result = RAW(SYS_newfstatat, directory, path, &from, follow ? 0 : AT_SYMLINK_NOFOLLOW);
    return file_status(result, &from, status);
}

int curfew_fstat(int fd, struct curfew_file_status *status)
{
    struct stat from;
    return file_status(RAW(SYS_fstat, fd, &from), &from, status);
}

// What the kernel knows: a file system whose server may never answer isn't asked. Source: statx(2), AT_STATX_DONT_SYNC.
int curfew_stat_locally_at(int directory, const char *path, struct curfew_file_status *status)
{
    struct statx from;
    long result = RAW(SYS_statx, directory, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &from);
    if (result < 0)
        return (int)result;
    *status = (struct curfew_file_status){
        .mode = from.stx_mode,
        .uid = from.stx_uid,
        .inode = from.stx_ino,
        .device = makedev(from.stx_dev_major, from.stx_dev_minor),
        .node = makedev(from.stx_rdev_major, from.stx_rdev_minor),
        .link_count = from.stx_nlink,
        .size = (int64_t)from.stx_size,
        .blocks = (int64_t)from.stx_blocks,
        .modified_seconds = from.stx_mtime.tv_sec,
        .modified_nanoseconds = from.stx_mtime.tv_nsec,
    };
    return 0;
}

int curfew_memory_file(bool huge)
{
    return (int)RAW(SYS_memfd_create, "curfew", MFD_CLOEXEC | (huge ? MFD_HUGETLB : 0));
}

// ---- directories ------------------------------------------------------------------------------

// What getdents64 writes. Source: getdents(2).
struct directory_entry {
    uint64_t inode;
    int64_t next;              // where the entry after this one is
    uint16_t size;
    uint8_t type;
    char name[];
};

static bool is_dot_or_dot_dot(const char *name)
{
    return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

struct packing {
    char *buffer;
    size_t size, used;
    int64_t next;
};

// Packs a batch of entries; false when one doesn't fit any more, which `next` then names.
static bool pack(struct packing *packing, const char *batch, long size)
{
    for (long at = 0; at < size;) {
        const struct directory_entry *entry = (const void *)(batch + at);
        if (!is_dot_or_dot_dot(entry->name)) {
            size_t length = strlen(entry->name) + 1;
            if (length > packing->size - packing->used)
                return false;
            memcpy(packing->buffer + packing->used, entry->name, length);
            packing->used += length;
        }
        packing->next = entry->next;
        at += entry->size;
    }
    return true;
}

// opendir would allocate. A buffer too small for even one name is -EINVAL, as with getdents.
int curfew_list_directory(int fd, char *buffer, size_t size, int64_t *offset)
{
    _Alignas(struct directory_entry) char batch[4096];
    struct packing packing = {buffer, size < INT_MAX ? size : INT_MAX, 0, *offset};
    if (*offset < 0)
        return 0;
    long result = RAW(SYS_lseek, fd, *offset, SEEK_SET);
    while (result >= 0) {
        result = RAW(SYS_getdents64, fd, batch, sizeof batch);
        if (result == 0)
            packing.next = -1;
        if (result <= 0)
            break;
        if (!pack(&packing, batch, result)) {
            result = packing.used ? 0 : -EINVAL;
            break;
        }
    }
    if (result < 0)
        return (int)result;
    *offset = packing.next;
    return (int)packing.used;
}

bool curfew_has_attribute(const char *path, const char *name)
{
    return RAW(SYS_getxattr, path, name, NULL, 0) > 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path) == 0 || errno == ENOENT ? 0 : errno;
}

int curfew_remove_tree(const char *path)
{
    // 16: as many directories are open at once; deeper ones are opened anew.
    int result = nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    return result < 0 ? -errno : -result;
}
