import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// `curfew task …`: background tasks, from inside an app.
package enum TaskVerbs {
    static let subverbs = ["begin", "end", "remaining", "list", "run", "keep-alive", "fetch-interval", "payload"]

    static func run(_ arguments: ArgumentReader.Arguments, count: Int) throws(UsageError) -> Int32 {
        guard count > 2, let word = arguments[2] else {
            throw UsageError("task", "no verb given; it is one of \(listed); `curfew task --help` tells more")
        }
        let subverb = String(cString: word)
        let reader = ArgumentReader(verb: "task \(subverb)", arguments, count: count, from: 3)
        switch subverb {
        case "begin": return try begin(reader)
        case "end": return try end(reader)
        case "remaining": return try remaining(reader)
        case "list": return try list(reader)
        case "run": return try TaskRun.run(reader)
        case "keep-alive": return try keepAlive(reader)
        case "fetch-interval": return try fetchInterval(reader)
        case "payload": return try payload(reader)
        case "--help", "-h": throw .help("task")
        default:
            let question = NearestWord.question(subverb, among: subverbs)
            throw UsageError("task", "\"\(subverb)\" isn't one of \(listed)\(question)")
        }
    }

    private static var listed: String { subverbs.joined(separator: ", ") }

    /// Prints the task's number; its owner is the app's leader, for this process ends at once.
    private static func begin(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try TaskBeginArguments.parse(reader)
        let request = Message(
            "begin", [Field("id", "1"), Field("name", arguments.name), Field("owner", arguments.owner)])
        return ask("begin", request) { answer in
            let task = answer.final["task"] ?? "0"
            guard arguments.asJSON else {
                Output.print(task)
                return
            }
            let remaining = Field("remaining", answer.final["remaining"] ?? "").jsonValue
            Output.print(.object([("task", .integer(Int64(task) ?? 0)), ("remaining", remaining)]))
        }
    }

    static func taskNumber(_ reader: ArgumentReader) throws(UsageError) -> Int {
        let text = try VerbArguments(reader).operands[0]
        guard let task = Int(text), task > 0 else {
            throw reader.error("\"\(text)\" isn't a task's number, as `curfew task begin` printed it")
        }
        return task
    }

    private static func end(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let task = try taskNumber(reader)
        return ask("end", Message("end", [Field("id", "1"), Field("task", String(task))])) { answer in
            if answer.final["ignored"] != nil {
                StandardError.print("curfew: task end: task \(task) isn't open; ignored")
            }
        }
    }

    /// Prints seconds, or `inf` in the foreground.
    private static func remaining(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        return ask("remaining", Message("remaining", [Field("id", "1")])) { answer in
            let seconds = answer.final["seconds"] ?? "0.000"
            if arguments.has("--json") {
                Output.print(.object([("seconds", Field("remaining", seconds).jsonValue)]))
            } else {
                Output.print(seconds)
            }
        }
    }

    private static func list(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader)
        return ask("list", Message("tasks", [Field("id", "1")])) { answer in
            if arguments.has("--json") {
                Output.print(.array(answer.items.map { AppStatus.json(of: $0) }))
                return
            }
            var table = Table(columns: [
                .init(title: "TASK", isNumber: true), .init(title: "AGE", isNumber: true), .init(title: "NAME"),
            ])
            table.rows = answer.items.map { task in
                let age = HumanText.duration(nanoseconds: Seconds.parse(task["age"] ?? "") ?? 0)
                return [task["task"] ?? "", age, task["name"] ?? ""]
            }
            Output.print(lines: table.lines())
        }
    }

    /// Nanoseconds; 0 and `inf` end it.
    static func keepAliveTime(_ reader: ArgumentReader) throws(UsageError) -> Int64 {
        let text = try VerbArguments(reader).operands[0]
        guard let nanoseconds = DurationArgument.parse(text) else {
            throw reader.error("\"\(text)\" isn't a time to be woken after; it is \(DurationArgument.accepted)")
        }
        return nanoseconds
    }

    private static func keepAlive(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let seconds = Seconds.text(nanoseconds: try keepAliveTime(reader))
        return ask("keep-alive", Message("keep-alive", [Field("id", "1"), Field("seconds", seconds)])) { _ in }
    }

    /// As it is sent; nil for what is no time.
    package static func fetchInterval(_ text: String) -> String? {
        if ["minimum", "never"].contains(text) { return text }
        return DurationArgument.parse(text).map { $0 == .max ? "never" : Seconds.text(nanoseconds: $0) }
    }

    static func fetchIntervalTime(_ reader: ArgumentReader) throws(UsageError) -> String {
        let text = try VerbArguments(reader).operands[0]
        guard let seconds = fetchInterval(text) else {
            throw reader.error("\"\(text)\" isn't \(DurationArgument.accepted), minimum or never")
        }
        return seconds
    }

    private static func fetchInterval(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let request = Message("fetch-interval", [Field("id", "1"), Field("seconds", try fetchIntervalTime(reader))])
        return ask("fetch-interval", request) { _ in }
    }

    /// Nil for what can't be one.
    package static func pushNumber(_ text: String) -> Int? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
    }

    static func pushNumber(_ reader: ArgumentReader) throws(UsageError) -> Int {
        let text = try VerbArguments(reader).operands[0]
        guard let number = pushNumber(text) else {
            throw reader.error("\"\(text)\" isn't a push's number, as the event has it: info.push")
        }
        return number
    }

    private static func payload(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let request = Message("payload", [Field("id", "1"), Field("push", String(try pushNumber(reader)))])
        return ask("payload", request) { answer in
            Output.print(bytes: Array((answer.items.map { $0["text"] ?? "" }.joined() + "\n").utf8))
        }
    }

    /// Asks the supervisor of the app this process is in.
    private static func ask(_ verb: String, _ request: Message, _ show: (ControlClient.Answer) -> Void) -> Int32 {
        guard let path = AppLookup.inheritedSocket() else {
            StandardError.print(
                "curfew: task \(verb): not inside an app (CURFEW_SOCKET isn't set); it is for what `curfew run` starts")
            return ExitStatus.unavailable
        }
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: path)
            show(try client.request(request))
            return ExitStatus.success
        } catch {
            return tell(error, verb: "task \(verb)", path: path)
        }
    }

    /// Says what went wrong; what may go better later has a status of its own.
    static func tell(_ failure: ControlClient.Failure, verb: String, path: String, consequence: String = "") -> Int32 {
        guard case .refused(let code, let message) = failure else {
            let (line, status) = failure.explained(verb, .inherited(path))
            StandardError.print(line + consequence)
            return status
        }
        StandardError.print("curfew: \(verb): refused (\(code)): \(message)\(consequence)")
        return failure.refusalStatus
    }
}
