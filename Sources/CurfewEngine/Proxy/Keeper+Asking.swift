import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// What a keeper of `curfew timeout` does before it kills: as its supervisor would have at the limit.
///
/// Source: coreutils NEWS, 9.10: the command is sent the signal when timeout itself is killed.
extension Keeper {
    /// Sends the limit's signal to all of the app that isn't spared, and waits until it is gone or the time before SIGKILL is over.
    func askToEnd(_ timeout: TimeoutPolicy) {
        guard timeout.signal != SIGKILL else { return }
        for cgroup in cgroups.holding { CgroupDirectory.resume(cgroup) }
        if sparesRest || !Procfs.isOurs {
            for signal in [timeout.signal, SIGCONT] { signalHeld(signal) }
        } else {
            ProcessTree.terminateDescendants(of: getpid(), by: timeout.signal, sparing: curfew_is_kept_child)
        }
        let limit = manifest.policy.restLimit(timeout)
        wait(until: Instant(nanoseconds: curfew_monotonic_nanoseconds()) + limit)
    }

    private func wait(until end: Instant) {
        var epoll = Descriptor(curfew_epoll_create())
        var signals = Descriptor(curfew_signalfd(1 << UInt64(SIGCHLD - 1)))
        defer {
            epoll.close()
            signals.close()
        }
        let isTold = epoll.isOpen && signals.isOpen && curfew_epoll_add(epoll.number, signals.number, 1, 0) >= 0
        while true {
            var info = curfew_signal_info()
            while isTold, curfew_signalfd_read(signals.number, &info) == 1 {}
            KeptChildren.reapAll()
            let left = (end - Instant(nanoseconds: curfew_monotonic_nanoseconds())).nanoseconds
            guard hasChildren, left > 0 else { return }
            // At most a second: one that isn't our child is gone without a signal.
            let milliseconds = Int32(min(1000, (left + 999_999) / 1_000_000))
            if isTold {
                var ready = curfew_ready()
                _ = curfew_epoll_wait(epoll.number, &ready, 1, milliseconds)
            } else {
                usleep(UInt32(min(milliseconds, 20)) * 1000)
            }
        }
    }
}
