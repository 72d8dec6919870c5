/// As ISO 8601 writes it.
extension CivilTime {
    /// Such as `2026-12-01T08:00:00`.
    public var text: String {
        "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))T\(timeText)"
    }

    /// Such as `08:00:00`.
    public var timeText: String {
        [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { Self.digits($0, 2) }.joined(separator: ":")
    }

    /// Of a date and a time with `T` or a blank between them, seconds or not: `2026-12-01 08:00`. Nil for anything else.
    public init?(_ text: String) {
        var text = text
        guard let time = text.withUTF8({ Self(bytes: $0) }) else { return nil }
        self = time
    }

    /// By bytes: a server reads thousands of them at its start.
    private init?(bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 16 || bytes.count == 19, bytes[4] == Self.hyphen, bytes[7] == Self.hyphen,
            bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "), let year = Self.number(bytes, 0..<4),
            let month = Self.number(bytes, 5..<7), let day = Self.number(bytes, 8..<10),
            let second = Self.secondOfDay(bytes, from: 11)
        else { return nil }
        self.init(
            year: year, month: month, day: day, hour: second / 3600, minute: second / 60 % 60, second: second % 60)
    }

    /// Of `08:00` or `08:00:30`; nil for what no clock shows.
    static func secondOfDay(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { secondOfDay($0, from: 0) }
    }

    private static func secondOfDay(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        let count = bytes.count - start
        guard count == 5 || count == 8, bytes[start + 2] == colon, let hour = number(bytes, start..<start + 2),
            let minute = number(bytes, start + 3..<start + 5), hour < 24, minute < 60
        else { return nil }
        guard count == 8 else { return hour * 3600 + minute * 60 }
        guard bytes[start + 5] == colon, let second = number(bytes, start + 6..<start + 8), second < 60 else {
            return nil
        }
        return hour * 3600 + minute * 60 + second
    }

    private static let hyphen = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")

    /// Of a few digits and nothing else.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ places: Range<Int>) -> Int? {
        var number = 0
        for place in places {
            guard 48...57 ~= bytes[place] else { return nil }
            number = number * 10 + Int(bytes[place] - 48)
        }
        return number
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

/// A moment as somebody writes it who schedules something.
public enum WrittenTime: Sendable, Hashable {
    case moment(WallTime)
    /// Of a clock that isn't named there.
    case civil(CivilTime)
    /// Whenever a clock shows that next: seconds since midnight.
    case timeOfDay(Int)

    /// What `init` reads, for messages.
    public static let accepted =
        "a time such as 08:00, 2026-12-01 08:00, 2026-12-01T08:00:00Z, 2026-12-01T08:00+01:00 or @1796112000"

    /// Nil for what isn't one.
    public init?(_ text: String) {
        if text.hasPrefix("@") {
            guard let seconds = Int64(text.dropFirst()), 0...Self.latest ~= seconds else { return nil }
            self = .moment(.seconds(seconds))
        } else if let second = CivilTime.secondOfDay(text) {
            self = .timeOfDay(second)
        } else if let civil = CivilTime(text) {
            self = .civil(civil)
        } else if let (civil, offset) = Self.withOffset(text) {
            self = .moment(civil.moment { _ in offset })
        } else {
            return nil
        }
    }

    /// 9999-12-31T23:59:59Z
    private static let latest: Int64 = 253_402_300_799

    /// `…Z`, or `…+01:00`.
    private static func withOffset(_ text: String) -> (CivilTime, Int64)? {
        if text.hasSuffix("Z") { return CivilTime(String(text.dropLast())).map { ($0, 0) } }
        guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }),
            let seconds = CivilTime.secondOfDay(String(text[text.index(after: sign)...])),
            let civil = CivilTime(String(text[..<sign]))
        else { return nil }
        return (civil, text[sign] == "-" ? -Int64(seconds) : Int64(seconds))
    }

    /// When the clocks of a zone show it; of a time of day the next one after `now`. Nil outside the years that there are.
    public func civil(after now: WallTime, _ offset: CivilTime.Offset) -> CivilTime? {
        switch self {
        case .moment(let time): return CivilTime(time, offset: offset)
        case .civil(let time): return time
        case .timeOfDay(let second):
            guard let shown = CivilTime(now, offset: offset),
                let today = CivilTime(dayNumber: shown.dayNumber, secondOfDay: second)
            else { return nil }
            return today.moment(offset: offset) > now ? today : today.adding(days: 1)
        }
    }
}

extension CalendarRule.Repetition {
    /// What `init` reads, for messages.
    public static let accepted = "daily, weekly, monthly, yearly, or seconds, 60 or more"

    /// `daily`, `weekly`, `monthly`, `yearly`, or whole seconds; nil for anything else, and for a shorter period than may be.
    public init?(_ text: String) {
        if let word = [Self.daily, .weekly, .monthly, .yearly].first(where: { $0.text == text }) {
            self = word
            return
        }
        guard let seconds = Int64(text), seconds <= Self.mostSeconds, .seconds(seconds) >= CalendarRule.shortestPeriod
        else { return nil }
        self = .every(.seconds(seconds))
    }

    /// A hundred years.
    private static let mostSeconds: Int64 = 3_155_760_000

    /// What `init` reads it from.
    public var text: String {
        switch self {
        case .every(let span): String(span.nanoseconds / 1_000_000_000)
        case .daily: "daily"
        case .weekly: "weekly"
        case .monthly: "monthly"
        case .yearly: "yearly"
        }
    }
}
