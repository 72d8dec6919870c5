import CurfewLinux

/// The pipe that a run's standard output and error go to, both in one, so that their order stays.
public struct AppOutput: Sendable, Hashable {
    public let app: String
    /// Counted by whoever keeps the history.
    public let run: Int
    /// For the program; the starter closes its own copy once that runs.
    public var programsEnd: Descriptor
    let readingEnd: Descriptor
}
