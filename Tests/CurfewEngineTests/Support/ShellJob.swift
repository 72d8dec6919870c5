import CCurfew
import CurfewCore
import Glibc

@testable import CurfewEngine
@testable import CurfewLinux

/// A proxy as a shell has it, and a terminal.
struct ShellJob {
    /// In a group of its own, below a process of its session: as a shell's job is.
    let proxy = Sleeper(ownGroup: true)
    /// What is none, but counts as one: of job control without the terminal's ownership.
    let terminal = Terminal(descriptor: Descriptor(curfew_open_at(AT_FDCWD, "/dev/null", O_RDWR, 0)))

    func end() {
        proxy.end()
        var descriptor = terminal.descriptor
        descriptor.close()
    }

    func console(
        _ manifest: Manifest, _ onSupervisorExit: OnSupervisorExit = .kill, page: SharedPage, hasTerminal: Bool,
        host: any ConsoleHost
    ) -> Console {
        let signals = CommandSignals(callersMask: 0, callerIgnoredChild: false, timeout: manifest.policy.timeout)
        return Console(
            manifest, onSupervisorExit, page: page, proxy: proxy.pid, signals: signals,
            terminal: hasTerminal ? terminal : nil, host: host)
    }
}
