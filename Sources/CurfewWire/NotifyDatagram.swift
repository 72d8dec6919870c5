/// What one field of a datagram for `NOTIFY_SOCKET` says.
///
/// Source: sd_notify(3), "Well-known assignments".
public enum NotifyField: Hashable, Sendable {
    /// `BARRIER=1`: stands alone; the descriptor that came with it is to be closed once all before it is dealt with.
    case barrier
    /// `MAINPID`: above 0.
    case mainPid(Int32)
    /// `READY=1`.
    case ready
    /// `STOPPING=1`.
    case stopping
    /// `STATUS`: one line without control characters, 256 bytes at most; the empty one takes an earlier one back.
    case status(String)
    /// `EXTEND_TIMEOUT_USEC`: above 0; `Int64.max` for what 64 bits can't hold.
    case extendTimeout(nanoseconds: Int64)
    /// `WATCHDOG=1`.
    case watchdog
    /// `WATCHDOG=trigger`.
    case watchdogTrigger
    /// `WATCHDOG_USEC`: 0 ends it; `Int64.max` for what 64 bits can't hold.
    case watchdogInterval(nanoseconds: Int64)
    /// A field, or a value of one, that means nothing here; the key is cut and cleaned as a status is.
    case unknown(key: String)
    /// What is ignored because it can't have been meant so.
    case malformed(NotifyProblem)
}

/// Why a line of a datagram, or all of it, is ignored; the raw value is the phrase for people.
public enum NotifyProblem: String, Hashable, Sendable {
    case empty = "it is empty"
    case tooLong = "it is longer than 4096 bytes"
    case nul = "it holds a NUL byte"
    case barrierNotAlone = "BARRIER=1 came with other fields, so all of them are ignored"
    case noEquals = "a line has no '='"
    case noKey = "a line has no key before its '='"
    case mainPid = "MAINPID is not the number of a process"
    case extendTimeout = "EXTEND_TIMEOUT_USEC is not a number of microseconds above 0"
    case watchdogInterval = "WATCHDOG_USEC is not a number of microseconds"
}

/// Reads the datagrams of sd_notify(3): lines of `KEY=VALUE`.
public enum NotifyDatagram {
    /// Longer ones are ignored. Source: docs/protocol.md; systemd's NOTIFY_BUFFER_MAX is the same.
    public static let maximumBytes = 4096
    /// What a status is cut to, in bytes of UTF-8. Source: docs/protocol.md.
    public static let maximumStatusBytes = 256
    /// How many fields that mean nothing are told of.
    public static let maximumUnknown = 16

    /// The fields of one datagram: each once at most, in the order of `NotifyField`'s cases, whatever the lines' was.
    ///
    /// Never empty, and bounded: what is unknown by `maximumUnknown`, each problem by one. The rules are systemd's: it
    /// looks for key after key and takes the first line that has it, so one whose value is no good stands, as
    /// `.malformed` or `.unknown`, where the field would. `READY=1`, `STOPPING=1` and `BARRIER=1` count on any line.
    /// CR ends a line as LF does, blank lines are passed over, and one NUL may follow the last.
    /// Source: systemd, service_notify_message() and manager_dispatch_notify_fd().
    public static func parse(_ bytes: UnsafeRawBufferPointer) -> [NotifyField] {
        if bytes.count > maximumBytes { return [.malformed(.tooLong)] }
        let text = bytes.last == 0 ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
        if text.contains(0) { return [.malformed(.nul)] }
        var reader = NotifyReader(text)
        reader.readLines()
        return reader.fields
    }

    /// Reads bytes held in an array, as the form for raw buffers does.
    public static func parse(_ bytes: [UInt8]) -> [NotifyField] { bytes.withUnsafeBytes { parse($0) } }
}

/// Collects what the lines of one datagram say.
private struct NotifyReader {
    private let bytes: UnsafeRawBufferPointer
    private var lineCount = 0
    private var isBarrier = false
    private var isReady = false
    private var isStopping = false
    private var mainPid: NotifyField?
    private var status: NotifyField?
    private var extendTimeout: NotifyField?
    private var watchdog: NotifyField?
    private var watchdogInterval: NotifyField?
    private var unknown: [String] = []
    private var problems: [NotifyProblem] = []

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func readLines() {
        for line in bytes.split(whereSeparator: { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }) {
            lineCount += 1
            read(UnsafeRawBufferPointer(rebasing: line))
        }
    }

    private mutating func read(_ line: UnsafeRawBufferPointer) {
        guard let equals = line.firstIndex(of: ASCII.equals) else { return add(.noEquals) }
        if equals == 0 { return add(.noKey) }
        let key = UnsafeRawBufferPointer(rebasing: line[..<equals])
        let value = UnsafeRawBufferPointer(rebasing: line[(equals + 1)...])
        if !read(key, value) { add(unknown: key) }
    }

    /// False for what means nothing.
    private mutating func read(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        if key.holds("READY") { return value.sets(&isReady) }
        if key.holds("STOPPING") { return value.sets(&isStopping) }
        if key.holds("BARRIER") { return value.sets(&isBarrier) }
        if key.holds("STATUS") {
            status = status ?? .status(value.cleanText)
        } else if key.holds("MAINPID") {
            mainPid = mainPid ?? Self.mainPid(value)
        } else if key.holds("EXTEND_TIMEOUT_USEC") {
            extendTimeout = extendTimeout ?? Self.extendTimeout(value)
        } else if key.holds("WATCHDOG") {
            watchdog = watchdog ?? Self.watchdog(value)
        } else if key.holds("WATCHDOG_USEC") {
            watchdogInterval = watchdogInterval ?? Self.watchdogInterval(value)
        } else {
            return false
        }
        return true
    }

    private static func mainPid(_ value: UnsafeRawBufferPointer) -> NotifyField {
        guard let pid = value.decimal.flatMap(Int32.init(exactly:)), pid > 0 else { return .malformed(.mainPid) }
        return .mainPid(pid)
    }

    /// All ones mean "not set", which is the same as none. Source: systemd, service_extend_timeout().
    private static func extendTimeout(_ value: UnsafeRawBufferPointer) -> NotifyField {
        guard let time = value.decimal, time > 0, time < .max else { return .malformed(.extendTimeout) }
        return .extendTimeout(nanoseconds: nanoseconds(time))
    }

    /// All ones end it too. Source: systemd, service_start_watchdog().
    private static func watchdogInterval(_ value: UnsafeRawBufferPointer) -> NotifyField {
        guard let time = value.decimal else { return .malformed(.watchdogInterval) }
        return .watchdogInterval(nanoseconds: time == .max ? 0 : nanoseconds(time))
    }

    private static func watchdog(_ value: UnsafeRawBufferPointer) -> NotifyField {
        if value.holds("1") { return .watchdog }
        return value.holds("trigger") ? .watchdogTrigger : .unknown(key: "WATCHDOG")
    }

    private static func nanoseconds(_ microseconds: UInt64) -> Int64 {
        let (product, overflows) = microseconds.multipliedReportingOverflow(by: 1000)
        return overflows ? .max : Int64(clamping: product)
    }

    private mutating func add(_ problem: NotifyProblem) {
        if !problems.contains(problem) { problems.append(problem) }
    }

    private mutating func add(unknown key: UnsafeRawBufferPointer) {
        guard unknown.count < NotifyDatagram.maximumUnknown, case let key = key.cleanText, !unknown.contains(key) else {
            return
        }
        unknown.append(key)
    }

    /// A barrier with anything beside it is against the protocol. Source: sd_notify(3), BARRIER=1.
    var fields: [NotifyField] {
        if lineCount == 0 { return [.malformed(.empty)] }
        if isBarrier { return [lineCount == 1 ? .barrier : .malformed(.barrierNotAlone)] }
        let found = [
            mainPid, isReady ? .ready : nil, isStopping ? .stopping : nil, status, extendTimeout, watchdog,
            watchdogInterval,
        ]
        return found.compactMap { $0 } + unknown.map(NotifyField.unknown) + problems.map(NotifyField.malformed)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func holds(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count))
    }

    /// Whether it is "1", and then so is the flag; nothing takes it back.
    fileprivate func sets(_ flag: inout Bool) -> Bool {
        guard holds("1") else { return false }
        flag = true
        return true
    }

    /// The number of one or more digits and nothing else; nil for what 64 bits can't hold.
    fileprivate var decimal: UInt64? {
        var total: UInt64 = 0
        for byte in self {
            let (tenfold, overflows) = total.multipliedReportingOverflow(by: 10)
            guard ASCII.isDigit(byte), !overflows else { return nil }
            let (sum, exceeds) = tenfold.addingReportingOverflow(UInt64(byte - ASCII.zero))
            if exceeds { return nil }
            total = sum
        }
        return isEmpty ? nil : total
    }

    /// What begins it as one line of text: U+FFFD for each byte that isn't UTF-8 and each control character, and no
    /// more than fits `maximumStatusBytes`.
    fileprivate var cleanText: String {
        var text = ""
        var index = 0
        while index < count {
            let length = UTF8Sequence.length(in: self, at: index)
            let character = String(checked: self, index..<index + (length ?? 1))
            let kept = length != nil && !Self.isControl(character) ? character : "\u{fffd}"
            if text.utf8.count + kept.utf8.count > NotifyDatagram.maximumStatusBytes { break }
            text += kept
            index += length ?? 1
        }
        return text
    }

    /// C0, DEL and C1; and what ends a line in Unicode.
    private static func isControl(_ character: String) -> Bool {
        switch character.unicodeScalars.first?.value ?? 0 {
        case 0..<0x20, 0x7f...0x9f, 0x2028...0x2029: true
        default: false
        }
    }
}
