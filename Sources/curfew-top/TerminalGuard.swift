import CCurfew
import CNcurses
import CurfewEngine
import Glibc

/// Has another process use the terminal, and puts that right however it ends: by a crash or SIGKILL, too.
///
/// The shell knows the guard: it stops when the other one stops, and ends as that has ended. Whoever kills the guard
/// has the other one end.
struct TerminalGuard {
    /// A status that the other process ends with: it ended by a signal, once it had put the terminal right itself.
    static let signalled: Int32 = 128

    private let child: Int32
    private let attributes: termios?
    private let heard: UInt64
    /// Blocked all the time.
    private let mask: UInt64

    /// Runs `body` in a process of its own; returns its status.
    static func run(_ body: () -> Int32) -> Int32 {
        // SIGTTOU blocked: the terminal is put right also where the shell has it already.
        let heard = SignalSet.mask(SignalSet.ending + [SIGCHLD, SIGTSTP, SIGCONT, SIGWINCH])
        let mask = heard | SignalSet.mask([SIGTTOU])
        StopSignal.awaitForeground(blocking: SignalSet.mask([SIGTTOU]))
        var attributes = termios()
        let isKnown = tcgetattr(0, &attributes) == 0
        _ = curfew_set_signal_mask(mask, nil)
        _ = curfew_signal_default(SIGCHLD)
        // The runtime's own way with crashes asks questions on the terminal.
        for crash in SignalSet.crashes { _ = Glibc.signal(crash, SIG_DFL) }
        let parent = getpid()
        let child = curfew_fork(SIGCHLD)
        if child == 0 {
            _ = curfew_set_parent_death_signal(SIGTERM)
            curfew_exit(getppid() == parent ? body() : 0)
        }
        guard child > 0 else {
            StandardError.print("curfew: top: can't start a process for it: \(String(cString: strerror(-child)))")
            return 1
        }
        return TerminalGuard(child: child, attributes: isKnown ? attributes : nil, heard: heard, mask: mask).watch()
    }

    private func watch() -> Int32 {
        while true {
            var info = curfew_signal_info()
            guard curfew_wait_signal(heard, &info) >= 0 else { continue }
            if info.signal == SIGCHLD {
                if let status = takeNews() { return status }
            } else if info.code == SI_USER {
                // What the terminal sends, both have got.
                _ = curfew_kill(child, info.signal)
            }
        }
    }

    /// The status, once it is over.
    private func takeNews() -> Int32? {
        var news = curfew_wait_info()
        while curfew_waitid(Int32(P_PID.rawValue), child, WEXITED | WSTOPPED | WNOHANG, &news) >= 0, news.pid > 0 {
            switch news.code {
            case Int32(CLD_EXITED) where news.status > Self.signalled: return die(of: news.status - Self.signalled)
            case Int32(CLD_EXITED): return news.status
            case Int32(CLD_STOPPED): stop(of: news.status)
            default:
                putRight()
                let name = String(cString: strsignal(news.status))
                StandardError.print(
                    "curfew: top: it ended by signal \(news.status) (\(name)); the terminal is as it was before")
                return die(of: news.status)
            }
            news = curfew_wait_info()
        }
        return nil
    }

    private func putRight() {
        screen_put_right()
        guard var attributes else { return }
        _ = tcsetattr(0, TCSANOW, &attributes)
    }

    /// Stops as the other one has, until both are continued.
    private func stop(of signal: Int32) {
        // It had no time to do so itself.
        if signal != SIGTSTP { putRight() }
        StopSignal.stop(blocking: mask)
        _ = curfew_kill(child, SIGCONT)
    }

    /// Ends by that signal, which whoever waits for us is to see; its status where it doesn't end us.
    private func die(of signal: Int32) -> Int32 {
        _ = curfew_disable_core_dumps()
        _ = Glibc.signal(signal, SIG_DFL)
        _ = curfew_set_signal_mask(0, nil)
        _ = curfew_kill(getpid(), signal)
        return Self.signalled + signal
    }
}
