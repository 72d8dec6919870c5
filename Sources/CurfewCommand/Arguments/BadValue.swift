/// A value that isn't what is accepted in its place: what is wrong with it, in words for one line.
public struct BadValue: Error, Equatable {
    public let problem: String

    init(_ problem: String) { self.problem = problem }

    /// `accepted`: what it should have been.
    init(_ text: String, isNot accepted: String) { problem = "\"\(text)\" isn't \(accepted)" }
}
