/// A value that a word stands for: known when the file is read, or once its variables have values.
public enum Value<Known: Sendable & Hashable & ReadableValue>: Sendable, Hashable {
    case known(Known, Word)
    case pending(Word)

    public var word: Word {
        switch self {
        case .known(_, let word), .pending(let word): word
        }
    }

    /// Throws a diagnostic where a variable has no value, or where the text is no such value.
    public func resolved(with variables: [String: String]) throws(Diagnostic) -> Known {
        if case .known(let value, _) = self { return value }
        return try Known.read(try word.filled(with: variables), at: word.position)
    }
}

/// What can be read from a word.
public protocol ReadableValue {
    /// Throws a diagnostic that says what is accepted.
    static func read(_ text: String, at position: Position) throws(Diagnostic) -> Self
}

/// A time, as `500ms`, `1.5s`, `1h30min`; not negative.
public struct Duration: Sendable, Hashable {
    public var nanoseconds: Int64
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
}

/// A regular expression, Swift's; compiled anew by whoever matches, for a `Regex` can't be sent.
public struct Pattern: Sendable, Hashable {
    public var text: String
    public init(text: String) { self.text = text }
}

/// A whole number, not negative: bytes where sizes are meant (`64M`), percent where CPU is.
public struct Amount: Sendable, Hashable {
    public var value: UInt64
    public init(value: UInt64) { self.value = value }
}

/// A factor above 0, of `time-scale`.
public struct Factor: Sendable, Hashable {
    public var value: Double
    public init(value: Double) { self.value = value }
}
