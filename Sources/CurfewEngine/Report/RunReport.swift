import CurfewCore
import CurfewLinux
import CurfewWire

/// Why and how a run ended, as `--report` writes it.
struct RunReport {
    let name: String
    let leader: Int32
    let command: [String]
    let containment: String
    let policy: Policy
    let startedAt: Instant?
    let endedAt: Instant
    let measures: RunMeasures
    let snapshot: KillSnapshot?
    let events: [EventLog.Entry]
    let ending: Ending
    /// Whether it had a life in background, whose limits are told.
    var hasLifecycle = true
    /// Its lifecycle time is moved by hand, so that what it was given isn't what its calendar shows.
    var isTimeHeld = false

    /// How many of the last events it tells.
    static let eventCount = 50

    /// Of a run that came to no program, or of which only the end is known: what isn't known is null.
    static func ofFailure(
        name: String, command: [String], pid: Int32? = nil, reason: KillReason? = nil, status: Int32, problem: String
    ) -> JSON {
        .object([
            ("version", .integer(1)), ("app", .string(name)), ("command", .array(command.map { JSON.string($0) })),
            ("pid", pid.map { JSON.integer(Int64($0)) } ?? .null), ("containment", .null),
            ("reason", reason.map { JSON.string($0.rawValue) } ?? .null), ("code", .null),
            ("message", .string(problem)), ("status", .integer(Int64(status))), ("leader", .null), ("state", .null),
            ("limit", .null), ("tasks", .array([])), ("started", .null), ("ended", .null), ("seconds", .null),
            ("cpuSeconds", .null), ("peakMemoryBytes", .null),
            ("exitCategory", reason.map { JSON.string($0.category.rawValue) } ?? .null),
        ])
    }

    /// Of an app that was killed because one half of Curfew was.
    static func ofSupervisorExit(name: String, command: [String], pid: Int32, problem: String) -> JSON {
        let reason = KillReason.supervisorExit
        return ofFailure(
            name: name, command: command, pid: pid, reason: reason, status: reason.exitStatus,
            problem: "\(reason.rawValue): \(problem)")
    }

    var json: JSON { .object(whatRan + whyItEnded + whatItUsed + whereItWas + lastSeen + history) }

    private var whatRan: [(key: String, value: JSON)] {
        let ran: [(key: String, value: JSON)] = [
            ("version", .integer(1)),
            ("app", .string(name)),
            ("command", .array(command.map { JSON.string($0) })),
            ("pid", .integer(Int64(leader))),
            ("containment", .string(containment)),
        ]
        return isTimeHeld ? ran + [("clock", .string("manual"))] : ran
    }

    private var whyItEnded: [(key: String, value: JSON)] {
        let kill = ending.kill
        return [
            ("reason", text(kill?.reason.rawValue)),
            ("code", text(kill?.reason.code)),
            ("message", text(kill.map { KillNarration.text($0) })),
            ("status", status),
            ("leader", leaderOutcome),
            ("restKilledAfterSeconds", ending.restKilledAfter.map { JSON.number(Self.seconds($0)) } ?? .null),
            ("state", .string(ending.state.rawValue)),
            ("limit", limit),
            ("tasks", .array((kill?.tasks ?? []).map { task($0) })),
        ]
    }

    private var whatItUsed: [(key: String, value: JSON)] {
        [
            ("started", wallClock(startedAt)),
            ("ended", wallClock(endedAt)),
            ("seconds", startedAt.map { JSON.number(Self.seconds(endedAt - $0)) } ?? .null),
            ("cpuSeconds", .number(Double(measures.cpuMicroseconds) / 1e6)),
            ("peakMemoryBytes", measures.peakMemory.map { JSON.integer(Int64(clamping: $0)) } ?? .null),
        ]
    }

    private func text(_ text: String?) -> JSON { text.map { JSON.string($0) } ?? .null }

    private var status: JSON {
        switch ending.status {
        case .exit(let code): .integer(Int64(code))
        case .raise(let signal): .integer(Int64(128 + signal))
        }
    }

    private var leaderOutcome: JSON {
        switch ending.leader {
        case .exited(let code): .object([("exited", .integer(Int64(code)))])
        case .signaled(let signal, let dumpedCore):
            .object([("signal", .integer(Int64(signal))), ("dumpedCore", .bool(dumpedCore))])
        case nil: .null
        }
    }

    private var limit: JSON {
        guard let kill = ending.kill else { return .null }
        var members: [(key: String, value: JSON)] = []
        if let limit = kill.limit { members.append(("seconds", .number(Self.seconds(limit)))) }
        if let elapsed = kill.elapsed { members.append(("elapsedSeconds", .number(Self.seconds(elapsed)))) }
        if let cpuTime = kill.cpuTime { members.append(("cpuSeconds", .number(Self.seconds(cpuTime)))) }
        if let event = kill.event { members.append(("event", .string(event.name))) }
        if let bytes = kill.memoryLimit { members.append(("memoryBytes", .integer(Int64(clamping: bytes)))) }
        if let bytes = kill.footprint { members.append(("footprintBytes", .integer(Int64(clamping: bytes)))) }
        if let limit = kill.cpuLimit { members.append(("cpuLimitSeconds", .number(Self.seconds(limit)))) }
        if let bytes = kill.available { members.append(("availableBytes", .integer(Int64(clamping: bytes)))) }
        if let bytes = kill.availableLimit { members.append(("wantedBytes", .integer(Int64(clamping: bytes)))) }
        if let count = kill.count { members.append(("count", .integer(Int64(count)))) }
        return members.isEmpty ? .null : .object(members)
    }

    private func task(_ task: TaskAge) -> JSON {
        .object([
            ("task", .integer(Int64(task.id.rawValue))),
            ("name", .string(task.name)),
            ("ageSeconds", .number(Self.seconds(task.age))),
        ])
    }

    static func seconds(_ span: Span) -> Double { Double(span.nanoseconds / 1000) / 1e6 }

    func wallClock(_ instant: Instant?) -> JSON {
        guard let instant else { return .null }
        return .number(Double(WallClock.nanoseconds(of: instant) / 1000) / 1e6)
    }
}
