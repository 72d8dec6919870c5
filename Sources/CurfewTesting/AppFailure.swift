import Testing

/// Why a statement didn't go through.
public struct AppFailure: Error, Sendable, CustomStringConvertible {
    /// What should have been, in words.
    public let expected: String
    /// What was instead.
    public let seen: String
    /// Whether it couldn't be done at all: the program may be well.
    public let isBroken: Bool
    /// The last events, oldest first.
    public let events: [String]
    /// The last lines of output, oldest first.
    public let output: [String]
    /// The statement's.
    public let sourceLocation: SourceLocation

    public var description: String {
        var lines = ["expected  \(expected)", "seen      \(seen)"]
        for (title, last) in [("last events", events), ("last output", output)] where !last.isEmpty {
            lines += ["", title] + last.map { "| \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}
