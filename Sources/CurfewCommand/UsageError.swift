/// Wrong usage: one line that names what is wrong and what is accepted; status 64, nothing started.
public struct UsageError: Error, Equatable {
    public let verb: String
    public let problem: String
    /// Nothing is wrong after all: help was asked for.
    public private(set) var asksForHelp = false

    public init(_ verb: String, _ problem: String) {
        self.verb = verb
        self.problem = problem
    }

    static func help(_ verb: String) -> UsageError {
        var error = UsageError(verb, "help was asked for")
        error.asksForHelp = true
        return error
    }

    public var line: String { "curfew: " + (verb.isEmpty ? "" : "\(verb): ") + Printable.text(problem) }
}
