import CurfewEngine
import CurfewLinux

/// The flags and operands of a verb that has few.
struct VerbArguments {
    let verb: String
    private(set) var operands: [String] = []
    private var flags: Set<String> = []

    init(_ reader: ArgumentReader, flags known: Set<String>, operands range: ClosedRange<Int>) throws(UsageError) {
        var reader = reader
        verb = reader.verb
        while let token = try reader.next() {
            switch token {
            case .option(let option):
                guard known.contains(option) else { throw reader.unknown(option) }
                flags.insert(option)
            case .operand(let operand): operands.append(operand)
            }
        }
        if operands.count < range.lowerBound {
            throw reader.error("an app is needed: its name or its pid; `curfew ps` lists those that run")
        }
        if operands.count > range.upperBound {
            throw reader.error("\"\(operands[range.upperBound])\" is one too many; `curfew \(verb) --help` shows what is accepted")
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Connects to the app that the first operand names, else to the only one; tells of failures.
    func withClient(
        _ body: (inout ControlClient, String) throws(ControlClient.Failure) -> Void
    ) throws(UsageError) -> Int32 {
        let lookup = AppLookup()
        let path: String
        if let app = operands.first {
            path = try lookup.socket(of: app, verb: verb)
        } else if let only = try lookup.onlySocket(verb: verb) {
            path = only
        } else {
            StandardError.print("curfew: \(verb): no app is running")
            return ExitStatus.unavailable
        }
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: path)
            try body(&client, path)
            return ExitStatus.success
        } catch {
            let (line, status) = error.explained(verb, operands.first ?? path)
            StandardError.print(line)
            return status
        }
    }
}
