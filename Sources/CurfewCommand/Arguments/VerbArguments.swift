import CurfewEngine
import CurfewLinux

/// The flags and operands of a verb that has no more than that.
package struct VerbArguments {
    package let verb: String
    package private(set) var operands: [String] = []
    private var flags: Set<String> = []

    package init(_ reader: ArgumentReader) throws(UsageError) {
        var reader = reader
        verb = reader.verb
        let known = VerbSyntax.options(of: verb)
        let range = VerbSyntax.operands(of: verb)
        while let token = try reader.next() {
            switch token {
            case .option(let option):
                guard known.contains(option) else { throw reader.unknown(option) }
                flags.insert(option)
            case .operand(let operand): operands.append(operand)
            }
        }
        if operands.count < range.lowerBound {
            throw reader.error(VerbSyntax.missingOperand(of: verb, given: operands.count))
        }
        if operands.count > range.upperBound { throw reader.tooMany(operands[range.upperBound]) }
    }

    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Connects to the app that the first operand names, else to the only one; tells of failures.
    func withClient(_ body: (inout ControlClient) throws(ControlClient.Failure) -> Void) throws(UsageError) -> Int32 {
        let lookup = AppLookup(verb: verb)
        guard let target = try lookup.target(of: operands.first) else {
            StandardError.print("curfew: \(verb): no app is running; `curfew run` starts one")
            return ExitStatus.unavailable
        }
        do throws(ControlClient.Failure) {
            var client = try ControlClient(path: target.path)
            try body(&client)
            return ExitStatus.success
        } catch {
            let (line, status) = error.explained(verb, target)
            StandardError.print(line)
            return status
        }
    }
}
