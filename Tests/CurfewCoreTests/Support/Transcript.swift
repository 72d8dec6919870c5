import CurfewCore

/// Runs a script and returns it with what happened: each command with its effects indented below.
///
/// A command is `[+TIME] VERB [APP] [WORD…]`; `+TIME` moves the clock without a tick. Lines that start with `#`
/// are kept, indented ones are the expected effects, and are replaced by the real ones.
func performed(_ transcript: String) -> String {
    let scenario = Scenario.empty()
    var output: [String] = []
    for line in transcript.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix(" ") {
        output.append(String(line))
        if line.isEmpty || line.hasPrefix("#") { continue }
        output += scenario.perform(Command(line)).map { "    " + $0 }
    }
    return output.joined(separator: "\n")
}

/// One line of a script, split.
private struct Command {
    var pause = Span.zero
    var verb = ""
    var app = AppID(0)
    /// What stands alone after verb and app.
    var words: [String] = []
    /// What was written `KEY=VALUE`.
    var values: [String: String] = [:]

    init(_ line: Substring) {
        var parts = line.split(separator: " ").map(String.init)[...]
        if let first = parts.first, first.hasPrefix("+") {
            pause = span(first.dropFirst())
            parts.removeFirst()
        }
        verb = parts.popFirst() ?? ""
        if let name = parts.first, let index = ["a", "b", "c"].firstIndex(of: name) {
            app = AppID(index + 1)
            parts.removeFirst()
        }
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { values[pair[0]] = pair[1] } else { words.append(part) }
        }
    }

    var word: String { words.first ?? "" }
    var number: Int { Int(word) ?? -1 }
    var request: Int? { values["request"].flatMap { Int($0) } }

    /// What is written `KEY=VALUE` and means nothing to the script, in the order of the keys.
    var info: [Info] {
        values.filter { $0.key != "request" }.sorted { $0.key < $1.key }.map { Info($0.key, $0.value) }
    }

    var options: LaunchOptions {
        LaunchOptions(
            inBackground: words.contains("background"), wakingEvent: values["for"].map { PostedEvent($0) },
            info: values["option"].map { [Info("option", $0)] } ?? [])
    }

    var notification: ServiceNotification? {
        switch word {
        case "ready": .ready
        case "stopping": .stopping
        case "alive": .alive
        case "broken": .broken
        case "extend": values["to"].map { .extendTimeout(span($0[...])) }
        case "watchdog": .watchdogInterval(values["every"].map { span($0[...]) })
        default: nil
        }
    }

    var policy: Policy {
        .with {
            if let budget = values["budget"] { $0.backgroundBudget = span(budget[...]) }
            if let lead = values["lead"] { $0.expirationLead = span(lead[...]) }
            $0.grace = values["grace"].map { span($0[...]) }
            if let limit = values["limit"] { $0.timeLimit = span(limit[...]) }
            $0.requiresHello = words.contains("hello")
            if words.contains("wake") { $0.terminateSuspended = .wake }
            $0.exitsOnSuspend = words.contains("exits")
            $0.announcesEvents = words.contains("hooks")
            $0.watchdogInterval = values["watchdog"].map { span($0[...]) }
            $0.waitsForTree = words.contains("wait-all")
        }
    }
}

/// Reads `4.999s`.
private func span(_ text: Substring) -> Span {
    let parts = text.dropLast().split(separator: ".").map(String.init)
    let fraction = parts.count > 1 ? parts[1] : ""
    let nanoseconds = fraction + String(repeating: "0", count: 9 - fraction.count)
    return Span(nanoseconds: (Int64(parts[0]) ?? 0) * 1_000_000_000 + (Int64(nanoseconds) ?? 0))
}

extension Scenario {
    fileprivate func perform(_ command: Command) -> [String] {
        after(command.pause)
        let app = command.app
        switch command.verb {
        case "launch": return start(app, command.policy, command.options)
        case "home": return home(app, stopped: command.word == "stopped", request: command.request)
        case "open": return open(app, request: command.request)
        case "quit": return quit(app, request: command.request)
        case "interrupt": return interrupt(app, request: command.request)
        case "dismiss": return dismiss(app, request: command.request)
        case "post": return post(command.word, command.info, app, request: command.request)
        case "wake": return wake(command.word, command.info, app, request: command.request)
        case "notify": return command.notification.map { notify($0, app) } ?? ["? \(command.word)"]
        case "cpu":
            cpuTime = span(command.word[...])
            return []
        case "hello": return hello(app, connection: command.number)
        case "close": return disconnect(app, connection: command.number)
        case "ack": return ack(command.number, app)
        case "begin":
            return begin(
                command.word, app, owner: command.values["owner"].flatMap { Int($0) } ?? 1,
                connection: command.values["from"].flatMap { Int($0) })
        case "end": return end(command.number, app)
        case "owner-dies": return ownerExits(command.number, app)
        case "exit": return leaderExits(UInt8(command.number), app)
        case "die": return leaderDies(of: Int32(command.number), app)
        case "remains": return send(.app(app, .leftBehind))
        case "gone": return treeGone(app)
        case "tick": return tick()
        case "tracer":
            tracer = command.word == "on"
            return []
        default: return ["? \(command.verb)"]
        }
    }
}
