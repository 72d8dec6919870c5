import CCurfew
import Glibc

/// A watch on how long tasks have had to wait for memory.
///
/// Source: kernel, Documentation/accounting/psi.rst, "Monitoring for pressure thresholds".
public struct Pressure: Sendable {
    /// Becomes ready with EPOLLPRI at each crossing, at most once a window, and with EPOLLERR for good when the watched
    /// cgroup is gone. Nothing is to be read from it. Closing it ends the watch.
    public let descriptor: Descriptor

    /// What to ask of epoll for it. Source: epoll_ctl(2), EPOLLPRI.
    public static let interest: UInt32 = 2

    /// The whole machine's; each v2 cgroup has a `memory.pressure` of its own.
    public static let systemMemory = "/proc/pressure/memory"

    /// Watches for windows in which some task was stalled for want of memory for at least that long, in microseconds.
    ///
    /// The window is from 0.5 to 10 s; without CAP_SYS_RESOURCE it has to be a multiple of 2 s. ENOENT: the kernel has
    /// no pressure information. EOPNOTSUPP: it is off since boot (`psi=0`). EINVAL: not such a stall or window.
    public static func watchMemory(
        stallMicroseconds: Int = 150_000, windowMicroseconds: Int = 2_000_000, at path: String = systemMemory
    ) throws(KernelError) -> Pressure {
        var descriptor = Descriptor(curfew_open_at(AT_FDCWD, path, O_RDWR | O_NONBLOCK, 0))
        try check(descriptor.number, "open", path)
        let trigger = "some \(decimal(stallMicroseconds)) \(decimal(windowMicroseconds))"
        // With its NUL: the kernel ends the text at the last byte it was given, whatever that is.
        // Source: kernel, kernel/sched/psi.c, psi_write().
        let written = trigger.withCString { curfew_write(descriptor.number, $0, trigger.utf8.count + 1) }
        // A descriptor without a trigger is ready at once and for ever, so none is handed out.
        if written < 0 { descriptor.close() }
        try check(written, "watch for \(trigger) in", path)
        return Pressure(descriptor: descriptor)
    }
}
