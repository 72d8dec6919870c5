/// Why a line is not a message, and where.
public struct MalformedLine: Error, Equatable {
    /// Bytes from the line's start to the first one that can't be right; the line's length when something is missing.
    public let offset: Int

    /// A short phrase for people, such as "a quote is not closed"; it never holds bytes of the line.
    public let problem: String

    public init(offset: Int, problem: String) {
        self.offset = offset
        self.problem = problem
    }
}
