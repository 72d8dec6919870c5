import CurfewCore
import CurfewLinux
import CurfewWire

/// `60s`, `10m,force`.
public enum IdleTimeArgument {
    public static let accepted = "a time of at least 10 ms, such as 60 or 10m, or with \",force\" behind it"

    /// Nil if it is none, has no end, or is shorter.
    public static func parse(_ text: String) -> (span: Span, isForced: Bool)? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.count == 1 || parts[1] == "force",
            let nanoseconds = DurationArgument.parse(String(parts[0]))
        else { return nil }
        let span = Span(nanoseconds: nanoseconds)
        return span.isInfinite || span < .milliseconds(10) ? nil : (span, parts.count == 2)
    }
}

/// A share of one processor, such as `1%`.
public enum IdleCPUArgument {
    public static let accepted = "a share of one processor, such as 1% or 0.5%, at most 100%"

    /// In millionths; nil if it is none, or more than one processor.
    public static func parse(_ text: String) -> Int? {
        guard let percent = PercentArgument.parse(text), percent <= 100 else { return nil }
        return Int(percent * 10_000)
    }
}

/// `connections:6379,terminal`, `all`, `none`.
public enum WakeOnArgument {
    public static let accepted =
        "connections (or connections:PORT, with as many :PORT as there are), terminal, pipes and timers, parted by commas; or "
        + "all, or none"

    /// Nil if it is anything else; a port is 1 to 65535.
    public static func parse(_ text: String) -> InputFilter? {
        if text == "all" { return InputFilter(kinds: .all) }
        if text == "none" { return InputFilter(kinds: []) }
        var filter = InputFilter(kinds: [])
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            guard let name = parts.first, let kind = InputKinds(name: String(name)) else { return nil }
            guard parts.count == 1 || kind == .connections else { return nil }
            for port in parts.dropFirst() {
                guard let number = UInt16(port), number > 0, port.utf8.allSatisfy({ (48...57).contains($0) }) else {
                    return nil
                }
                filter.ports.append(number)
            }
            filter.kinds.insert(kind)
        }
        return filter
    }
}

extension ArgumentReader {
    mutating func idleTime() throws(UsageError) -> (span: Span, isForced: Bool) {
        let text = try value(IdleTimeArgument.accepted)
        guard let time = IdleTimeArgument.parse(text) else { throw bad(text, IdleTimeArgument.accepted) }
        return time
    }

    /// In millionths of one processor.
    mutating func idleCPU() throws(UsageError) -> Int {
        let text = try value(IdleCPUArgument.accepted)
        guard let share = IdleCPUArgument.parse(text) else { throw bad(text, IdleCPUArgument.accepted) }
        return share
    }

    mutating func inputFilter() throws(UsageError) -> InputFilter {
        let text = try value(WakeOnArgument.accepted)
        guard let filter = WakeOnArgument.parse(text) else { throw bad(text, WakeOnArgument.accepted) }
        return filter
    }
}
