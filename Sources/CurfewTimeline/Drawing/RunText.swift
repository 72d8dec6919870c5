import CurfewWire

/// What is said of a run in words.
enum RunText {
    /// Such as "killed: background-task-timeout (0x2182bad2), status 124".
    static func outcome(_ run: AppRun) -> String {
        guard let end = run.end else { return run.bands.last.map { "\($0.state) at the end of what is known" } ?? "" }
        let status = end.status.isEmpty ? "" : end.status.hasPrefix("signal") ? end.status : "status \(end.status)"
        guard !end.reason.isEmpty else { return status.isEmpty ? "ended" : "ended with \(status)" }
        let why = end.why.isEmpty ? end.reason + (end.code.isEmpty ? "" : " (\(end.code))") : end.why
        return "killed: \(why)" + (status.isEmpty ? "" : ", \(status)")
    }

    /// At the line where it ends.
    static func endLabel(_ end: AppRun.End) -> String {
        if !end.reason.isEmpty { return "✕ killed: \(end.reason)" }
        return end.status.isEmpty
            ? "ended" : end.status.hasPrefix("signal") ? "ended by \(end.status)" : "ended: status \(end.status)"
    }

    static func facts(_ run: AppRun) -> String {
        run.facts.map { "\($0.label): \($0.text)" }.joined(separator: " · ")
    }

    /// What the axis counts from.
    static func axis(_ timeline: Timeline) -> String {
        switch timeline.clock {
        case .calendar: "time since \(CalendarText.text(timeline.from))"
        case .app: "the app's own time since its launch"
        case .real: "real time since its launch; its own stood still"
        }
    }

    /// Such as "3 s" or "812 µs", with the units of the axis.
    static func duration(_ nanoseconds: Int64) -> String {
        let text = HumanText.duration(nanoseconds: nanoseconds)
        return text.hasSuffix(" us") ? String(text.dropLast(2)) + "µs" : text
    }

    /// What it may use of the processors, and what it was killed for; empty where nothing is known of it.
    static func cpuLimit(_ run: AppRun) -> String {
        let limit = run.cpuLimit.map { "limit in background \(percent($0)) over \(duration($0.elapsed))" }
        let excess = run.cpuExcess.map { "killed for \(percent($0)) over \(duration($0.elapsed))" }
        return [limit, excess].compactMap(\.self).joined(separator: "; ")
    }

    private static func percent(_ share: AppRun.CPUShare) -> String {
        "\(Int((Double(share.used) * 100 / Double(share.elapsed)).rounded())) %"
    }

    /// Such as "background, 1.006 s: 677 ms to 1.683 s".
    static func span(_ name: String, _ from: Int64, _ to: Int64, since start: Int64) -> String {
        "\(name), \(ElapsedText.text(to - from)): \(ElapsedText.text(from - start)) to \(ElapsedText.text(to - start))"
    }

    static func mark(_ mark: AppRun.Mark, since start: Int64) -> String {
        "\(ElapsedText.text(mark.time - start))  \(mark.detail)"
    }

    static func task(_ task: AppRun.TaskBar, since start: Int64) -> String {
        let begun = task.wasBegunBefore ? ", begun before what is known" : ""
        let end =
            switch task.outcome {
            case .ended: ""
            case .released: ", released: its owner has died"
            case .open: ", not ended"
            }
        return span("task \(task.number) \"\(task.name)\"", task.from, task.to, since: start) + begun + end
    }
}
