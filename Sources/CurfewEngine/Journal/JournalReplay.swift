import CurfewCore
import CurfewWire

/// Runs a journal's inputs through a new core, and compares what that answers with what stands in the journal.
public struct JournalReplay {
    private var core = Supervisor()
    private var lineNumber = 0
    /// What the last input brought about and hasn't been compared yet.
    private var expected: [String] = []
    /// Whether the first line was a journal's.
    public private(set) var hasHeader = false
    /// The first line that differs from what the core answers now; nil while there is none.
    public private(set) var difference: Difference?

    /// Where a journal and the core part.
    public struct Difference: Sendable, Hashable {
        public var line: Int
        /// What stands there; nil where something is missing.
        public var recorded: String?
        /// What the core answers; nil where it answers nothing more.
        public var replayed: String?
    }

    /// A line that no journal has.
    public struct Unreadable: Error, Sendable, Hashable {
        public var line: Int
        public var problem: String
    }

    public init() {}

    /// Takes the next line; what it prints is the line itself, and for an input the effects the core has for it; for a recorded
    /// effect nothing.
    public mutating func take(_ line: String) throws(Unreadable) -> [String] {
        lineNumber += 1
        let message: Message?
        do throws(MalformedLine) { message = try Message.parse(line) } catch {
            throw Unreadable(
                line: lineNumber, problem: hasHeader ? "byte \(error.offset): \(error.problem)" : Self.isNoJournal)
        }
        guard let message else { return [] }
        guard hasHeader else {
            try readHeader(message)
            return []
        }
        switch message.verb {
        case "input": return try replay(message)
        case "effect":
            compare(message.wholeLine)
            return []
        case Journal.measured:
            noteMissing()
            return [message.wholeLine]
        default: throw Unreadable(line: lineNumber, problem: "\"\(message.verb)\" is neither input nor effect")
        }
    }

    /// Whether all that the last input brought about has been compared.
    public var isAtEnd: Bool { expected.isEmpty }

    /// After the last line of a journal that is whole: effects still missing are a difference.
    public mutating func finish() { noteMissing() }

    public static let isNoJournal = "it doesn't begin as a journal of `curfew run --journal` does"

    private mutating func readHeader(_ message: Message) throws(Unreadable) {
        guard message.verb == Journal.header.verb else {
            throw Unreadable(line: lineNumber, problem: Self.isNoJournal)
        }
        guard message["version"] == Journal.header["version"] else {
            let version = message["version"] ?? "none"
            throw Unreadable(line: lineNumber, problem: "its version is \(version); this curfew reads 1")
        }
        hasHeader = true
    }

    private mutating func replay(_ message: Message) throws(Unreadable) -> [String] {
        guard let recorded = RecordedInput(message), isPossible(recorded.input) else {
            throw Unreadable(line: lineNumber, problem: "this input can't be read, or can't come here")
        }
        noteMissing()
        expected = core.handle(recorded.input, at: recorded.moment).map(\.journalMessage.wholeLine)
        return [message.wholeLine] + expected.map { "    " + $0 }
    }

    /// The one input that the core takes for its caller's mistake.
    private func isPossible(_ input: Input) -> Bool {
        if case .app(let app, .launch(_, _)) = input { return core.canLaunch(app) }
        return true
    }

    private mutating func compare(_ recorded: String) {
        let replayed = expected.isEmpty ? nil : expected.removeFirst()
        if replayed != recorded, difference == nil {
            difference = Difference(line: lineNumber, recorded: recorded, replayed: replayed)
        }
    }

    private mutating func noteMissing() {
        if let first = expected.first, difference == nil {
            difference = Difference(line: lineNumber, recorded: nil, replayed: first)
        }
        expected.removeAll()
    }
}

extension Message {
    /// Without its line feed.
    fileprivate var wholeLine: String {
        var bytes: [UInt8] = []
        encodeWhole(into: &bytes)
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}
