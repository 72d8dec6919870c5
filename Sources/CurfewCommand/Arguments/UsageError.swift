/// Wrong usage: one line that names what is wrong and what is accepted; status 64, nothing started.
public struct UsageError: Error, Equatable {
    public let verb: String
    public let problem: String
    /// Nothing is wrong after all: help was asked for.
    public private(set) var asksForHelp = false

    /// What is printed where that isn't `curfew: VERB: problem`.
    private var ownLines: [String]?
    public private(set) var status = ExitStatus.usage

    public init(_ verb: String, _ problem: String) {
        self.verb = verb
        self.problem = problem
    }

    /// For a verb that keeps another program's words and status.
    init(_ verb: String, lines: [String], status: Int32) {
        self.init(verb, lines.first ?? "")
        ownLines = lines
        self.status = status
    }

    package static func help(_ verb: String) -> UsageError {
        var error = UsageError(verb, "help was asked for")
        error.asksForHelp = true
        return error
    }

    public var lines: [String] { ownLines ?? ["curfew: " + (verb.isEmpty ? "" : "\(verb): ") + problem] }
}
