import CurfewScenario
import CurfewWire

/// What looks: now, or until it is so.
extension ScenarioRunner {
    func await(_ condition: Condition, within: Value<Duration>?) throws(Problem) {
        let patience = try within.map { within throws(Problem) in try value(within).nanoseconds } ?? limits.await
        let limit = stage.now.addingReportingOverflow(patience).overflow ? .max : stage.now + patience
        if case .silence(let span) = condition { return try awaitSilence(try value(span).nanoseconds, until: limit) }
        while true {
            let isOver = stage.now >= min(limit, deadline)
            let isLast = isOver || isHopeless(condition)
            let before = heard
            let finding = try look(condition, isAwaited: true, isLast: isLast)
            guard case .differs(let expected, let seen) = finding else { return }
            if isLast { throw .failed(expected: expected, seen: seen + (isOver ? waited(patience, until: limit) : "")) }
            // What came with an answer while we looked won't come again.
            if heard != before { continue }
            // What no event tells of is looked at anew all the same.
            _ = try wait(until: min(limit, isTold(condition) ? .max : stage.now + Self.lookInterval), expected)
        }
    }

    /// How much has been told of the app: more, once there is more to look at.
    private var heard: [Int] {
        let record = stage.record
        return [
            record.events.count, record.launches.count, record.current?.output.count ?? 0, record.isRunning ? 0 : 1,
        ]
    }

    private func waited(_ patience: Int64, until limit: Int64) -> String {
        if deadline < limit {
            return
                "; then the scenario's \(HumanText.duration(nanoseconds: limits.scenario)) were over; `--limit` allows more"
        }
        return "; waited for \(HumanText.duration(nanoseconds: patience))"
    }

    static let lookInterval: Int64 = 10_000_000

    func expect(_ condition: Condition) throws(Problem) {
        if case .silence(let span) = condition { return try expectSilence(try value(span).nanoseconds) }
        if case .differs(let expected, let seen) = try look(condition, isAwaited: false, isLast: true) {
            throw .failed(expected: expected, seen: seen)
        }
    }

    func expectNot(_ condition: Condition) throws(Problem) {
        if case .silence(let span) = condition { return try expectNoise(try value(span).nanoseconds) }
        switch try look(condition, isAwaited: false, isLast: true) {
        case .holds(let expected, let seen): throw .failed(expected: "not \(expected)", seen: seen)
        case .differs(let expected, _):
            guard case .output = condition, let output = stage.record.current?.output, output.dropped > 0 else {
                return
            }
            throw .broken(
                expected: "not \(expected)",
                seen: "of \(output.count) bytes only the last \(output.count - output.dropped) were kept and searched")
        }
    }

    /// Whether nothing that can still come would make it so: the app has ended.
    private func isHopeless(_ condition: Condition) -> Bool {
        guard !stage.record.isRunning, stage.record.current != nil else { return false }
        switch condition {
        case .state, .event, .events, .output, .task, .exit, .killed, .pid, .amount: return true
        case .file, .silence: return false
        }
    }

    /// Whether the app's supervisor, its output or its end tells of a change.
    private func isTold(_ condition: Condition) -> Bool {
        switch condition {
        case .state, .event, .events, .task, .output, .exit, .killed, .pid: true
        case .silence, .file, .amount: false
        }
    }

    // MARK: Silence

    /// Nothing written, nothing happened, no CPU time used.
    private struct Noise: Equatable {
        var output: Int
        var events: Int
        var cpu: String
    }

    private func noise(_ expected: String) throws(Problem) -> Noise {
        let cpu = stage.record.isRunning ? try status(expected)?["cpu"] ?? "" : ""
        return Noise(output: stage.record.current?.output.count ?? 0, events: stage.record.events.count, cpu: cpu)
    }

    private func what(_ before: Noise, _ after: Noise) -> String {
        if after.output != before.output {
            let last = stage.record.current?.output.lastLines(1).first ?? ""
            return "it has written \(after.output - before.output) bytes, the last line: \(last)"
        }
        if after.events != before.events {
            return "there was \(stage.record.events[before.events].line)"
        }
        return "it has used CPU time: \(before.cpu) s before, \(after.cpu) s now"
    }

    /// Whether nothing was heard until then, and what was.
    private func listen(until limit: Int64, _ expected: String) throws(Problem) -> String? {
        let before = try noise(expected)
        while stage.now < limit {
            _ = try wait(until: limit, expected)
            if stage.record.events.count != before.events || stage.record.current?.output.count ?? 0 != before.output {
                return what(before, try noise(expected))
            }
        }
        let after = try noise(expected)
        return after == before ? nil : what(before, after)
    }

    private func expectSilence(_ span: Int64) throws(Problem) {
        let expected = "silence for \(HumanText.duration(nanoseconds: span))"
        if let heard = try listen(until: stage.now + span, expected) { throw .failed(expected: expected, seen: heard) }
    }

    private func expectNoise(_ span: Int64) throws(Problem) {
        let expected = "no silence for \(HumanText.duration(nanoseconds: span))"
        if try listen(until: stage.now + span, expected) == nil {
            throw .failed(expected: expected, seen: "no output, no event and no CPU time")
        }
    }

    private func awaitSilence(_ span: Int64, until limit: Int64) throws(Problem) {
        let expected = "silence for \(HumanText.duration(nanoseconds: span))"
        while let heard = try listen(until: stage.now + span, expected) {
            if stage.now >= min(limit, deadline) { throw .failed(expected: expected, seen: heard) }
        }
    }
}
