import CCurfew
import CurfewLinux
import Glibc

/// A child that does nothing until it is ended.
struct Sleeper {
    let pid: Int32
    /// Held from its start on.
    let pidfd: Int32

    /// `ownGroup`: it leads a process group; `group`: it is a member of that one.
    init(ownGroup: Bool = false, group: Int32? = nil) {
        var pid: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1000"), nil]
        defer { for word in words { free(word) } }
        // The threads of tests block signals.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, group ?? 0)
        let flags = POSIX_SPAWN_SETSIGMASK | (ownGroup || group != nil ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        _ = posix_spawnp(&pid, "sleep", nil, &attributes, &words, nil)
        self.pid = pid
        pidfd = curfew_pidfd_open(pid)
    }

    /// Kills and reaps it.
    func end(closing: Bool = true) {
        _ = curfew_kill(pid, SIGKILL)
        var info = curfew_wait_info()
        _ = curfew_waitid(Int32(P_PID.rawValue), pid, WEXITED, &info)
        if closing { close(pidfd) }
    }

    /// The signal that has ended it; nil where it lives on for ten seconds, and then it is killed. Reaps it.
    func endingSignal() -> Int32? {
        var ready = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 10_000) == 1 else {
            end()
            return nil
        }
        var info = curfew_wait_info()
        _ = curfew_waitid(Int32(P_PID.rawValue), pid, WEXITED, &info)
        close(pidfd)
        return info.status
    }

    /// How many descriptors this process has of a living one, its own `pidfd` included.
    var holds: Int {
        (Directory.names(of: "/proc/self/fdinfo") ?? []).filter { number in
            let lines = String(decoding: SmallFile.bytes(of: "/proc/self/fdinfo/\(number)") ?? [], as: UTF8.self)
            return lines.split(separator: "\n").contains("Pid:\t\(pid)")
        }.count
    }
}
