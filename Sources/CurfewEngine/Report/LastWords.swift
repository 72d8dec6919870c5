import CurfewCore
import CurfewLinux
import CurfewWire

/// What people are told on standard error at a run's end.
struct LastWords {
    let name: String
    let manifest: Manifest
    let options: SupervisorOptions

    /// Line by line; none for what ended by itself. `seen`: its processes as they were looked at last.
    func lines(of ending: Ending, seen: () -> KillSnapshot?) -> [String] {
        var lines: [String] = []
        if let timeout = ending.timeout { tell(timeout, ending, seen, into: &lines) }
        if let kill = ending.kill, ending.timeout == nil || kill.reason != .timeLimit {
            lines.append("curfew: \(name): killed: \(KillNarration.text(kill))")
        }
        if let limit = ending.restKilledAfter, ending.timeout == nil { lines.append(rest(killedAfter: limit, seen())) }
        return lines
    }

    /// What was there when its time was over, and where it was.
    private func tell(
        _ timeout: TimeoutOutcome, _ ending: Ending, _ seen: () -> KillSnapshot?, into lines: inout [String]
    ) {
        if case .signaled(_, dumpedCore: true) = ending.leader {
            lines.append("\(options.caller): the monitored command dumped core")
        }
        guard options.tellsProcesses, timeout.isExpired, let snapshot = seen() else { return }
        for process in snapshot.processes { lines.append("\(options.caller): \(process.whereabouts)") }
        if snapshot.omitted > 0 { lines.append("\(options.caller): and \(snapshot.omitted) more processes") }
    }

    /// What the command left behind hadn't ended in time.
    private func rest(killedAfter limit: Span, _ snapshot: KillSnapshot?) -> String {
        let seen = snapshot?.processes ?? []
        let named = seen.prefix(3).map { "\($0.pid) \(Quoted.text($0.name))" }
        let more = seen.count > 3 ? " and \(seen.count - 3) more" : ""
        let names = named.isEmpty ? "" : ": " + named.joined(separator: ", ") + more
        return "curfew: \(name): killed what it left behind, which hadn't ended "
            + "\(HumanText.duration(nanoseconds: limit.nanoseconds)) after \(signalsName)\(names)"
    }

    private var signalsName: String { "SIG" + SignalName.of(manifest.policy.terminateSignal) }
}
