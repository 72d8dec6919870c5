import CurfewLinux
import Glibc
import Testing

/// What GNU timeout answers to command lines: Tests/Conformance/timeout.txt, whose head says how a row is written.
enum ConformanceRecord {
    static let rows: [ConformanceRow] = {
        let text = read(beside("../Conformance/timeout.txt"))
        let blocks = text.split(separator: "\n", omittingEmptySubsequences: false).split(whereSeparator: \.isEmpty)
        return blocks.compactMap { lines in ConformanceRow(lines.map(String.init)) }
    }()

    private static func beside(_ path: String) -> String { "\(#filePath)".droppingLastName + path }

    private static func read(_ path: String) -> String {
        guard let file = fopen(path, "r") else {
            Issue.record("\(path) can't be read")
            return ""
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// One command line, what is sent to it meanwhile, and its answer.
struct ConformanceRow: Sendable, CustomTestStringConvertible {
    /// What happens before the end, in order.
    enum Step: Sendable {
        case awaits(String)
        case sends(Int32)
        case sendsToCommand(Int32)
    }

    /// Whether it is also run as real processes.
    let isProcess: Bool
    let words: [String]
    private(set) var script: [Step] = []
    private(set) var answer = ConformanceAnswer()
    /// Where ours is another.
    private(set) var ours: ConformanceAnswer?

    var testDescription: String { words.joined(separator: " ") }

    /// Nil for what isn't a row: comments and headings.
    init?(_ lines: [String]) {
        guard let first = lines.first, !first.hasPrefix("#"), !first.hasPrefix("==") else { return nil }
        isProcess = first.hasPrefix("* ")
        words = Self.words(isProcess ? String(first.dropFirst(2)) : first)
        for line in lines.dropFirst() { take(line) }
        // What comes after the last signal is waited for as the end is.
        while case .awaits? = script.last { script.removeLast() }
    }

    private mutating func take(_ line: String) {
        let (kind, value) = line.firstWord
        switch kind {
        case "since": break
        case "curfew:": ours = ConformanceAnswer()
        case "<": script.append(.sends(number(value)))
        case "<<": script.append(.sendsToCommand(number(value)))
        case ">":
            if ours == nil { script.append(.awaits(value)) }
            change { $0.output.append(value) }
        case "!": change { $0.errors.append(value) }
        case "=":
            let status = Int32(value).map { ConformanceAnswer.Status.exits($0) } ?? .dies(number(value))
            change { $0.status = status }
        default: Issue.record("what is \(line)?")
        }
    }

    private mutating func change(_ change: (inout ConformanceAnswer) -> Void) {
        if var ours {
            change(&ours)
            self.ours = ours
        } else {
            change(&answer)
        }
    }

    private func number(_ name: String) -> Int32 {
        guard let number = SignalName.number(of: name) else {
            Issue.record("\(name) is no signal")
            return 0
        }
        return number
    }

    // MARK: Words

    /// Those in quotes are written as JSON's strings.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var rest = Substring(line)
        while let first = rest.first {
            if first == " " {
                rest.removeFirst()
            } else if first == "\"" {
                words.append(takeQuoted(&rest))
            } else {
                words.append(String(rest.prefix { $0 != " " }))
                rest = rest.drop { $0 != " " }
            }
        }
        return words
    }

    private static func takeQuoted(_ rest: inout Substring) -> String {
        var word = ""
        rest.removeFirst()
        while let next = rest.popFirst(), next != "\"" {
            word += next == "\\" ? takeEscaped(&rest) : String(next)
        }
        return word
    }

    private static func takeEscaped(_ rest: inout Substring) -> String {
        switch rest.popFirst() {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{c}"
        case "u":
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map { String($0) } ?? "?"
        case let other: return other.map { String($0) } ?? ""
        }
    }
}

/// How a command line ends.
struct ConformanceAnswer: Sendable, Equatable {
    enum Status: Sendable, Equatable {
        case exits(Int32)
        case dies(Int32)
    }

    /// Instead of the lines that each program words as it likes.
    static let something = "…"

    var status: Status?
    var output: [String] = []
    var errors: [String] = []

    /// A line that repeats the one before counts once: a command in timeout's group is signalled once or twice.
    static func == (one: Self, other: Self) -> Bool {
        one.status == other.status && one.errors == other.errors && once(one.output) == once(other.output)
    }

    private static func once(_ lines: [String]) -> [String] {
        lines.indices.filter { $0 == 0 || lines[$0 - 1] != lines[$0] }.map { lines[$0] }
    }
}

extension String {
    /// What stands before the first space, and after it.
    fileprivate var firstWord: (String, String) {
        let word = prefix { $0 != " " }
        return (String(word), String(dropFirst(word.count + 1)))
    }

    fileprivate var droppingLastName: String { String(self[...(lastIndex(of: "/") ?? startIndex)]) }
}
