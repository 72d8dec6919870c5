import CurfewCore
import CurfewLinux
import CurfewWire

extension TimedWait {
    /// Told to the millisecond, and of none that it is nothing.
    var fields: [Field] {
        [
            Field("shortest-wait", Seconds.text(nanoseconds: max(1_000_000, nanoseconds))),
            Field("shortest-wait-of", "\(name) (\(pid)), \(call)"),
        ]
    }
}

extension InputFilter {
    /// As `--wake-on` takes it.
    public var text: String {
        if kinds.isEmpty { return "none" }
        let ports = self.ports.map { ":\($0)" }.joined()
        return kinds.names.map { $0 == "connections" ? $0 + ports : $0 }.joined(separator: ",")
    }
}

extension SharedListener {
    /// For people: `at :6379 after 2 s`.
    var text: String {
        "at \(socket.place ?? "a socket without a name") after "
            + HumanText.duration(nanoseconds: delay.nanoseconds)
    }
}

extension AwakeReason {
    /// For people: `python3 (4711) used 3 % of a processor in the last 1 min`.
    var text: String {
        switch self {
        case .cpu(let used, let elapsed, let busiest):
            Self.told(
                "used", Self.share(used, of: elapsed),
                "of a processor in the last \(HumanText.duration(nanoseconds: elapsed.nanoseconds))",
                most: busiest.map { ($0.process, Self.share(Self.exact($0.amount, of: used), of: elapsed)) })
        case .wrote(let bytes, let writer):
            Self.told(
                "wrote", HumanText.size(bytes: bytes),
                most: writer.map { ($0.process, HumanText.size(bytes: $0.amount)) })
        case .processes(let newcomer): newcomer.map { "\($0) was born" } ?? "a process of it was born, or has gone"
        case .terminal: "its terminal was read or written"
        case .holdsTask(let task): "it holds task \(task.rawValue)"
        case .owes(let event): "it has yet to acknowledge \(event.name)"
        case .exitsOnSuspend: "it would end (--exits-on-suspend)"
        case .footprint(let footprint, let limit):
            "its footprint of \(HumanText.size(bytes: footprint)) is over --background-memory "
                + HumanText.size(bytes: limit)
        case .other(let words): words
        }
    }

    /// A process's time is told in ticks of 10 ms, at both ends: so near to all of it, it is all of it.
    private static func exact(_ part: Span, of whole: Span) -> Span {
        part + .milliseconds(20) >= whole ? whole : part
    }

    private static func share(_ part: Span, of whole: Span) -> String {
        HumanText.percent(part.nanoseconds, of: whole.nanoseconds)
    }

    /// What all of it did, and who the most of that; where that is all, as far as it is shown, just who.
    private static func told(
        _ did: String, _ amount: String, _ rest: String = "", most: (process: String, amount: String)?
    ) -> String {
        let sentence = [did, amount, rest].filter { !$0.isEmpty }.joined(separator: " ")
        guard let most else { return "it \(sentence)" }
        if most.amount == amount { return "\(most.process) \(sentence)" }
        return "it \(sentence), of which \(most.process) \(most.amount)"
    }
}
