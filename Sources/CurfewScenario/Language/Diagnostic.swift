/// What is wrong with a scenario, where, and what would be right.
public struct Diagnostic: Sendable, Hashable, Error {
    public enum Severity: Sendable, Hashable { case error, warning }

    public var severity: Severity
    public var position: Position
    /// One sentence, without a full stop, as `there is no statement "lanch"; did you mean "launch"?`.
    public var message: String
    /// The words that are accepted there, where they are too many for the sentence.
    public var accepted: AcceptedWords

    public init(
        _ severity: Severity = .error, at position: Position, _ message: String,
        accepted: AcceptedWords = AcceptedWords([])
    ) {
        self.severity = severity
        self.position = position
        self.message = message
        self.accepted = accepted
    }

    /// What is wrong and all that is accepted, in one line.
    public var sentence: String { accepted.sentence(behind: message) }

    /// `FILE:LINE:COLUMN: error: MESSAGE`, as compilers print it and editors read it; what is accepted in lines below, indented.
    public func text(in file: String) -> String {
        let line =
            "\(file):\(position.line):\(position.column): \(severity == .error ? "error" : "warning"): \(message)"
        return ([line] + accepted.lines).joined(separator: "\n")
    }
}
