// System calls by hand, for this target's own files only.
//
// Why not glibc's wrappers: they answer through errno, which this layer promises not to change, and which a child
// that shares its parent's memory must not touch. The kernel answers with -errno itself.
// Source: syscall(2), "Architecture calling conventions"; vfork(2).
#ifndef CCURFEW_RAW_H
#define CCURFEW_RAW_H

#include <stdint.h>
#include <sys/syscall.h>

// Newer than some headers; these numbers are the same on every architecture.
// Source: kernel, scripts/syscall.tbl (pidfd_send_signal Linux 5.1, pidfd_open and clone3 5.3, pidfd_getfd 5.6,
// close_range 5.9).
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#if defined(__x86_64__)
static inline __attribute__((always_inline)) long raw_syscall(
    long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory", "cc");
    return number;
}
#elif defined(__aarch64__)
static inline __attribute__((always_inline)) long raw_syscall(
    long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory", "cc");
    return x0;
}
#else
#error "Curfew's C layer knows the system call conventions of x86_64 and aarch64 only."
#endif

// RAW(number, up to six arguments): the missing ones are 0, as prctl(2) demands of those it doesn't use.
#define RAW(...) RAW_PADDED(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define RAW_PADDED(number, a, b, c, d, e, f, ...) \
    raw_syscall((long)(number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

// The kernel's own struct sigaction, which is not glibc's.
// Source: kernel, include/linux/signal_types.h; x86_64 and arm64 both define SA_RESTORER.
struct raw_sigaction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

// The kernel's signal set: 64 signals, 8 bytes. glibc's calls hide signals 32 and 33 and pass 128 bytes.
#define RAW_SIGNAL_SET_SIZE sizeof(uint64_t)

#endif
