import CurfewWire
import Glibc

/// Moments as a person's clock shows them.
enum TimeOfDay {
    /// Local time such as "13:05:09.123" of seconds since 1970, as they are sent; the text itself if it is no number.
    static func text(_ secondsSince1970: String) -> String {
        guard let nanoseconds = Seconds.parse(secondsSince1970), nanoseconds >= 0, nanoseconds != .max else {
            return secondsSince1970
        }
        var moment = time_t(nanoseconds / 1_000_000_000)
        var local = tm()
        guard localtime_r(&moment, &local) != nil else { return secondsSince1970 }
        return clock(local) + "." + digits(Int(nanoseconds / 1_000_000 % 1000), 3)
    }

    /// Local date and time such as "2026-11-21 13:05:09" of seconds since 1970; nil for what no calendar has.
    static func dateAndTime(_ secondsSince1970: Int64) -> String? {
        var moment = time_t(secondsSince1970)
        var local = tm()
        guard localtime_r(&moment, &local) != nil, (0...9999).contains(Int(local.tm_year) + 1900) else { return nil }
        let day = [local.tm_mon + 1, local.tm_mday].map { "-" + digits(Int($0), 2) }.joined()
        return digits(Int(local.tm_year) + 1900, 4) + day + " " + clock(local)
    }

    private static func clock(_ local: tm) -> String {
        [local.tm_hour, local.tm_min, local.tm_sec].map { digits(Int($0), 2) }.joined(separator: ":")
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
