import CurfewCore
import CurfewWire

/// `curfew notify APP [BODY]`, read.
enum NotifyArguments {
    /// Those whose value goes as it is, under the same name.
    private static let plain = ["--at", "--zone", "--title", "--action", "--badge", "--sound"]

    static func parse(_ reader: ArgumentReader) throws(UsageError) -> RequestArguments {
        try RequestArguments(reader, request)
    }

    /// Every value is looked at, whatever is made of it.
    private static func request(_ common: VerbArguments) throws(BadValue) -> Message {
        try NotifyValues.checkTogether(
            at: common.value("--at") != nil, in: common.value("--in") != nil,
            cancel: common.value("--cancel") != nil, cancelAll: common.has("--cancel-all"),
            body: common.operands.count > 1)
        let time = try common.checked("--at", NotifyValues.time)
        let span = try common.checked("--in", NotifyValues.span)
        let repetition = try common.checked("--repeat", NotifyValues.repetition)
        _ = try common.checked("--badge", NotifyValues.badge)
        let id = try common.checked("--id", NotifyValues.id)
        let cancelled = try common.checked("--cancel", NotifyValues.id)
        let pairs = try common.values("--info").map(pair)
        let number = Field("id", "1")
        if let cancelled { return Message("cancel", [number, Field("notification", cancelled)]) }
        if common.has("--cancel-all") { return Message("cancel", [number, Field("all", "1")]) }
        var fields = [number] + (id.map { [Field("notification", $0)] } ?? [])
        for option in plain {
            if let text = common.value(option) { fields.append(Field(String(option.dropFirst(2)), text)) }
        }
        // At a shell a time is what the clock there shows, unless it says itself how far that is from UTC.
        if let time, common.value("--zone") == nil {
            if case .moment = time {} else { fields.append(Field("zone", "local")) }
        }
        if let span { fields.append(Field("in", span)) }
        if let repetition { fields.append(Field("repeat", repetition)) }
        if common.operands.count > 1 { fields.append(Field("body", common.operands[1])) }
        return Message(common.verb, fields + pairs)
    }

    private static func pair(_ text: String) throws(BadValue) -> Field {
        let pair = try InfoArgument.parse(text)
        return Field("info." + pair.key, pair.value)
    }
}

/// The values of `curfew notify`, as the command line has them.
package enum NotifyValues {
    package static let acceptedSpan = "a duration such as 90, 1.5s, 10m or 1h30min"
    package static let acceptedRepetition = "daily, weekly, monthly, yearly, or a duration of whole seconds, 1m or more"
    package static let acceptedBadge = "a number, 0 or more"
    package static let acceptedID = "an id: 1 to 64 letters, digits, - _ and ."

    /// Throws for what isn't a time.
    package static func time(_ text: String) throws(BadValue) -> WrittenTime {
        guard let time = WrittenTime(text) else { throw BadValue(text, isNot: WrittenTime.accepted) }
        return time
    }

    /// In seconds, as they are sent.
    package static func span(_ text: String) throws(BadValue) -> String {
        guard let nanoseconds = DurationArgument.parse(text), nanoseconds != .max else {
            throw BadValue(text, isNot: acceptedSpan)
        }
        return Seconds.text(nanoseconds: nanoseconds)
    }

    /// As it is sent.
    package static func repetition(_ text: String) throws(BadValue) -> String {
        if let word = CalendarRule.Repetition(text), Int(text) == nil { return word.text }
        guard let nanoseconds = DurationArgument.parse(text), nanoseconds % 1_000_000_000 == 0,
            let repetition = CalendarRule.Repetition(String(nanoseconds / 1_000_000_000))
        else { throw BadValue(text, isNot: acceptedRepetition) }
        return repetition.text
    }

    package static func badge(_ text: String) throws(BadValue) -> Int {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let badge = Int32(text) else {
            throw BadValue(text, isNot: acceptedBadge)
        }
        return Int(badge)
    }

    package static func id(_ text: String) throws(BadValue) -> String {
        guard LocalNotification.isID(text) else { throw BadValue(text, isNot: acceptedID) }
        return text
    }

    /// Throws where what was given can't be meant at once.
    package static func checkTogether(at: Bool, in: Bool, cancel: Bool, cancelAll: Bool, body: Bool) throws(BadValue) {
        if at, `in` { throw BadValue("--at and --in exclude each other") }
        if cancel, cancelAll { throw BadValue("--cancel and --cancel-all exclude each other") }
        if cancel || cancelAll, at || `in` || body { throw BadValue("what is cancelled has no time and no text") }
    }
}
