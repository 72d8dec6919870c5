import CurfewScenario
import CurfewWire

/// How a condition is found.
extension ScenarioRunner {
    /// What was expected, and what is seen, each in words.
    enum Finding {
        case holds(expected: String, seen: String)
        case differs(expected: String, seen: String)
    }

    private func finding(_ holds: Bool, _ expected: String, _ seen: String) -> Finding {
        holds ? .holds(expected: expected, seen: seen) : .differs(expected: expected, seen: seen)
    }

    /// `isAwaited`: output is searched behind the last match only. `isLast`: it isn't looked at again.
    func look(_ condition: Condition, isAwaited: Bool, isLast: Bool) throws(Problem) -> Finding {
        switch condition {
        case .state(let word): try lookAtState(try known(word, "state", among: Vocabulary.states))
        case .event(let name, let info): lookForEvent(try text(name), try pairs(info))
        case .events(let names): lookForEvents(try texts(names))
        case .task(let name, let isOpen): try lookAtTask(try text(name), isOpen: isOpen)
        case .output(let pattern, let names):
            try lookAtOutput(try value(pattern), names, isAwaited: isAwaited, isLast: isLast)
        case .silence: finding(true, "", "")
        case .exit(let status): lookAtExit(Int(clamping: try value(status).value))
        case .killed(let reason): lookAtKill(try known(reason, "reason", among: Vocabulary.killReasons))
        case .pid(let isChanged): lookAtPid(isChanged: isChanged)
        case .file(let path, let test): try lookAtFile(try text(path), test)
        case .amount(let quantity, let comparison, let word): try lookAtAmount(quantity, comparison, word)
        }
    }

    /// What the supervisor says; nil when the app has ended.
    func status(_ expected: String) throws(Problem) -> Message? {
        do throws(StageProblem) {
            return try stage.ask(Message("status")).final
        } catch .gone {
            return nil
        } catch {
            throw error.problem(expected)
        }
    }

    // MARK: The app

    func lookAtState(_ state: String) throws(Problem) -> Finding {
        let expected = "the app to be \(state)"
        guard let status = try status(expected) else {
            return finding(state == "notRunning", expected, "it isn't running" + howItEnded)
        }
        let now = status["state"] ?? "unknown"
        var seen = "it is \(now)"
        if let tasks = status["open-tasks"], tasks != "0" {
            seen += ", with \(tasks) \(tasks == "1" ? "task" : "tasks") open"
        }
        if let owed = status["unacknowledged"] { seen += ", and hasn't acknowledged \(owed)" }
        return finding(now == state, expected, seen)
    }

    private var howItEnded: String {
        guard let end = stage.record.current?.end else { return "" }
        return ": it ended with \(end.status)" + (end.reason.map { ", \($0)" } ?? "")
    }

    private func lookAtExit(_ status: Int) -> Finding {
        let expected = "the app to exit with \(status)"
        guard let end = stage.record.current?.end else { return finding(false, expected, "it is still running") }
        return finding(
            end.status == status, expected, "it ended with \(end.status)" + (end.reason.map { ", \($0)" } ?? ""))
    }

    private func lookAtKill(_ reason: String) -> Finding {
        let expected = "the app to be killed: \(reason)"
        guard let end = stage.record.current?.end else { return finding(false, expected, "it is still running") }
        let seen = end.reason.map { "it was killed: \($0)" } ?? "it ended by itself, with \(end.status)"
        return finding(end.reason == reason, expected, seen)
    }

    private func lookAtPid(isChanged: Bool) -> Finding {
        let expected = isChanged ? "another process than before" : "the same process as before"
        let pids = stage.record.launches.map(\.pid)
        guard let last = pids.last else { return finding(false, expected, "nothing was launched") }
        guard pids.count > 1 else { return finding(!isChanged, expected, "it was launched once, with pid \(last)") }
        let before = pids[pids.count - 2]
        return finding(
            (last != before) == isChanged, expected,
            last == before ? "pid \(last) both times" : "pid \(before), then \(last)")
    }

    // MARK: Events

    private var seenEvents: String {
        let recent = stage.record.recent
        guard !recent.isEmpty else { return "nothing has happened since the last statement that acts on it" }
        return "since the last statement that acts on it: " + recent.map(\.line).joined(separator: ", ")
    }

    private func lookForEvent(_ name: String, _ info: [(key: String, value: String)]) -> Finding {
        let words = [name] + info.map { "\($0.key)=\($0.value)" }
        return finding(
            stage.record.recent.contains { $0.matches(name, info) }, "the event \(words.joined(separator: " "))",
            seenEvents)
    }

    private func lookForEvents(_ names: [String]) -> Finding {
        var left = names[...]
        for event in stage.record.recent {
            if let next = left.first, event.matches(next, []) { left.removeFirst() }
        }
        let missing = left.first.map { "; \($0) is missing" } ?? ""
        return finding(
            left.isEmpty, "the events \(names.joined(separator: ", ")), in this order", seenEvents + missing)
    }

    private func lookAtTask(_ name: String, isOpen: Bool) throws(Problem) -> Finding {
        let expected = "the task \(name) to be \(isOpen ? "open" : "ended")"
        let open: [String]
        do throws(StageProblem) {
            open = try stage.ask(Message("tasks")).items.compactMap { $0["name"] }
        } catch .gone {
            open = []
        } catch {
            throw error.problem(expected)
        }
        let wasBegun = stage.record.events.contains { $0.matches("taskDidBegin", [("title", name)]) }
        let seen =
            open.contains(name)
            ? "it is open"
            : wasBegun
                ? "it has ended" : open.isEmpty ? "no task is open" : "open are \(open.joined(separator: ", "))"
        return finding(isOpen ? open.contains(name) : wasBegun && !open.contains(name), expected, seen)
    }

    // MARK: Output

    /// What is to be named may have more to come, as long as its line has no end: `80` of `8080`.
    private func lookAtOutput(
        _ pattern: Pattern, _ names: [String], isAwaited: Bool, isLast: Bool
    ) throws(Problem) -> Finding {
        let expected = "output that matches \(pattern.text)"
        let regex: Regex<AnyRegexOutput>
        do {
            regex = try Regex(pattern.text).anchorsMatchLineEndings().matchingSemantics(.unicodeScalar)
        } catch {
            throw .broken(expected: expected, seen: "it is no regular expression: \(error)")
        }
        var groups: [String]?
        if isAwaited {
            stage.record.changeCurrent {
                groups = $0.output.takeMatch(of: regex, takesUnfinished: names.isEmpty || isLast)
            }
        } else {
            groups = stage.record.current?.output.match(of: regex)
        }
        guard let groups else {
            let last = stage.record.current?.output.lastLines(1).first
            return finding(false, expected, last.map { "the last line is: \($0)" } ?? "it has written nothing")
        }
        if groups.count <= names.count {
            throw .broken(
                expected: expected,
                seen: "the expression has \(groups.count - 1) groups, and \(names.count) names stand behind `as`")
        }
        lastMatch = groups
        for (name, value) in zip(names, groups.dropFirst()) { variables[name] = value }
        return finding(true, expected, "it has written \(groups[0])")
    }

    // MARK: Files

    private func lookAtFile(_ path: String, _ test: Condition.FileTest) throws(Problem) -> Finding {
        switch test {
        case .exists:
            return finding(stage.exists(path), "the file \(path)", stage.exists(path) ? "it is there" : "there is none")
        case .absent:
            return finding(!stage.exists(path), "no file \(path)", stage.exists(path) ? "it is there" : "there is none")
        case .contains(let pattern):
            let pattern = try value(pattern)
            let expected = "\(path) to contain \(pattern.text)"
            do throws(StageProblem) {
                guard let text = try stage.contents(of: path) else {
                    return finding(false, expected, "there is no such file")
                }
                guard let regex = try? Regex(pattern.text).anchorsMatchLineEndings() else {
                    throw StageProblem.broken("\(pattern.text) is no regular expression")
                }
                let last = text.split(separator: "\n").last.map(String.init) ?? "nothing"
                let line = last.count > OutputLog.longestLine ? "…" + last.suffix(OutputLog.longestLine) : last
                return finding(text.contains(regex), expected, "its last line is: \(line)")
            } catch {
                throw error.problem(expected)
            }
        }
    }

    // MARK: Amounts

    private func lookAtAmount(
        _ quantity: Condition.Quantity, _ comparison: Condition.Comparison, _ word: Word
    ) throws(Problem) -> Finding {
        let wanted = try text(word)
        let expected = "\(quantity.rawValue) \(comparison.rawValue) \(wanted)"
        guard let status = try status(expected) else {
            return finding(false, expected, "the app isn't running" + howItEnded)
        }
        let limit = try read(quantity, word)
        guard let now = amount(quantity, status) else {
            throw .broken(expected: expected, seen: "its supervisor doesn't tell its \(quantity.rawValue)")
        }
        return finding(compare(now, comparison, limit), expected, "it is \(text(now, of: quantity))")
    }

    private func read(_ quantity: Condition.Quantity, _ word: Word) throws(Problem) -> UInt64 {
        do throws(Diagnostic) {
            return try quantity.read(try word.filled(with: variables), at: word.position)
        } catch {
            throw .bad(error)
        }
    }

    private func amount(_ quantity: Condition.Quantity, _ status: Message) -> UInt64? {
        switch quantity {
        case .remaining: status["remaining"].flatMap(Seconds.parse).map { UInt64(clamping: $0) }
        case .cpu: status["cpu"].flatMap(Seconds.parse).map { UInt64(clamping: $0) }
        case .memory: status["footprint"].flatMap(UInt64.init)
        case .processes: status["processes"].flatMap(UInt64.init)
        }
    }

    /// Exact besides: what people read is rounded, and may be what was asked for.
    private func text(_ amount: UInt64, of quantity: Condition.Quantity) -> String {
        switch quantity {
        case .remaining, .cpu:
            HumanText.duration(nanoseconds: Int64(clamping: amount))
                + (amount >= Int64.max ? "" : " (\(Seconds.text(nanoseconds: Int64(clamping: amount))) s)")
        case .memory: "\(HumanText.size(bytes: amount)) (\(amount) bytes)"
        case .processes: "\(amount)"
        }
    }

    private func compare(_ left: UInt64, _ comparison: Condition.Comparison, _ right: UInt64) -> Bool {
        switch comparison {
        case .less: left < right
        case .atMost: left <= right
        case .equal: left == right
        case .atLeast: left >= right
        case .greater: left > right
        }
    }
}
