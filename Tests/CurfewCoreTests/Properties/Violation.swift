/// What was expected by the specification and didn't come, or came and wasn't expected.
struct Violation: Error {
    var text: String
    init(_ text: String) { self.text = text }
}
