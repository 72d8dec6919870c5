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
        guard let cpuTime = report.cpuTime, let elapsed = report.elapsed else { return "" }
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

    private static func duration(_ span: Span?) -> String {
        span.map { HumanText.duration(nanoseconds: $0.nanoseconds) } ?? "some time"
    }
}
