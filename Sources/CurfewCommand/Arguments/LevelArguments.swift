import CurfewCore
import CurfewWire

/// `curfew warn APP [LEVEL]` and `curfew pressure APP LEVEL`, read.
enum LevelArguments {
    /// Throws for a level that isn't one.
    static func parse(_ reader: ArgumentReader) throws(UsageError) -> RequestArguments {
        try RequestArguments(reader, request)
    }

    private static func request(_ common: VerbArguments) throws(BadValue) -> Message {
        let level = common.operands.count > 1 ? common.operands[1] : MemoryWarningLevel.warning.rawValue
        let levels =
            common.verb == "warn" ? MemoryWarningLevel.allCases.map(\.rawValue) : PressureLevel.allCases.map(\.name)
        guard levels.contains(level) else {
            let accepted = levels.dropLast().joined(separator: ", ") + " or " + (levels.last ?? "")
            throw BadValue("\"\(level)\" isn't a level; it is \(accepted)")
        }
        return Message(common.verb, [Field("id", "1"), Field("level", level)])
    }
}
