/// Durations and sizes for narrow columns.
enum ShortText {
    private static let second: Int64 = 1_000_000_000
    private static let minute = 60 * second
    private static let hour = 60 * minute
    private static let day = 24 * hour

    /// How long something has been so, rounded down: "48s", "9m", "2h03m", "3d04h", "400d".
    static func age(_ nanoseconds: Int64) -> String {
        let age = max(0, nanoseconds)
        switch age {
        case ..<minute: return "\(age / second)s"
        case ..<hour: return "\(age / minute)m"
        default: return pair(age)
        }
    }

    /// When `age` is told otherwise next, counted from its beginning.
    static func nextChange(ofAge nanoseconds: Int64) -> Int64 {
        let age = max(0, nanoseconds)
        let unit = age < minute ? second : age < day ? minute : hour
        return (age / unit + 1) * unit
    }

    /// What is left, rounded up, so that nothing is left at "0s": "48s", "9m48s", "2h03m".
    static func left(_ nanoseconds: Int64) -> String {
        if nanoseconds == .max { return "unlimited" }
        let seconds = (max(0, nanoseconds) + second - 1) / second
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\(seconds / 60)m\(twoDigits(seconds % 60))s"
        default: return pair(seconds * second)
        }
    }

    private static func pair(_ nanoseconds: Int64) -> String {
        switch nanoseconds {
        case ..<day: "\(nanoseconds / hour)h\(twoDigits(nanoseconds % hour / minute))m"
        case ..<(100 * day): "\(nanoseconds / day)d\(twoDigits(nanoseconds % day / hour))h"
        default: "\(nanoseconds / day)d"
        }
    }

    /// Rounded down, as limits want it: "999B", "1.9K", "129M", "1.5G".
    static func size(_ bytes: UInt64) -> String {
        var unit = 0
        var amount = bytes
        var tenths = UInt64(0)
        while amount >= 1000 {
            tenths = amount % 1024 * 10 / 1024
            amount /= 1024
            unit += 1
        }
        let prefix = ["B", "K", "M", "G", "T", "P", "E"][unit]
        return amount < 10 && unit > 0 ? "\(amount).\(tenths)\(prefix)" : "\(amount)\(prefix)"
    }

    /// Of thousandths: "0%", "0.3%", "12%", "230%".
    static func percent(permille: Int) -> String {
        permille < 100 && permille % 10 != 0 ? "\(permille / 10).\(permille % 10)%" : "\(permille / 10)%"
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
