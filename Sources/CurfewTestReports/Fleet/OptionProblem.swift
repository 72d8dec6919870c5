/// Why an option's value can't be used.
public struct OptionProblem: Error, Sendable, Hashable {
    /// One sentence, without a full stop; it names the option.
    public var message: String

    public init(_ message: String) { self.message = message }
}
