/// One message of the control channel: a verb, then `key=value` pairs in the order they were written.
///
/// Verbs and keys are one or more of A-Z a-z 0-9 `_` `.` `-`; a value is any text, the empty one included.
/// A key may stand more than once; the first counts.
/// Source: docs/protocol.md, "One message a line".
public struct Message: Equatable, Sendable {
    public var verb: String
    public var fields: [Field]

    /// Makes a message; the verb and the keys are the caller's promise, the values may be anything.
    public init(_ verb: String, _ fields: [Field] = []) {
        self.verb = verb
        self.fields = fields
    }

    /// The value of the first field with this key, or nil.
    ///
    /// Linear in the number of fields, which one line keeps small.
    public subscript(key: String) -> String? {
        for field in fields where field.key == key { return field.value }
        return nil
    }
}

/// One `key=value` pair of a message, its value without quotes and escapes.
public struct Field: Equatable, Sendable {
    public var key: String
    public var value: String

    public init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}
