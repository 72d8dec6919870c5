import CurfewCore
import CurfewWire

/// A kill in one sentence that names the culprit: which task, which event, which limit, what was measured.
enum KillNarration {
    /// `background-task-timeout (0x2182bad2): task 3 "upload" (begun 35 s ago) was still open when the background budget of
    /// 30 s was over`.
    static func text(_ report: KillReport) -> String {
        let code = report.reason.code.map { " (\($0))" } ?? ""
        return "\(report.reason.rawValue)\(code): \(culprit(report))\(meanwhile(report))"
    }

    private static func culprit(_ report: KillReport) -> String {
        switch report.reason {
        case .launchWatchdog where report.event == nil:
            "it said neither hello nor READY=1 within \(duration(report.limit)) of its launch"
        case .launchWatchdog, .sceneUpdateWatchdog: unacknowledged(report)
        case .processExitWatchdog: "it hadn't ended \(duration(report.limit)) after willTerminate"
        case .watchdog: signOfLife(report)
        case .backgroundTaskTimeout: tasks(report) + " when the background budget of \(duration(report.limit)) was over"
        case .backgroundFetchTimeout:
            "the waking event \(report.event?.name ?? "") wasn't handled within \(duration(report.limit))"
        case .memoryLimit: memory(report)
        case .memoryHighwater: "\(shortage(report)), and \(softOffence(report))"
        case .memoryPressure where report.isReclaimedByHand: "it was reclaimed while suspended"
        case .memoryPressure: "\(shortage(report)), and it was the first to go (\(report.band.name))"
        case .idleExit: "\(shortage(report)) for long, and it was suspended and idle"
        case .suspendedWithLockedFile: lockedFiles(report)
        case .cpuLimit: cpuTime(report)
        case .resumedTooOften:
            "it was resumed \(report.count ?? 0) times within \(duration(report.limit)) while it was suspended"
        case .diskSpace:
            "only \(size(report.available)) of disk are free; \(size(report.availableLimit)) are wanted"
        case .tooManyTasks: "it began more than \(Policy.maximumOpenTasks) background tasks"
        case .userQuit: report.state == .suspended ? "it was quit while suspended" : "it was quit"
        case .timeLimit: "it ran for \(duration(report.elapsed)); the limit is \(duration(report.limit))"
        case .supervisorExit: "its supervisor ended"
        }
    }

    private static func unacknowledged(_ report: KillReport) -> String {
        let event = report.event?.name ?? "an event"
        return "\(event) wasn't acknowledged within \(duration(report.limit))"
    }

    /// What it did instead: little CPU time means that it was waiting for something.
    ///
    /// Source: Apple, "Addressing watchdog terminations": low CPU time tells of a blocked process, high of a busy one.
    private static func meanwhile(_ report: KillReport) -> String {
        guard report.reason != .cpuLimit, let cpuTime = report.cpuTime, let elapsed = report.elapsed else { return "" }
        return "; in \(duration(elapsed)) it used \(duration(cpuTime)) of CPU time" + judgement(cpuTime, elapsed)
    }

    /// Between the two nothing is claimed: on a busy machine one that computes gets little.
    private static func judgement(_ cpuTime: Span, _ elapsed: Span) -> String {
        if cpuTime.nanoseconds >= elapsed.nanoseconds / 2 { return ": it was computing" }
        return cpuTime.nanoseconds <= elapsed.nanoseconds / 10 ? ": it was waiting" : ""
    }

    private static func signOfLife(_ report: KillReport) -> String {
        guard let limit = report.limit else { return "it reported itself broken (WATCHDOG=trigger)" }
        return "it gave no sign of life (WATCHDOG=1) for \(duration(limit))"
    }

    private static func tasks(_ report: KillReport) -> String {
        let named = report.tasks.prefix(3).map { task in
            "task \(task.id.rawValue) \"\(task.name)\" (begun \(duration(task.age)) ago)"
        }
        let more = report.tasks.count > 3 ? ", and \(report.tasks.count - 3) more" : ""
        let verb = report.tasks.count > 1 ? "were" : "was"
        return named.joined(separator: ", ") + more + " \(verb) still open"
    }

    private static func memory(_ report: KillReport) -> String {
        let measured = report.footprint.map { HumanText.size(bytes: $0) } ?? "more than allowed"
        let limit = report.memoryLimit.map { HumanText.size(bytes: $0) } ?? "none"
        return "its footprint reached \(measured); the limit is \(limit)"
    }

    private static func shortage(_ report: KillReport) -> String {
        guard report.available != nil else { return "the machine is taken to be short of memory, as it was told" }
        return
            "the machine has only \(size(report.available)) of memory left (\(size(report.availableLimit)) are wanted)"
    }

    private static func softOffence(_ report: KillReport) -> String {
        "its footprint of \(size(report.footprint)) is over its soft limit of \(size(report.memoryLimit))"
    }

    private static func lockedFiles(_ report: KillReport) -> String {
        let named = report.locks.prefix(3).map(\.text)
        let more = report.locks.count > 3 ? ", and \(report.locks.count - 3) more" : ""
        return "it was suspended while it held a lock on " + named.joined(separator: ", ") + more
    }

    /// `it used 54 s of CPU time in 58 s (93 %) in background; the limit is 48 s in 60 s (80 %)`.
    private static func cpuTime(_ report: KillReport) -> String {
        "it used \(duration(report.cpuTime)) of CPU time in \(duration(report.elapsed))"
            + " (\(percent(report.cpuTime, of: report.elapsed))) in background; the limit is"
            + " \(duration(report.cpuLimit)) in \(duration(report.limit)) (\(percent(report.cpuLimit, of: report.limit)))"
    }

    private static func percent(_ part: Span?, of whole: Span?) -> String {
        guard let part, let whole, whole > .zero else { return "? %" }
        return "\(Int((Double(part.nanoseconds) * 100 / Double(whole.nanoseconds)).rounded())) %"
    }

    private static func size(_ bytes: UInt64?) -> String { bytes.map { HumanText.size(bytes: $0) } ?? "some" }

    private static func duration(_ span: Span?) -> String {
        span.map { HumanText.duration(nanoseconds: $0.nanoseconds) } ?? "some time"
    }
}
