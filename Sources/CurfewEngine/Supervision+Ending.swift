import CCurfew
import CurfewCore
import CurfewLinux
import Glibc

/// The last things: a line for people, the report, and the status for the front.
extension Supervision {
    func finish() -> Never {
        socket?.remove()
        if jobControl?.hasTerminal == true { jobControl?.finish() }
        if let ending {
            if let timeout = ending.timeout { tellTimeout(timeout, ending) }
            if let kill = ending.kill, ending.timeout == nil || kill.reason != .timeLimit {
                StandardError.print("curfew: \(name): killed: \(KillNarration.text(kill))")
            }
            writeReports(ending)
        }
        // A hook may wait for the channel's end itself, as `curfew quit` does.
        for connection in connections { connection.close() }
        hooks?.finish()
        if let ending { end(ending.status) }
        curfew_exit(125)
    }

    /// The front ends as this process does, or dies of the signal it finds.
    private func end(_ status: Ending.Status) -> Never {
        switch status {
        case .exit(let code): curfew_exit(code)
        case .raise(let signal):
            page.setFrontsSignal(signal)
            // The front, and whoever else is in its group, as timeout(1) does it.
            if signal == SIGKILL, let group = kernel.frontsGroup { _ = curfew_kill(-group, SIGKILL) }
            curfew_exit(0)
        }
    }

    /// The front is gone, and with it whoever waited for the app: nothing stays.
    func endWithoutFront() -> Never {
        socket?.remove()
        let deadline = curfew_monotonic_nanoseconds() + 10_000_000_000
        var pause: UInt32 = 100
        repeat {
            kernel.kill(Self.app)
            while case .report = Reaping.reapAny() {}
            if kernel.isGone(Self.app) { break }
            usleep(pause)
            pause = min(pause * 2, 50_000)
        } while curfew_monotonic_nanoseconds() < deadline
        writeReportsWithoutFront()
        curfew_exit(125)
    }
}
