/// Wrong usage: one line that names what is wrong and what is accepted; status 64, nothing started.
public struct UsageError: Error, Equatable {
    public let verb: String
    public let problem: String

    public init(_ verb: String, _ problem: String) {
        self.verb = verb
        self.problem = problem
    }

    public var line: String { verb.isEmpty ? "curfew: \(problem)" : "curfew: \(verb): \(problem)" }
}
