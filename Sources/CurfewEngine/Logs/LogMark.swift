import CurfewWire

/// What Curfew itself writes into an app's log, a line each; every other byte is the app's own.
///
/// What follows a mark is of the run that it names. An app's line can look the same, as when it shows a log: a mark says at which
/// byte of its file it stands, and one that says otherwise is the app's. Source: docs/logs.md.
public struct LogMark: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// A run, which has written for the first time; the pid of its first process, and when that was started.
        case began(pid: Int32)
        /// The run goes on behind another's output, or in a new file.
        case continued
        /// When what follows was written, at the earliest.
        case time
        /// So many bytes of the run can't be found here, and why.
        case lost(bytes: Int64, reason: String)
    }

    public let kind: Kind
    public let run: Int
    /// Since 1970.
    public let seconds: Int64

    public init(_ kind: Kind, run: Int, seconds: Int64) {
        self.kind = kind
        self.run = run
        self.seconds = seconds
    }

    /// What each begins with.
    public static let prefix = "=== curfew: "
    /// None is longer, its line's end included.
    public static let maximumBytes = 256

    /// As it stands at that byte of a file, with its line's end.
    public func line(at offset: Int64) -> [UInt8] {
        var fields = [
            Field("at", String(offset)), Field("run", String(run)), Field("time", UTCTime.text(seconds)),
        ]
        let verb: String
        switch kind {
        case .began(let pid):
            verb = "began"
            fields.append(Field("pid", String(pid)))
        case .continued: verb = "continued"
        case .time: verb = "time"
        case .lost(let bytes, let reason):
            verb = "lost"
            fields.append(Field("bytes", String(bytes)))
            fields.append(Field("reason", String(reason.prefix(80))))
        }
        var line = Array(Self.prefix.utf8)
        Message(verb, fields).encodeWhole(into: &line)
        return line
    }

    /// The mark that this line is at that byte of its file; nil for a line of the app's. With or without its end.
    public init?(line: some Collection<UInt8>, at offset: Int64) {
        guard line.count <= Self.maximumBytes, line.starts(with: Self.prefix.utf8) else { return nil }
        let text = Array(line.dropFirst(Self.prefix.utf8.count))
        guard let message = (try? Message.parse(text)).flatMap({ $0 }), message["at"] == String(offset),
            let run = message["run"].flatMap({ Int($0) }),
            let seconds = message["time"].flatMap({ UTCTime.seconds($0) }),
            let kind = Kind(message)
        else { return nil }
        self.init(kind, run: run, seconds: seconds)
    }
}

extension LogMark.Kind {
    fileprivate init?(_ message: Message) {
        switch message.verb {
        case "began":
            guard let pid = message["pid"].flatMap({ Int32($0) }) else { return nil }
            self = .began(pid: pid)
        case "continued": self = .continued
        case "time": self = .time
        case "lost":
            guard let bytes = message["bytes"].flatMap({ Int64($0) }), let reason = message["reason"] else {
                return nil
            }
            self = .lost(bytes: bytes, reason: reason)
        default: return nil
        }
    }
}
