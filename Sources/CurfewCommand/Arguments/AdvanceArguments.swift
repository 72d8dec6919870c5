import CurfewWire

/// `curfew advance APP D`, read.
struct AdvanceArguments {
    /// What `VerbArguments` reads of any verb; its first operand is the app.
    let common: VerbArguments
    let nanoseconds: Int64

    var request: Message {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let fraction = String(1_000_000_000 + rest).dropFirst()
        return Message("advance", [Field("id", "1"), Field("seconds", "\(seconds).\(fraction)")])
    }

    /// Throws for a time that isn't one, or has no end.
    static func parse(_ reader: ArgumentReader) throws(UsageError) -> AdvanceArguments {
        let common = try VerbArguments(reader)
        let text = common.operands[1]
        guard let nanoseconds = DurationArgument.parse(text), nanoseconds < .max else {
            throw reader.error("\"\(text)\" isn't a time to advance by; it is \(TimeSpan.acceptedFinite)")
        }
        return AdvanceArguments(common: common, nanoseconds: nanoseconds)
    }
}
