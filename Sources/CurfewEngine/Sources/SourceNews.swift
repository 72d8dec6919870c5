import CurfewLinux
import CurfewWire

/// What the process that runs a source tells the server, a packet each, in the order in which it happened.
enum SourceNews: Equatable {
    case started(pid: Int32)
    /// What it has written.
    case output([UInt8])
    /// All that it had written was told before, and nothing of it is left.
    case ended(SourceEnd)

    private static let outputMark: UInt8 = 0
    /// So much of its output is told of at once.
    static let maximumOutput = LineReader.maximumLineBytes

    var packet: [UInt8] {
        switch self {
        case .output(let bytes): [Self.outputMark] + bytes
        case .started(let pid): Self.packet("started", [Field("pid", String(pid))])
        case .ended(.exited(let code)): Self.packet("ended", [Field("status", String(code))])
        case .ended(.killed(let signal)): Self.packet("ended", [Field("signal", String(signal))])
        case .ended(.closedOutput): Self.packet("ended", [Field("output", "closed")])
        case .ended(.notStarted(let why)): Self.packet("ended", [Field("problem", why)])
        }
    }

    private static func packet(_ verb: String, _ fields: [Field]) -> [UInt8] {
        var bytes: [UInt8] = []
        Message(verb, fields).encode(into: &bytes)
        return bytes
    }

    /// Nil for what is none.
    init?(packet: ArraySlice<UInt8>) {
        if packet.first == Self.outputMark {
            self = .output(Array(packet.dropFirst()))
            return
        }
        guard let message = try? Message.parse(Array(packet)) else { return nil }
        switch message.verb {
        case "started":
            guard let pid = message["pid"].flatMap({ Int32($0) }) else { return nil }
            self = .started(pid: pid)
        case "ended":
            guard let end = SourceEnd(message) else { return nil }
            self = .ended(end)
        default: return nil
        }
    }
}

/// How a run of a source was over.
enum SourceEnd: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    /// It would have lived on, and was ended: nothing could come from it any more.
    case closedOutput
    case notStarted(String)

    fileprivate init?(_ message: Message) {
        if let code = message["status"].flatMap({ Int32($0) }) {
            self = .exited(code)
        } else if let signal = message["signal"].flatMap({ Int32($0) }) {
            self = .killed(signal: signal)
        } else if message["output"] == "closed" {
            self = .closedOutput
        } else if let why = message["problem"] {
            self = .notStarted(why)
        } else {
            return nil
        }
    }

    /// For people: it …
    var text: String {
        switch self {
        case .exited(let code): "ended with status \(code)"
        case .killed(let signal): "was ended by SIG\(SignalName.of(signal))"
        case .closedOutput: "has closed its output, and was ended"
        case .notStarted(let why): "couldn't be started: \(why)"
        }
    }
}
