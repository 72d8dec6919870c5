// The controlling terminal.
#include "ccurfew.h"
#include "raw.h"

#include <fcntl.h>
#include <sys/ioctl.h>

int curfew_terminal_open(void)
{
    return (int)RAW(SYS_openat, AT_FDCWD, "/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
}

// The kernel opens the other side itself: no name of it need be visible here. Source: ioctl_tty(2), TIOCGPTPEER; Linux 4.13.
int curfew_terminal_create(int *inner)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NOCTTY;
    int unlocked = 0;
    long outer = RAW(SYS_openat, AT_FDCWD, "/dev/ptmx", flags);
    if (outer < 0)
        return (int)outer;
    long result = RAW(SYS_ioctl, outer, TIOCSPTLCK, &unlocked);
    if (result >= 0)
        result = RAW(SYS_ioctl, outer, TIOCGPTPEER, flags);
    if (result < 0) {
        RAW(SYS_close, outer);
        return (int)result;
    }
    *inner = (int)result;
    return (int)outer;
}

// Returns the group; 0 where there is none in this pid namespace. Source: TIOCGPGRP(2const).
int curfew_terminal_foreground_group(int fd)
{
    pid_t group = 0;
    long result = RAW(SYS_ioctl, fd, TIOCGPGRP, &group);
    return result < 0 ? (int)result : group;
}

int curfew_terminal_set_foreground_group(int fd, pid_t group)
{
    return (int)RAW(SYS_ioctl, fd, TIOCSPGRP, &group);
}

// Only terminals have these attributes. The kernel's struct termios has 36 bytes on x86_64 and aarch64.
// Source: isatty(3); kernel, include/uapi/asm-generic/termbits.h.
int curfew_is_terminal(int fd)
{
    unsigned int attributes[32];
    return RAW(SYS_ioctl, fd, TCGETS, attributes) >= 0;
}
