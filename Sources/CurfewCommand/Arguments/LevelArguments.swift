import CurfewCore
import CurfewWire

/// `curfew warn APP [LEVEL]` and `curfew pressure APP LEVEL`, read.
struct LevelArguments {
    /// What `VerbArguments` reads of any verb; its first operand is the app.
    let common: VerbArguments
    let request: Message

    /// Throws for a level that isn't one.
    static func parse(_ reader: ArgumentReader) throws(UsageError) -> LevelArguments {
        let common = try VerbArguments(reader)
        let level = common.operands.count > 1 ? common.operands[1] : MemoryWarningLevel.warning.rawValue
        let levels =
            common.verb == "warn" ? MemoryWarningLevel.allCases.map(\.rawValue) : PressureLevel.allCases.map(\.name)
        guard levels.contains(level) else {
            let accepted = levels.dropLast().joined(separator: ", ") + " or " + (levels.last ?? "")
            throw reader.error("\"\(level)\" isn't a level; it is \(accepted)")
        }
        return LevelArguments(common: common, request: Message(common.verb, [Field("id", "1"), Field("level", level)]))
    }
}
