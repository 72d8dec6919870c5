import CurfewEngine
import CurfewLinux

/// The flags, plain values and operands of a verb that has no more than that.
package struct VerbArguments {
    package let verb: String
    package private(set) var operands: [String] = []
    private var flags: Set<String> = []
    private var values: [String: [String]] = [:]
    /// The server that was asked for.
    private(set) var server: String?
    /// Where supervisors are looked for; nil: this user's.
    private let directory: RuntimeDirectory?

    package init(_ reader: ArgumentReader) throws(UsageError) { try self.init(reader, in: nil) }

    init(_ reader: ArgumentReader, in directory: RuntimeDirectory?) throws(UsageError) {
        self.directory = directory
        var reader = reader
        verb = reader.verb
        let known = VerbSyntax.options(of: verb)
        let range = VerbSyntax.operands(of: verb)
        while let token = try reader.next() {
            switch token {
            case .option(let word):
                let option = word == "-f" && known.contains("--follow") && verb == "log" ? "--follow" : word
                guard known.contains(option) else { throw reader.unknown(option) }
                if option == "--server" {
                    server = try reader.serverName()
                } else if let accepted = VerbSyntax.value(of: option, verb) {
                    values[option, default: []].append(try reader.value(accepted))
                } else {
                    flags.insert(option)
                }
            case .operand(let operand): operands.append(operand)
            }
        }
        if operands.count < range.lowerBound {
            throw reader.error(VerbSyntax.missingOperand(of: verb, given: operands.count))
        }
        if operands.count > range.upperBound { throw reader.tooMany(operands[range.upperBound]) }
    }

    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// What an option was given that takes any text; nil where it wasn't given.
    func value(_ option: String) -> String? { values[option]?.last }

    /// All that it was given.
    func values(_ option: String) -> [String] { values[option] ?? [] }

    /// The last one's, where all are good.
    func checked<Value>(
        _ option: String, _ read: (String) throws(BadValue) -> Value
    ) throws(BadValue) -> Value? {
        var last: Value?
        for text in values(option) {
            do throws(BadValue) { last = try read(text) } catch { throw BadValue("\(option): \(error.problem)") }
        }
        return last
    }

    var lookup: AppLookup { AppLookup(verb: verb, server: server, directory: directory ?? .ofThisUser()) }

    /// Connects to the app that the first operand names, else to the only one; tells of failures.
    func withClient(_ body: (inout ControlClient) throws(ControlClient.Failure) -> Void) throws(UsageError) -> Int32 {
        guard let target = try lookup.target(of: operands.first) else {
            StandardError.print("curfew: \(verb): no app is running; `curfew run` starts one")
            return ExitStatus.unavailable
        }
        return withClient(of: target, body)
    }

    /// Connects to it; tells of failures.
    func withClient(
        of target: AppTarget, _ body: (inout ControlClient) throws(ControlClient.Failure) -> Void
    ) -> Int32 {
        do throws(ControlClient.Failure) {
            var client = try ControlClient(target)
            try body(&client)
            return ExitStatus.success
        } catch {
            let (line, status) = error.explained(verb, target)
            StandardError.print(line)
            return status
        }
    }
}
