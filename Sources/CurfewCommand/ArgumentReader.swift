import Glibc

/// Walks the process's own argv, option by option, without copying it.
///
/// The hot verbs are read by this and not by a parser library: that costs milliseconds once entered. A test holds
/// both to the same options; see `CurfewArguments`.
public struct ArgumentReader {
    public typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    public let verb: String
    private let arguments: Arguments
    private let count: Int
    /// The index of the next argument.
    public private(set) var position: Int
    private var hasEndedOptions = false
    /// An option's value given as `--name=value`, until it is asked for.
    private var inlineValue: String?

    public init(verb: String, _ arguments: Arguments, count: Int, from position: Int) {
        self.verb = verb
        self.arguments = arguments
        self.count = count
        self.position = position
    }

    public enum Token: Equatable {
        case option(String)
        case operand(String)
    }

    /// The next option or operand; nil at the end. After `--` all are operands.
    public mutating func next() throws(UsageError) -> Token? {
        if let inlineValue { throw error("\(lastOption) takes no value; it was given \(inlineValue)") }
        guard let text = peek() else { return nil }
        position += 1
        if hasEndedOptions || text[0] != 45 || text[1] == 0 { return .operand(String(cString: text)) }
        if text[1] == 45, text[2] == 0 {
            hasEndedOptions = true
            return try next()
        }
        return .option(split(String(cString: text)))
    }

    private var lastOption = ""

    private mutating func split(_ text: String) -> String {
        lastOption = text
        guard let equals = text.firstIndex(of: "="), text.hasPrefix("--") else { return text }
        inlineValue = String(text[text.index(after: equals)...])
        lastOption = String(text[..<equals])
        return lastOption
    }

    /// The value of the option just read: what followed its `=`, or the next argument.
    public mutating func value() throws(UsageError) -> String {
        if let value = inlineValue {
            inlineValue = nil
            return value
        }
        guard let text = peek() else { throw error("\(lastOption) needs a value") }
        position += 1
        return String(cString: text)
    }

    /// The operands from here on are a command, whatever they look like.
    public mutating func endOptions() { position -= 1 }

    /// The rest as the kernel wants it, and how many there are.
    public var rest: (arguments: Arguments, count: Int) { (arguments + position, count - position) }

    public func error(_ problem: String) -> UsageError { UsageError(verb, problem) }

    public func unknown(_ option: String) -> UsageError {
        error("unknown option \(option); `curfew \(verb) --help` lists what is accepted")
    }

    private func peek() -> UnsafeMutablePointer<CChar>? { position < count ? arguments[position] : nil }
}

extension ArgumentReader {
    /// A duration in nanoseconds.
    mutating func duration() throws(UsageError) -> Int64 {
        let text = try value()
        guard let nanoseconds = DurationArgument.parse(text) else {
            throw error("\(lastOption): \"\(text)\" isn't \(DurationArgument.accepted)")
        }
        return nanoseconds
    }

    /// A size in bytes; nil for an infinite one.
    mutating func size() throws(UsageError) -> UInt64? {
        let text = try value()
        guard let bytes = SizeArgument.parse(text) else {
            throw error("\(lastOption): \"\(text)\" isn't \(SizeArgument.accepted)")
        }
        return bytes == .max ? nil : bytes
    }

    /// A word of a fixed list.
    mutating func choice<Choice: RawRepresentable & CaseIterable>() throws(UsageError) -> Choice
    where Choice.RawValue == String {
        let text = try value()
        guard let choice = Choice(rawValue: text) else {
            let accepted = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("\(lastOption): \"\(text)\" isn't one of \(accepted)")
        }
        return choice
    }

    /// A number above zero, fractions allowed.
    mutating func scale() throws(UsageError) -> Double {
        let text = try value()
        guard let number = Double(text), number.isFinite, number >= 0.001, number <= 1_000_000 else {
            throw error("\(lastOption): \"\(text)\" isn't a number from 0.001 to 1000000, such as 60")
        }
        return number
    }
}
