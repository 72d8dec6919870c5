/// Why nothing can be drawn of a file.
public struct Unreadable: Error, Equatable {
    /// The line that is damaged, counted from 1; nil where it isn't one line's fault.
    public var line: Int?
    public var problem: String

    public init(_ problem: String, line: Int? = nil) {
        self.problem = problem
        self.line = line
    }
}
