import CCurfew
import CurfewCore
import CurfewWire

/// `curfew wait APP STATE`, read.
struct WaitArguments {
    /// What `VerbArguments` reads of any verb; its first operand is the app.
    let common: VerbArguments
    let state: LifecycleState
    /// How long at most; nil: as long as it takes.
    let nanoseconds: Int64?

    static var accepted: String {
        let names = LifecycleState.allCases.map(\.rawValue)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }

    /// Throws for a state or a time that is none.
    static func parse(_ reader: ArgumentReader) throws(UsageError) -> WaitArguments {
        let common = try VerbArguments(reader)
        let text = common.operands[1]
        guard let state = LifecycleState.allCases.first(where: { $0.rawValue == text }) else {
            throw reader.error("\"\(text)\" isn't a state; it is \(accepted)")
        }
        return WaitArguments(common: common, state: state, nanoseconds: try limit(common, reader))
    }

    private static func limit(_ common: VerbArguments, _ reader: ArgumentReader) throws(UsageError) -> Int64? {
        guard let text = common.value("--limit") else { return nil }
        guard let nanoseconds = DurationArgument.parse(text) else {
            throw reader.error("--limit: \"\(text)\" isn't \(DurationArgument.accepted)")
        }
        return nanoseconds == .max ? nil : nanoseconds
    }
}
