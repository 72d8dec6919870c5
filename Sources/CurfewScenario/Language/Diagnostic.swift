/// What is wrong with a scenario, where, and what would be right.
public struct Diagnostic: Sendable, Hashable, Error {
    public enum Severity: Sendable, Hashable { case error, warning }

    public var severity: Severity
    public var position: Position
    /// One sentence, without a full stop, as `there is no statement "lanch"; did you mean "launch"?`.
    public var message: String

    public init(_ severity: Severity = .error, at position: Position, _ message: String) {
        self.severity = severity
        self.position = position
        self.message = message
    }

    /// `FILE:LINE:COLUMN: error: MESSAGE`, as compilers print it and editors read it.
    public func line(in file: String) -> String {
        "\(file):\(position.line):\(position.column): \(severity == .error ? "error" : "warning"): \(message)"
    }
}
