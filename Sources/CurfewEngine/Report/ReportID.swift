import Glibc

/// What a report is called: `APP-YYYYMMDDTHHMMSSZ-PID`, in UTC; the second of the same `…-2`, and so on.
public struct ReportID: Sendable, Hashable {
    public let app: String
    /// Such as "20261121T165052Z".
    public let stamp: String
    public let pid: Int32
    /// 1 for the first that is called so.
    var repetition = 1

    /// `seconds`: since 1970.
    init(app: String, seconds: Int64, pid: Int32) {
        self.app = app
        stamp = Self.stamp(seconds)
        self.pid = pid
    }

    /// Nil for what has another form.
    public init?(_ text: String) {
        var parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return nil }
        var numbers: [Int32] = []
        while numbers.count < 2, let last = parts.last, let number = Self.number(last) {
            numbers.insert(number, at: 0)
            parts.removeLast()
        }
        guard let pid = numbers.first, let stamp = parts.popLast(), Self.isStamp(stamp) else { return nil }
        app = parts.joined(separator: "-")
        guard AppName.isValid(app) else { return nil }
        self.stamp = String(stamp)
        self.pid = pid
        if numbers.count == 2 {
            guard numbers[1] >= 2 else { return nil }
            repetition = Int(numbers[1])
        }
    }

    /// Of a file in the store; nil for a file that isn't ours.
    init?(fileName: String) {
        guard fileName.hasSuffix(Self.suffix) else { return nil }
        self.init(String(fileName.dropLast(Self.suffix.count)))
    }

    public var text: String { "\(app)-\(stamp)-\(pid)" + (repetition > 1 ? "-\(repetition)" : "") }

    /// The moment in it, in seconds since 1970.
    public var seconds: Int64 {
        let digits = stamp.utf8.filter { (48...57).contains($0) }.map { Int32($0) - 48 }
        func number(_ range: Range<Int>) -> Int32 { digits[range].reduce(0) { $0 * 10 + $1 } }
        var moment = tm()
        moment.tm_year = number(0..<4) - 1900
        moment.tm_mon = number(4..<6) - 1
        moment.tm_mday = number(6..<8)
        moment.tm_hour = number(8..<10)
        moment.tm_min = number(10..<12)
        moment.tm_sec = number(12..<14)
        return Int64(timegm(&moment))
    }

    var fileName: String { text + Self.suffix }
    /// What it is called until it is whole.
    var temporaryName: String { Self.temporaryPrefix + text }

    static func isTemporaryName(_ name: String) -> Bool {
        name.hasPrefix(temporaryPrefix) && ReportID(String(name.dropFirst(temporaryPrefix.count))) != nil
    }

    private static let suffix = ".json"
    private static let temporaryPrefix = ".tmp-"

    private static func stamp(_ seconds: Int64) -> String {
        var moment = time_t(seconds)
        var utc = tm()
        gmtime_r(&moment, &utc)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(max(0, number))
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date = digits(min(utc.tm_year + 1900, 9999), 4) + digits(utc.tm_mon + 1, 2) + digits(utc.tm_mday, 2)
        return date + "T" + digits(utc.tm_hour, 2) + digits(utc.tm_min, 2) + digits(utc.tm_sec, 2) + "Z"
    }

    private static func isStamp(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == 84, bytes[15] == 90 else { return false }
        return (bytes[..<8] + bytes[9..<15]).allSatisfy { (48...57).contains($0) }
    }

    /// Written as we write it: no sign and no zeros before it.
    private static func number(_ text: Substring) -> Int32? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int32(text) else { return nil }
        return String(number) == text ? number : nil
    }
}
