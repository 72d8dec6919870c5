import CCurfew
import CurfewEngine
import CurfewWire

/// `curfew log NAME`, read.
struct LogArguments {
    let common: VerbArguments
    let follows: Bool
    let selection: LogSelection

    /// `now`: in seconds since 1970.
    static func parse(
        _ reader: ArgumentReader, now: Int64 = curfew_realtime_nanoseconds() / 1_000_000_000
    ) throws(UsageError) -> LogArguments {
        let common = try VerbArguments(reader)
        guard let app = common.operands.first, AppName.isValid(app) else {
            throw reader.error("\"\(common.operands[0])\" isn't an app's name; it is \(AppName.accepted)")
        }
        return LogArguments(
            common: common, follows: common.has("--follow"),
            selection: LogSelection(run: try run(common, reader), since: try since(common, reader, now)))
    }

    private static func run(_ common: VerbArguments, _ reader: ArgumentReader) throws(UsageError) -> Int? {
        guard let text = common.value("--run") else { return nil }
        guard let number = LogRunNumber.parse(text) else {
            throw reader.error("--run: \"\(text)\" isn't \(LogRunNumber.accepted)")
        }
        return number
    }

    private static func since(
        _ common: VerbArguments, _ reader: ArgumentReader, _ now: Int64
    ) throws(UsageError) -> Int64? {
        guard let text = common.value("--since") else { return nil }
        guard let seconds = LogMoment.parse(text, now: now) else {
            throw reader.error("--since: \"\(text)\" isn't \(LogMoment.accepted)")
        }
        return seconds
    }
}

/// Which run of an app.
package enum LogRunNumber {
    package static let accepted = "a run's number, as `curfew history` has it"

    /// Nil for what is none; from 1 on.
    package static func parse(_ text: String) -> Int? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text), number > 0 else { return nil }
        return number
    }
}

/// From when on.
package enum LogMoment {
    package static let accepted = "how long ago, such as 10m, or a moment such as 2026-11-24T12:09:34Z"

    /// Seconds since 1970; nil for what is neither. `now`: the same.
    package static func parse(_ text: String, now: Int64) -> Int64? {
        if let moment = UTCTime.seconds(text) { return moment }
        guard let nanoseconds = DurationArgument.parse(text) else { return nil }
        return nanoseconds == .max ? 0 : now - nanoseconds / 1_000_000_000
    }
}
