/// Why bytes are not JSON, and where.
public struct JSONError: Error, Equatable {
    /// Bytes from the start to the first one that can't be right; all of them when something is missing.
    public let offset: Int

    /// A short phrase for people, such as "a string is not closed".
    public let problem: String

    public init(offset: Int, problem: String) {
        self.offset = offset
        self.problem = problem
    }
}
