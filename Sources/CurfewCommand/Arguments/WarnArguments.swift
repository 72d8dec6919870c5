import CurfewCore
import CurfewWire

/// `curfew warn APP [LEVEL]`, read.
struct WarnArguments {
    /// What `VerbArguments` reads of any verb; its first operand is the app.
    let common: VerbArguments
    let request: Message

    /// Throws for a level that isn't one.
    static func parse(_ reader: ArgumentReader) throws(UsageError) -> WarnArguments {
        let common = try VerbArguments(reader)
        let level = common.operands.count > 1 ? common.operands[1] : MemoryWarningLevel.warning.rawValue
        guard MemoryWarningLevel(rawValue: level) != nil else {
            let accepted = MemoryWarningLevel.allCases.map(\.rawValue).joined(separator: " or ")
            throw reader.error("\"\(level)\" isn't a level; it is \(accepted)")
        }
        return WarnArguments(common: common, request: Message("warn", [Field("id", "1"), Field("level", level)]))
    }
}
