import CurfewWire

/// Reads a report, as docs/report.md has it: the last events of a run, its limits and its end.
struct ReportReader {
    private let report: JSON
    private var recorder: RunRecorder

    /// Throws for what is no report.
    static func timeline(_ report: JSON) throws(Unreadable) -> Timeline {
        guard case .string(let app)? = report["app"], report["version"] != nil, report["status"] != nil else {
            throw Unreadable("it is no report of Curfew's: it has no app, version or status")
        }
        guard report["version"] == .integer(1) else {
            throw Unreadable("its version is \(report["version"]?.text ?? "none"); this curfew reads 1")
        }
        var reader = ReportReader(report: report, recorder: RunRecorder(app: app))
        return Timeline(clock: .calendar, runs: [try reader.run()])
    }

    private mutating func run() throws(Unreadable) -> AppRun {
        try readEvents()
        guard !recorder.isEmpty || number("started") != nil && number("ended") != nil else {
            throw Unreadable("it tells of no time at all: the app was never started, or only its end is known")
        }
        let ended = number("ended")
        if recorder.isEmpty, let started = number("started") {
            recorder.take(Happening(time: started, name: "started"))
        }
        readLimits(at: ended)
        readFacts()
        return recorder.finished(at: ended, state: text("state"))
    }

    private mutating func readEvents() throws(Unreadable) {
        guard case .array(let events)? = report["events"] else { return }
        for (index, event) in events.enumerated() {
            guard let happening = Happening(event) else {
                throw Unreadable("event \(index + 1) of it has no name or no time")
            }
            if index == 0, isLater(happening) {
                recorder.fact("before", "only the last \(events.count) events are known")
            }
            recorder.take(happening)
        }
    }

    /// Whether others came before. Where events have no numbers, as in older reports, its time tells.
    private func isLater(_ first: Happening) -> Bool {
        if let number = first.number { return number > 1 }
        return number("started").map { first.time - $0 > 1_000_000_000 } ?? false
    }

    private mutating func readLimits(at ended: Int64?) {
        if let budget = number("limits", "budgetSeconds") { recorder.budget(budget) }
        if text("clock") == "manual" { recorder.hasHeldTime() }
        readMemoryLimits()
        readCPULimit()
        guard let ended else { return }
        if let bytes = bytes("limit", "footprintBytes") { recorder.memory(bytes, at: ended) }
        if let used = number("cpuSeconds") { recorder.cpu(used, at: ended) }
    }

    /// The one that was set, and the one of its state that it crossed.
    private mutating func readMemoryLimits() {
        let whole = bytes("limits", "memoryBytes"), crossed = bytes("limit", "memoryBytes")
        if let first = whole ?? crossed { recorder.memoryLimitFromStart(first) }
        if let crossed, whole != nil, crossed != whole { recorder.memoryLimit(crossed) }
    }

    private mutating func readCPULimit() {
        if let used = number("limits", "backgroundCPUSeconds"),
            let window = number("limits", "backgroundCPUWindowSeconds")
        {
            recorder.cpuLimit(used, in: window)
        }
        if text("reason") == "cpu-limit", let used = number("limit", "cpuSeconds"),
            let elapsed = number("limit", "elapsedSeconds")
        {
            recorder.cpuExcess(used, in: elapsed)
        }
    }

    private mutating func readFacts() {
        if let peak = bytes("peakMemoryBytes") {
            let limit = bytes("limits", "memoryBytes").map { " of \(HumanText.size(bytes: UInt64($0)))" } ?? ""
            recorder.fact("memory", "\(HumanText.size(bytes: UInt64(peak)))\(limit) at most")
        }
        if case .array(let words)? = report["command"] {
            recorder.fact("command", words.compactMap(Happening.text).joined(separator: " "))
        }
    }

    // MARK: Fields

    private func value(_ path: [String]) -> JSON? { path.reduce(Optional(report)) { $0?[$1] } }

    private func text(_ path: String...) -> String? {
        guard case .string(let text)? = value(path), !text.isEmpty else { return nil }
        return text
    }

    /// Seconds, as nanoseconds.
    private func number(_ path: String...) -> Int64? { value(path).flatMap(Happening.nanoseconds) }

    private func bytes(_ path: String...) -> Int64? {
        guard case .integer(let bytes)? = value(path), bytes >= 0 else { return nil }
        return bytes
    }
}
