import CurfewCore
import Glibc

/// How a command finds its signals: as Curfew's caller had them, but for what timeout(1) changes, and `ofJob`. Bit n-1 is signal n.
struct CommandSignals: Hashable {
    let blocked: UInt64
    /// What it doesn't ignore, whatever the caller had.
    let defaults: UInt64
    /// What the caller had ignored and neither half of Curfew may: children of whoever ignores SIGCHLD are never waited for.
    let ignored: UInt64

    /// What stops whoever reads the terminal from behind, or changes it.
    private static let terminalStops = bit(SIGTTIN) | bit(SIGTTOU)

    init(callersMask: UInt64, callerIgnoredChild: Bool, timeout: TimeoutPolicy?) {
        guard let timeout else {
            blocked = callersMask
            defaults = 0
            ignored = callerIgnoredChild ? Self.bit(SIGCHLD) : 0
            return
        }
        // Source: coreutils 9.10, timeout.c.
        blocked = callersMask & ~(Self.bit(SIGCHLD) | Self.bit(SIGALRM))
        // What its timeout works by. Source: coreutils 9.1, observed; HUP, INT and QUIT that were ignored stay so: NEWS, 9.10.
        let usual = Self.bit(SIGALRM) | Self.bit(SIGTERM) | Self.bit(SIGCHLD) | Self.terminalStops
        let isFixed = timeout.signal == SIGKILL || timeout.signal == SIGSTOP
        defaults = isFixed ? usual : usual | Self.bit(timeout.signal)
        ignored = 0
    }

    private init(blocked: UInt64, defaults: UInt64, ignored: UInt64) {
        self.blocked = blocked
        self.defaults = defaults
        self.ignored = ignored
    }

    /// Of a command that has the terminal only while it is in front, as a shell's job: `terminalStops` are neither ignored nor
    /// blocked. Whoever ignores or blocks SIGTTIN has EIO where others are stopped.
    /// Source: POSIX, 11.1.4 Terminal Access Control; docs/adr/0021-jobs-of-a-terminal.md.
    var ofJob: CommandSignals {
        CommandSignals(
            blocked: blocked & ~Self.terminalStops, defaults: defaults | Self.terminalStops, ignored: ignored)
    }

    func blocks(_ signal: Int32) -> Bool { blocked & Self.bit(signal) != 0 }

    func resets(_ signal: Int32) -> Bool { defaults & Self.bit(signal) != 0 }

    private static func bit(_ signal: Int32) -> UInt64 { signal > 0 && signal <= 64 ? 1 << UInt64(signal - 1) : 0 }
}
