import CurfewCore
import CurfewEngine
import CurfewLinux
import CurfewWire
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
    /// Whether `--` has been read: all that follows is operands.
    private(set) var hasEndedOptions = false
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
    ///
    /// Throws for a value that nobody asked for, and for `--help` and `-h`, which every verb has.
    public mutating func next() throws(UsageError) -> Token? {
        if let inlineValue { throw error("\(lastOption) takes no value; it was given \"\(inlineValue)\"") }
        guard let text = peek() else { return nil }
        position += 1
        if hasEndedOptions || text[0] != 45 || text[1] == 0 { return .operand(String(cString: text)) }
        if text[1] == 45, text[2] == 0 {
            hasEndedOptions = true
            return try next()
        }
        let option = split(text)
        if option == "--help" || option == "-h" { throw .help(verb) }
        return .option(option)
    }

    private var lastOption = ""

    /// By the C library: Swift's strings would look for grapheme clusters, and page in what that takes.
    private mutating func split(_ text: UnsafeMutablePointer<CChar>) -> String {
        if text[1] == 45, let equals = strchr(text, 61) {
            inlineValue = String(cString: equals + 1)
            let name = UnsafeRawBufferPointer(start: text, count: equals - text)
            lastOption = String(decoding: name, as: UTF8.self)
        } else {
            lastOption = String(cString: text)
        }
        return lastOption
    }

    /// The value of the option just read: what followed its `=`, or the next argument, whatever that looks like.
    ///
    /// `accepted`: what it may be, for the message when there is none.
    public mutating func value(_ accepted: @autoclosure () -> String) throws(UsageError) -> String {
        if let value = inlineValue {
            inlineValue = nil
            return value
        }
        guard let text = peek() else { throw error("\(lastOption) needs a value: \(accepted())") }
        position += 1
        return String(cString: text)
    }

    /// The operands from here on are a command, whatever they look like.
    public mutating func endOptions() { position -= 1 }

    /// The words of the command line that were read since it stood at that index.
    func words(from first: Int) -> [ByteString] { words(first..<position) }

    /// Those that are still to be read.
    var remainingWords: [ByteString] { words(position..<count) }

    private func words(_ indices: Range<Int>) -> [ByteString] {
        indices.compactMap { arguments[$0].map { ByteString(cString: $0) } }
    }

    /// All of the command line.
    var argv: Arguments { arguments }

    /// The rest as the kernel wants it, and how many there are.
    public var rest: (arguments: Arguments, count: Int) { (arguments + position, count - position) }

    public func error(_ problem: String) -> UsageError { UsageError(verb, problem) }

    public func unknown(_ option: String) -> UsageError {
        if let meant = NearestWord.nearest(to: option, among: VerbSyntax.options(of: verb)) {
            return error("unknown option \(option); did you mean \(meant)? `curfew \(verb) --help` lists all")
        }
        return error("unknown option \(option); `curfew \(verb) --help` lists what is accepted")
    }

    public func tooMany(_ operand: String) -> UsageError {
        error("\"\(operand)\" is one too many; \(VerbSyntax.surplusHint(of: verb))")
    }

    /// A bad value of the option just read.
    public func bad(_ text: String, _ accepted: String) -> UsageError {
        error("\(lastOption): \"\(text)\" isn't \(accepted)")
    }

    /// Does what may find the value of the option just read bad.
    func checked<Value>(_ body: () throws(BadValue) -> Value) throws(UsageError) -> Value {
        do throws(BadValue) { return try body() } catch { throw self.error("\(lastOption): \(error.problem)") }
    }

    private func peek() -> UnsafeMutablePointer<CChar>? { position < count ? arguments[position] : nil }
}

extension ArgumentReader {
    mutating func span() throws(UsageError) -> Span {
        let text = try value(DurationArgument.accepted)
        guard let nanoseconds = DurationArgument.parse(text) else { throw bad(text, DurationArgument.accepted) }
        return Span(nanoseconds: nanoseconds)
    }

    /// A size in bytes; nil for an infinite one.
    mutating func size() throws(UsageError) -> UInt64? {
        let text = try value(SizeArgument.accepted)
        guard let bytes = SizeArgument.parse(text) else { throw bad(text, SizeArgument.accepted) }
        return bytes == .max ? nil : bytes
    }

    /// A word of a fixed list.
    mutating func choice<Choice: RawRepresentable & CaseIterable>() throws(UsageError) -> Choice
    where Choice.RawValue == String {
        // Put into words only where it is needed: every launch with such an option passes here.
        func accepted() -> String { "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ") }
        let text = try value(accepted())
        guard let choice = Choice(rawValue: text) else { throw bad(text, accepted()) }
        return choice
    }

    /// A size, or a share of what there is.
    mutating func amount() throws(UsageError) -> Amount {
        let text = try value(AmountArgument.accepted)
        guard let amount = AmountArgument.parse(text) else { throw bad(text, AmountArgument.accepted) }
        return amount
    }

    /// CPU time over a window; nil for no limit.
    mutating func cpuLimit() throws(UsageError) -> CPUPolicy? {
        let text = try value(CPULimitArgument.accepted)
        switch CPULimitArgument.parse(text) {
        case .limited(let limits): return limits
        case .unlimited: return nil
        case nil: throw bad(text, CPULimitArgument.accepted)
        }
    }

    /// How often within a time.
    mutating func rate() throws(UsageError) -> RateArgument.Rate {
        let text = try value(RateArgument.accepted)
        guard let rate = RateArgument.parse(text) else { throw bad(text, RateArgument.accepted) }
        return rate
    }

    mutating func scale() throws(UsageError) -> Double {
        let text = try value(ScaleArgument.accepted)
        guard let number = ScaleArgument.parse(text) else { throw bad(text, ScaleArgument.accepted) }
        return number
    }

    /// A name that an app can have.
    mutating func appName() throws(UsageError) -> String {
        let text = try value("a name, \(AppName.accepted)")
        guard AppName.isValid(text) else { throw bad(text, "a name; accepted: \(AppName.accepted)") }
        return text
    }

    /// A name that a server can have.
    mutating func serverName() throws(UsageError) -> String {
        let text = try value("a server's name, \(AppName.accepted)")
        guard AppName.isValid(text) else { throw bad(text, "a server's name; accepted: \(AppName.accepted)") }
        return text
    }

    /// The path of a file.
    mutating func path() throws(UsageError) -> String { try path("the path of a file") }

    /// The path of a directory.
    mutating func directory() throws(UsageError) -> String { try path("the path of a directory") }

    private mutating func path(_ accepted: String) throws(UsageError) -> String {
        let text = try value(accepted)
        guard !text.isEmpty else { throw bad(text, accepted) }
        return text
    }

    /// A process's number, as text.
    mutating func pid() throws(UsageError) -> String {
        let text = try value("a pid")
        guard let pid = Int32(text), pid > 0 else { throw bad(text, "a pid") }
        return String(pid)
    }
}
