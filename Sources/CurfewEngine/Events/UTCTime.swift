import Glibc

/// Moments as files have them: in UTC, to the second, as ISO 8601 writes them.
public enum UTCTime {
    /// Such as `2025-11-21T12:45:09Z`, of seconds since 1970; of what no calendar has the nearest.
    public static func text(_ seconds: Int64) -> String {
        var moment = time_t(max(0, min(seconds, latest)))
        var utc = tm()
        gmtime_r(&moment, &utc)
        let date = [digits(utc.tm_year + 1900, 4), digits(utc.tm_mon + 1, 2), digits(utc.tm_mday, 2)]
        let time = [utc.tm_hour, utc.tm_min, utc.tm_sec].map { digits($0, 2) }
        return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
    }

    /// Seconds since 1970; nil for what `text` doesn't write.
    public static func seconds(_ text: String) -> Int64? {
        let fields = text.split { "-T:Z".contains($0) }.compactMap { Int32($0) }
        guard fields.count == 6 else { return nil }
        var moment = tm()
        moment.tm_year = fields[0] - 1900
        moment.tm_mon = fields[1] - 1
        moment.tm_mday = fields[2]
        moment.tm_hour = fields[3]
        moment.tm_min = fields[4]
        moment.tm_sec = fields[5]
        let seconds = Int64(timegm(&moment))
        return self.text(seconds) == text ? seconds : nil
    }

    /// 9999-12-31T23:59:59Z
    private static let latest: Int64 = 253_402_300_799

    private static func digits(_ number: Int32, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
