import CurfewEngine
import CurfewLinux
import CurfewWire
import Glibc

/// `curfew task …`: background tasks, from inside an app.
enum TaskVerbs {
    static let subverbs = ["begin", "end", "remaining", "list", "run"]

    static func run(_ arguments: ArgumentReader.Arguments, count: Int) throws(UsageError) -> Int32 {
        guard count > 2, let word = arguments[2] else {
            throw UsageError("task", "say what: \(subverbs.joined(separator: ", "))")
        }
        let subverb = String(cString: word)
        let reader = ArgumentReader(verb: "task \(subverb)", arguments, count: count, from: 3)
        switch subverb {
        case "begin": return try begin(reader)
        case "end": return try end(reader)
        case "remaining": return try remaining(reader)
        case "list": return try list(reader)
        case "run": return try TaskRun.run(reader)
        default: throw UsageError("task", "\"\(subverb)\" isn't one of \(subverbs.joined(separator: ", "))")
        }
    }

    /// Prints the task's number; its owner is the app's leader, for this process ends at once.
    private static func begin(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        var reader = reader
        var owner = "leader"
        var name: String?
        var asJSON = false
        while let token = try reader.next() {
            switch token {
            case .option("--owner"): owner = try pid(&reader)
            case .option("--json"): asJSON = true
            case .option(let option): throw reader.unknown(option)
            case .operand(let operand):
                guard name == nil else { throw reader.error("one name is accepted; quote it if it has blanks") }
                name = operand
            }
        }
        guard let name else { throw reader.error("a name is needed, such as: curfew task begin upload") }
        let request = Message("begin", [Field("id", "1"), Field("name", name), Field("owner", owner)])
        return ask("begin", request) { answer in
            let task = answer.final["task"] ?? "0"
            guard asJSON else {
                Output.print(task)
                return
            }
            let remaining = AppStatus.value(Field("remaining", answer.final["remaining"] ?? ""))
            Output.print(.object([("task", .integer(Int64(task) ?? 0)), ("remaining", remaining)]))
        }
    }

    private static func pid(_ reader: inout ArgumentReader) throws(UsageError) -> String {
        let text = try reader.value()
        guard let pid = Int32(text), pid > 0 else { throw reader.error("--owner: \"\(text)\" isn't a pid") }
        return text
    }

    private static func end(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader, flags: [], operands: 0...1)
        guard let text = arguments.operands.first, let task = Int(text), task > 0 else {
            throw reader.error("the task's number is needed, as `curfew task begin` printed it")
        }
        return ask("end", Message("end", [Field("id", "1"), Field("task", String(task))])) { answer in
            if answer.final["ignored"] != nil {
                StandardError.print("curfew: task end: task \(task) isn't open; ignored")
            }
        }
    }

    /// Prints seconds, or `inf` in the foreground.
    private static func remaining(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader, flags: ["--json"], operands: 0...0)
        return ask("remaining", Message("remaining", [Field("id", "1")])) { answer in
            let seconds = answer.final["seconds"] ?? "0.000"
            if arguments.has("--json") {
                Output.print(.object([("seconds", AppStatus.value(Field("remaining", seconds)))]))
            } else {
                Output.print(seconds)
            }
        }
    }

    private static func list(_ reader: ArgumentReader) throws(UsageError) -> Int32 {
        let arguments = try VerbArguments(reader, flags: ["--json"], operands: 0...0)
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
            Output.print(table.text())
        }
    }

    /// Asks the supervisor of the app this process is in.
    private static func ask(_ verb: String, _ request: Message, _ show: (ControlClient.Answer) -> Void) -> Int32 {
        guard let path = getenv("CURFEW_SOCKET") else {
            StandardError.print("curfew: task \(verb): not inside a Curfew app (CURFEW_SOCKET isn't set)")
            return ExitStatus.unavailable
        }
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: String(cString: path))
            show(try client.request(request))
            return ExitStatus.success
        } catch .refused(let code, let message) {
            StandardError.print("curfew: task \(verb): refused (\(code)): \(message)")
            return code == "invalid" || code == "forbidden" ? ExitStatus.failure : ExitStatus.temporaryFailure
        } catch {
            StandardError.print(error.explained("task \(verb)", String(cString: path)).line)
            return ExitStatus.unavailable
        }
    }
}
