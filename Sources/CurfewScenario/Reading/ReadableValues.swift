import CurfewWire

// What is read from a word, once its variables have values.

extension Duration: ReadableValue {
    public static func read(_ text: String, at position: Position) throws(Diagnostic) -> Duration {
        guard let nanoseconds = TimeSpan.parse(text), nanoseconds < .max else {
            throw Diagnostic(at: position, "\"\(text)\" isn't \(TimeSpan.acceptedFinite)")
        }
        return Duration(nanoseconds: nanoseconds)
    }
}

extension Pattern: ReadableValue {
    /// In bytes; what is longer isn't typed by anybody.
    static let maximumBytes = 4096

    public static func read(_ text: String, at position: Position) throws(Diagnostic) -> Pattern {
        guard text.utf8.count <= maximumBytes else {
            throw Diagnostic(at: position, "a regular expression has \(maximumBytes) bytes at most")
        }
        do {
            _ = try Regex(text)
        } catch {
            throw Diagnostic(at: position, "\"\(text)\" isn't a regular expression: \(error)")
        }
        return Pattern(text: text)
    }
}

extension Pattern {
    /// How many groups it has that `as` can name; nil where that can't be told.
    var groupCount: Int? {
        // It, or nothing, which is there in any text. The line feed ends a comment that may be in it.
        guard let either = try? Regex("(?:\(text)\n)|") else { return nil }
        return (try? either.firstMatch(in: "")).flatMap { $0 }.map { $0.output.count - 1 }
    }
}

extension Amount: ReadableValue {
    public static func read(_ text: String, at position: Position) throws(Diagnostic) -> Amount {
        guard let value = Amount.digits(text) else {
            throw Diagnostic(at: position, "\"\(text)\" isn't a whole number, 0 or more")
        }
        return Amount(value: value)
    }

    /// Nil for anything but digits, and for what 64 bits can't hold.
    static func digits(_ text: String) -> UInt64? {
        text.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } ? UInt64(text) : nil
    }
}

extension Factor: ReadableValue {
    public static func read(_ text: String, at position: Position) throws(Diagnostic) -> Factor {
        guard let value = TimeScale.parse(text) else {
            throw Diagnostic(at: position, "\"\(text)\" isn't \(TimeScale.accepted)")
        }
        return Factor(value: value)
    }
}

extension Condition.Quantity {
    /// What VALUE is for this one, in its unit: nanoseconds of `remaining` (which may be `inf`: `Int64.max`) and `cpu`,
    /// bytes of `memory`, a number of `processes`.
    ///
    /// Throws a diagnostic that says what is accepted.
    public func read(_ text: String, at position: Position) throws(Diagnostic) -> UInt64 {
        switch self {
        case .remaining where TimeSpan.parse(text) == .max: UInt64(Int64.max)
        case .remaining, .cpu: UInt64(try Duration.read(text, at: position).nanoseconds)
        case .memory: try Self.size(text, at: position)
        case .processes: try Amount.read(text, at: position).value
        }
    }

    private static func size(_ text: String, at position: Position) throws(Diagnostic) -> UInt64 {
        if Amount.digits(text) == 0 { return 0 }
        guard let bytes = ByteSize.parse(text), bytes < .max else {
            throw Diagnostic(
                at: position, "\"\(text)\" isn't a size such as 200M (200 MiB), 1.5G, 64KiB or a number of bytes")
        }
        return bytes
    }
}

extension Value {
    /// Known at once where no variable is in the word; throws a diagnostic where it is no such value.
    init(_ word: Word) throws(Diagnostic) {
        if let text = word.constant {
            self = .known(try Known.read(text, at: word.position), word)
        } else {
            self = .pending(word)
        }
    }
}
