/// Two texts with the first `=` between them.
struct KeyValue {
    let key: String
    /// May be empty.
    let value: String

    /// `accepted`: what the whole should look like, for the message when there is no `=`.
    init(_ text: String, accepted: String) throws(BadValue) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { throw BadValue(text, isNot: accepted) }
        key = String(text[..<equals])
        value = String(text[text.utf8.index(after: equals)...])
    }
}
