/// A background task that can't be had, though there is a supervisor; the work it was for was not begun.
public struct BackgroundTaskRefused: Error, Hashable, CustomStringConvertible {
    /// What the task was to be called.
    public let name: String

    public init(name: String) { self.name = name }

    public var description: String {
        "the background task \"\(name)\" was refused: the background time is spent, or the app is being ended"
    }
}
